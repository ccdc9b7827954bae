import { type RateLimit } from "@atrium/wire/limits/Limit"

import { ProjectLimits } from "../projects/ProjectLimits.ts"

/** The setting counts connections of a minute. */
const everyMs = 60_000

/**
 * New connections of an address to a server: as many at once as a minute brings, which at 120 is two
 * a second. Spec: Connection and room limits.
 */
export const connectionRate = (perMinute: number): RateLimit => {
  const { says, per, past } = ProjectLimits.connectionsPerIpPerMinDefault
  return { kind: "rate", says, per, past, burst: perMinute, tokens: perMinute, everyMs }
}
