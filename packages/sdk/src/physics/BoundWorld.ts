import type {
  PhysicsContext,
  PhysicsWorld,
  SavedWorld
} from "@atrium/runtime/physics/PhysicsEngine"
import type { PastWorld, PhysicsHistory } from "@atrium/runtime/physics/RoomPhysics"
import { RpcError } from "@atrium/runtime/room/RpcError"
import { PhysicsCodes } from "@atrium/wire/physics/PhysicsCodes"

import { type Binding, BoundCollection, type Entities } from "./BoundCollection.ts"
import { demandFinite, FiniteIn } from "./FiniteGuard.ts"
import { PastView } from "./PastView.ts"
import { type Body, bodyAt, type Rapier, type Vector, type World } from "./Rapier.ts"
import { packHandles, unpackHandles } from "./SavedHandles.ts"

/** The checked options of `physics`. */
export interface WorldSetup {
  readonly rapier: Rapier
  /** The library and its version. */
  name(): string
  readonly dimensions: 2 | 3
  readonly history: number
  readonly gravity: Vector
  build(world: World): void
  readonly bindings: ReadonlyArray<Binding>
}

/** The world of one room, and the entities whose bodies are in it. */
export class BoundWorld implements PhysicsWorld {
  readonly world: World
  readonly #setup: WorldSetup
  readonly #tickSeconds: number
  readonly #collections: ReadonlyMap<string, BoundCollection>

  constructor(setup: WorldSetup, context: PhysicsContext) {
    this.#setup = setup
    const { saved, warn } = context
    const stored = saved === null ? null : restored(setup, saved, warn)
    this.world = stored ?? newWorld(setup)
    this.#tickSeconds = 1 / context.tickHz
    const place = { dimensions: setup.dimensions, depth: setup.history, world: this.world, warn }
    this.#collections = new Map(
      setup.bindings.map((binding) => {
        // The schema has a collection of this name.
        const entities = context.state[binding.name] as Entities
        return [binding.name, new BoundCollection(binding, entities, place)]
      })
    )
    // A stored world has the bodies of its last step. The next step makes the bodies of newer entities.
    if (stored !== null && saved !== null) this.#adopt(saved)
    else this.#sync()
    // A new room has no bodies before its first step: a slot without bodies would take one tick of the history.
    const collections = [...this.#collections.values()]
    if (collections.every(({ bodies }) => bodies === 0)) return
    for (const collection of collections) collection.begin(context.tick)
  }

  /** The body of an entity, also of one that was just added. */
  body(collection: string, id: number): Body | undefined {
    const bound = this.#collections.get(collection)
    if (bound === undefined) throw new Error(`${collection}: the collection has no bodies`)
    // All bodies are looked through only for an entity that has none yet, or is gone.
    const known = bound.body(id)
    if (known !== undefined && bound.hasEntity(id)) return known
    bound.sync()
    return bound.body(id)
  }

  step(tick: number): void {
    demandFinite("World.gravity", this.world.gravity, FiniteIn[this.#setup.dimensions])
    this.#sync()
    this.world.timestep = this.#tickSeconds
    this.world.step()
    for (const collection of this.#collections.values()) collection.show(tick)
  }

  save(): SavedWorld {
    const bodies = [...this.#collections].map(
      ([name, collection]) => [name, packHandles(collection.handles())] as const
    )
    return {
      engine: this.#setup.name(),
      world: this.world.takeSnapshot(),
      bodies: Object.fromEntries(bodies)
    }
  }

  rewind<T>(atTick: number, run: (world: PastWorld) => T): T {
    if (this.#setup.history === 0) {
      const says = "the schema declares no physics.history, so that there is nothing to go back to"
      throw new RpcError(PhysicsCodes.noHistory, says)
    }
    if (!Number.isFinite(atTick)) throw new RangeError(`rewind: ${atTick} is no tick`)
    const { rapier, dimensions } = this.#setup
    const of = { rapier, dimensions, world: this.world, collections: this.#collections }
    const view = new PastView(of, atTick)
    try {
      return run(view)
    } finally {
      view.end()
    }
  }

  get history(): PhysicsHistory {
    const rings = [...this.#collections.values()].flatMap(({ ring }) => ring ?? [])
    const sum = (of: (ring: (typeof rings)[number]) => number): number =>
      rings.reduce((total, ring) => total + of(ring), 0)
    return {
      oldestTick: rings[0]?.at(0)?.tick ?? null,
      newestTick: rings[0]?.at(Number.MAX_SAFE_INTEGER)?.tick ?? null,
      poseBytes: sum(({ poseBytes }) => poseBytes),
      channelBytes: sum(({ channelBytes }) => channelBytes)
    }
  }

  #sync(): void {
    for (const collection of this.#collections.values()) collection.sync()
  }

  #adopt(saved: SavedWorld): void {
    for (const [name, bytes] of Object.entries(saved.bodies)) {
      const collection = this.#collections.get(name)
      for (const [id, handle] of unpackHandles(bytes)) {
        if (collection !== undefined) collection.adopt(id, handle)
        else this.#remove(handle)
      }
    }
  }

  /** The body of a collection that has none any more. */
  #remove(handle: number): void {
    const body = bodyAt(this.world, handle)
    if (body !== undefined) this.world.removeRigidBody(body)
  }
}

/** A new world, with what the option `build` puts into it. */
export const newWorld = ({ rapier, gravity, build }: WorldSetup): World => {
  // Rapier keeps the object as `world.gravity`, and room code may write to that.
  const world = new rapier.World({ ...gravity })
  build(world)
  return world
}

/** The stored world; `null` = this library cannot read it, and it is made anew of the room's entities. */
const restored = (
  { rapier, name }: WorldSetup,
  { engine, world }: SavedWorld,
  warn: (line: string) => void
): World | null => {
  const anew = "the world is made anew of the bodies' entities"
  if (engine !== name()) {
    warn(`${anew}: it was stored by ${engine}, and this is ${name()}`)
    return null
  }
  const read = rapier.World.restoreSnapshot(world)
  if (read !== null && read !== undefined) return read
  warn(`${anew}: the stored world of ${engine} could not be read`)
  return null
}
