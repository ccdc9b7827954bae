import { SecondMs, span } from "@atrium/wire/limits/Limit"

/** The service itself. */
export const ServiceLimits = {
  clockLook: span("Time between two looks at the service's clock for rooms", {
    ms: SecondMs,
    per: "service",
    past: "a room's clock is up to this much late to follow"
  }),
  clockJump: span("Jump of the service's clock that rooms are told of", {
    ms: 250,
    per: "look",
    past: "smaller ones are a matter of scheduling"
  }),

  // The service itself.
  drain: span("Time to store every room at shutdown", {
    ms: 20 * SecondMs,
    per: "service",
    past: "the process exits non-zero"
  }),
  actorCall: span("Answer of an actor", {
    ms: 30 * SecondMs,
    per: "call",
    past: "E_TENANT_WAKING"
  })
} as const
