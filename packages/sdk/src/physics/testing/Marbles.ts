import { defineSchema, s } from "@atrium/wire/schema"
import Rapier2 from "@dimforge/rapier2d-deterministic-compat"
import Rapier3 from "@dimforge/rapier3d-deterministic-compat"

import { physics } from "../Physics.ts"

/** Balls over a floor, with all fields that a body may have. */
export const marbles3 = defineSchema({
  type: "marbles",
  tickHz: 60,
  physics: { dimensions: 3, history: 240 },
  entities: {
    balls: {
      x: s.f32(),
      y: s.f32(),
      z: s.f32(),
      qx: s.f32(),
      qy: s.f32(),
      qz: s.f32(),
      qw: s.f32(),
      vx: s.f32(),
      vy: s.f32(),
      vz: s.f32(),
      wx: s.f32(),
      wy: s.f32(),
      wz: s.f32(),
      hp: s.u8({ default: 100 })
    }
  }
})

export const world3 = physics(Rapier3, marbles3, {
  gravity: { x: 0, y: -9.81, z: 0 },
  build: (world) => {
    world.createCollider(Rapier3.ColliderDesc.cuboid(50, 1, 50).setTranslation(0, -1, 0))
  },
  bodies: {
    balls: {
      body: () => Rapier3.RigidBodyDesc.dynamic(),
      // Cubes: they turn, and rest on each other.
      colliders: () => [Rapier3.ColliderDesc.cuboid(0.4, 0.4, 0.4)],
      channels: ["hp"]
    }
  }
})

export const marbles2 = defineSchema({
  type: "discs",
  tickHz: 60,
  physics: { dimensions: 2, history: 3 },
  entities: {
    discs: { x: s.f32(), y: s.f32(), angle: s.f32(), vx: s.f32(), vy: s.f32(), spin: s.f32() }
  }
})

export const world2 = physics(Rapier2, marbles2, {
  gravity: { x: 0, y: -9.81 },
  build: (world) => {
    world.createCollider(Rapier2.ColliderDesc.cuboid(50, 1).setTranslation(0, -1))
  },
  bodies: {
    discs: {
      body: () => Rapier2.RigidBodyDesc.dynamic(),
      colliders: () => [Rapier2.ColliderDesc.cuboid(0.4, 0.4)]
    }
  }
})

/** A heap of cubes that falls, in rows of ten. */
export const heap = (count: number): ReadonlyArray<{ x: number; y: number; z: number }> =>
  Array.from({ length: count }, (_, place) => ({
    x: (place % 10) * 0.85 - 4,
    y: 1 + Math.floor(place / 10) * 0.9,
    z: ((place * 7) % 5) * 0.3
  }))
