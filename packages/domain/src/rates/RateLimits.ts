import { count, SecondMs, span } from "@atrium/wire/limits/Limit"

/** How the rates of a service are counted by several runners. Source: C-379, C-383. */
export const RateLimits = {
  exactBurst: count("Largest burst of a rate whose tokens are all asked for one by one", {
    max: 49,
    per: "rate",
    past: "runners hold some tokens ahead of requests"
  }),
  heldPercent: count("Share of a burst that all runners together hold ahead, in percent", {
    max: 10,
    per: "subject of a rate",
    past: "the next token is asked for by itself"
  }),
  heldFor: span("Time that a runner holds tokens ahead of requests", {
    ms: SecondMs,
    per: "subject of a rate and runner",
    past: "they go back"
  }),
  ownerAnswer: span("Answer of the owner of a bucket", {
    ms: SecondMs,
    per: "question",
    past: "the runner counts by itself"
  }),
  ownerRest: span("Time in which an owner that did not answer is not asked again", {
    ms: 2 * SecondMs,
    per: "owner and runner",
    past: "it is asked"
  }),
  rateOwners: count("Owners of buckets", {
    max: 16,
    per: "service",
    past: "each has many buckets"
  })
} as const
