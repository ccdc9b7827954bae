import { Chance } from "@atrium/api/testing/Chance"
import RAPIER from "@dimforge/rapier3d-deterministic-compat"

import type { Tally } from "./Tally.ts"
import { writeNames, type WorldRoom, type WorldWrite } from "./worlds/FuzzedWorld.ts"
import { Balls, outcomeOf, PlayedWorld } from "./worlds/PlayedWorld.ts"

const Steps = 24

/** Numbers that no world takes. The last two are infinite in its 32 bits. */
const Hostile = [Number.NaN, Infinity, -Infinity, 1e308, -1e39]
/** Numbers that a world takes, though few have them. */
const Odd = [0, -0, 5e-324, -1e-40]

/** Writes to numbers of 64 bits: 1e308 is one. */
const Wide: ReadonlySet<string> = new Set(["spawn", "channel", "rewind"])

interface Case {
  readonly seed: number
  readonly index: number
  /** Room code does this, too, in one room alone. A case that tells nothing of it has shown nothing. */
  readonly meddle?: (room: WorldRoom) => void
}

/**
 * Two rooms with the same world get the same writes. One of them gets hostile ones between them, from its client and from its
 * own code. Then both worlds must be the same, byte by byte, and both clients still play.
 */
export const disturbOne = async (of: Case, tally: Tally): Promise<void> => {
  const says = await disturb(of, tally).catch(String)
  if (says !== null) tally.fault({ part: "worlds", index: of.index, says })
}

/** @returns what is wrong */
const disturb = async ({ seed, index, meddle }: Case, tally: Tally): Promise<string | null> => {
  await RAPIER.init()
  const chance = Chance.of(seed, "worlds", index)
  const [hit, beside] = [new PlayedWorld(), new PlayedWorld()]
  for (const world of [hit, beside]) await world.ticks(3)
  for (let step = 0; step < Steps; step++) {
    const good = writeOf(chance, chance.one(3) ? chance.pick(Odd) : chance.share())
    for (const world of [hit, beside]) await world.say(good)
    const said = writeOf(chance, chance.pick(Hostile))
    await hit.say(said)
    const isRefused = hit.logged().some((line) => /RangeError|FieldError/.test(line))
    const done = writeOf(chance, chance.pick(Hostile))
    let outcome = "not reached"
    hit.code((room) => {
      outcome = outcomeOf(room, done)
      meddle?.(room)
    })
    const [count, sleeps] = [1 + chance.below(3), chance.one(Steps)]
    for (const world of [hit, beside]) {
      await world.ticks(count)
      if (sleeps) await world.sleep()
    }
    tally.sent("worlds", 2)
    const fault =
      faultOf(said, isRefused ? "refused" : "taken") ??
      faultOf(done, outcome) ??
      difference(hit, beside)
    if (fault !== null) return `step ${step}: ${fault}`
    tally.count("world, by a client", isRefused ? "refused" : "taken")
    tally.count("world, by room code", outcome)
  }
  const connected = (await hit.connected()) && (await beside.connected())
  return connected ? null : "a client was closed"
}

const faultOf = (write: WorldWrite, outcome: string): string | null => {
  const isTaken = Wide.has(write.name) && Number.isFinite(write.value)
  return outcome === (isTaken ? "taken" : "refused")
    ? null
    : `${write.name} with ${write.value}: ${outcome}`
}

const difference = (hit: PlayedWorld, beside: PlayedWorld): string | null => {
  const strange = hit.logged().filter((line) => !line.startsWith("warn: physics: strays"))
  const line = [...strange, ...beside.logged()][0]
  if (line !== undefined) return `in the log: ${line}`
  if (hit.balls() !== beside.balls()) return `${hit.balls()} is not ${beside.balls()}`
  return Buffer.compare(hit.world(), beside.world()) === 0 ? null : "the bytes of the worlds differ"
}

const writeOf = (chance: Chance, value: number): WorldWrite => {
  const at = { x: chance.share() - 0.5, y: chance.share() - 0.5, z: chance.share() - 0.5 }
  at[chance.pick(["x", "y", "z"] as const)] = value
  return { name: chance.pick(writeNames), ball: 1 + chance.below(Balls), value, at }
}
