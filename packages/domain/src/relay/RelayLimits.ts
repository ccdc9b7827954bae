import { KiB, MiB, SecondMs, count, size, rate, span } from "@atrium/wire/limits/Limit"

/** Relay rooms. */
export const RelayLimits = {
  relayPlayersFree: count("Players in one relay room, free plan", {
    max: 16,
    per: "relay room",
    past: "E_ROOM_FULL"
  }),
  relayFrameBytes: size("Relay message with its envelope", {
    max: 64 * KiB,
    per: "frame",
    past: "E_WRITE_REJECTED"
  }),
  relayBytes: rate("Relay message bytes per second per connection", {
    burst: MiB,
    tokens: 256 * KiB,
    everyMs: SecondMs,
    per: "connection",
    past: "E_RATE_LIMITED"
  }),
  relayStateBytes: size("Encoded state in one relay room", {
    max: 512 * KiB,
    per: "relay room",
    past: "E_STATE_CAP"
  }),
  relayRecords: count("Records in one relay collection", {
    max: 1024,
    per: "collection",
    past: "E_RECORD_CAP"
  }),
  relayWriteOps: rate("Write operations per client per second in a relay room", {
    burst: 35,
    tokens: 35,
    everyMs: SecondMs,
    per: "connection",
    past: "E_WRITE_RATE"
  }),
  relayOwnershipAnswer: span("Time for an owner to answer who asks for its record", {
    ms: 5 * SecondMs,
    per: "request",
    past: "the request is refused"
  }),
  relayAsks: count("Records that a client of a relay room waits for", {
    max: 64,
    per: "session",
    past: "E_RATE_LIMITED"
  })
} as const
