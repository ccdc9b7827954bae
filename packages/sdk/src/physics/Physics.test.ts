import { RpcError } from "@atrium/runtime/room/RpcError"
import { defineSchema, s, SchemaError } from "@atrium/wire/schema"
import Rapier2 from "@dimforge/rapier2d-deterministic-compat"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"
import { beforeAll, describe, expect, test, vi } from "vitest"

import { physics } from "./Physics.ts"
import { bothRapiers, stageOf } from "./testing/HeapStage.ts"
import { marbles2, marbles3, world2, world3 } from "./testing/Marbles.ts"
import { PhysicsStage } from "./testing/PhysicsStage.ts"

beforeAll(bothRapiers)

describe("a declaration", () => {
  const schemaWith = (fields: Record<string, ReturnType<typeof s.f32>>) =>
    defineSchema({
      type: "t",
      tickHz: 20,
      physics: { dimensions: 3, history: 1 },
      entities: { units: { x: s.f32(), y: s.f32(), z: s.f32(), ...fields } }
    })
  const names = "abcdefghi".split("")
  const channelled = (channels: ReadonlyArray<string>) => {
    const schema = schemaWith(Object.fromEntries(names.map((name) => [name, s.f32()])))
    return physics(Rapier3, schema, {
      gravity: { x: 0, y: 0, z: 0 },
      bodies: {
        units: {
          body: () => Rapier3.RigidBodyDesc.dynamic(),
          colliders: () => [],
          // The names of the test's own fields.
          channels: channels as ReadonlyArray<never>
        }
      }
    })
  }

  test("[limits.physics.channels] a collection takes 8 history channels and refuses 9", () => {
    expect(channelled(names.slice(0, 8)).schema.type).toBe("t")
    expect(() => channelled(names)).toThrow(SchemaError)
    expect(() => channelled(names)).toThrow("units: 9 history channels are over 8")
  })

  test.each([
    [["nowhere"], "units.nowhere: a history channel must be a number field"],
    [["a", "a"], "units.a: is a history channel twice"]
  ])("[C-861] refuses the channels %j by name", (channels, message) => {
    expect(() => channelled(channels)).toThrow(message)
  })

  test("[C-861] refuses what the schema does not have, and a library of other dimensions", () => {
    const units = { body: () => Rapier3.RigidBodyDesc.fixed(), colliders: () => [] }
    const gravity = { x: 0, y: 0, z: 0 }
    const make =
      (schema: typeof marbles3, bodies: object, rapier: object = Rapier3) =>
      () =>
        physics(rapier as typeof Rapier3, schema, { gravity, bodies })
    const flat = defineSchema({ ...base, entities: { units: { x: s.f32(), y: s.f32() } } })
    const half = schemaWith({ vx: s.f32() })
    const none = defineSchema({ type: "t" })
    const cases = [
      [none, {}, "the schema t declares no physics"],
      [marbles3, { cubes: units }, "cubes: the schema has no such collection"],
      [flat, { units }, "units: needs the number fields x, y, z"],
      [half, { units }, "units: needs the number fields vx, vy, vz, or none of them"],
      [marbles3, { balls: {} }, "balls: needs the functions body and colliders"]
    ] as const
    for (const [schema, bodies, message] of cases) {
      expect(make(schema as unknown as typeof marbles3, bodies)).toThrow(message)
    }
    expect(make(marbles3, {}, Rapier2)).toThrow("declares 3 dimensions, and the library has 2")
  })
})

const base = { type: "t", tickHz: 20, physics: { dimensions: 3 } } as const

