import { MinuteMs, SecondMs, span } from "@atrium/wire/limits/Limit"

/** The games that can be played on the service itself. */
export const DemoLimits = {
  gamesMade: span("Time to make the pages of the games at /play", {
    ms: 30 * SecondMs,
    per: "service",
    past: "E_NOT_READY"
  }),
  gamesRefused: span("Time after a failure in which the pages at /play are not made again", {
    ms: MinuteMs,
    per: "service",
    past: "the next request makes them"
  })
} as const
