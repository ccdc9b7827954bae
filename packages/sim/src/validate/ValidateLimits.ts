import { count } from "@atrium/wire/limits/Limit"

/** Bounds of `atrium sim validate`: service and players share one machine. */
export const ValidateLimits = {
  players: count("Players at once", { max: 300, per: "scenario", past: "wrong use" }),
  runs: count("Times that a scenario is played", { max: 20, per: "validation", past: "wrong use" })
} as const
