import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Context, Effect, Exit, Fiber, Layer, Option, Semaphore } from "effect"
import { ClusterError, RunnerStorage, type ShardId } from "effect/cluster"

import { LeaseOfShard, type ShardLeases } from "./ShardLeases.ts"

type Storage = RunnerStorage.RunnerStorage["Service"]
type Shards = Iterable<ShardId.ShardId>

/** Addresses of runners that have ended, though the database's table of runners still has them. */
export const EndedRunners = Context.Reference<Effect.Effect<ReadonlySet<string>>>(
  "@atrium/actors/cluster/EndedRunners",
  { defaultValue: () => Effect.succeed(new Set()) }
)

/**
 * The locks of shards with a lease each. While a lease runs, a database that does not answer, or that has
 * restarted and forgotten the locks, takes no room from its runner: the locks are asked for again. A
 * shard whose lease is over is reported as lost, even if the database still has its lock.
 */
export const leasedLocks = (leases: ShardLeases) =>
  Layer.merge(
    Layer.succeed(LeaseOfShard, (shard: string) => leases.of(shard)),
    Layer.effect(
      RunnerStorage.RunnerStorage,
      Effect.gen(function* () {
        const locks = yield* RunnerStorage.RunnerStorage
        const ended = yield* EndedRunners
        return leased({ locks, leases, ended })
      })
    )
  )

interface Parts {
  readonly locks: Storage
  readonly leases: ShardLeases
  readonly ended: Effect.Effect<ReadonlySet<string>>
}

const leased = ({ locks, leases, ended }: Parts): Storage => {
  const confirm = makeConfirm(locks, leases)
  /**
   * All locks are on one connection, and each question about them has two seconds from its beginning. Of a hundred
   * that a runner gives back at once the last ones would be late, and a question that is late ends the connection.
   */
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  return {
    ...locks,
    getRunners: Effect.gen(function* () {
      const runners = yield* locks.getRunners
      const gone = yield* ended
      return runners.filter(([{ address }]) => !gone.has(`${address.host}:${address.port}`))
    }),
    acquire: Effect.fnUntraced(function* (address, shards) {
      const askedAtMs = leases.nowMs()
      const taken = yield* locks.acquire(address, shards)
      leases.taken(taken.map(String), askedAtMs)
      return taken
    }),
    refresh: (address, shards) => {
      const asked = [...shards]
      // Without shards it asks whether the database answers at all.
      return asked.length === 0 ? locks.refresh(address, asked) : confirm(address, asked)
    },
    // The lock is another runner's from the moment in which the database has it, not from its answer on.
    release: (address, shard) =>
      Effect.suspend(() => {
        leases.lost([String(shard)])
        return oneAtATime(locks.release(address, shard))
      }),
    releaseAll: (address) =>
      Effect.suspend(() => {
        leases.lostAll()
        return locks.releaseAll(address)
      })
  }
}

/**
 * Asks the database to confirm the locks, again and again for as long as the cluster waits. The end of
 * an old connection may come a moment after the new one: then a lock is free at the second question.
 */
const makeConfirm = (locks: Storage, leases: ShardLeases) => {
  type Address = Parameters<Storage["refresh"]>[0]

  const leaseOver = (shard: ShardId.ShardId): boolean => leases.of(String(shard)).over

  const lockedOf = Effect.fnUntraced(function* (address: Address, shards: Shards) {
    const asked = [...shards]
    const held = yield* locks.refresh(address, asked)
    const known = new Set(held.map(String))
    const missing = asked.filter((shard) => !known.has(String(shard)) && !leaseOver(shard))
    // A new connection has none of the locks of the one before.
    const again = missing.length === 0 ? [] : yield* locks.acquire(address, missing)
    // A shard that was given back meanwhile must not keep its lock.
    yield* Effect.forEach(again.filter(leaseOver), (shard) => locks.release(address, shard))
    return [...held, ...again]
  })

  return Effect.fnUntraced(function* (address: Address, shards: ReadonlyArray<ShardId.ShardId>) {
    const endsAtMs = leases.nowMs() + StoreLimits.locksAsked.ms
    let lost: ReadonlyArray<string> = []
    for (let leftMs = StoreLimits.locksAsked.ms; leftMs > 0; leftMs = endsAtMs - leases.nowMs()) {
      const askedAtMs = leases.nowMs()
      // A question that hangs is left to its own deadline, which replaces the connection.
      const asking = yield* Effect.forkDetach(Effect.exit(lockedOf(address, shards)))
      const answer = Option.getOrNull(yield* Effect.timeoutOption(Fiber.join(asking), leftMs))
      const held = answer === null ? null : heldBy(answer)
      if (held !== null) leases.confirmed(held, askedAtMs)
      lost = held === null ? [] : shards.map(String).filter((shard) => !held.has(shard))
      if (held !== null && lost.every((shard) => leases.of(shard).over)) break
      yield* Effect.sleep(StoreLimits.locksAgain.ms)
    }
    leases.lost(lost)
    const left = shards.filter((shard) => !leases.of(String(shard)).over)
    if (left.length > 0) return left
    return yield* new ClusterError.PersistenceError({ cause: new Error(noLeases) })
  })
}

/** The locks that the database has for this runner; `null` = nobody knows. */
const heldBy = (
  answer: Exit.Exit<ReadonlyArray<ShardId.ShardId>, unknown>
): ReadonlySet<string> | null => (Exit.isSuccess(answer) ? new Set(answer.value.map(String)) : null)

const noLeases = "the leases of all shards are over"
