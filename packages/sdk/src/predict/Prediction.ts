import type { CollectionOf, PhysicsVector, RotationOf } from "@atrium/runtime/physics/RoomPhysics"
import { PredictionLimits } from "@atrium/wire/physics/PredictionLimits"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { ClientRoom } from "../client/ClientRoom.ts"
import type { Unsubscribe } from "../client/Listeners.ts"
import type { PlatformPort } from "../client/PlatformPort.ts"
import { worldSetupOf } from "../physics/Physics.ts"
import { PoseWords, rotationAt, vectorAt } from "../physics/PoseLayout.ts"
import type { BodyOf, RapierModule, WorldOf } from "../physics/Rapier.ts"
import type { BodyRole } from "./BodyRoles.ts"
import type { LocalBody, SeenEntity } from "./LocalBody.ts"
import { LocalWorld } from "./LocalWorld.ts"
import type { PredictedWorld, PredictNumbers, PredictOptions } from "./PredictOptions.ts"
import { ServerClock } from "./ServerClock.ts"
import { SmoothTick } from "./SmoothTick.ts"

/** The part of the platform that a prediction uses. */
export type PredictPort = Pick<PlatformPort, "elapsedMs">

/** Where to draw a body. */
export interface DrawnPose<S extends AnyRoomSchema = AnyRoomSchema> {
  readonly position: PhysicsVector
  readonly rotation: RotationOf<S>
}

/** The number and the tick that a game must send with an input. */
export interface PredictedInput {
  /** One more each time. The first one is 1, or follows what the room has applied before. */
  readonly seq: number
  /** The tick at which the client has applied it, and the room should. */
  readonly tick: number
}

/** A prediction as it stands. */
export interface PredictionStats {
  /** The tick of the last state of the room. */
  readonly roomTick: number
  /** Ticks by which the client's world is ahead of it. */
  readonly aheadTicks: number
  /** How often the room's state was another one than the client had simulated. */
  readonly corrections: number
  readonly bodies: Readonly<Record<BodyRole, number>>
}

interface Waiting<I> extends PredictedInput {
  readonly value: I
}

const PingMs = 500

/** The room's bodies as they will be when an input of now arrives. Made by `predict`. */
export class Prediction<
  R extends RapierModule,
  S extends AnyRoomSchema,
  I = never
