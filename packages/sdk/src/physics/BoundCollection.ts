import type { BodyField } from "./BodyFields.ts"
import { demandFinite, FiniteIn } from "./FiniteGuard.ts"
import {
  isNoRotation,
  MovingWords,
  PoseWords,
  readMoving,
  readRest,
  rotationAt,
  spinAt,
  vectorAt
} from "./PoseLayout.ts"
import { PoseRing, type PoseSlot } from "./PoseRing.ts"
import { type Body, bodyAt, type World } from "./Rapier.ts"

/** The checked options of one bound collection. */
export interface Binding {
  readonly name: string
  readonly fields: ReadonlyArray<BodyField>
  readonly channels: ReadonlyArray<string>
  body(entity: object): unknown
  colliders(entity: object): ReadonlyArray<unknown>
}

/** An entity of a room, whose fields are numbers where they have a body's name. */
interface Entity {
  readonly id: number
}

/** A collection of a room. */
export interface Entities extends Iterable<Entity> {
  readonly size: number
  get(id: number): Entity | undefined
  has(id: number): boolean
}

interface Shown {
  readonly entity: Entity
  readonly body: Body
}

interface Place {
  readonly dimensions: 2 | 3
  /** Ticks that the history holds. */
  readonly depth: number
  readonly world: World
  warn(line: string): void
}

/** The bodies of one collection: an entity has one as long as it is there. */
export class BoundCollection {
  readonly binding: Binding
  /** `null` = the room's type declares no history. */
  readonly ring: PoseRing | null
  readonly #place: Place
  readonly #entities: Entities
  /** Handles by the id of the entity. */
  readonly #handles = new Map<number, number>()
  /** Entities with a fault that the log has had. */
  readonly #faulty = new Set<number>()
  readonly #pose = new Float32Array(16)

  constructor(binding: Binding, entities: Entities, place: Place) {
    const { dimensions, depth } = place
    this.binding = binding
    this.#entities = entities
    this.#place = place
    this.ring =
      depth === 0 ? null : new PoseRing({ dimensions, depth, channels: binding.channels.length })
  }

