import type { LifeNote } from "@atrium/domain/life/LifeEvent"
import { LifeLimits } from "@atrium/domain/life/LifeLimits"
import { LineIds } from "@atrium/domain/logs/LogLine"
import { type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { RateLedger } from "@atrium/domain/shared/RateLedger"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Cause, Clock, Context, Effect, Exit, Layer, Semaphore } from "effect"

import { makeBatchWriter } from "../store/BatchWriter.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { isStoreAway } from "../store/StoreFailure.ts"
import { LifeStore, type StoredLife } from "./LifeStore.ts"

/** Writes down what happens to the rooms of this runner. No room waits for it. */
export interface Lives {
  note(key: RoomKey, note: LifeNote): void
  /** The room is deleted, with its life. */
  forget(key: RoomKey): Effect.Effect<void>
}

/** Records the lives of rooms; the default value records nothing. Source: C-772. */
export const RoomLives = Context.Reference<Lives>("@atrium/actors/life/RoomLives", {
  defaultValue: () => ({ note: () => undefined, forget: () => Effect.void })
})

/** Events of lives that wait to be stored, within their limits. */
export class LifeQueue {
  readonly #ids = new LineIds()
  readonly #ofRoom = new RateLedger(LifeLimits.lifeOfRoom)
  readonly #ofProject = new RateLedger(LifeLimits.lifeOfProject)
  /** Events of a room that were not kept since the last one that was. */
  readonly #missing = new Map<string, number>()
  #events: Array<StoredLife> = []

  get size(): number {
    return this.#events.length
  }

  add({ projectId, roomId }: RoomKey, note: LifeNote, nowMs: number): void {
    const room = roomKeyText({ projectId, roomId })
    const fits =
      this.#events.length < LifeLimits.lifeWaiting.max &&
      this.#ofRoom.take(room, nowMs) === 0 &&
      this.#ofProject.take(projectId, nowMs) === 0
    const missing = this.#missing.get(room) ?? 0
    if (!fits) {
      this.#missing.delete(room)
      this.#missing.set(room, missing + 1)
      const [oldest] = this.#missing.keys()
      if (this.#missing.size > LifeLimits.lifeWaiting.max && oldest !== undefined) {
        this.#missing.delete(oldest)
      }
      return
    }
    this.#missing.delete(room)
    const detail = note.detail?.slice(0, LifeLimits.lifeDetail.max)
    const told = {
      ...note,
      ...(detail === undefined ? {} : { detail }),
      ...(missing === 0 ? {} : { missing })
    }
    this.#events.push({ projectId, roomId, eventId: this.#ids.next(nowMs), note: told })
  }

  /** The first events, at most a batch of them. They stay until they are removed. */
  batch(): ReadonlyArray<StoredLife> {
    return this.#events.slice(0, LifeLimits.lifeBatch.max)
  }

  remove(batch: ReadonlyArray<StoredLife>): void {
    const stored = new Set(batch)
    this.#events = this.#events.filter((event) => !stored.has(event))
  }

  /** Drops what waits of a room. */
  forget(key: RoomKey): void {
    this.#missing.delete(roomKeyText(key))
    this.#events = this.#events.filter(
      ({ projectId, roomId }) => projectId !== key.projectId || roomId !== key.roomId
    )
  }
}

/** Writes lives down, some together and a little later. While the store is away they wait. */
export const RoomLivesLayer = Layer.effect(
  RoomLives,
  Effect.gen(function* () {
    const store = yield* LifeStore
    const clock = yield* Clock.Clock
    const queue = new LifeQueue()
    // The batch that is being written ends first; then the life of the deleted room is removed.
    const writing = yield* Semaphore.make(1)

    /** @returns whether the store takes more */
    const writeBatch = Effect.gen(function* () {
      const batch = queue.batch()
      const exit = yield* store
        .append(batch)
        .pipe(answeredWithin(StoreLimits.storeAnswer.ms), Effect.exit)
      if (Exit.isFailure(exit)) {
        const { cause } = exit
        if (Cause.hasInterrupts(cause) || Cause.hasFails(cause) || isStoreAway(cause)) return false
        yield* Effect.logError("events of rooms' lives could not be stored", cause)
      }
      queue.remove(batch)
      return true
    }).pipe(writing.withPermits(1))

    const flush = Effect.gen(function* () {
      while (queue.size > 0) {
        if (!(yield* writeBatch)) return
      }
    })
    const waits = yield* makeBatchWriter({
      flush,
      size: () => queue.size,
      togetherMs: LifeLimits.lifeBatchWait.ms,
      againMs: LifeLimits.lifeStoreWait.ms
    })

    return {
      note: (key, note) => {
        queue.add(key, note, clock.currentTimeMillisUnsafe())
        waits()
      },
      forget: (key) =>
        Effect.suspend(() => {
          queue.forget(key)
          return writing.withPermits(1)(store.remove(key))
        })
    }
  })
)
