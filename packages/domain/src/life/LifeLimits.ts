import { DayMs, HourMs, SecondMs, count, rate, span } from "@atrium/wire/limits/Limit"

/** The lives of rooms: what happened to a room, and when. */
export const LifeLimits = {
  lifeKept: span("Time for which an event of a room's life is kept", {
    ms: 7 * DayMs,
    per: "event",
    past: "not shown, and removed at the next sweep"
  }),
  lifeEvents: count("Events of a room's life that are shown", {
    max: 500,
    per: "room",
    past: "the oldest are not shown"
  }),
  lifeDetail: count("UTF-16 units of what a room's code says in an event of its life", {
    max: 1000,
    per: "event",
    past: "cut"
  }),
  lifeOfRoom: rate("Events of a room's life", {
    burst: 120,
    tokens: 120,
    everyMs: HourMs,
    per: "room and runner",
    past: "not kept; the next one that is kept tells how many are missing"
  }),
  lifeOfProject: rate("Events in the lives of a project's rooms", {
    burst: 5000,
    tokens: 5000,
    everyMs: HourMs,
    per: "project and runner",
    past: "not kept; the next one of the room that is kept tells how many are missing"
  }),
  lifeWaiting: count("Events of rooms' lives that wait to be stored", {
    max: 10_000,
    per: "runner",
    past: "not kept; the next one of the room that is kept tells how many are missing"
  }),
  lifeSweep: count("Old events of rooms' lives that are removed together", {
    max: 5000,
    per: "statement",
    past: "the others are removed after them"
  }),
  lifeBatch: count("Events of rooms' lives that are stored together", {
    max: 500,
    per: "statement",
    past: "the others come after them"
  }),
  lifeBatchWait: span("Time in which events of rooms' lives gather before they are stored", {
    ms: SecondMs / 4,
    per: "runner",
    past: "they are stored"
  }),
  lifeStoreWait: span("Time until a store that is away is asked again to take rooms' lives", {
    ms: 2 * SecondMs,
    per: "runner",
    past: "it is asked again"
  }),
  lifeLook: span("Time between two looks of a live reader at a room's life", {
    ms: 2 * SecondMs,
    per: "live list",
    past: "an event is told up to this much later"
  })
} as const
