import { physics } from "@atrium/sdk/physics"
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"
import Rapier3, { type RigidBody } from "@dimforge/rapier3d-deterministic-compat"

/** Balls on a rink with walls. Each player has one, and pushes it; the others are in the way. */
export const rink = defineSchema({
  type: "rink",
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
      vz: s.f32(),
      wx: s.f32(),
      wy: s.f32(),
      wz: s.f32()
    }
  },
  messages: { push: { seq: s.u32(), tick: s.u32(), x: s.f32(), z: s.f32() } }
})

export const rinkWorld = physics(Rapier3, rink, {
  gravity: { x: 0, y: -9.81, z: 0 },
  build(world) {
    const wall = (x: number, z: number, at: { readonly x: number; readonly z: number }) =>
      world.createCollider(Rapier3.ColliderDesc.cuboid(x, 2, z).setTranslation(at.x, 0, at.z))
    world.createCollider(Rapier3.ColliderDesc.cuboid(12, 1, 12).setTranslation(0, -1, 0))
    for (const side of [-1, 1]) {
      wall(1, 12, { x: 11 * side, z: 0 })
      wall(12, 1, { x: 0, z: 11 * side })
    }
  },
  bodies: {
    balls: {
      body: () => Rapier3.RigidBodyDesc.dynamic().setLinearDamping(0.4),
      colliders: () => [Rapier3.ColliderDesc.ball(0.5).setRestitution(0.6)]
    }
  }
})

interface Push {
  readonly x: number
  readonly z: number
}

/** What a push does: the same in the room and on the client. */
export const push = (body: RigidBody | undefined, { x, z }: Push): void => {
  body?.applyImpulse({ x, y: 0, z }, true)
}

interface Asked extends Push {
  readonly player: string
  readonly seq: number
  readonly tick: number
}

/** Ticks by which a push may be ahead of the room: the room drops one further ahead, and applies a late one at once. */
const earlyTicksMax = 30

/** @param balls of nobody. `ticked` hears of the state after each tick. */
export const rinkRoom = (
  balls: number,
  ticked: (tick: number, at: ReadonlyMap<number, Push>) => void
) => {
  let asked: ReadonlyArray<Asked> = []
  return defineRoom(rink, {
    physics: rinkWorld,
    onCreate({ state }) {
      for (let place = 0; place < balls; place++) {
        state.balls.add({
          x: ((place % 6) - 2.5) * 2.8,
          y: 0.5,
          z: (Math.floor(place / 6) - 2) * 2.8
        })
      }
    },
    onJoin({ state }, { playerId }) {
      state.balls.add({ player: playerId, y: 0.5, x: 9, z: 9 })
    },
    onMessage: {
      push(room, { playerId }, { seq, tick, x, z }) {
        if (tick > room.state.game.tick + earlyTicksMax) return
        asked = [...asked, { player: playerId, seq, tick, x, z }]
      }
    },
    onTick(room, { tick }) {
      ticked(tick - 1, new Map(Array.from(room.state.balls, ({ id, x, z }) => [id, { x, z }])))
      room.state.game.tick = tick
      const due = asked.filter((each) => each.tick <= tick)
      asked = asked.filter((each) => each.tick > tick)
      for (const { player, seq, ...by } of due) {
        for (const ball of room.state.balls) {
          if (ball.player !== player) continue
          ball.seq = seq
          push(rinkWorld.bodyOf(room, "balls", ball), by)
        }
      }
    }
  })
}