describe("a world", () => {
  test("[C-860] steps with each tick, and its bodies move the entities", async () => {
    const stage = await PhysicsStage.start(marbles3, {
      physics: world3,
      onCreate: ({ state }) => void state.balls.add({ y: 9 })
    })
    const ball = stage.room.state.balls.get(1)
    stage.ticks(29)
    // Half a second of falling, with Rapier's own rounding of it.
    expect(Math.abs((ball?.vy ?? 0) + 9.81 / 2)).toBeLessThan(0.2)
    stage.ticks(240)
    expect(ball?.y).toBeCloseTo(0.4, 1)
    expect(ball?.qw).toBeCloseTo(1, 2)
    expect(stage.test.logged()).toEqual([])
  })

  test("[C-860] has the same in two dimensions", async () => {
    const stage = await PhysicsStage.start(marbles2, {
      physics: world2,
      onCreate: ({ state }) => void state.discs.add({ x: 3, y: 5, vx: 1, spin: 2 })
    })
    stage.ticks(29)
    const disc = stage.room.state.discs.get(1)
    expect(disc?.x).toBeCloseTo(3.5, 1)
    expect(disc?.vy).toBeCloseTo(-9.81 / 2, 1)
    expect(disc?.angle).toBeCloseTo(1, 1)
  })

  test("[C-861] an entity has a body from the moment it is there, until it is gone", async () => {
    const { room, ...stage } = await stageOf()
    const added = room.state.balls.add({ x: 5, y: 9, z: 0, vx: 3 })
    const body = world3.bodyOf(room, "balls", added)
    expect(body?.linvel().x).toBe(3)
    const world = world3.worldOf(room)
    expect(world.bodies.len()).toBe(2)
    room.state.balls.remove(added.id)
    stage.test.port.pass(1000 / 60)
    expect(world.bodies.len()).toBe(1)
    expect(world3.bodyOf(room, "balls", added)).toBeUndefined()
  })

  test("[C-861] a body that room code removes comes back where its entity is", async () => {
    const stage = await stageOf()
    const world = world3.worldOf(stage.room)
    const before = world3.bodyOf(stage.room, "balls", 1)
    if (before !== undefined) world.removeRigidBody(before)
    stage.ticks(1)
    expect(world3.bodyOf(stage.room, "balls", 1)?.translation().y).toBeCloseTo(1, 1)
  })

  test("[C-861] a body that room code makes in the place of a removed one stays its own", async () => {
    const stage = await stageOf()
    const { balls } = stage.room.state
    const world = world3.worldOf(stage.room)
    const before = world3.bodyOf(stage.room, "balls", 1)
    if (before !== undefined) world.removeRigidBody(before)
    const free = world.createRigidBody(Rapier3.RigidBodyDesc.fixed().setTranslation(30, 30, 30))
    stage.ticks(1)
    expect(balls.get(1)?.x).toBeCloseTo(-4, 1)
    expect(world3.bodyOf(stage.room, "balls", 1)?.handle).not.toBe(free.handle)
    balls.remove(1)
    stage.ticks(1)
    expect(world.bodies.getAll().map(({ handle }) => handle)).toEqual([free.handle])
  })

  test("[C-861] a sleeping body that room code moves without waking it moves its entity", async () => {
    const stage = await stageOf()
    const body = world3.bodyOf(stage.room, "balls", 1)
    // What lies on the floor would wake when it leaves it.
    world3.worldOf(stage.room).gravity.y = 0
    body?.setLinvel({ x: 0, y: 0, z: 0 }, true)
    for (let ticks = 0; ticks < 600 && body?.isSleeping() === false; ticks++) stage.ticks(1)
    body?.setTranslation({ x: 9, y: 20, z: 0 }, false)
    stage.ticks(1)
    expect([body?.isSleeping(), stage.room.state.balls.get(1)?.x]).toEqual([true, 9])
  })

  test("[C-861] the body of an entity is found without a look at the others", async () => {
    const { room } = await stageOf(100)
    const world = world3.worldOf(room)
    const find = vi.spyOn(world, "getRigidBody")
    for (const { id } of room.state.balls) world3.bodyOf(room, "balls", id)
    expect(find.mock.calls.length).toBeLessThanOrEqual(100)
  })

  test("[C-860] gravity that one room changes is its own", async () => {
    const [one, other] = [await stageOf(), await stageOf()]
    world3.worldOf(one.room).gravity.y = 1
    expect(world3.worldOf(other.room).gravity.y).toBe(-9.81)
    expect(world3.worldOf((await stageOf()).room).gravity.y).toBe(-9.81)
  })
})

test("[C-861] a place that the fields cannot say is logged once, and the others go on", async () => {
  const short = s.quantised({ min: 0, max: 4, step: 0.01 })
  const schema = defineSchema({
    ...base,
    entities: { units: { x: s.f32(), y: short, z: s.f32() } }
  })
  const engine = physics(Rapier3, schema, {
    gravity: { x: 0, y: -9.81, z: 0 },
    bodies: {
      units: {
        body: () => Rapier3.RigidBodyDesc.dynamic(),
        colliders: () => [Rapier3.ColliderDesc.ball(0.1)]
      }
    }
  })
  const stage = await PhysicsStage.start(schema, {
    physics: engine,
    onCreate: ({ state }) => {
      state.units.add({ y: 0.1 })
      state.units.add({ x: 1, y: 4 })
    }
  })
  stage.ticks(10)
  const lines = stage.test.logged().map(([, , line]) => line)
  expect(lines).toEqual([expect.stringMatching(/^physics: units 1: .*outside 0 to 4/)])
  expect(stage.room.state.units.get(2)?.y).toBeLessThan(3.9)
})

