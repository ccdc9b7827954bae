import {
  DayMs,
  GiB,
  MiB,
  MinuteMs,
  SecondMs,
  count,
  rate,
  size,
  span
} from "@atrium/wire/limits/Limit"

/** Meters, their allowances and walls. */
export const MeterLimits = {
  wallLook: span("Time between two looks for awake rooms of projects at their data-out wall", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "such a room is awake up to this much longer"
  }),

  // Reports of runners. The lag of a meter is the time until a report, and until a wall is read.
  report: span("Time between two reports of a runner on what its projects use", {
    ms: 5 * SecondMs,
    per: "runner",
    past: "a runner that is killed loses what it counted since its last report"
  }),
  lastReport: span("Time that the last report of a runner that ends may take", {
    ms: 2 * SecondMs,
    per: "runner",
    past: "what it says is lost"
  }),
  reportSums: count("Sums of one report", {
    max: 1000,
    per: "report",
    past: "the next report follows at once"
  }),
  lateBytes: span("Time for which the bytes of a room that has ended are counted", {
    ms: 10 * SecondMs,
    per: "room",
    past: "what another runner tells later of its connections is not counted"
  }),
  storageLook: span("Time between two looks for what projects store", {
    ms: 5 * MinuteMs,
    per: "service",
    past: "the meter of storage lags by this much and the look itself"
  }),
  storagePart: count("Objects whose sizes one query reads, or projects whose sums", {
    max: 10_000,
    per: "look",
    past: "the next query goes on from there"
  }),
  amount: count("Milliseconds or bytes that one meter counts", {
    max: Number.MAX_SAFE_INTEGER,
    per: "project and billing period",
    past: "further use is not added"
  }),
  daysKept: span("Time for which the use of a day is kept", {
    ms: 400 * DayMs,
    per: "project",
    past: "the day is removed; the sum of its month stays"
  }),
  runKept: span("Time for which the number of a runner's last report is kept", {
    ms: 30 * DayMs,
    per: "run of a runner's process",
    past: "a report that it sends again by then is not added"
  }),
  alertLook: span("Time between two looks for caps that are near or reached", {
    ms: 30 * SecondMs,
    per: "service",
    past: "an alert is raised up to this much later"
  }),
  alertPercent: count("Percent of a cap that may be used before an alert", {
    max: 80,
    per: "cap",
    past: "an alert of GET /v1/billing"
  }),

  usageMonths: count("Calendar months that usage is shown for, this one among them", {
    max: 13,
    per: "project",
    past: "earlier days are not shown"
  }),
  sustainedRate: rate("Data out of a server's rooms that may go on for ever", {
    burst: 10 * MiB,
    tokens: 10 * MiB,
    everyMs: SecondMs,
    per: "server",
    past: "after `sustainedFor` messages are dropped"
  }),
  sustainedFor: span("Time over the sustained rate until messages are dropped", {
    ms: 10 * SecondMs,
    per: "server",
    past: "messages over the rate are dropped, and the room's log warns"
  }),
  sustainedLook: span("Time between two looks at the rate of a server's data out", {
    ms: SecondMs,
    per: "runner",
    past: "the rate is taken over a longer span"
  }),

  // Allowances of billed meters in a calendar month: of the plan `free` (D-39), then of `card` (C-500).
  allowanceRoomHours: count("Room hours of a month, free", {
    max: 100,
    per: "project",
    past: "E_CAP_REACHED"
  }),
  allowanceVoiceMinutes: count("Voice participant-minutes of a month, free", {
    max: 1000,
    per: "project",
    past: "E_CAP_REACHED"
  }),
  allowanceStorageBytes: size("Stored bytes, free", {
    max: GiB,
    per: "project",
    past: "E_CAP_REACHED"
  }),
  allowanceDataOutBytes: size("Data out of a month, free", {
    max: 10 * GiB,
    per: "project",
    past: "E_CAP_REACHED"
  }),
  allowanceCardRoomHours: count("Room hours of a month, card", {
    max: 10_000,
    per: "project",
    past: "a warning"
  }),
  allowanceCardVoiceMinutes: count("Voice participant-minutes of a month, card", {
    max: 1_000_000,
    per: "project",
    past: "a warning"
  }),
  allowanceCardStorageBytes: size("Stored bytes, card", {
    max: 1024 * GiB,
    per: "project",
    past: "a warning"
  }),
  allowanceCardDataOutBytes: size("Data out of a month, card", {
    max: 10 * 1024 * GiB,
    per: "project",
    past: "a warning"
  })
} as const
