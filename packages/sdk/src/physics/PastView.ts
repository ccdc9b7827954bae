import type {
  BodyRef,
  PastBody,
  PastWorld,
  PhysicsPoint,
  RayHit,
  RayOptions
} from "@atrium/runtime/physics/RoomPhysics"

import type { BoundCollection } from "./BoundCollection.ts"
import { demandFinite, FiniteIn } from "./FiniteGuard.ts"
import { PoseWords, rotated, rotationAt, spinAt, turned, vectorAt } from "./PoseLayout.ts"
import { placeOf, type PoseSlot } from "./PoseRing.ts"
import type { Collider, Hit, Rapier, Rotation, Vector, World } from "./Rapier.ts"

/** The world that a past one is seen in. */
export interface PastOf {
  readonly rapier: Rapier
  readonly world: World
  readonly dimensions: 2 | 3
  readonly collections: ReadonlyMap<string, BoundCollection>
}

/** One collection as it was. */
interface PastCollection {
  readonly bound: BoundCollection
  readonly slot: PoseSlot
}

/** As far as 32 bits go. */
const Endless = 3.4e38

/** The bodies of a room after one tick. Own arithmetic over the colliders' shapes: the room's world is not touched. */
export class PastView implements PastWorld {
  readonly tick: number
  readonly #of: PastOf
  readonly #collections: ReadonlyMap<string, PastCollection>
  #over = false

  constructor(of: PastOf, atTick: number) {
    this.#of = of
    const found = [...of.collections].flatMap(([name, bound]) => {
      const slot = bound.ring?.at(atTick)
      return slot === undefined ? [] : [[name, { bound, slot }] as const]
    })
    this.#collections = new Map(found)
    this.tick = found[0]?.[1].slot.tick ?? 0
  }

  /** The callback has returned: the arrays are written over from now on. */
  end(): void {
    this.#over = true
  }

  body(collection: string, id: number): PastBody | undefined {
    const seen = this.#seen(collection, id)
    if (seen === null) return undefined
    const { slot, place } = seen
    const { dimensions } = this.#of
    const words = rowOf(slot, place)
    const at = PoseWords[dimensions]
    const vector = (from: number) => whole(vectorAt(words, from, dimensions))
    const spin = (from: number) => turnOf(spinAt(words, from, dimensions))
    return {
      position: vector(at.position),
      // The types of rotation and spin are those of the schema, which are gone at run time.
      rotation: rotationAt(words, at.rotation, dimensions) as PastBody["rotation"],
      linvel: vector(at.linvel),
      angvel: spin(at.angvel),
      force: vector(at.force),
      torque: spin(at.torque),
      centerOfMass: vector(at.com),
      mass: words[at.mass] ?? 0,
      sleeping: slot.ids[(place + 1) * words.length - 1] === 1
    }
  }

  // oxlint-disable-next-line max-params -- a collection, an entity and a channel are no one thing.
  channel(collection: string, id: number, name: string): number | undefined {
    const { channels } = this.#bound(collection).binding
    const channel = channels.indexOf(name)
    if (channel === -1) throw new Error(`${collection}.${name}: is no history channel`)
    const seen = this.#seen(collection, id)
    return seen?.slot.channels[seen.place * channels.length + channel]
  }

  castRay(
    ray: { readonly origin: PhysicsPoint; readonly dir: PhysicsPoint },
    options: RayOptions = {}
  ): RayHit | null {
    demandFinite("castRay", [ray.origin, ray.dir, options.maxDistance ?? 0], FiniteIn[2])
    this.#demandOpen()
    const { rapier, dimensions } = this.#of
    const [origin, dir] = [ray.origin, ray.dir].map((value) => flat(value, dimensions))
    if (origin === undefined || dir === undefined) return null
    const made = new rapier.Ray(origin, dir)
    let nearest = options.maxDistance ?? Endless
    let best = this.#unbound(made, nearest)
    if (best !== null) nearest = best.timeOfImpact
    let body: RayHit["body"] = null
    for (const [collection, past] of this.#collections) {
      for (const { id, position, rotation, collider } of this.#colliders(past)) {
        if (options.except?.collection === collection && options.except.id === id) continue
        const hit = collider.shape.castRayAndGetNormal(made, position, rotation, nearest, true)
        if (hit === null) continue
        nearest = hit.timeOfImpact
        best = hit
        body = refOf(collection, id)
      }
    }
    if (best === null) return null
    const distance = best.timeOfImpact
    const point = whole({
      x: origin.x + dir.x * distance,
      y: origin.y + dir.y * distance,
      z: (origin.z ?? 0) + (dir.z ?? 0) * distance
    })
    return { body, distance, point, normal: whole(best.normal) }
  }

