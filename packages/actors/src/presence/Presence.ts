import { PresenceLimits } from "@atrium/domain/presence/PresenceLimits"
import { Context, Effect, Latch, Layer } from "effect"

import { makeFollowedShards } from "./FollowedShards.ts"
import { newestOf } from "./PresenceMachine.ts"
import { presenceAnswer } from "./PresenceReport.ts"
import { PresenceWatches } from "./PresenceWatches.ts"
import { type Place, SeatedPlayers, shardOf, subjectOf } from "./SeatedPlayers.ts"

/** Some players of a project. */
export interface AskedPlayers {
  readonly projectId: string
  readonly players: ReadonlyArray<string>
}

/** The room of each player that was asked for, in their order; `null` = the player is in none. */
export type Places = ReadonlyArray<Place | null>

/** Where the players of a project are, over all runners. Nothing of it is stored. Source: D-32, C-560, C-561. */
export class Presence extends Context.Service<
  Presence,
  {
    read(asked: AskedPlayers): Effect.Effect<Places>
    /**
     * Looks at the players now, and whenever their rooms may have changed, until `seen` says that it has seen
     * enough, or nothing waits here any more.
     */
    watch(asked: AskedPlayers, seen: (places: Places) => boolean): Effect.Effect<void>
    /** Watches that wait. */
    readonly waiting: () => number
    /** From here on nothing waits. */
    readonly end: Effect.Effect<void>
  }
>()("@atrium/actors/presence/Presence") {
  static readonly layer = Layer.effect(
    Presence,
    Effect.gen(function* () {
      const seats = yield* SeatedPlayers
      yield* presenceAnswer
      const { watches, changed, hear } = yield* makeChanges
      const followed = yield* makeFollowedShards({
        changed,
        waits: (shard) => watches.waits(shard)
      })
      let ending = false

      const placesOf = (subjects: ReadonlyArray<string>): Places =>
        subjects.map((subject) => {
          const [own, other] = [seats.of(subject), followed.of(shardOf(subject), subject)]
          return newestOf(own.length === 0 ? other : [...own, ...other])
        })
      const subjectsOf = ({ projectId, players }: AskedPlayers) =>
        Effect.as(
          followed.follow(shardOf(projectId)),
          players.map((playerId) => subjectOf(projectId, playerId))
        )
      const wait = (subjects: ReadonlyArray<string>, seen: (places: Places) => boolean) =>
        Effect.callback<void>((resume) => {
          const stop = watches.add(subjects, () => {
            if (!ending && !seen(placesOf(subjects))) return
            stop?.()
            resume(Effect.void)
          })
          if (stop === null) return resume(Effect.void)
          return Effect.sync(stop)
        })

      return {
        read: (asked) => Effect.map(subjectsOf(asked), placesOf),
        watch: (asked, seen) =>
          Effect.flatMap(subjectsOf(asked), (subjects) => {
            hear(shardOf(asked.projectId))
            return ending || seen(placesOf(subjects)) ? Effect.void : wait(subjects, seen)
          }),
        waiting: () => watches.size,
        end: Effect.sync(() => {
          ending = true
          watches.wakeAll()
        })
      }
    })
  )
}

/** Watches between two looks of other fibers. */
const wokenAtOnce = 64

/** Tells watches of changes, those of one span together: a join does not wait for what it changes. */
const makeChanges = Effect.gen(function* () {
  const seats = yield* SeatedPlayers
  const watches = new PresenceWatches()
  const some = Latch.makeUnsafe(false)
  const heard = new Set<number>()
  const changed = (subject: string): void => {
    if (watches.changed(subject)) some.openUnsafe()
  }
  const tell = Effect.gen(function* () {
    yield* some.await
    yield* Effect.sleep(PresenceLimits.presenceTogether.ms)
    some.closeUnsafe()
    for (const [at, wake] of watches.takeWoken().entries()) {
      if (at > 0 && at % wokenAtOnce === 0) yield* Effect.yieldNow
      wake()
    }
  })
  yield* Effect.forkScoped(Effect.forever(tell))
  return {
    watches,
    changed,
    /** Hears of the players of a shard on this runner. */
    hear: (shard: number): void => {
      if (heard.has(shard)) return
      heard.add(shard)
      seats.hear(shard, changed)
    }
  }
})
