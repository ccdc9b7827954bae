import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"

import { Later, type Group, type Work, done, waitFor } from "./Work.ts"
import type { World } from "./World.ts"

interface Asked {
  readonly number: number
  readonly stored: Later<boolean>
}

/** Stores a value that is set now and then. See actors/room/LatestWrite.ts. */
export class LatestWrite<Value> {
  readonly #world: World
  readonly #group: Group
  readonly #store: (value: Value) => Work<boolean>
  #waiting: { readonly value: Value; readonly number: number } | null = null
  #busy = false
  #allStored: Later<void> | null = null
  #rest: Later<void> | null = null
  #hurried = false
  #written = 0
  #asked: Array<Asked> = []

  constructor(world: World, group: Group, store: (value: Value) => Work<boolean>) {
    this.#world = world
    this.#group = group
    this.#store = store
  }

  write(value: Value): void {
    this.#written++
    this.#waiting = { value, number: this.#written }
    this.#allStored ??= new Later<void>()
    if (this.#busy) return
    this.#busy = true
    this.#world.fork(this.#group, this.#work())
  }

  *settled(): Work<void> {
    if (this.#allStored === null) return
    const allStored = this.#allStored
    this.#hurry()
    yield* allStored.wait()
  }

  *stored(): Work<boolean> {
    if (this.#allStored === null) return true
    const asked = { number: this.#written, stored: new Later<boolean>() }
    this.#asked.push(asked)
    this.#hurry()
    return yield* asked.stored.wait()
  }

  #hurry(): void {
    if (this.#waiting === null) return
    this.#hurried = true
    this.#rest?.tell(done(undefined))
  }

  *#work(): Work<void> {
    for (;;) {
      const next = this.#waiting
      this.#waiting = null
      this.#hurried = false
      if (next === null) {
        this.#busy = false
        return
      }
      const stored = yield* this.#store(next.value)
      const told = this.#asked.filter((asked) => asked.number <= next.number)
      this.#asked = this.#asked.filter((asked) => asked.number > next.number)
      for (const asked of told) asked.stored.tell(done(stored))
      yield* this.#pause()
    }
  }

  *#pause(): Work<void> {
    if (this.#waiting === null && this.#allStored !== null) {
      const allStored = this.#allStored
      this.#allStored = null
      allStored.tell(done(undefined))
    }
    if (this.#hurried) return
    const rest = new Later<void>()
    this.#rest = rest
    yield* waitFor<void>((wake) => {
      rest.onTold(wake)
      this.#world.timeline.after(RoomProcessLimits.factsEvery.ms, () => wake(done(undefined)))
    })
  }
}
