import { defineSchema, s } from "@atrium/wire/schema"
import Rapier2 from "@dimforge/rapier2d-deterministic-compat"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"
import { beforeAll, describe, expect, test } from "vitest"

import { physics } from "../physics/Physics.ts"
import { defineRoom } from "../room.ts"
import { RoomHarness } from "../testing/RoomHarness.ts"
import { predict, predictBy } from "./predict.ts"
import type { PredictOptions } from "./PredictOptions.ts"

beforeAll(async () => {
  await Promise.all([Rapier2.init(), Rapier3.init()])
})

/** Three balls of nobody on a floor, and one for each player. */
const yard = defineSchema({
  type: "yard",
  tickHz: 30,
  physics: { dimensions: 3 },
  singletons: { game: { tick: s.u32() } },
  entities: {
    balls: {
      player: s.string(16),
      seq: s.u32(),
      x: s.f32(),
      y: s.f32(),
      z: s.f32(),
      vx: s.f32(),
      vy: s.f32(),
      vz: s.f32()
    }
  }
})

const yardWorld = physics(Rapier3, yard, {
  gravity: { x: 0, y: -9.81, z: 0 },
  build(world) {
    world.createCollider(Rapier3.ColliderDesc.cuboid(50, 1, 50).setTranslation(0, -1, 0))
  },
  bodies: {
    balls: {
      body: () => Rapier3.RigidBodyDesc.dynamic(),
      colliders: () => [Rapier3.ColliderDesc.ball(0.5)]
    }
  }
})

const yardRoom = () =>
  defineRoom(yard, {
    physics: yardWorld,
    onCreate({ state }) {
      for (let x = 0; x < 3; x++) state.balls.add({ x: 4 * x, y: 0.5 })
    },
    onJoin({ state }, { playerId }) {
      state.balls.add({ player: playerId, x: 2 * state.balls.size, y: 0.5, z: 5 })
    },
    onTick({ state }, { tick }) {
      state.game.tick = tick
    }
  })

describe("a prediction", () => {
  const stageOf = async (
    more: Partial<PredictOptions<typeof Rapier3, typeof yard, { x: number; z: number }>> = {}
  ) => {
    const harness = new RoomHarness(yardRoom())
    const network = { delayMs: () => delays.ms }
    const delays = { ms: 0 }
    const joining = harness.client({ playerId: "ann" }, { network }).joinOrCreate(yard)
    await harness.advance(20)
    const room = await joining
    let nowMs = 0
    const prediction = await predictBy({ elapsedMs: () => nowMs }, room, {
      physics: yardWorld,
      tick: ({ game }) => game.tick,
      own: { balls: ({ player }) => player === room.playerId },
      ...more
    })
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 20) {
        nowMs += 20
        await harness.advance(20)
        prediction.update()
      }
    }
    const own = [...room.state.balls].find(({ player }) => player !== "")?.id ?? 0
    return { harness, room, prediction, pass, own, delays }
  }

  test("[predict.bodies] [predict.proxies] a proxy is kinematic, and what comes after it has no body", async () => {
    const { prediction, pass, own, room } = await stageOf({
      maxPredictedBodies: 1,
      maxProxyBodies: 1
    })
    await pass(200)
    expect(prediction.stats.bodies).toEqual({ own: 1, predicted: 1, proxy: 1, shown: 1 })
    expect(prediction.role("balls", own)).toBe("own")
    const kinds = Array.from(room.state.balls, (ball) => {
      const body = prediction.bodyOf("balls", ball)
      return [prediction.role("balls", ball), body?.isDynamic(), body?.isKinematic()]
    })
    expect(kinds).toContainEqual(["predicted", true, false])
    expect(kinds).toContainEqual(["proxy", false, true])
    expect(kinds).toContainEqual(["shown", undefined, undefined])
    for (const { id, x } of room.state.balls) {
      expect(prediction.pose("balls", id)?.position.x).toBeCloseTo(x, 2)
    }
    expect(prediction.role("balls", 99)).toBeUndefined()
    expect(() => prediction.role("pucks" as "balls", 1)).toThrow(
      "pucks: the collection has no bodies"
    )
  })

  test("[C-867] an input moves the own body before the room has heard of it, and one that is lost is taken back", async () => {
    const { prediction, pass, own, room } = await stageOf({
      apply: ({ x, z }, made) => made.bodyOf("balls", own)?.applyImpulse({ x, y: 0, z }, true),
      // Nothing comes, so that nothing is acknowledged.
      acked: () => 0
    })
    await pass(500)
    const begun = room.state.balls.get(own)?.x ?? 0
    const drawn = () => prediction.pose("balls", own)?.position.x ?? 0
    // The game never sends it.
    expect(prediction.input({ x: -3, z: 0 })).toEqual({ seq: 1, tick: prediction.tick + 1 })
    await pass(300)
    expect(drawn()).toBeLessThan(begun - 0.5)
    expect(room.state.balls.get(own)?.x).toBeCloseTo(begun, 3)
    await pass(2500)
    // But for what is within the tolerance.
    expect(Math.abs(drawn() - begun)).toBeLessThanOrEqual(0.02)
    expect(prediction.stats.corrections).toBeGreaterThan(0)
  })

  test("[C-867] goes on with a room that was started anew, and with bodies that come and go", async () => {
    let lostTicks = 0
    const { harness, prediction, pass, own } = await stageOf({
      tick: ({ game }) => game.tick - lostTicks
    })
    await pass(1000)
    const other = harness.client({ playerId: "bob" })
    const joined = await other.joinOrCreate(yard)
    await pass(100)
    expect(prediction.stats.bodies).toEqual({ own: 1, predicted: 4, proxy: 0, shown: 0 })
    // As after a crash: the room goes on from an older snapshot.
    lostTicks = 25
    await harness.sleepFor(10)
    await pass(2000)
    expect(prediction.stats.aheadTicks).toBeGreaterThan(0)
    expect(prediction.stats.aheadTicks).toBeLessThanOrEqual(5)
    expect(prediction.pose("balls", own)?.position.y).toBeCloseTo(0.5, 1)
    await joined.leave()
  })

  test("[C-867] gravity that one client changes is its own", async () => {
    const [one, other] = [await stageOf(), await stageOf()]
    one.prediction.world.gravity.y = 1
    expect(other.prediction.world.gravity.y).toBe(-9.81)
    expect((await stageOf()).prediction.world.gravity.y).toBe(-9.81)
  })

  test("[C-867] waits a second ahead of a room that tells nothing", async () => {
    const { prediction, pass, delays } = await stageOf()
    await pass(500)
    delays.ms = 10_000
    await pass(5000)
    expect(prediction.stats.aheadTicks).toBe(30)
  })

  test("[C-867] ends: it is updated no more, and has no bodies", async () => {
    const { prediction, pass, own } = await stageOf()
    await pass(100)
    prediction.end()
    prediction.end()
    await pass(100)
    expect(prediction.pose("balls", own)).toBeUndefined()
  })

  test("[C-867] refuses an input without apply, and numbers inputs after those that the room has applied", async () => {
    const { prediction } = await stageOf()
    expect(() => prediction.input({ x: 1, z: 1 })).toThrow("input: needs the option apply")
    const back = await stageOf({ apply: () => {}, acked: () => 7 })
    expect(back.prediction.input({ x: 1, z: 1 }).seq).toBe(8)
  })

  test("[C-867] refuses a tick that is not whole, and `own` of a collection without bodies", async () => {
    await expect(stageOf({ tick: () => 0.5 })).rejects.toThrow(
      "predict: tick: must be a whole number"
    )
    await expect(stageOf({ own: { pucks: () => true } as object })).rejects.toThrow(
      "predict: own.pucks: has no bodies"
    )
  })
})

