import type { ProjectId } from "@atrium/domain/shared/Ids"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Context, Effect, Layer } from "effect"

import { aboutAMinute } from "../store/StoreRetry.ts"
import { givenUp } from "./GivenUp.ts"
import { LatestWrite } from "./LatestWrite.ts"
import { PlayerStore } from "./PlayerStore.ts"

/** A player of a project. */
export interface PlayerKey {
  readonly projectId: ProjectId
  readonly playerId: string
}

/**
 * Persisted player fields between rooms and the store: writes of one player are stored in their
 * order, the newest wins, and a join waits for the writes that the rooms before it have made.
 */
export class PlayerFields extends Context.Service<
  PlayerFields,
  {
    /** Waits for what is written by now; false = it is not stored. */
    stored(key: PlayerKey): Effect.Effect<boolean>
    /** Sets out to store; never waits. */
    write(key: PlayerKey, fields: Uint8Array): void
    load(key: PlayerKey): Effect.Effect<Uint8Array | null>
  }
>()("@atrium/actors/rooms/PlayerFields") {
  static readonly layer = Layer.effect(
    PlayerFields,
    Effect.gen(function* () {
      const store = yield* PlayerStore
      const writings = new Map<string, LatestWrite<Uint8Array>>()
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const textOf = ({ projectId, playerId }: PlayerKey): string => `${projectId}/${playerId}`

      const save = (key: PlayerKey, fields: Uint8Array, again: boolean) =>
        store.save(key.projectId, [{ playerId: key.playerId, fields }]).pipe(
          Effect.sandbox,
          Effect.retry(aboutAMinute),
          Effect.flatMap((refused) =>
            refused.length === 0
              ? Effect.void
              : Effect.logWarning("E_PLAYERS_FULL: a player's fields were not stored")
          ),
          Effect.as(true),
          Effect.catchCause((cause) => givenUp({ fact: "player", cause, again })),
          Effect.annotateLogs({ project: key.projectId })
        )

      // A shutdown stores what the rooms have written to their end, if the store still answers.
      yield* Effect.addFinalizer(() =>
        Effect.forEach([...writings.values()], ({ settled }) => settled, {
          concurrency: "unbounded",
          discard: true
        }).pipe(Effect.timeoutOption(StoreLimits.storeAnswer.ms))
      )

      const writingOf = (key: PlayerKey): LatestWrite<Uint8Array> => {
        const text = textOf(key)
        const known = writings.get(text)
        if (known !== undefined) return known
        const writing = new LatestWrite<Uint8Array>({
          run,
          store: (fields, again) => save(key, fields, again),
          onIdle: () => writings.delete(text)
        })
        writings.set(text, writing)
        return writing
      }

      return {
        stored: (key) => writings.get(textOf(key))?.stored ?? Effect.succeed(true),
        write: (key, fields) => writingOf(key).write(fields),
        load: Effect.fn("PlayerFields.load")(function* (key: PlayerKey) {
          yield* writings.get(textOf(key))?.settled ?? Effect.void
          return yield* store.load(key.projectId, key.playerId)
        })
      }
    })
  )
}
