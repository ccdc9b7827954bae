import { surface } from "../client/Listeners.ts"
import { type Binding, makeBody } from "../physics/BoundCollection.ts"
import {
  isNoRotation,
  MovingWords,
  PoseWords,
  readMoving,
  rotationAt,
  spinAt,
  vectorAt
} from "../physics/PoseLayout.ts"
import type { Body, Rapier, World } from "../physics/Rapier.ts"
import type { BodyRole } from "./BodyRoles.ts"
import { blend, noOffset, offsetOf, shift, shrink } from "./PoseMath.ts"
import { PoseTrail } from "./PoseTrail.ts"

/** An entity as a client sees it. */
export interface SeenEntity {
  readonly id: number
}

/** The world that the bodies are in. */
export interface LocalPlace {
  readonly rapier: Rapier
  readonly world: World
  readonly dimensions: 2 | 3
  /** Ticks that are remembered. */
  readonly depth: number
}

/** One entity of a bound collection: where the room had it, where the local world has it, and where it is drawn. */
export class LocalBody {
  readonly binding: Binding
  entity: SeenEntity
  /** `null` = it has none yet. */
  role: BodyRole | null = null
  /** Whether the game's option `own` says that the entity is the player's. */
  own = false
  body: Body | null = null
  /** Whether the local world can move it on: forces move it, and the room tells its velocity. */
  readonly dynamic: boolean
  /** Whether the room told a place in the world. */
  placed = false
  /** The poses that the room has told. */
  readonly told: PoseTrail
  /** The poses that the local world has simulated; `null` = the local world does not simulate the body. */
  simulated: PoseTrail | null = null
  /** Place and rotation as they are drawn. */
  readonly drawn: Float32Array
  wasDrawn = false
  readonly #place: LocalPlace
  readonly #offset: Float32Array
  #offsets = false
  /** The game's functions threw for this entity, and are not called again. */
  #broken = false

  constructor(binding: Binding, entity: SeenEntity, place: LocalPlace) {
    const words = MovingWords[place.dimensions]
    this.binding = binding
    this.entity = entity
    this.#place = place
    this.told = new PoseTrail({ words, depth: place.depth })
    this.drawn = new Float32Array(words)
    this.#offset = new Float32Array(words)
    noOffset(this.#offset, place.dimensions)
    this.dynamic = this.#isDynamic()
  }

  /** Whether the local world simulates it. */
  get ahead(): boolean {
    return this.body !== null && this.simulated !== null
  }

  /** Notes what the room told as of a tick. */
  tell(tick: number): void {
    const { dimensions } = this.#place
    const last = this.told.at(this.told.newestTick)
    const pose = this.told.put(tick)
    const words = this.simulated?.at(tick) ?? last
    if (words !== undefined && words !== pose) pose.set(words)
    for (const { name, word } of this.binding.fields) {
      pose[word] = Number(Reflect.get(this.entity, name))
    }
    // An entity that says nothing of its rotation, or that the room's world has not moved yet.
    if (isNoRotation(pose, dimensions)) pose[PoseWords[3].rotation + 3] = 1
    this.placed = pose.every(Number.isFinite)
  }

  /** Gives the body a role in the local world. */
  become(role: BodyRole): void {
    if (role === this.role) return
    const was = this.role
    this.role = role
    this.simulated = null
    if (role === "shown") return this.remove()
    if (this.#broken) return
    // A type of body that the game has chosen comes back with a new one.
    if (was === "proxy" || role === "proxy") this.remove()
    if (this.body === null) this.#make()
    if (role === "own" || role === "predicted") {
      const { dimensions, depth } = this.#place
      this.simulated = new PoseTrail({ words: MovingWords[dimensions], depth })
    }
    if (role === "proxy") {
      this.body?.setBodyType(this.#place.rapier.RigidBodyType.KinematicPositionBased, true)
    }
  }

  /** Puts the body where the room had it. */
  rewind(tick: number): void {
    const pose = this.told.at(tick)
    if (pose === undefined || this.body === null) return
    this.#put(this.body, pose)
    this.simulated?.put(tick).set(pose)
  }

  /** Moves a proxy to where the room had it at a moment. */
  follow(tick: number): void {
    const around = this.told.around(tick)
    if (this.body === null || around === undefined) return
    const { dimensions } = this.#place
    const at = PoseWords[dimensions]
    blend(scratch[dimensions], around, dimensions)
    this.body.setNextKinematicTranslation(vectorAt(scratch[dimensions], at.position, dimensions))
    this.body.setNextKinematicRotation(rotationAt(scratch[dimensions], at.rotation, dimensions))
  }

  /** Notes the pose that the local world has simulated for a tick. */
  record(tick: number): void {
    if (this.body === null || this.simulated === null) return
    readMoving(this.body, this.simulated.put(tick), this.#place.dimensions)
  }

  /** Draws the body as of a moment. Of the offset of a correction the share `keep` stays. */
  draw(tick: number, keep: number): void {
    const { dimensions } = this.#place
    const around = this.#shown.around(tick)
    if (around === undefined) return
    blend(this.drawn, around, dimensions)
    this.wasDrawn = true
    if (!this.#offsets) return
    shrink(this.#offset, keep, dimensions)
    shift(this.drawn, this.#offset, dimensions)
  }

  /** Makes the difference of the drawn pose and the corrected one the offset, which `draw` shrinks. Past `mostUnits` the body jumps. */
  smooth(tick: number, mostUnits: number): void {
    const { dimensions } = this.#place
    const around = this.#shown.around(tick)
    if (around === undefined || !this.wasDrawn) return
    const pose = scratch[dimensions]
    blend(pose, around, dimensions)
    offsetOf(this.#offset, { drawn: this.drawn, pose }, dimensions)
    this.#offsets = Math.hypot(...this.#offset.subarray(0, dimensions)) <= mostUnits
  }

  remove(): void {
    if (this.body !== null) this.#place.world.removeRigidBody(this.body)
    this.body = null
  }

  /** The poses that are drawn. */
  get #shown(): PoseTrail {
    return this.ahead && this.simulated !== null ? this.simulated : this.told
  }

  #isDynamic(): boolean {
    if (!hasVelocity(this.binding, this.#place.dimensions)) return false
    try {
      const { status } = Object(this.binding.body(this.entity))
      return status === this.#place.rapier.RigidBodyType.Dynamic
    } catch (error) {
      this.#broken = true
      surface(error)
      return false
    }
  }

  #make(): void {
    const { binding, entity } = this
    const { world, dimensions } = this.#place
    const pose = this.told.at(this.told.newestTick)
    const put = (body: Body): void => {
      if (pose !== undefined) this.#put(body, pose)
    }
    try {
      this.body = makeBody(world, { dimensions, binding, entity, put })
    } catch (error) {
      this.#broken = true
      surface(error)
    }
  }

  #put(body: Body, pose: Float32Array): void {
    const { dimensions } = this.#place
    const at = PoseWords[dimensions]
    body.setTranslation(vectorAt(pose, at.position, dimensions), true)
    body.setRotation(rotationAt(pose, at.rotation, dimensions), true)
    body.setLinvel(vectorAt(pose, at.linvel, dimensions), true)
    body.setAngvel(spinAt(pose, at.angvel, dimensions), true)
  }
}

/** Whether the entities of a collection tell how fast they are: without it the local world cannot move them on. */
export const hasVelocity = ({ fields }: Binding, dimensions: 2 | 3): boolean =>
  fields.some(({ word }) => word === PoseWords[dimensions].linvel)

const scratch = {
  2: new Float32Array(MovingWords[2]),
  3: new Float32Array(MovingWords[3])
} as const
