import { Limits, type RateLimit } from "./Limits.ts"

/** The setting counts connections of a minute. */
const everyMs = 60_000

/**
 * New connections of an address to a server: as many at once as a minute brings, which at 120 is two
 * a second. Spec: Connection and room limits.
 */
export const connectionRate = (perMinute: number): RateLimit => {
  const { says, per, past } = Limits.connectionsPerIpPerMinDefault
  return { kind: "rate", ...{ says, per, past }, burst: perMinute, tokens: perMinute, everyMs }
}
