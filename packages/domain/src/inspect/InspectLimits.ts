import { DayMs, MiB, SecondMs, range, rate, size, span } from "@atrium/wire/limits/Limit"

/** Looks into rooms. */
export const InspectLimits = {
  liveStateBytes: size("State of a room that is shown as it changes", {
    max: 8 * MiB,
    per: "room",
    past: "its size is shown, and it is left out"
  }),
  liveStateEvery: span("Time between two looks at the state of an awake room", {
    ms: SecondMs / 4,
    per: "live state",
    past: "a further look waits"
  }),
  liveStateRate: rate("State of a room to a reader who follows it", {
    burst: MiB,
    tokens: MiB,
    everyMs: SecondMs,
    per: "live state",
    past: "the next look waits"
  }),
  liveStateIdle: span(
    "Longest time between two looks at the state of a room that does not change, if its rate lets it",
    {
      ms: SecondMs,
      per: "live state",
      past: "a change is told up to this much later"
    }
  ),
  liveClientsEvery: span("Time between two looks at the clients of a room", {
    ms: SecondMs,
    per: "live list",
    past: "a change is told up to this much later"
  }),
  clockStepMs: range("Step of a room's clock in project dev, in ms", {
    min: 1,
    max: 30 * DayMs,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  clockAhead: span("Time by which steps put a room's clock ahead of the service's", {
    ms: 3650 * DayMs,
    per: "room, until it sleeps",
    past: "the clock goes no further"
  }),
  peek: span("Time for a room's process to tell its state", {
    ms: 2 * SecondMs,
    per: "look",
    past: "the look is given up"
  })
} as const