describe("rewind", () => {
  const down = { x: 0, y: -1, z: 0 }

  test("[C-863] a ray meets a body where it was, and the floor where nothing was", async () => {
    const stage = await stageOf()
    const { room } = stage
    stage.ticks(9)
    world3.bodyOf(room, "balls", 1)?.setTranslation({ x: 20, y: 5, z: 0 }, true)
    stage.ticks(10)
    const over = { origin: { x: -4, y: 50, z: 0 }, dir: down }
    const [then, now] = [5, 20].map((tick) =>
      room.physics.rewind(tick, (past) => past.castRay(over))
    )
    expect(then?.body).toEqual({ collection: "balls", id: 1 })
    expect(then?.normal).toEqual({ x: 0, y: 1, z: 0 })
    expect(then?.point.y).toBeCloseTo(1.4, 1)
    expect(now).toMatchObject({ body: null, distance: 50 })
    const except = { except: { collection: "balls", id: 1 } } as const
    expect(room.physics.rewind(5, (past) => past.castRay(over, except))?.body).toBeNull()
    const short = room.physics.rewind(5, (past) => past.castRay(over, { maxDistance: 10 }))
    expect(short).toBeNull()
    const inside = { x: -4, y: 1, z: 0 }
    expect(room.physics.rewind(5, (past) => past.bodiesAt(inside))).toHaveLength(1)
    expect(room.physics.rewind(20, (past) => past.bodiesAt(inside))).toEqual([])
  })

  test("[C-863] tells the pose and the channels of a tick, and changes nothing", async () => {
    const stage = await stageOf()
    const { room } = stage
    const ys: Array<number> = []
    const ball = room.state.balls.get(1)
    if (ball === undefined) throw new Error("no ball")
    for (let tick = 2; tick <= 6; tick++) {
      ball.hp = tick
      stage.ticks(1)
      ys.push(ball.y)
    }
    const before = world3.worldOf(room).takeSnapshot()
    for (let tick = 2; tick <= 6; tick++) {
      room.physics.rewind(tick, (past) => {
        expect(past.tick).toBe(tick)
        expect(past.body("balls", 1)?.position.y).toBe(ys[tick - 2])
        expect(past.body("balls", 1)?.mass).toBeCloseTo(0.512, 3)
        expect(past.channel("balls", 1, "hp")).toBe(tick)
        expect(past.body("balls", 2)).toBeUndefined()
        expect(() => past.channel("balls", 1, "mp")).toThrow("balls.mp: is no history channel")
      })
    }
    expect(Buffer.compare(world3.worldOf(room).takeSnapshot(), before)).toBe(0)
  })

  test("[limits.physics.history] goes back exactly as far as is declared", async () => {
    const stage = await PhysicsStage.start(marbles2, {
      physics: world2,
      onCreate: ({ state }) => void state.discs.add({ y: 5 })
    })
    stage.ticks(9)
    const { oldestTick, newestTick } = stage.room.physics.history
    const [oldest, newest] = [oldestTick ?? 0, newestTick ?? 0]
    expect(newest - oldest).toBe(2)
    const tickOf = (tick: number) => stage.room.physics.rewind(tick, (past) => past.tick)
    const asked = [-1e300, oldest - 1, oldest, newest, newest + 1, 1e300]
    expect(asked.map(tickOf)).toEqual([oldest, oldest, oldest, newest, newest, newest])
    expect(() => tickOf(Number.NaN)).toThrow(RangeError)
  })

  test("[C-863] the history of a new room begins with its first tick", async () => {
    const { history } = (await stageOf(2)).room.physics
    expect(history.newestTick).toBe(history.oldestTick)
    expect(history.poseBytes).toBe(2 * 100)
  })

  test("[C-863] before the first tick of a room no entity had a body", async () => {
    const seen: Array<unknown> = []
    await PhysicsStage.start(marbles3, {
      physics: world3,
      onCreate: ({ state }) => void state.balls.add({ y: 9 }),
      onTick: ({ physics: { rewind } }) => {
        if (seen.length > 0) return
        rewind(0, (past) => {
          seen.push(past.tick, past.body("balls", 1), past.channel("balls", 1, "hp"))
          expect(() => past.channel("balls", 1, "mp")).toThrow("balls.mp: is no history channel")
          // The type does not have it.
          expect(() => past.body("cubes" as "balls", 1)).toThrow("cubes: the collection has no bod")
        })
      }
    })
    expect(seen).toEqual([0, undefined, undefined])
  })

  test("[C-863] a past world is gone when its callback has returned", async () => {
    const { room } = await stageOf()
    const kept = room.physics.rewind(1, (past) => past)
    expect(() => kept.body("balls", 1)).toThrow("gone when its callback has returned")
  })

  test("[limits.physics.history] refuses without a history, and without physics", async () => {
    const schema = defineSchema({ ...base, entities: marblesFields })
    const engine = physics(Rapier3, schema, { gravity: { x: 0, y: 0, z: 0 }, bodies: {} })
    const none = defineSchema({ type: "none", tickHz: 20 })
    const stages = [
      await PhysicsStage.start(schema, { physics: engine }),
      await PhysicsStage.start(none, {})
    ]
    for (const { room } of stages) {
      const rewind = () => room.physics.rewind(1, () => 1)
      expect(rewind).toThrow(RpcError)
      expect(rewind).toThrow(expect.objectContaining({ code: "E_PHYSICS_NO_HISTORY" }))
    }
  })
})

const marblesFields = { balls: { x: s.f32(), y: s.f32(), z: s.f32() } }

test("[limits.physics.history.cost] [limits.physics.channels.cost] 100 bodies over 240 ticks", async () => {
  const stage = await stageOf(100)
  stage.ticks(240)
  const { history } = stage.room.physics
  const perBodyAndTick = history.poseBytes / (100 * 240)
  expect(perBodyAndTick).toBeGreaterThanOrEqual(90)
  expect(perBodyAndTick).toBeLessThanOrEqual(150)
  expect(history.channelBytes).toBe(1 * 240 * 100 * 4)
})
