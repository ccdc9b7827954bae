import {
  count,
  DayMs,
  HourMs,
  KiB,
  MiB,
  MinuteMs,
  SecondMs,
  size,
  span
} from "@atrium/wire/limits/Limit"

/** Stored objects whose bytes are in an S3. Source: C-466. */
export const ObjectLimits = {
  objectInline: size("Bytes of an object that stay in its row", {
    max: 8 * KiB,
    per: "object",
    past: "its bytes go to the S3, where there is one"
  }),
  objectWhole: size("Bytes that are sent to the S3 in one request", {
    max: 16 * MiB,
    per: "object",
    past: "they are sent in parts"
  }),
  objectPart: size("Part of an object that is sent in parts", {
    max: 8 * MiB,
    per: "request",
    past: "the next part follows"
  }),
  objectPartsAtOnce: count("Parts of an object that are sent at once", {
    max: 2,
    per: "object",
    past: "the next one waits"
  }),
  objectAnswer: size("Answer of the S3 that is no object", {
    max: MiB,
    per: "request",
    past: "the request has failed"
  }),
  objectRequests: count("Requests to the S3 at once", {
    max: 32,
    per: "runner",
    past: "the next one waits"
  }),
  objectAttempts: count("Attempts at a request to the S3", {
    max: 3,
    per: "request",
    past: "the S3 counts as away"
  }),
  objectPause: span("First pause between two attempts, doubled by each", {
    ms: 100,
    per: "request",
    past: "the request is sent again"
  }),
  objectAttempt: span("Time for one attempt, beside that for its bytes", {
    ms: 5 * SecondMs,
    per: "attempt",
    past: "the attempt has failed"
  }),
  objectMebibyte: span("Time for each mebibyte of an attempt", {
    ms: SecondMs,
    per: "attempt",
    past: "the attempt has failed"
  }),
  objectProbe: span("Time between two looks at whether the S3 answers", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "an outage is told up to this much late"
  }),
  objectPlace: span("Time for which a runner knows where new bytes go", {
    ms: 2 * SecondMs,
    per: "runner",
    past: "it asks the database"
  }),
  objectSweep: span("Time between two sweeps of the S3", {
    ms: MinuteMs,
    per: "service",
    past: "bytes that nothing refers to stay this much longer"
  }),
  objectSweepBatch: count("Objects of the S3 that one step of a sweep removes", {
    max: 500,
    per: "step",
    past: "the next step removes them"
  }),
  objectSweepSteps: count("Steps of a sweep", {
    max: 100,
    per: "sweep",
    past: "the next sweep goes on"
  }),
  objectKept: span("Time for which bytes stay in the S3 after their row has gone", {
    ms: HourMs,
    per: "object",
    past: "a sweep removes them"
  }),
  objectOrphan: span("Time for which bytes in the S3 may wait for their row", {
    ms: DayMs,
    per: "object",
    past: "a sweep counts them among those whose row has gone"
  }),
  objectMoveLook: span("Time between two looks of the mover", {
    ms: 2 * SecondMs,
    per: "service",
    past: "an order takes effect this much later"
  }),
  objectSettled: span("Time after an order for which bytes may still come to the old place", {
    ms: 5 * SecondMs,
    per: "order",
    past: "the mover is done when it finds none there"
  }),
  objectMoveBatch: count("Objects that the mover takes before it notes how far it is", {
    max: 16,
    per: "step",
    past: "the next step takes them"
  }),
  objectMovesAtOnce: count("Objects that are moved at once", {
    max: 2,
    per: "service",
    past: "the next one waits"
  })
} as const
