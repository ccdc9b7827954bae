import { Disc, type Heading, shortened } from "./World.ts"

interface Rolling {
  readonly x: number
  readonly z: number
  readonly vx: number
  readonly vz: number
}

/** The bot is no match for somebody who tries. */
const Effort = 0.65
const CarefulUnits = 0.62 * Disc.radius
const ShotChance = 1 / 60
const ShotUnits = 9

/** Where the bot steers: at the nearest marble, and away from the edge. */
export const botHeading = (bot: Rolling, target: Rolling | undefined): Heading => {
  // Where it will be in half a second.
  const next = { x: bot.x + bot.vx / 2, z: bot.z + bot.vz / 2 }
  if (Math.hypot(next.x, next.z) > CarefulUnits) return effort({ x: -next.x, z: -next.z })
  if (target === undefined) return { x: 0, z: 0 }
  return effort({ x: target.x + target.vx / 3 - bot.x, z: target.z + target.vz / 3 - bot.z })
}

const effort = (to: Heading): Heading => {
  const { x, z } = shortened(to)
  return { x: Effort * x, z: Effort * z }
}

/** Whether the bot shoots in this tick. @param chance from 0 to 1 */
export const botShoots = (seen: {
  readonly bot: Rolling
  readonly target: Rolling
  readonly chance: number
}): boolean => {
  const { bot, target, chance } = seen
  return chance < ShotChance && Math.hypot(target.x - bot.x, target.z - bot.z) < ShotUnits
}
