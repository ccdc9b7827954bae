import { SecondMs, count, span } from "../limits/Limit.ts"

/** How a client joins its call. Apart from `VoiceLimits`, which each client loads with the checks of its schema. */
export const VoiceClientLimits = {
  voiceVolume: count("Volume at which a client hears a participant; 1 is as it comes", {
    max: 4,
    per: "participant",
    past: "setVolume throws"
  }),
  voiceJoin: span("Time for the answer to a client's join of a call", {
    ms: 5 * SecondMs,
    per: "join",
    past: "the client joins again"
  }),
  voiceConnect: span("Time for a client to connect its media after the answer", {
    ms: 14 * SecondMs,
    per: "join",
    past: "the client joins again"
  }),
  voiceInterrupted: span("Time for an interrupted media connection to come back by itself", {
    ms: 2 * SecondMs,
    per: "connection",
    past: "the client joins again"
  }),
  // The first waits are short: the call may have moved to another runner.
  voiceBackoffBase: span(
    "Bound of the first wait before a client joins a call again, doubled by each",
    {
      ms: 200,
      per: "client",
      past: "the client joins again"
    }
  ),
  voiceBackoffCap: span("Longest wait before a client joins a call again", {
    ms: 5 * SecondMs,
    per: "client",
    past: "the client joins again"
  }),
  voiceLasted: span("Time in a call after which the next wait is the first one again", {
    ms: 10 * SecondMs,
    per: "client",
    past: "the next wait is as short as the first"
  })
} as const
