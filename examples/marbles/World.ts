import { physics } from "@atrium/sdk/physics"
import RAPIER, { type RigidBody } from "@dimforge/rapier3d-deterministic-compat"

import { marbles } from "./schema.ts"

/** A direction on the disc, at most of length 1. */
export interface Heading {
  readonly x: number
  readonly z: number
}

/** The disc on which everything happens. Its top is at height 0. */
export const Disc = { radius: 10, thickness: 1 } as const
export const MarbleRadius = 0.9
/** Fixed balls on the disc: marbles bounce off, and no shot goes through. */
export const Bumpers = { radius: 1.1, y: 0.5, places: placesAt(5, 0) } as const
/** Where the marble of a seat begins. The first two are opposite each other. */
export const Starts = placesAt(6.8, Math.PI / 4)

/** Four places on a circle: two opposite ones, and then the two between them. */
function placesAt(radius: number, from: number): ReadonlyArray<Heading> {
  return [0, 2, 1, 3].map((quarter) => {
    const angle = from + (quarter * Math.PI) / 2
    return { x: radius * Math.cos(angle), z: radius * Math.sin(angle) }
  })
}

const SteerUnits = 17
const TicksPerSecond = 30
/** A marble in the air steers less. */
const FlyingShare = 0.25

export const world = physics(RAPIER, marbles, {
  gravity: { x: 0, y: -20, z: 0 },
  build(made) {
    const disc = RAPIER.ColliderDesc.cylinder(Disc.thickness / 2, Disc.radius)
      .setTranslation(0, -Disc.thickness / 2, 0)
      .setFriction(0.8)
      .setRestitution(0)
      .setRestitutionCombineRule(RAPIER.CoefficientCombineRule.Min)
    made.createCollider(disc)
    for (const { x, z } of Bumpers.places) {
      const bumper = RAPIER.ColliderDesc.ball(Bumpers.radius)
        .setTranslation(x, Bumpers.y, z)
        .setRestitution(1.1)
        .setRestitutionCombineRule(RAPIER.CoefficientCombineRule.Max)
      made.createCollider(bumper)
    }
  },
  bodies: {
    marbles: {
      body: () => RAPIER.RigidBodyDesc.dynamic().setLinearDamping(0.9).setAngularDamping(0.4),
      colliders: () => [
        RAPIER.ColliderDesc.ball(MarbleRadius).setFriction(0.6).setRestitution(0.85)
      ]
    }
  }
})

/** What a tick of steering does to a marble: the same in the room and in the page. */
export const steer = (body: RigidBody | undefined, { x, z }: Heading): void => {
  if (body === undefined || (x === 0 && z === 0)) return
  const flies = body.translation().y > 1.5 * MarbleRadius
  const share = (SteerUnits * (flies ? FlyingShare : 1) * body.mass()) / TicksPerSecond
  body.applyImpulse({ x: x * share, y: 0, z: z * share }, true)
}

/** In the steps of the schema, and at most of length 1: otherwise steering diagonally would be faster. */
export const shortened = ({ x, z }: Heading): Heading => {
  const steps = 100 / Math.max(1, Math.hypot(x, z))
  return { x: Math.round(x * steps) / 100, z: Math.round(z * steps) / 100 }
}
