import type { ProjectId } from "@atrium/domain/shared/Ids"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Clock, Context, Effect, Layer } from "effect"

import { aboutAMinute } from "../store/StoreRetry.ts"
import { givenUp } from "./GivenUp.ts"
import { LatestWrite } from "./LatestWrite.ts"
import { PlayerStore, type StoredPlayer } from "./PlayerStore.ts"

/** A player of a project. */
export interface PlayerKey {
  readonly projectId: ProjectId
  readonly playerId: string
}

/** A player's fields, and when the room set them. */
interface SetFields extends StoredPlayer {
  readonly setAtMs: number
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
    write(key: PlayerKey, player: StoredPlayer): void
    load(key: PlayerKey): Effect.Effect<StoredPlayer | null>
  }
>()("@atrium/actors/rooms/PlayerFields") {
  static readonly layer = Layer.effect(
    PlayerFields,
    Effect.gen(function* () {
      const store = yield* PlayerStore
      const clock = yield* Clock.Clock
      const writings = new Map<string, LatestWrite<SetFields>>()
      /** The newest `since` of the writes that are under way. */
      const newest = new Map<string, number>()
      /** Players with fields that were given up. */
      const lost = new Set<string>()
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const textOf = ({ projectId, playerId }: PlayerKey): string => `${projectId}/${playerId}`

      /** The store answers again: it is asked once more to take what it did not take before. */
      const tryLostAgain = Effect.sync(() => {
        const texts = [...lost]
        lost.clear()
        for (const text of texts) writings.get(text)?.tryAgain()
      })

      const save = (key: PlayerKey, { fields, since, setAtMs }: SetFields, again: boolean) => {
        const write = { playerId: key.playerId, fields, since }
        // Another runner may have stored newer fields since.
        return store.save(key.projectId, [again ? { ...write, asOfMs: setAtMs } : write]).pipe(
          Effect.sandbox,
          Effect.retry(aboutAMinute),
          Effect.flatMap((refused) =>
            refused.length === 0
              ? Effect.void
              : Effect.logWarning("E_PLAYERS_FULL: a player's fields were not stored")
          ),
          Effect.andThen(tryLostAgain),
          Effect.as(true),
          Effect.catchCause((cause) =>
            Effect.andThen(
              Effect.sync(() => lost.add(textOf(key))),
              givenUp({ fact: "player", cause, again })
            )
          ),
          Effect.annotateLogs({ project: key.projectId })
        )
      }

      // A shutdown stores what the rooms have written to their end, if the store still answers.
      yield* Effect.addFinalizer(() =>
        Effect.forEach([...writings.values()], ({ settled }) => settled, {
          concurrency: "unbounded",
          discard: true
        }).pipe(Effect.timeoutOption(StoreLimits.storeAnswer.ms))
      )

      const writingOf = (key: PlayerKey): LatestWrite<SetFields> => {
        const text = textOf(key)
        const known = writings.get(text)
        if (known !== undefined) return known
        const writing = new LatestWrite<SetFields>({
          run,
          store: (set, again) => save(key, set, again),
          onIdle: () => {
            writings.delete(text)
            newest.delete(text)
          }
        })
        writings.set(text, writing)
        return writing
      }

      return {
        stored: (key) => writings.get(textOf(key))?.stored ?? Effect.succeed(true),
        write: (key, player) => {
          const writing = writingOf(key)
          // A room that plays on with its old code writes beside one of the new version.
          if ((newest.get(textOf(key)) ?? 0) > player.since) return
          newest.set(textOf(key), player.since)
          writing.write({ ...player, setAtMs: clock.currentTimeMillisUnsafe() })
        },
        load: Effect.fn("PlayerFields.load")(function* (key: PlayerKey) {
          yield* writings.get(textOf(key))?.settled ?? Effect.void
          return yield* store.load(key.projectId, key.playerId)
        })
      }
    })
  )
}