  bodiesAt(point: PhysicsPoint): ReadonlyArray<BodyRef> {
    demandFinite("bodiesAt", point, FiniteIn[2])
    this.#demandOpen()
    const at = flat(point, this.#of.dimensions)
    const found: Array<BodyRef> = []
    for (const [collection, past] of this.#collections) {
      let last = 0
      for (const { id, position, rotation, collider } of this.#colliders(past)) {
        if (id === last || !collider.shape.containsPoint(position, rotation, at)) continue
        last = id
        found.push(refOf(collection, id))
      }
    }
    return found
  }

  /** The colliders of a collection's bodies, where they were. */
  *#colliders({ bound, slot }: PastCollection): Generator<Placed> {
    const { dimensions } = this.#of
    const at = PoseWords[dimensions]
    for (let place = 0; place < slot.count; place++) {
      const words = rowOf(slot, place)
      const id = slot.ids[(place + 1) * words.length - 2] ?? 0
      const body = bound.body(id)
      if (body === undefined) continue
      const position = vectorAt(words, at.position, dimensions)
      const rotation = rotationAt(words, at.rotation, dimensions)
      for (let index = 0; index < body.numColliders(); index++) {
        const collider = body.collider(index)
        yield { id, collider, ...placed({ position, rotation }, collider) }
      }
    }
  }

  /** The nearest hit on a collider that belongs to no entity. Such colliders are where they are now. */
  #unbound(ray: object, nearest: number): Hit | null {
    const bound = new Set<number>()
    for (const collection of this.#of.collections.values()) {
      for (const [, handle] of collection.handles()) bound.add(handle)
    }
    const isFree = (collider: Collider): boolean => !bound.has(collider.parent()?.handle ?? -1)
    const none = undefined
    const { world } = this.#of
    return world.castRayAndGetNormal(ray, nearest, true, none, none, none, none, isFree)
  }

  #bound(name: string): BoundCollection {
    this.#demandOpen()
    const bound = this.#of.collections.get(name)
    if (bound === undefined) throw new Error(`${name}: the collection has no bodies`)
    return bound
  }

  /** `null` = the entity had no body then, or has none now. Before the first tick of a room none has one. */
  #seen(
    collection: string,
    id: number
  ): { readonly slot: PoseSlot; readonly place: number } | null {
    const hasBody = this.#bound(collection).body(id) !== undefined
    const slot = this.#collections.get(collection)?.slot
    if (slot === undefined || !hasBody) return null
    const place = placeOf(slot, id)
    return place === -1 ? null : { slot, place }
  }

  #demandOpen(): void {
    if (this.#over) throw new Error("rewind: the past world is gone when its callback has returned")
  }
}

interface Pose {
  readonly position: Vector
  readonly rotation: Rotation
}

interface Placed extends Pose {
  readonly id: number
  readonly collider: Collider
}

/** Where a collider is on a body of this pose. */
const placed = ({ position, rotation }: Pose, collider: Collider): Pose => {
  const offset = collider.translationWrtParent()
  const turn = collider.rotationWrtParent()
  if (offset === null || turn === null) return { position, rotation }
  const moved = rotated(rotation, offset)
  return {
    position: {
      x: position.x + moved.x,
      y: position.y + moved.y,
      ...(position.z === undefined ? {} : { z: position.z + (moved.z ?? 0) })
    },
    rotation: turned(rotation, turn)
  }
}

const refOf = (collection: string, id: number): BodyRef => ({ collection, id })

const rowOf = ({ words, size }: PoseSlot, place: number): Float32Array =>
  words.subarray(place * size, (place + 1) * size)

const flat = ({ x, y, z = 0 }: PhysicsPoint, dimensions: 2 | 3): Vector =>
  dimensions === 3 ? { x, y, z } : { x, y }

const whole = ({ x, y, z = 0 }: Vector) => ({ x, y, z })

const turnOf = (turn: number | Vector): PastBody["angvel"] =>
  (typeof turn === "number" ? turn : whole(turn)) as PastBody["angvel"]
