import {
  MinuteMs,
  HourMs,
  DayMs,
  KiB,
  SecondMs,
  count,
  rate,
  size,
  span
} from "@atrium/wire/limits/Limit"

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
  assertionsByAddress: rate("Assertions exchanged from an address", {
    burst: 20,
    tokens: 60,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  assertions: rate("Valid assertions exchanged for a project", {
    burst: 300,
    tokens: 3000,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  assertionBytes: size("Assertion", { max: 16 * KiB, per: "request", past: "E_ASSERTION_INVALID" }),
  subjectBytes: size("Subject of an assertion", {
    max: 256,
    per: "assertion",
    past: "E_ASSERTION_INVALID"
  }),
  providers: count("Identity providers", { max: 8, per: "project", past: "E_BAD_REQUEST" }),
  providerTextChars: count("Characters of an issuer, an audience or a JWKS address", {
    max: 512,
    per: "identity provider",
    past: "E_BAD_REQUEST"
  }),
  jwksBytes: size("Answer of a JWKS address", {
    max: 64 * KiB,
    per: "answer",
    past: "E_PROVIDER_UNREACHABLE"
  }),
  jwksAnswer: span("Time in which a JWKS address must have answered", {
    ms: 3 * SecondMs,
    per: "request",
    past: "E_PROVIDER_UNREACHABLE"
  }),
  jwksKept: span("Age at which the keys of a JWKS address are read again", {
    ms: 10 * MinuteMs,
    per: "JWKS address and runner",
    past: "they are read again"
  }),
  jwksStale: span("Age up to which keys count while their address does not answer", {
    ms: HourMs,
    per: "JWKS address and runner",
    past: "E_PROVIDER_UNREACHABLE"
  }),
  jwksPause: span("Time between two readings of a JWKS address, whatever keys are asked for", {
    ms: 10 * SecondMs,
    per: "JWKS address and runner",
    past: "the keys that are known count"
  }),
  jwksKeys: count("Keys of a JWKS address", {
    max: 32,
    per: "answer",
    past: "the later ones do not count"
  }),
  jwksReads: count("JWKS addresses that are read at once", {
    max: 64,
    per: "runner",
    past: "the next ones wait for their turn"
  }),
  jwksAddressesKept: count("JWKS addresses whose keys are kept", {
    max: 1000,
    per: "runner",
    past: "the one that was used the longest ago is read again"
  }),
  signingKeysKept: count("Keys for join credentials that are kept ready", {
    max: 1000,
    per: "runner",
    past: "the one that was used the longest ago is made again"
  })
} as const