  /** The body of an entity; `undefined` = there is no such entity, or its body could not be made. */
  body(id: number): Body | undefined {
    const handle = this.#handles.get(id)
    return handle === undefined ? undefined : bodyAt(this.#place.world, handle)
  }

  hasEntity(id: number): boolean {
    return this.#entities.has(id)
  }

  get bodies(): number {
    return this.#handles.size
  }

  /** Entity ids by the handles of their bodies. */
  handles(): IterableIterator<[id: number, handle: number]> {
    return this.#handles.entries()
  }

  /** Gives each entity its body, and takes the bodies of those that are gone. */
  sync(): void {
    const { world } = this.#place
    for (const [id, handle] of this.#handles) {
      const body = bodyAt(world, handle)
      if (body !== undefined && this.#entities.has(id)) continue
      // Room code may have removed the body itself: then its entity gets a new one.
      this.#handles.delete(id)
      if (body !== undefined) world.removeRigidBody(body)
    }
    for (const id of this.#faulty) if (!this.#entities.has(id)) this.#faulty.delete(id)
    if (this.#handles.size === this.#entities.size) return
    for (const entity of this.#entities) {
      if (!this.#handles.has(entity.id)) this.#make(entity)
    }
  }

  /** Takes a body of a world that was stored. */
  adopt(id: number, handle: number): void {
    if (bodyAt(this.#place.world, handle) !== undefined) this.#handles.set(id, handle)
  }

  /** Writes the poses of all bodies to their entities and to the history. */
  show(tick: number): void {
    this.#note(tick, true)
  }

  /** Begins the history with the bodies as they are. The entities stay as they were stored. */
  begin(tick: number): void {
    if (this.ring !== null) this.#note(tick, false)
  }

  #note(tick: number, shows: boolean): void {
    const slot = this.#slotOf(tick)
    let place = 0
    for (const entity of this.#entities) {
      const body = this.body(entity.id)
      if (body === undefined) continue
      readMoving(body, this.#pose, this.#place.dimensions)
      // Also where the body sleeps: room code may have moved it without waking it.
      if (shows) this.#write(entity)
      if (slot !== null) this.#record(slot, place, { entity, body })
      place++
    }
    if (slot !== null) slot.count = place
  }

  #slotOf(tick: number): PoseSlot | null {
    return this.ring?.take(tick, this.#handles.size) ?? null
  }

  #write(entity: Entity): void {
    try {
      for (const { name, word } of this.binding.fields) {
        Reflect.set(entity, name, this.#pose[word], entity)
      }
    } catch (error) {
      this.#warnOnce(entity.id, error)
    }
  }

  #record(slot: PoseSlot, place: number, { entity, body }: Shown): void {
    const { size, ids, channels } = slot
    const { dimensions } = this.#place
    const row = slot.words.subarray(place * size, (place + 1) * size)
    row.set(this.#pose.subarray(0, MovingWords[dimensions]))
    readRest(body, row, dimensions)
    ids[(place + 1) * size - 2] = entity.id
    ids[(place + 1) * size - 1] = body.isSleeping() ? 1 : 0
    const names = this.binding.channels
    for (let channel = 0; channel < names.length; channel++) {
      channels[place * names.length + channel] = Number(Reflect.get(entity, names[channel] ?? ""))
    }
  }

  /** A body begins where its entity is, and moves as that says. */
  #make(entity: Entity): void {
    const { world, dimensions } = this.#place
    const put = (body: Body): void => this.#start(entity, body)
    try {
      for (const { name } of this.binding.fields) {
        demandFinite(name, Number(Reflect.get(entity, name)), FiniteIn[dimensions])
      }
      const body = makeBody(world, { dimensions, binding: this.binding, entity, put })
      this.#handles.set(entity.id, body.handle)
    } catch (error) {
      this.#warnOnce(entity.id, error)
    }
  }

  #start(entity: Entity, body: Body): void {
    const { dimensions } = this.#place
    const at = PoseWords[dimensions]
    const pose = this.#pose
    readMoving(body, pose, dimensions)
    const told = new Set<number>()
    for (const { name, word } of this.binding.fields) {
      pose[word] = Number(Reflect.get(entity, name))
      told.add(word)
    }
    body.setTranslation(vectorAt(pose, at.position, dimensions), false)
    if (told.has(at.rotation) && !isNoRotation(pose, dimensions)) {
      body.setRotation(rotationAt(pose, at.rotation, dimensions), false)
    }
    if (told.has(at.linvel)) body.setLinvel(vectorAt(pose, at.linvel, dimensions), true)
    if (told.has(at.angvel)) body.setAngvel(spinAt(pose, at.angvel, dimensions), true)
  }

  #warnOnce(id: number, error: unknown): void {
    if (this.#faulty.has(id)) return
    this.#faulty.add(id)
    this.#place.warn(
      `${this.binding.name} ${id}: ${error instanceof Error ? error.message : String(error)}`
    )
  }
}

interface NewBody {
  readonly dimensions: 2 | 3
  readonly binding: Binding
  readonly entity: object
  put(body: Body): void
}

/** Makes the body of an entity, places it with `put`, then adds its colliders. After an error the world has none of it. */
export const makeBody = (world: World, { dimensions, binding, entity, put }: NewBody): Body => {
  const desc = binding.body(entity)
  const colliders = binding.colliders(entity)
  // A body that came and went leaves a trace in the numbers of later ones.
  for (const part of [desc, ...colliders]) demandFinite("body", part, FiniteIn[dimensions])
  const body = world.createRigidBody(desc)
  try {
    put(body)
    for (const collider of colliders) world.createCollider(collider, body)
  } catch (error) {
    world.removeRigidBody(body)
    throw error
  }
  return body
}
