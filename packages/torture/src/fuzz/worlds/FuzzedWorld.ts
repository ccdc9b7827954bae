import { physics } from "@atrium/sdk/physics"
import { defineRoom, type Room } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"
import RAPIER from "@dimforge/rapier3d-deterministic-compat"

// Taken before `physics` guards the class. It is called with a body as `this`.
// oxlint-disable-next-line typescript/unbound-method -- as said above.
const setTranslation = RAPIER.RigidBody.prototype.setTranslation

interface Point {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** A write of a client, or of room code. The fields are what a client says. */
export interface WorldWrite {
  readonly name: string
  readonly ball: number
  /** One number, and a vector that has it as a coordinate. */
  readonly value: number
  readonly at: Point
}

export const worldSchema = defineSchema({
  type: "world",
  tickHz: 60,
  physics: { dimensions: 3, history: 30 },
  entities: {
    balls: {
      x: s.f32(),
      y: s.f32(),
      z: s.f32(),
      vx: s.f32(),
      vy: s.f32(),
      vz: s.f32(),
      charge: s.f64()
    },
    // A place in 64 bits may be infinite in the 32 bits of a world.
    strays: { x: s.f64(), y: s.f64(), z: s.f64() }
  },
  messages: { write: s.untyped() }
})

export type WorldRoom = Room<typeof worldSchema>

const bodies = {
  body: () => RAPIER.RigidBodyDesc.dynamic(),
  colliders: () => [RAPIER.ColliderDesc.cuboid(0.4, 0.4, 0.4)]
}

export const worldPhysics = physics(RAPIER, worldSchema, {
  gravity: { x: 0, y: -9.81, z: 0 },
  build: (world) => {
    world.createCollider(RAPIER.ColliderDesc.cuboid(50, 1, 50).setTranslation(0, -1, 0))
  },
  bodies: { balls: { ...bodies, channels: ["charge"] }, strays: bodies }
})

interface Target {
  readonly room: WorldRoom
  readonly ball: number
  readonly world: RAPIER.World
  readonly body: RAPIER.RigidBody
  readonly collider: RAPIER.Collider
}

type Write = (target: Target, at: Point, value: number) => unknown

const { ColliderDesc, RigidBodyDesc, JointData } = RAPIER
const zero: Point = { x: 0, y: 0, z: 0 }

/** Where room code hands numbers to its world. */
const Writes: Readonly<Record<string, Write>> = {
  setTranslation: ({ body }, at) => body.setTranslation(at, true),
  setRotation: ({ body }, at) => body.setRotation({ ...at, w: 1 }, true),
  setLinvel: ({ body }, at) => body.setLinvel(at, true),
  setAngvel: ({ body }, at) => body.setAngvel(at, true),
  applyImpulse: ({ body }, at) => body.applyImpulse(at, true),
  applyImpulseAtPoint: ({ body }, at) => body.applyImpulseAtPoint({ x: 0, y: 1, z: 0 }, at, true),
  applyTorqueImpulse: ({ body }, at) => body.applyTorqueImpulse(at, true),
  addForce: ({ body }, at) => body.addForce(at, true),
  addForceAtPoint: ({ body }, at) => body.addForceAtPoint(at, zero, true),
  addTorque: ({ body }, at) => body.addTorque(at, true),
  setLinearDamping: ({ body }, _, value) => body.setLinearDamping(value),
  setAngularDamping: ({ body }, _, value) => body.setAngularDamping(value),
  setGravityScale: ({ body }, _, value) => body.setGravityScale(value, true),
  setAdditionalMass: ({ body }, _, value) => body.setAdditionalMass(value, true),
  setFriction: ({ collider }, _, value) => collider.setFriction(value),
  setRestitution: ({ collider }, _, value) => collider.setRestitution(value),
  setDensity: ({ collider }, _, value) => collider.setDensity(value),
  setShape: ({ collider }, _, value) => collider.setShape(new RAPIER.Ball(value)),
  setTranslationWrtParent: ({ collider }, at) => collider.setTranslationWrtParent(at),
  createRigidBody: ({ world }, at) =>
    world.createRigidBody(Object.assign(RigidBodyDesc.dynamic(), { translation: at })),
  createCollider: ({ world, body }, at) =>
    world.createCollider(Object.assign(ColliderDesc.ball(0.2), { translation: at }), body),
  createImpulseJoint({ room, world, body }, at) {
    const other = worldPhysics.bodyOf(room, "balls", 1)
    if (other !== undefined)
      world.createImpulseJoint(JointData.spherical(at, zero), other, body, true)
  },
  timestep: ({ world }, _, value) => (world.timestep = value),
  spawn: ({ room }, at) => room.state.strays.add(at),
  channel({ room, ball }, _, value) {
    const entity = room.state.balls.get(ball)
    if (entity !== undefined) entity.charge = value
  },
  rewind: ({ room }, _, value) => room.physics.rewind(value, (past) => past.tick),
  castRay: ({ room }, at) =>
    room.physics.rewind(0, (past) => past.castRay({ origin: at, dir: { x: 0, y: -1, z: 0 } })),
  bodiesAt: ({ room }, at) => room.physics.rewind(0, (past) => past.bodiesAt(at))
}

export const writeNames: ReadonlyArray<string> = Object.keys(Writes)

/** Writes without a look at the numbers. */
export const writeTo = (room: WorldRoom, { name, ball, at, value }: WorldWrite): void => {
  const body = worldPhysics.bodyOf(room, "balls", ball)
  const write = Writes[name]
  if (body === undefined || write === undefined)
    throw new Error(`there is no ball ${ball}, or no write ${name}`)
  const world = worldPhysics.worldOf(room)
  write({ room, ball, world, body, collider: body.collider(0) }, at, value)
}

/** A room that believes its clients; `onTick` is the part of room code that a case plays. */
export const worldRoom = (balls: number, onTick: (room: WorldRoom) => void) =>
  defineRoom(worldSchema, {
    physics: worldPhysics,
    onCreate({ state }) {
      for (let x = 0; x < balls; x++) state.balls.add({ x: 0.9 * x, y: 1 + x })
    },
    onTick: (room) => onTick(room),
    onMessage: {
      // A client that is honest sends this shape; the numbers in it are the client's.
      write: (room, _client, said) => writeTo(room, said as WorldWrite)
    }
  })

/** Moves a ball past the guard. */
export const moveUnguarded = (room: WorldRoom, at: Point): void => {
  const body = worldPhysics.bodyOf(room, "balls", 1)
  if (body === undefined) throw new Error("there is no ball 1")
  setTranslation.call(body, at, true)
}
