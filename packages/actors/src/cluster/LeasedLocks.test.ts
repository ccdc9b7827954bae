import { expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer } from "effect"
import { ClusterError, RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"
import { TestClock } from "effect/testing"

import { leasedLocks } from "./LeasedLocks.ts"
import { ShardLeases } from "./ShardLeases.ts"

const forMs = 10_000
const here = RunnerAddress.make("127.0.0.1", 1)
const shards = [1, 2].map((id) => ShardId.make("default", id))
const [one, two] = shards.map(String)

type Ask = RunnerStorage.RunnerStorage["Service"]["refresh"]

const away: Ask = () =>
  Effect.fail(new ClusterError.PersistenceError({ cause: new Error("the store is away") }))
const all: Ask = (_, asked) => Effect.succeed([...asked])
const none: Ask = () => Effect.succeed([])

/** A runner that has both shards, and the store's answers to it. */
const runner = Effect.gen(function* () {
  const clock = yield* TestClock.testClockWith(Effect.succeed)
  const leases = new ShardLeases({ forMs, nowMs: () => clock.currentTimeMillisUnsafe() })
  const store = { refresh: all, acquire: all, release: Effect.void }
  const locks = Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.map(RunnerStorage.makeMemory, (memory) => ({
      ...memory,
      refresh: (...asked: Parameters<Ask>) => store.refresh(...asked),
      acquire: (...asked: Parameters<Ask>) => store.acquire(...asked),
      release: () => store.release
    }))
  )
  const context = yield* Layer.build(Layer.provide(leasedLocks(leases), locks))
  const service = yield* Effect.provideContext(RunnerStorage.RunnerStorage, context)
  yield* service.acquire(here, shards)
  /** What a refresh answers within the span that the cluster waits for it. */
  const refreshed = Effect.gen(function* () {
    const asking = yield* Effect.forkChild(Effect.exit(service.refresh(here, shards)))
    yield* TestClock.adjust(2_000)
    const exit = yield* Fiber.await(asking)
    if (Exit.isFailure(exit)) return yield* Effect.die("interrupted")
    return Exit.isSuccess(exit.value) ? exit.value.value.map(String) : "failed"
  })
  return { leases, service, store, refreshed }
})

it.effect(
  "[C-447] a store that is away takes no shard before the lease is over, and then all",
  () =>
    Effect.gen(function* () {
      const { store, refreshed } = yield* runner
      store.refresh = away
      for (let passedMs = 0; passedMs < forMs - 2_000; passedMs += 2_000) {
        expect(yield* refreshed).toEqual([one, two])
      }
      expect(yield* refreshed).toEqual([one, two])
      expect(yield* refreshed).toBe("failed")
    })
)

it.effect("[C-447] a store that hangs takes no shard before the lease is over", () =>
  Effect.gen(function* () {
    const { store, refreshed } = yield* runner
    store.refresh = () => Effect.never
    expect(yield* refreshed).toEqual([one, two])
  })
)

it.effect(
  "[C-447] locks that a restart of the store forgot are taken again, and no room ends",
  () =>
    Effect.gen(function* () {
      const { leases, store, refreshed } = yield* runner
      store.refresh = none
      const before = leases.of(String(one))
      expect(yield* refreshed).toEqual([one, two])
      yield* TestClock.adjust(forMs - 2_001)
      expect(before.over).toBe(false)
    })
)

it.effect("[C-447] a lock that another runner has by now ends the lease of its shard alone", () =>
  Effect.gen(function* () {
    const { leases, store, refreshed } = yield* runner
    store.refresh = (_, asked) =>
      Effect.succeed([...asked].filter((shard) => String(shard) === one))
    store.acquire = none
    const held = shards.map((shard) => leases.of(String(shard)))
    expect(yield* refreshed).toEqual([one])
    expect(held.map(({ over }) => over)).toEqual([false, true])
  })
)

it.effect("[C-447] a shard whose lease is over is lost, even if the store still has its lock", () =>
  Effect.gen(function* () {
    const { refreshed } = yield* runner
    yield* TestClock.adjust(Duration.millis(forMs))
    expect(yield* refreshed).toBe("failed")
  })
)

it.effect("[C-472] shards that are given back at once end at once, and ask the store in turn", () =>
  Effect.gen(function* () {
    const { leases, service, store } = yield* runner
    const held = shards.map((shard) => leases.of(String(shard)))
    const asked = { now: 0, most: 0, ended: 0 }
    store.release = Effect.gen(function* () {
      asked.most = Math.max(asked.most, ++asked.now)
      yield* Effect.sleep(1_000)
      asked.now--
      asked.ended++
    })
    yield* Effect.forEach(shards, (shard) => Effect.forkChild(service.release(here, shard)))
    yield* TestClock.adjust(1_000)
    expect([held.map(({ over }) => over), asked]).toEqual([
      [true, true],
      { now: 1, most: 1, ended: 1 }
    ])
    yield* TestClock.adjust(1_000)
    expect(asked).toEqual({ now: 0, most: 1, ended: 2 })
  })
)
