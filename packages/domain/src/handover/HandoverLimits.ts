import { KiB, SecondMs, count, size, span } from "@atrium/wire/limits/Limit"

/** Rooms that move from one runner to another while clients are in them. */
export const HandoverLimits = {
  handoverBytes: size("Frames of a client that wait at its connection while its room moves", {
    max: 256 * KiB,
    per: "socket",
    past: "1012"
  }),
  handoverWait: span("Time in which a client is in the next place of a room that moves", {
    ms: 5 * SecondMs,
    per: "socket",
    past: "1012"
  }),
  handoverHold: span("Time for the runners of a room's clients to hold their frames back", {
    ms: SecondMs,
    per: "room that moves",
    past: "the clients of a runner that has not answered get 1012"
  }),
  handoverAnswers: span("Time for a stored room to give its last answers", {
    ms: SecondMs,
    per: "room that moves",
    past: "its clients get no answer to those calls"
  }),
  handoverRetry: span("Longest time between two looks for the next place of a room that moves", {
    ms: SecondMs / 2,
    per: "socket",
    past: "the runner looks again"
  }),
  handoverNotice: span(
    "Time in which load balancers see by /ready that a runner ends, beside others",
    {
      ms: SecondMs,
      per: "runner",
      past: "its rooms leave, and the clients that came through it get 1012"
    }
  ),
  handoverAtOnce: count("Most rooms that a runner hands over at once when it ends or is drained", {
    max: 16,
    per: "runner",
    past: "the next room waits"
  })
} as const