> implements PredictedWorld<R, S> {
  readonly #room: ClientRoom<S>
  readonly #options: PredictOptions<R, S, I>
  readonly #numbers: PredictNumbers
  readonly #port: PredictPort
  readonly #tickHz: number
  /** Ticks that the client may be ahead. */
  readonly #aheadMax: number
  readonly #local: LocalWorld
  readonly #clock: ServerClock
  readonly #ahead = new SmoothTick()
  readonly #past = new SmoothTick()
  readonly #unsubscribe: Unsubscribe
  #inputs: ReadonlyArray<Waiting<I>> = []
  #seq: number
  /** Of the last state of the room; `null` = none came. */
  #told: number | null = null
  /** Of the local world. */
  #tick = 0
  #isNew = false
  #corrections = 0
  #updatedMs: number | null = null
  #pingedMs = Number.NEGATIVE_INFINITY
  #ended = false

  /** @internal */
  constructor(
    room: ClientRoom<S>,
    options: PredictOptions<R, S, I> & { readonly numbers: PredictNumbers },
    port: PredictPort
  ) {
    const { tickHz } = options.physics.schema
    this.#room = room
    this.#options = options
    this.#numbers = options.numbers
    this.#port = port
    this.#tickHz = tickHz
    this.#aheadMax = Math.ceil((PredictionLimits.predictedAhead.ms * tickHz) / 1000)
    this.#clock = new ServerClock(tickHz)
    const own = options.own ?? {}
    this.#local = new LocalWorld({
      setup: worldSetupOf(options.physics),
      tickHz,
      depth: Math.max(this.#aheadMax + 2, 16),
      budgets: options.numbers,
      own: (collection, entity) => {
        // Each function has the entities of its own collection.
        const isOwn = Reflect.get(own, collection) as ((entity: SeenEntity) => boolean) | undefined
        return isOwn?.(entity) === true
      }
    })
    // A player who comes back has inputs of before.
    this.#seq = options.acked?.(room.state) ?? 0
    this.#tell()
    this.#unsubscribe = room.onStateChange(() => this.#tell())
  }

  /** Rapier's own world of this client. */
  get world(): WorldOf<R> {
    // Made by the module that the physics was given.
    return this.#local.world as WorldOf<R>
  }

  /** The tick of the local world. */
  get tick(): number {
    return this.#tick
  }

  get stats(): PredictionStats {
    const bodies = { own: 0, predicted: 0, proxy: 0, shown: 0 }
    for (const { role } of this.#local.all()) bodies[role ?? "shown"] += 1
    const roomTick = this.#told ?? 0
    return { roomTick, aheadTicks: this.#tick - roomTick, corrections: this.#corrections, bodies }
  }

  /**
   * Applies an input of the player, at the next tick of the local world. Send it to the room with what this returns.
   * Throws an `Error` without the option `apply`.
   */
  input(value: I): PredictedInput {
    if (this.#options.apply === undefined) throw new Error("predict: input: needs the option apply")
    const told = { seq: ++this.#seq, tick: this.#tick + 1 }
    this.#inputs = [...this.#inputs, { ...told, value }].slice(
      -PredictionLimits.predictedInputs.max
    )
    return told
  }

  /** The moment of the room's time that own bodies are drawn at, in ticks: an input of now gets there then. */
  get moment(): number {
    return Math.min(this.#ahead.value ?? 0, this.#tick)
  }

  /** Brings the local world up to now. Call it before each frame is drawn. Throws what `apply` and `onTick` throw. */
  update(): void {
    if (this.#ended || this.#told === null) return
    const nowMs = this.#port.elapsedMs()
    const passedMs = nowMs - (this.#updatedMs ?? nowMs)
    this.#updatedMs = nowMs
    this.#ping(nowMs)
    if (this.#isNew) this.#take(this.#told)
    const arriving = this.#clock.arrivingTick(nowMs)
    const passed = this.#ticksIn(passedMs)
    const ahead = this.#ahead.follow(arriving + this.#clock.leadTicks, passed)
    const past = this.#past.follow(arriving - this.#ticksIn(this.#numbers.interpolationMs), passed)
    const last = Math.min(Math.ceil(ahead), this.#told + this.#aheadMax)
    while (this.#tick < last) this.#step(this.#tick + 1 - (ahead - past))
    const { smoothingMs } = this.#numbers
    const keep = smoothingMs === 0 ? 0 : Math.exp(-passedMs / smoothingMs)
    for (const body of this.#local.all()) body.draw(this.#momentOf(body), keep)
  }

  /** Where to draw the body of an entity; `undefined` = there is no such entity, or `update` has not seen it. */
  pose(
    collection: CollectionOf<S>,
    entity: number | { readonly id: number }
  ): DrawnPose<S> | undefined {
    const body = this.#bodyOf(collection, entity)
    if (body?.wasDrawn !== true) return undefined
    const { dimensions } = worldSetupOf(this.#options.physics)
    const at = PoseWords[dimensions]
    const { x, y, z = 0 } = vectorAt(body.drawn, at.position, dimensions)
    // A number in two dimensions, a quaternion in three.
    const rotation = rotationAt(body.drawn, at.rotation, dimensions) as RotationOf<S>
    return { position: { x, y, z }, rotation }
  }

  /** How the body of an entity is treated; `undefined` = there is no such entity. */
  role(
    collection: CollectionOf<S>,
    entity: number | { readonly id: number }
  ): BodyRole | undefined {
    const body = this.#bodyOf(collection, entity)
    return body === undefined ? undefined : (body.role ?? "shown")
  }

  /** The local body of an entity; `undefined` = it has none. */
  bodyOf(
    collection: CollectionOf<S>,
    entity: number | { readonly id: number }
  ): BodyOf<R> | undefined {
    // Made by the module that the physics was given.
    return (this.#bodyOf(collection, entity)?.body ?? undefined) as BodyOf<R> | undefined
  }

  /** Ends it, and frees its world. The room goes on. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#unsubscribe()
    this.#local.end()
  }

  #bodyOf(collection: string, entity: number | { readonly id: number }): LocalBody | undefined {
    return this.#local.get(collection, typeof entity === "number" ? entity : entity.id)
  }

  /** A state came. The local world follows with the next update: several may come at once. */
  #tell(): void {
    const { state } = this.#room
    const tick = this.#options.tick(state)
    if (!Number.isSafeInteger(tick) || tick < 0) {
      throw new RangeError(`predict: tick: must be a whole number from 0 on, not ${tick}`)
    }
    if (this.#told !== null && tick < this.#told) this.#forget()
    this.#told = tick
    this.#isNew = true
    this.#clock.arrived(tick, this.#port.elapsedMs())
    this.#local.tell(state, tick)
  }

  #forget(): void {
    this.#clock.reset()
    this.#local.forget()
    this.#inputs = []
    this.#ahead.value = null
    this.#past.value = null
    this.#tick = 0
  }

  /** Compares the simulated state with the room's. Where they differ, simulates the ticks since then anew. */
  #take(told: number): void {
    this.#isNew = false
    this.#inputs = this.#inputs.filter((input) => !this.#isOver(input, told))
    const moved = this.#local.arrange(told)
    const goal = this.#tick
    const found = goal < told ? "new" : this.#local.compare(told, this.#numbers.toleranceUnits)
    if (found === "other") this.#corrections += 1
    if (found !== "same") {
      this.#local.rewind(told)
      this.#tick = told
      while (this.#tick < goal) this.#step(null)
    }
    if (found === "same" && !moved) return
    for (const body of this.#local.all()) {
      body.smooth(this.#momentOf(body), this.#numbers.jumpUnits)
    }
  }

  #isOver({ seq, tick }: PredictedInput, told: number): boolean {
    const { acked } = this.#options
    if (acked === undefined) return tick <= told
    // An input that the room has not applied after so long was lost.
    return seq <= acked(this.#room.state) || tick <= told - this.#aheadMax
  }

  #step(proxiesAt: number | null): void {
    const tick = this.#tick + 1
    const { apply, onTick } = this.#options
    const first = (this.#told ?? 0) + 1
    for (const input of this.#inputs) {
      // The room has not applied it yet, so that it does at its next tick at the earliest.
      if (Math.max(input.tick, first) === tick) apply?.(input.value, this)
    }
    onTick?.(this, { tick })
    this.#local.step(tick, proxiesAt)
    this.#tick = tick
  }

  /** The moment as of which a body is drawn. */
  #momentOf(body: LocalBody): number {
    return body.ahead ? this.moment : (this.#past.value ?? 0)
  }

  #ping(nowMs: number): void {
    if (!this.#room.connected || nowMs < this.#pingedMs + PingMs) return
    this.#pingedMs = nowMs
    this.#room.ping().then(
      (ms) => this.#clock.roundTrip(ms),
      // The connection is away: the next one tells.
      () => {}
    )
  }

  #ticksIn(ms: number): number {
    return (ms * this.#tickHz) / 1000
  }
}
