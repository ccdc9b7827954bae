import { HourMs, MinuteMs, span } from "@atrium/wire/limits/Limit"

/** Players who try rooms, and the rooms that are made for them. */
export const TestPlayerLimits = {
  testTokenLife: span("Credential of a test player (D-60)", {
    ms: 15 * MinuteMs,
    per: "credential",
    past: "4401 E_UNAUTHENTICATED"
  }),
  playgroundKept: span("A room of the playground from its last use (D-60)", {
    ms: HourMs,
    per: "room",
    past: "it is deleted at the next sweep, unless its retention was set"
  })
} as const
