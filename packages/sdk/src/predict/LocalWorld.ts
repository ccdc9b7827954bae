import { newWorld, type WorldSetup } from "../physics/BoundWorld.ts"
import type { World } from "../physics/Rapier.ts"
import { type PredictionBudgets, type RoleCandidate, rolesOf } from "./BodyRoles.ts"
import { LocalBody, type LocalPlace, type SeenEntity } from "./LocalBody.ts"
import { angleApart, distance, speedApart } from "./PoseMath.ts"

/** A collection as a client sees it. */
interface SeenEntities extends Iterable<SeenEntity> {
  get(id: number): SeenEntity | undefined
}

/** The parts that a local world is made of. */
export interface LocalWorldParts {
  readonly setup: WorldSetup
  readonly tickHz: number
  /** Ticks that are remembered. */
  readonly depth: number
  readonly budgets: Required<PredictionBudgets>
  /** Whether an entity is the player's own. */
  own(collection: string, entity: SeenEntity): boolean
}

/** How often a second bodies get their roles anew: they move, and others become the nearest. */
const RolesHz = 2

/** A velocity may be off by as much as leads to the tolerance in this time. */
const SpeedSeconds = 0.1

const AngleTolerance = 0.05

/** The world of a client: bodies of what the room told, in a Rapier of the client's own. */
export class LocalWorld {
  readonly world: World
  readonly #parts: LocalWorldParts
  readonly #place: LocalPlace
  readonly #bodies = new Map<string, Map<number, LocalBody>>()
  /** The tick at which roles were given. */
  #rolesAt = Number.NEGATIVE_INFINITY

  constructor(parts: LocalWorldParts) {
    const { rapier, dimensions, bindings } = parts.setup
    this.#parts = parts
    this.world = newWorld(parts.setup)
    this.world.timestep = 1 / parts.tickHz
    this.#place = { rapier, dimensions, world: this.world, depth: parts.depth }
    for (const { name } of bindings) this.#bodies.set(name, new Map())
  }

  get(collection: string, id: number): LocalBody | undefined {
    const bodies = this.#bodies.get(collection)
    if (bodies === undefined) throw new Error(`${collection}: the collection has no bodies`)
    return bodies.get(id)
  }

  *all(): IterableIterator<LocalBody> {
    for (const bodies of this.#bodies.values()) yield* bodies.values()
  }

  /** Takes the entities as the room has them after a tick. Their bodies follow with `arrange`. */
  tell(state: Readonly<Record<string, unknown>>, tick: number): void {
    for (const binding of this.#parts.setup.bindings) {
      const bodies = this.#bodies.get(binding.name)
      // The schema has a collection of this name.
      const entities = state[binding.name] as SeenEntities
      for (const [id, body] of bodies ?? []) {
        if (entities.get(id) !== undefined) continue
        body.remove()
        bodies?.delete(id)
      }
      for (const entity of entities) {
        let body = bodies?.get(entity.id)
        if (body === undefined) {
          body = new LocalBody(binding, entity, this.#place)
          bodies?.set(entity.id, body)
          this.#rolesAt = Number.NEGATIVE_INFINITY
        }
        body.entity = entity
        const { placed } = body
        body.tell(tick)
        if (body.placed === placed) continue
        if (!body.placed) body.become("shown")
        this.#rolesAt = Number.NEGATIVE_INFINITY
      }
    }
  }

  /** Gives bodies their roles, where something is new or some time has passed. @returns whether one changed */
  arrange(tick: number): boolean {
    if (tick >= this.#rolesAt && tick < this.#rolesAt + this.#parts.tickHz / RolesHz) return false
    this.#rolesAt = tick
    const bodies = [...this.all()].filter(({ placed }) => placed)
    for (const body of bodies) body.own = this.#parts.own(body.binding.name, body.entity)
    const own = bodies.flatMap((body) => (body.own ? (body.told.at(tick) ?? []) : []))
    const roles = rolesOf(
      bodies.map((body) => this.#candidate(body, { own, tick })),
      this.#parts.budgets
    )
    const changed = bodies.filter((body, place) => body.role !== roles[place])
    for (const [place, body] of bodies.entries()) body.become(roles[place] ?? "shown")
    return changed.length > 0
  }

  /** Compares the simulated poses of a tick with those that the room told; `new` = a body has no simulated pose of that tick. */
  compare(tick: number, toleranceUnits: number): "same" | "new" | "other" {
    const { dimensions } = this.#place
    let found: "same" | "new" = "same"
    for (const body of this.all()) {
      if (!body.ahead) continue
      const [told, made] = [body.told.at(tick), body.simulated?.at(tick)]
      if (told === undefined) continue
      if (made === undefined) {
        found = "new"
        continue
      }
      const isSame =
        distance(told, made, dimensions) <= toleranceUnits &&
        speedApart(told, made, dimensions) * SpeedSeconds <= toleranceUnits &&
        angleApart(told, made, dimensions) <= AngleTolerance
      if (!isSame) return "other"
    }
    return found
  }

  /** Puts each simulated body back to its pose in the room. */
  rewind(tick: number): void {
    for (const body of this.all()) if (body.ahead) body.rewind(tick)
  }

  /** @param proxiesAt the moment at which proxies are, or `null` where they stay */
  step(tick: number, proxiesAt: number | null): void {
    if (proxiesAt !== null) {
      for (const body of this.all()) if (body.role === "proxy") body.follow(proxiesAt)
    }
    this.world.step()
    for (const body of this.all()) if (body.ahead) body.record(tick)
  }

  /** The room was started anew: what was known of its ticks is of no use. */
  forget(): void {
    this.#rolesAt = Number.NEGATIVE_INFINITY
    for (const body of this.all()) {
      body.told.clear()
      body.simulated?.clear()
    }
  }

  end(): void {
    this.world.free()
    for (const bodies of this.#bodies.values()) bodies.clear()
  }

  #candidate(
    body: LocalBody,
    { own, tick }: { readonly own: ReadonlyArray<Float32Array>; readonly tick: number }
  ): RoleCandidate {
    const { dimensions } = this.#place
    const pose = body.told.at(tick)
    const distances =
      pose === undefined || body.own ? [] : own.map((each) => distance(pose, each, dimensions))
    // Without an own body every distance is 0, and the order of the entities decides.
    const nearest = distances.length === 0 ? 0 : Math.min(...distances)
    return { own: body.own, dynamic: body.dynamic, distance: nearest, was: body.role }
  }
}
