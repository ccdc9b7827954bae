import { SecondMs, HourMs, count, rate, span } from "@atrium/wire/limits/Limit"

/** Audiences. */
export const AudienceLimits = {
  audienceSeats: count("Viewers in one relay room audience", {
    max: 256,
    per: "relay room",
    past: "E_AUDIENCE_FULL"
  }),
  audienceSeatsFree: count("Viewers in one relay room audience, free plan", {
    max: 64,
    per: "relay room",
    past: "E_AUDIENCE_FULL"
  }),
  audienceMessages: rate("Messages per second per audience peer", {
    burst: 10,
    tokens: 2,
    everyMs: SecondMs,
    per: "connection",
    past: "E_RATE_LIMITED"
  }),
  audienceTokenLife: span("Audience credential lifetime", {
    ms: 3 * HourMs,
    per: "credential",
    past: "E_UNAUTHENTICATED"
  }),
  audienceRoleChars: count("Characters of the role of an audience", {
    max: 32,
    per: "project",
    past: "E_BAD_REQUEST"
  }),
  audienceMintsByAddress: rate("Audience credentials minted from an address", {
    burst: 30,
    tokens: 60,
    everyMs: HourMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  audienceMints: rate("Audience credentials minted for a room (T-22)", {
    burst: 512,
    tokens: 600,
    everyMs: HourMs,
    per: "room",
    past: "E_RATE_LIMITED"
  })
} as const
