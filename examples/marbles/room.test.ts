import type { ClientRoom } from "@atrium/sdk/client"
import { RoomHarness } from "@atrium/sdk/testing"
import RAPIER from "@dimforge/rapier3d-deterministic-compat"
import { beforeAll, beforeEach, expect, test } from "vitest"

import { marblesRoom } from "./room.ts"
import { marbles } from "./schema.ts"
import { Disc, MarbleRadius } from "./World.ts"

type Player = ClientRoom<typeof marbles>

let harness: RoomHarness<typeof marbles>

beforeAll(() => RAPIER.init())

beforeEach(() => {
  harness = new RoomHarness(marblesRoom)
})

const join = (name: string): Promise<Player> =>
  harness.client({ playerId: `pl_${name}`, name }).joinOrCreate(marbles, { roomId: "disc" })

const named = (room: Player, name: string) => {
  const found = [...room.state.marbles].find((marble) => marble.name === name)
  if (found === undefined) throw new Error(`${name} has no marble`)
  return found
}

const Second = 1000

/** Both, when their marbles lie still at their places. */
const joinTwo = async (): Promise<readonly [ann: Player, bob: Player]> => {
  const players = [await join("ann"), await join("bob")] as const
  await harness.advance(2 * Second)
  return players
}

interface Place {
  readonly x: number
  readonly z: number
}

const towards = (from: Place, to: Place): Place => {
  const length = Math.hypot(to.x - from.x, to.z - from.z)
  return { x: (to.x - from.x) / length, z: (to.z - from.z) / length }
}

test("[example.marbles] a marble rolls where its player steers, from the tick on that the input is for", async () => {
  const [ann] = await joinTwo()
  const { x, z } = named(ann, "ann")
  const { tick } = ann.state.game
  ann.send("steer", { seq: 1, tick: tick + 15, ...towards({ x, z }, { x: 0, z: 0 }) })
  await harness.advance(Second / 3)
  expect(named(ann, "ann")).toMatchObject({ seq: 0, headingX: 0 })
  expect(Math.hypot(named(ann, "ann").x - x, named(ann, "ann").z - z)).toBeLessThan(0.01)
  await harness.advance(Second)
  const rolled = named(ann, "ann")
  expect(rolled.seq).toBe(1)
  expect(Math.hypot(rolled.x, rolled.z)).toBeLessThan(Math.hypot(x, z) - 2)
  // It rolls: it turns about an axis across its way.
  expect(Math.hypot(rolled.wx, rolled.wz)).toBeGreaterThan(1)
  expect(harness.logs).toEqual([])
})

test("[example.marbles] diagonally it is not faster, and an input of the far future or of before counts for nothing", async () => {
  const [ann] = await joinTwo()
  const { tick } = ann.state.game
  ann.send("steer", { seq: 5, tick, x: 1, z: 1 })
  ann.send("steer", { seq: 6, tick: tick + 1000, x: -1, z: 0 })
  ann.send("steer", { seq: 5, tick, x: -1, z: 0 })
  await harness.advance(Second / 10)
  const { seq, headingX, headingZ } = named(ann, "ann")
  expect(seq).toBe(5)
  expect(Math.hypot(headingX, headingZ)).toBeCloseTo(1, 1)
  expect(headingX).toBeGreaterThan(0)
})

test("[example.marbles] a shot at where a marble was misses, when its player sees the marble elsewhere", async () => {
  const [ann, bob] = await joinTwo()
  const shots: Array<number> = []
  ann.onMessage("shot", ({ hit }) => shots.push(hit))
  bob.send("steer", { seq: 1, tick: 0, x: 0.7, z: -0.7 })
  await harness.advance(Second / 2)
  const seen = { ...named(ann, "bob").toJSON(), tick: ann.state.game.tick }
  await harness.advance(Second / 3)
  const at = { ...named(ann, "bob").toJSON() }
  expect(Math.hypot(at.x - seen.x, at.z - seen.z)).toBeGreaterThan(2 * MarbleRadius)

  // Who says that this is the picture of now, misses.
  const aim = towards(named(ann, "ann"), seen)
  ann.send("shoot", { tick: ann.state.game.tick, ...aim })
  await harness.advance(Second / 15)
  expect(shots).toEqual([0])
  expect(named(ann, "ann").score).toBe(0)
})

