import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

import { type HomeKey, HomeStore } from "../servers/HomeStore.ts"
import { endedHomes, homeLocks } from "./HomeLocks.ts"
import { EndedRunners, leasedLocks } from "./LeasedLocks.ts"
import { ShardLeases } from "./ShardLeases.ts"

const here = RunnerAddress.make("127.0.0.1", 1)
const key: HomeKey = { home: 7, session: "s" }
const common = ShardId.make("default", 1)
const own = [1, 2].map((id) => ShardId.make("home-7", id))
const another = ShardId.make("home-8", 1)

/** The locks of a runner, with what was asked of the database's locks and of the homes. */
const runner = Effect.gen(function* () {
  const asked: Array<string> = []
  const answers = { home: Effect.succeed(true) as Effect.Effect<boolean, SqlError> }
  const note = <A>(said: string, answer: A) => Effect.sync(() => (asked.push(said), answer))
  const locks = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.map(RunnerStorage.makeMemory, (memory) => ({
      ...memory,
      acquire: (_: RunnerAddress.RunnerAddress, shards: Iterable<ShardId.ShardId>) =>
        note(`acquire ${[...shards].join()}`, [...shards]),
      refresh: (_: RunnerAddress.RunnerAddress, shards: Iterable<ShardId.ShardId>) =>
        note(`refresh ${[...shards].join()}`, [...shards]),
      release: (_: RunnerAddress.RunnerAddress, shard: ShardId.ShardId) =>
        note(`release ${String(shard)}`, undefined),
      releaseAll: () => note("release all", undefined)
    }))
  )
  const homes = Layer.succeed(HomeStore, {
    open: () => Effect.succeed(7),
    take: ({ home }) => Effect.andThen(note(`take ${home}`, null), answers.home),
    renew: ({ home }) => Effect.andThen(note(`renew ${home}`, null), answers.home),
    close: ({ home }) => note(`close ${home}`, undefined),
    giveUp: (runners) => note(`give up ${runners.join()}`, undefined),
    isOver: () => Effect.succeed(false)
  })
  const leases = new ShardLeases({ forMs: 10_000, nowMs: () => 0 })
  const ended = Layer.succeed(EndedRunners, Effect.succeed(new Set(["other:1"])))
  const context = yield* Layer.build(
    leasedLocks(leases).pipe(
      Layer.provide(homeLocks(key)),
      Layer.provide(locks),
      Layer.provide(Layer.provide(endedHomes, ended)),
      Layer.provide(homes)
    )
  )
  const storage = yield* Effect.provideContext(RunnerStorage.RunnerStorage, context)
  return { storage, leases, asked, answers }
})

it.effect("[C-433] the shards of a home have its lease, and ask the database for no lock", () =>
  Effect.gen(function* () {
    const { storage, leases, asked } = yield* runner
    const all = [common, ...own, another]
    expect((yield* storage.acquire(here, all)).map(String)).toEqual(
      [common, another, ...own].map(String)
    )
    expect(leases.of("home-7:2").over).toBe(false)
    yield* storage.refresh(here, all)
    yield* Effect.forEach([...own, common], (shard) => storage.release(here, shard))
    yield* storage.releaseAll(here)
    expect(asked).toEqual([
      "acquire default:1,home-8:1",
      "take 7",
      "refresh default:1,home-8:1",
      "renew 7",
      "release default:1",
      "close 7",
      "release all"
    ])
  })
)

it.effect("[C-433] a home that was given up loses its shards, and no other", () =>
  Effect.gen(function* () {
    const { storage, leases, answers } = yield* runner
    yield* storage.acquire(here, [common, ...own])
    answers.home = Effect.succeed(false)
    // The leases of the home's shards end with the home's own.
    leases.lost(own.map(String))
    expect((yield* storage.refresh(here, [common, ...own])).map(String)).toEqual([String(common)])
    expect(leases.of("default:1").over).toBe(false)
  })
)

it.effect("[C-433] a home that cannot be asked is an answer that is missing", () =>
  Effect.gen(function* () {
    const { storage, answers } = yield* runner
    answers.home = Effect.fail(
      new SqlError({ reason: new ConnectionError({ cause: new Error("away") }) })
    )
    const error = yield* Effect.flip(storage.acquire(here, own))
    expect(error._tag).toBe("PersistenceError")
  })
)

it.effect(
  "[C-433] the servers of a runner that has ended are given up at the look that shows it",
  () =>
    Effect.gen(function* () {
      const { storage, asked } = yield* runner
      yield* storage.getRunners
      expect(asked).toEqual(["give up other:1"])
    })
)
