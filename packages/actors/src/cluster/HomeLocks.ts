import { Effect, Layer } from "effect"
import { ClusterError, RunnerStorage, type ShardId } from "effect/cluster"

import { type HomeKey, HomeStore } from "../servers/HomeStore.ts"
import { groupOf } from "../servers/ServerIndex.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { EndedRunners } from "./LeasedLocks.ts"

/**
 * The locks of shards, with those of a home beside them: no other runner ever asks for the shards of this
 * runner's home, so they have one lock together, the lease of the home. Source: C-433.
 */
export const homeLocks = (key: HomeKey) =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function* () {
      const locks = yield* RunnerStorage.RunnerStorage
      const homes = yield* HomeStore
      const group = groupOf(key.home)
      const isOwn = (shard: ShardId.ShardId): boolean => shard.group === group

      /** Asks the locks for the shards that every runner may have, and the home for its own. */
      const asking =
        (
          ask: (typeof locks)["acquire"],
          askHome: (home: HomeKey) => ReturnType<(typeof homes)["take"]>
        ): (typeof locks)["acquire"] =>
        (address, shards) =>
          Effect.gen(function* () {
            const all = [...shards]
            const own = all.filter(isOwn)
            const held = yield* ask(
              address,
              all.filter((shard) => !isOwn(shard))
            )
            const isHome = own.length > 0 && (yield* askHome(key))
            return isHome ? [...held, ...own] : held
          }).pipe(Effect.catchTag("SqlError", notAnswered))

      return {
        ...locks,
        acquire: asking(locks.acquire, homes.take),
        refresh: asking(locks.refresh, homes.renew),
        release: (address, shard) => (isOwn(shard) ? Effect.void : locks.release(address, shard)),
        releaseAll: (address) =>
          Effect.andThen(
            Effect.catchTag(homes.close(key), "SqlError", notAnswered),
            locks.releaseAll(address)
          )
      }
    })
  )

const notAnswered = (cause: unknown) => Effect.fail(new ClusterError.PersistenceError({ cause }))

/** Runners that have ended, each of whose servers is given up before anybody hears of its end. */
export const endedHomes = Layer.effect(
  EndedRunners,
  Effect.gen(function* () {
    const ended = yield* EndedRunners
    const homes = yield* HomeStore
    return Effect.tap(ended, (runners) =>
      logFailure("the servers of ended runners could not be given up")(homes.giveUp([...runners]))
    )
  })
)
