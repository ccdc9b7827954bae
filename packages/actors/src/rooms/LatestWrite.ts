import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { Deferred, Effect, type Fiber } from "effect"

/** How a {@link LatestWrite} works. */
export interface LatestWriteOptions<Value> {
  /** Stores one value; deals with its own failures, and tells whether it is stored. */
  store(value: Value): Effect.Effect<boolean>
  run(effect: Effect.Effect<void>): Fiber.Fiber<void>
  /** Everything that was written is stored, and the rest after it is over. */
  onIdle?(): void
}

/**
 * Stores a value that is set now and then: writes happen one after another, in their order, and of
 * those that wait only the newest is made. After each it rests, so that a room which changes its
 * mind without end costs a few writes; somebody who waits for a write ends the rest.
 */
export class LatestWrite<Value> {
  readonly #options: LatestWriteOptions<Value>
  #waiting: { readonly value: Value; readonly number: number } | null = null
  #busy = false
  /** Done when everything is stored; `null` = it is. */
  #allStored: Deferred.Deferred<void> | null = null
  #rest: Deferred.Deferred<void> | null = null
  /** Somebody waits for what is waiting. */
  #hurried = false
  #written = 0
  #asked: Array<{ readonly number: number; readonly stored: Deferred.Deferred<boolean> }> = []

  constructor(options: LatestWriteOptions<Value>) {
    this.#options = options
  }

  /** Sets out to store; never waits. */
  write(value: Value): void {
    this.#written++
    this.#waiting = { value, number: this.#written }
    this.#allStored ??= Deferred.makeUnsafe<void>()
    if (this.#busy) return
    this.#busy = true
    this.#options.run(this.#work)
  }

  /** Waits until everything that was written so far is stored, or given up. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() => {
    const allStored = this.#allStored
    if (allStored === null) return Effect.void
    this.#hurry()
    return Deferred.await(allStored)
  })

  /** Waits for what is written by now, or what came in its place; false = it was given up. */
  readonly stored: Effect.Effect<boolean> = Effect.suspend(() => {
    if (this.#allStored === null) return Effect.succeed(true)
    const stored = Deferred.makeUnsafe<boolean>()
    this.#asked.push({ number: this.#written, stored })
    this.#hurry()
    return Deferred.await(stored)
  })

  #hurry(): void {
    if (this.#waiting === null) return
    this.#hurried = true
    if (this.#rest !== null) Deferred.doneUnsafe(this.#rest, Effect.void)
  }

  #tell(number: number, stored: boolean): void {
    const told = this.#asked.filter((asked) => asked.number <= number)
    this.#asked = this.#asked.filter((asked) => asked.number > number)
    for (const asked of told) Deferred.doneUnsafe(asked.stored, Effect.succeed(stored))
  }

  readonly #work: Effect.Effect<void> = Effect.suspend(() => {
    const next = this.#waiting
    this.#waiting = null
    this.#hurried = false
    if (next === null) {
      this.#busy = false
      this.#options.onIdle?.()
      return Effect.void
    }
    return this.#options.store(next.value).pipe(
      Effect.map((stored) => this.#tell(next.number, stored)),
      Effect.andThen(this.#pause),
      Effect.andThen(this.#work)
    )
  })

  readonly #pause: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#waiting === null && this.#allStored !== null) {
      Deferred.doneUnsafe(this.#allStored, Effect.void)
      this.#allStored = null
    }
    if (this.#hurried) return Effect.void
    const rest = Deferred.makeUnsafe<void>()
    this.#rest = rest
    return Effect.raceFirst(Effect.sleep(RoomProcessLimits.factsEvery.ms), Deferred.await(rest))
  })
}