test("[C-867] predicts a world of two dimensions", async () => {
  const schema = defineSchema({
    type: "discs",
    tickHz: 20,
    physics: { dimensions: 2 },
    singletons: { game: { tick: s.u32() } },
    entities: {
      discs: { x: s.f32(), y: s.f32(), angle: s.f32(), vx: s.f32(), vy: s.f32(), spin: s.f32() },
      marks: { x: s.f32(), y: s.f32() }
    }
  })
  const disc = {
    body: () => Rapier2.RigidBodyDesc.dynamic(),
    colliders: () => [Rapier2.ColliderDesc.ball(0.5)]
  }
  const world = physics(Rapier2, schema, {
    gravity: { x: 0, y: 0 },
    bodies: { discs: disc, marks: disc }
  })
  const harness = new RoomHarness(
    defineRoom(schema, {
      physics: world,
      onCreate: ({ state }) => {
        state.discs.add({ vx: 1, spin: 0.5 })
        state.marks.add({ x: 9 })
      },
      onTick: ({ state }, { tick }) => {
        state.game.tick = tick
      }
    })
  )
  const room = await harness.client({ playerId: "ann" }).joinOrCreate(schema)
  let nowMs = 0
  const options = { physics: world, tick: () => room.state.game.tick }
  const marked = predict(room, { ...options, own: { marks: () => true } })
  await expect(marked).rejects.toThrow("predict: own.marks: needs the number fields vx, vy")
  const own = { discs: () => true }
  const prediction = await predictBy({ elapsedMs: () => nowMs }, room, { ...options, own })
  for (let frame = 0; frame < 100; frame++) {
    nowMs += 10
    await harness.advance(10)
    prediction.update()
  }
  // A second has passed. Without a way between them it is ahead by the tick for which an input waits.
  const { position, rotation } = prediction.pose("discs", 1) ?? { position: { x: 0 }, rotation: 0 }
  expect(position.x).toBeGreaterThan((room.state.discs.get(1)?.x ?? 0) + 0.03)
  expect(rotation).toBeCloseTo(position.x / 2, 2)
  expect(prediction.stats.corrections).toBe(0)
  // A collection without velocities has proxies at most.
  expect(prediction.role("marks", 1)).toBe("proxy")
})
