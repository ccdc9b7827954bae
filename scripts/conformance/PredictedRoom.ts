import { physics } from "@atrium/sdk/physics"
import { predictBy } from "@atrium/sdk/predict/predict"
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"
import { RoomHarness } from "@atrium/sdk/testing"
import RAPIER from "@dimforge/rapier3d-deterministic-compat"

/** What the suite asks of our client library's prediction: docs/conformance-adapter.md. */
export interface PredictedRoom {
  readonly own: number
  readonly others: number
  readonly maxPredictedBodies?: number
  readonly maxProxyBodies?: number
}

interface LocalBodies {
  simulated: number
  kinematic: number
  without: number
}

const schema = defineSchema({
  type: "crowd",
  tickHz: 20,
  physics: { dimensions: 3 },
  singletons: { game: { tick: s.u32() } },
  entities: {
    bodies: {
      own: s.bool(),
      x: s.f32(),
      y: s.f32(),
      z: s.f32(),
      vx: s.f32(),
      vy: s.f32(),
      vz: s.f32()
    }
  }
})

const world = physics(RAPIER, schema, {
  gravity: { x: 0, y: 0, z: 0 },
  bodies: {
    bodies: {
      body: () => RAPIER.RigidBodyDesc.dynamic(),
      colliders: () => [RAPIER.ColliderDesc.ball(0.5)]
    }
  }
})

/** Predicts a room with so many bodies, and looks what its local world does with them. */
export const predictedRoom = async (room: PredictedRoom) => {
  const { own, others, ...budgets } = room
  const harness = new RoomHarness(
    defineRoom(schema, {
      physics: world,
      onCreate({ state }) {
        for (let x = 0; x < own + others; x++) state.bodies.add({ x: 2 * x, own: x < own })
      },
      onTick({ state }, { tick }) {
        state.game.tick = tick
      }
    })
  )
  const joining = harness.client({ playerId: "ann" }).joinOrCreate(schema)
  await harness.advance(1000)
  const joined = await joining
  let nowMs = 0
  const options = {
    ...budgets,
    physics: world,
    tick: () => joined.state.game.tick,
    own: { bodies: (body: { readonly own: boolean }) => body.own }
  }
  const prediction = await predictBy({ elapsedMs: () => nowMs }, joined, options)
  for (let frame = 0; frame < 10; frame++) {
    nowMs += 50
    await harness.advance(50)
    prediction.update()
  }
  const counts = { own: noBodies(), others: noBodies() }
  for (const entity of joined.state.bodies) {
    const of = counts[entity.own ? "own" : "others"]
    const body = prediction.bodyOf("bodies", entity)
    if (body === undefined || body.numColliders() === 0) of.without += 1
    else if (body.isKinematic()) of.kinematic += 1
    else if (body.isDynamic()) of.simulated += 1
  }
  prediction.end()
  await joined.leave()
  return counts
}

const noBodies = (): LocalBodies => ({ simulated: 0, kinematic: 0, without: 0 })
