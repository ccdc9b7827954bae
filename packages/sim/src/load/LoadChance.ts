import { MinuteMs } from "@atrium/wire/limits/Limit"

import type { Scenario } from "../scenario/Scenario.ts"
import type { Random } from "./LoadMessages.ts"

/** Numbers in [0, 1) that a seed decides. Mulberry32. */
export const seededRandom = (seed: number): Random => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** How long one session lasts. */
export const sessionMs = ({ minutes }: Scenario["session"], random: Random): number => {
  if (typeof minutes === "number") return minutes * MinuteMs
  const [median, sigma] = minutes.lognormal
  // Box and Muller; 1 less the chance is never 0.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return median * Math.exp(sigma * normal) * MinuteMs
}
