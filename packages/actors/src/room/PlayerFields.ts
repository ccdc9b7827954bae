import type { ProjectId } from "@atrium/domain/Ids"
import { Context, Deferred, Effect, Layer, Schedule } from "effect"

import { PlayerStore } from "../store/PlayerStore.ts"

/** A player of a project. */
export interface PlayerKey {
  readonly projectId: ProjectId
  readonly playerId: string
}

interface Writing {
  /** The newest fields that are not being stored yet. */
  next: Uint8Array | null
  readonly settled: Deferred.Deferred<void>
}

/** Attempts over about a minute: a database that restarts is no reason to lose a score. */
const attempts = { schedule: Schedule.exponential("100 millis"), times: 9 }

/**
 * Persisted player fields between rooms and the store: writes of one player are stored in their
 * order, the newest wins, and a join waits for the writes that the rooms before it have made.
 */
export class PlayerFields extends Context.Service<
  PlayerFields,
  {
    /** Sets out to store; never waits. */
    write(key: PlayerKey, fields: Uint8Array): void
    load(key: PlayerKey): Effect.Effect<Uint8Array | null>
  }
>()("@atrium/actors/room/PlayerFields") {
  static readonly layer = Layer.effect(
    PlayerFields,
    Effect.gen(function* () {
      const store = yield* PlayerStore
      const writings = new Map<string, Writing>()
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const textOf = ({ projectId, playerId }: PlayerKey): string => `${projectId}/${playerId}`

      const save = (key: PlayerKey, fields: Uint8Array) =>
        store.save(key.projectId, [{ playerId: key.playerId, fields }]).pipe(
          Effect.sandbox,
          Effect.retry(attempts),
          Effect.flatMap((refused) =>
            refused.length === 0
              ? Effect.void
              : Effect.logWarning("E_PLAYERS_FULL: a player's fields were not stored")
          ),
          Effect.catchCause((cause) =>
            Effect.logError("a player's fields could not be stored", cause)
          ),
          Effect.annotateLogs({ project: key.projectId })
        )

      /** Stores what is there until nothing new has come meanwhile. */
      const settle = Effect.fnUntraced(function* (key: PlayerKey, writing: Writing) {
        for (let fields = writing.next; fields !== null; fields = writing.next) {
          writing.next = null
          yield* save(key, fields)
        }
        writings.delete(textOf(key))
        yield* Deferred.succeed(writing.settled, undefined)
      })

      // A shutdown stores what the rooms have written to their end.
      yield* Effect.addFinalizer(() =>
        Effect.forEach([...writings.values()], ({ settled }) => Deferred.await(settled), {
          concurrency: "unbounded",
          discard: true
        })
      )

      return {
        write: (key, fields) => {
          const known = writings.get(textOf(key))
          if (known !== undefined) {
            known.next = fields
            return
          }
          const writing: Writing = { next: fields, settled: Deferred.makeUnsafe() }
          writings.set(textOf(key), writing)
          run(settle(key, writing))
        },
        load: Effect.fn("PlayerFields.load")(function* (key: PlayerKey) {
          const writing = writings.get(textOf(key))
          if (writing !== undefined) yield* Deferred.await(writing.settled)
          return yield* store.load(key.projectId, key.playerId)
        })
      }
    })
  )
}
