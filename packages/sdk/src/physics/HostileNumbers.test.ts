import { defineSchema, s } from "@atrium/wire/schema"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"
import { beforeAll, describe, expect, test } from "vitest"

import { physics } from "./Physics.ts"
import { bothRapiers, stageOf } from "./testing/HeapStage.ts"
import { marbles2, world2, world3 } from "./testing/Marbles.ts"
import { PhysicsStage } from "./testing/PhysicsStage.ts"

beforeAll(bothRapiers)

describe("NaN", () => {
  const nan = { x: Number.NaN, y: 0, z: 0 }
  const zero = { x: 0, y: 0, z: 0 }
  type Body = NonNullable<ReturnType<typeof world3.bodyOf>>
  type World = ReturnType<typeof world3.worldOf>
  const { RigidBodyDesc, ColliderDesc } = Rapier3
  const calls: ReadonlyArray<readonly [name: string, call: (body: Body, world: World) => unknown]> =
    [
      ["setTranslation", (body) => body.setTranslation(nan, true)],
      ["setRotation", (body) => body.setRotation({ ...nan, w: 1 }, true)],
      ["setLinvel", (body) => body.setLinvel({ ...nan, x: Infinity }, true)],
      ["setLinvel", (body) => body.setLinvel({ ...nan, x: 1e39 }, true)],
      ["setAngvel", (body) => body.setAngvel(nan, true)],
      ["setLinvel", (body) => body.setLinvel({ x: 1, y: 2 } as never, true)],
      ["setLinvel", (body) => body.setLinvel({ x: "1", y: 2, z: 3 } as never, true)],
      ["setLinvel", (body) => body.setLinvel(Object.create(nan), true)],
      ["setRotation", (body) => body.setRotation({ ...zero, w: undefined } as never, true)],
      ["applyImpulse", (body) => body.applyImpulse(nan, true)],
      ["addForceAtPoint", (body) => body.addForceAtPoint({ x: 0, y: 0, z: 0 }, nan, true)],
      ["setAdditionalMass", (body) => body.setAdditionalMass(Number.NaN, true)],
      ["createRigidBody", (_, world) => world.createRigidBody(descOf(nan))],
      ["createCollider", (_, world) => world.createCollider(ColliderDesc.ball(Number.NaN))],
      [
        "createCollider",
        (_, world) =>
          world.createCollider(
            ColliderDesc.trimesh(
              new Float32Array([0, 0, 0, 1, 0, Number.NaN, 0, 1, 0]),
              new Uint32Array([0, 1, 2])
            )
          )
      ],
      ["setFriction", (body) => body.collider(0).setFriction(Number.NaN)],
      ["timestep", (_, world) => (world.timestep = Number.NaN)]
    ]
  const descOf = (translation: typeof nan) =>
    Object.assign(RigidBodyDesc.dynamic(), { translation })

  test.each(calls)("[C-862] %s with NaN throws, and the world is unchanged", async (name, call) => {
    const { room } = await stageOf(3)
    const world = world3.worldOf(room)
    const body = world3.bodyOf(room, "balls", 1)
    if (body === undefined) throw new Error("no body")
    const before = world.takeSnapshot()
    expect(() => call(body, world)).toThrow(RangeError)
    expect(() => call(body, world)).toThrow(name)
    expect(Buffer.compare(world.takeSnapshot(), before)).toBe(0)
  })

  test.each([
    ["NaN", nan, "x = NaN"],
    ["two coordinates", { x: 0, y: 0 }, "z = undefined"]
  ])("[C-862] a gravity of %s is logged at each step, and nothing moves", async (_, bad, says) => {
    const stage = await stageOf()
    const world = world3.worldOf(stage.room)
    stage.test.logged()
    const before = world.takeSnapshot()
    world.gravity = bad as never
    stage.ticks(2)
    const line = expect.stringContaining(`World.gravity: ${says} is no number`)
    expect(stage.test.logged().map(([, , said]) => said)).toEqual([line, line])
    world.gravity = { x: 0, y: -9.81, z: 0 }
    expect(Buffer.compare(world.takeSnapshot(), before)).toBe(0)
  })

  test("[C-862] two dimensions need two coordinates", async () => {
    const { room } = await PhysicsStage.start(marbles2, {
      physics: world2,
      onCreate: ({ state }) => void state.discs.add({ x: 3, y: 5 })
    })
    const body = world2.bodyOf(room, "discs", 1)
    body?.setLinvel({ x: 1, y: 2 }, true)
    expect(body?.linvel()).toEqual({ x: 1, y: 2 })
    expect(() => body?.setLinvel({ x: 1 } as never, true)).toThrow("y = undefined is no number")
  })

  test("[C-862] a place that is infinite in 32 bits makes no body, and leaves no trace in the world", async () => {
    const schema = defineSchema({
      type: "t",
      tickHz: 20,
      physics: { dimensions: 3 },
      entities: { units: { x: s.f64(), y: s.f64(), z: s.f64() } }
    })
    const engine = physics(Rapier3, schema, {
      gravity: zero,
      bodies: { units: { body: () => RigidBodyDesc.dynamic(), colliders: () => [] } }
    })
    const { room, ...stage } = await PhysicsStage.start(schema, {
      physics: engine,
      onCreate: ({ state }) => void state.units.add({ x: 1 })
    })
    const before = engine.worldOf(room).takeSnapshot()
    const added = room.state.units.add({ x: 1e308 })
    expect(engine.bodyOf(room, "units", added)).toBeUndefined()
    expect(Buffer.compare(engine.worldOf(room).takeSnapshot(), before)).toBe(0)
    const line = "physics: units 2: x: 1e+308 is no number for a world"
    expect(stage.test.logged().map(([, , said]) => said)).toEqual([line])
  })

  test("[C-862] a body whose velocity runs over is stopped by Rapier, and the others go on", async () => {
    const stage = await stageOf(2)
    const body = world3.bodyOf(stage.room, "balls", 1)
    body?.setLinvel({ x: 3e38, y: 3e38, z: 3e38 }, true)
    body?.applyImpulse({ x: 3e38, y: 3e38, z: 3e38 }, true)
    const { balls } = stage.room.state
    const before = balls.get(2)?.y ?? 0
    stage.ticks(3)
    for (const { x, y, z } of balls) expect(Number.isFinite(x + y + z)).toBe(true)
    expect(balls.get(2)?.y).toBeLessThan(before)
    expect(stage.test.logged()).toEqual([])
  })
})
