import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { Deferred, Effect, type Fiber } from "effect"

/** How a {@link LatestWrite} works. */
export interface LatestWriteOptions<Value> {
  /**
   * Stores one value; deals with its own failures, and tells whether it is stored.
   *
   * @param again this very value was given up before
   */
  store(value: Value, again: boolean): Effect.Effect<boolean>
  run(effect: Effect.Effect<void>): Fiber.Fiber<void>
  /** Everything that was written is stored, and the rest after it is over. */
  onIdle?(): void
}

/** A value that is to be stored. */
interface Waiting<Value> {
  readonly value: Value
  readonly number: number
  readonly again: boolean
}

/**
 * Stores a value that is set now and then: writes happen one after another, in their order, and of
 * those that wait only the newest is made. After each it rests, so that a room which changes its
 * mind without end costs a few writes; a caller that waits for a write ends the rest. A value that
 * was given up is kept until a newer one comes, and tried again when a caller asks or `tryAgain` is
 * called. Source: C-313.
 */
export class LatestWrite<Value> {
  readonly #options: LatestWriteOptions<Value>
  #waiting: Waiting<Value> | null = null
  /** The newest value, if it could not be stored. */
  #givenUp: { readonly value: Value } | null = null
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
    this.#set(value, false)
  }

  #set(value: Value, again: boolean): void {
    this.#written++
    this.#waiting = { value, number: this.#written, again }
    this.#givenUp = null
    this.#allStored ??= Deferred.makeUnsafe<void>()
    if (this.#busy) return
    this.#busy = true
    this.#options.run(this.#work)
  }

  /** Sets out once more to store a value that was given up; never waits. */
  tryAgain(): void {
    if (this.#givenUp !== null) this.#set(this.#givenUp.value, true)
  }

  /** Waits until everything that was written so far is stored, or given up once more. */
  readonly settled: Effect.Effect<void> = Effect.suspend(() => {
    this.tryAgain()
    const allStored = this.#allStored
    if (allStored === null) return Effect.void
    this.#hurry()
    return Deferred.await(allStored)
  })

  /** Waits for what is written by now, or what came in its place; false = it is not stored. */
  readonly stored: Effect.Effect<boolean> = Effect.suspend(() => {
    this.tryAgain()
    if (this.#allStored === null) return Effect.succeed(this.#givenUp === null)
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

  #done({ value, number }: Waiting<Value>, stored: boolean): void {
    if (!stored && this.#waiting === null) this.#givenUp = { value }
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
      if (this.#givenUp === null) this.#options.onIdle?.()
      return Effect.void
    }
    return this.#options.store(next.value, next.again).pipe(
      Effect.map((stored) => this.#done(next, stored)),
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