test("[example.marbles] a shot at the picture of a third of a second ago hits, pushes the marble of now, and scores", async () => {
  const [ann, bob] = await joinTwo()
  const shots: Array<{ readonly from: number; readonly hit: number }> = []
  bob.onMessage("shot", ({ from, hit }) => shots.push({ from, hit }))
  bob.send("steer", { seq: 1, tick: 0, x: 0.7, z: -0.7 })
  await harness.advance(Second / 2)
  const seen = { ...named(ann, "bob").toJSON(), tick: ann.state.game.tick }
  await harness.advance(Second / 3)
  const before = named(ann, "bob").toJSON()
  const aim = towards(named(ann, "ann"), seen)
  ann.send("shoot", { tick: seen.tick, ...aim })
  await harness.advance(Second / 15)
  expect(shots).toEqual([{ from: named(ann, "ann").id, hit: named(ann, "bob").id }])
  const after = named(ann, "bob")
  expect((after.vx - before.vx) * aim.x + (after.vz - before.vz) * aim.z).toBeGreaterThan(8)
  expect(named(ann, "ann").score).toBe(1)
  // The next one takes its time.
  ann.send("shoot", { tick: seen.tick, ...aim })
  await harness.advance(Second)
  expect(shots).toHaveLength(1)
})

test("[example.marbles] a picture of long ago is not believed", async () => {
  const [ann, bob] = await joinTwo()
  const hits: Array<number> = []
  ann.onMessage("shot", ({ hit }) => hits.push(hit))
  const seen = { ...named(ann, "bob").toJSON(), tick: ann.state.game.tick }
  bob.send("steer", { seq: 1, tick: 0, x: 0.7, z: -0.7 })
  await harness.advance(Second)
  ann.send("shoot", { tick: seen.tick, ...towards(named(ann, "ann"), seen) })
  await harness.advance(Second / 15)
  expect(hits).toEqual([0])
})

test("[example.marbles] who pushes another one off scores, and the fallen one comes back to its place", async () => {
  const [ann, bob] = await joinTwo()
  const falls: Array<{ readonly marble: number; readonly by: number }> = []
  ann.onMessage("fell", (fall) => falls.push({ ...fall }))
  const { id } = named(ann, "bob")
  ann.send("shoot", { tick: ann.state.game.tick, ...towards(named(ann, "ann"), named(ann, "bob")) })
  await harness.advance(4 * Second)
  expect(falls).toEqual([{ marble: id, by: named(ann, "ann").id }])
  expect(named(ann, "ann").score).toBe(1 + 3)
  const back = named(bob, "bob")
  expect(Math.hypot(back.x, back.z)).toBeLessThan(Disc.radius)
  expect(back.y).toBeGreaterThan(0)
})

test("[example.marbles] who rolls off alone gives nobody a point", async () => {
  const [ann, bob] = await joinTwo()
  const falls: Array<number> = []
  ann.onMessage("fell", ({ by }) => falls.push(by))
  bob.send("steer", { seq: 1, tick: 0, x: -1, z: -1 })
  await harness.advance(4 * Second)
  expect(falls[0]).toBe(0)
  expect([named(ann, "ann").score, named(ann, "bob").score]).toEqual([0, 0])
})

test("[example.marbles] a round ends after its time, the best has won it, and the next one begins at 0", async () => {
  const [ann] = await joinTwo()
  ann.send("shoot", { tick: ann.state.game.tick, ...towards(named(ann, "ann"), named(ann, "bob")) })
  await harness.advance(71 * Second)
  expect(ann.state.game.pause).toBe(false)
  await harness.advance(3 * Second)
  const { id, wins } = named(ann, "ann")
  expect([ann.state.game.pause, ann.state.game.winner, wins]).toEqual([true, id, 1])
  await harness.advance(6 * Second)
  expect(ann.state.game.pause).toBe(false)
  expect([named(ann, "ann").score, named(ann, "ann").wins]).toEqual([0, 1])
})

test("[example.marbles] a bot plays with somebody who is alone, and goes when somebody comes", async () => {
  const ann = await join("ann")
  await harness.advance(Second)
  const names = () => Array.from(ann.state.marbles, ({ name }) => name).toSorted()
  expect(names()).toEqual(["Bot", "ann"])
  const bot = named(ann, "Bot").toJSON()
  await harness.advance(2 * Second)
  expect(Math.hypot(named(ann, "Bot").x - bot.x, named(ann, "Bot").z - bot.z)).toBeGreaterThan(1)
  const bob = await join("bob")
  await harness.advance(Second / 10)
  expect(names()).toEqual(["ann", "bob"])
  await bob.leave()
  await harness.advance(Second / 10)
  expect(names()).toEqual(["Bot", "ann"])
})

test("[example.marbles] four play, each at a place of its own, and the fifth finds no place", async () => {
  const players: Array<Player> = []
  for (const name of ["ann", "bob", "cid", "dee"]) players.push(await join(name))
  await harness.advance(Second / 10)
  const [ann] = players
  const seats = ann === undefined ? [] : Array.from(ann.state.marbles, ({ seat }) => seat)
  expect(seats.toSorted()).toEqual([0, 1, 2, 3])
  await expect(join("eve")).rejects.toMatchObject({ code: "E_ROOM_FULL" })
})
