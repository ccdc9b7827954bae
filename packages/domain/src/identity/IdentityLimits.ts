import { MinuteMs, HourMs, DayMs, count, rate, span } from "@atrium/wire/limits/Limit"

/** Identities and tokens of players. */
export const IdentityLimits = {
  joinTokenLife: span("Longest life of a join credential (D-25)", {
    ms: DayMs,
    per: "token",
    past: "E_UNAUTHENTICATED"
  }),
  clockLeeway: span("Difference of clocks that a join credential may show (D-25)", {
    ms: MinuteMs,
    per: "token",
    past: "E_UNAUTHENTICATED"
  }),
  jwtSecretOverlap: span("Time a rotated JWT secret stays valid (D-25)", {
    ms: DayMs,
    per: "secret",
    past: "E_UNAUTHENTICATED"
  }),

  // Open endpoints (spec: Open endpoint rate limits): a pair of rows for each row of the table.
  identityMintsByAddress: rate("Identities minted from an address", {
    burst: 30,
    tokens: 60,
    everyMs: HourMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  identityMints: rate("Identities minted for a project", {
    burst: 600,
    tokens: 600,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  signingKeysKept: count("Keys for join credentials that are kept ready", {
    max: 1000,
    per: "runner",
    past: "the one that was used the longest ago is made again"
  })
} as const
