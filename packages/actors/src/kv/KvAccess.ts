import { KvProjectLimits } from "@atrium/domain/kv/KvProjectLimits"
import { type CapWall, wallText } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import {
  BadRequest,
  CapReached,
  KvKeysFull,
  KvKeyTooLong,
  KvPlayerIdTooLong,
  KvRate,
  KvRowsFull,
  KvValueTooLarge
} from "@atrium/domain/shared/Refusal"
import { type KvFault, kvFault, type KvParts, type KvSizeCode } from "@atrium/wire/kv/KvFault"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import type { KvPage, KvQuery } from "@atrium/wire/kv/KvPage"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Context, Effect, FiberSet, Layer, PartitionedSemaphore } from "effect"

import { CapWalls } from "../meters/CapWalls.ts"
import { withinStorage } from "../meters/StorageBatches.ts"
import type { SharedRate } from "../rates/OwnedRate.ts"
import { SharedRates } from "../rates/SharedRates.ts"
import { Batches } from "../store/Batches.ts"
import {
  type KvKey,
  type KvKeyOf,
  type KvOwner,
  KvStore,
  type KvWrite,
  type KvWriteOf,
  type KvWritten,
  type StoredEntry
} from "./KvStore.ts"

type KvUnfit = BadRequest | KvKeyTooLong | KvPlayerIdTooLong | KvValueTooLarge
type KvReadRefusal = Exclude<KvUnfit, KvValueTooLarge> | KvRate
type KvWriteRefusal = KvUnfit | KvRate | KvKeysFull | KvRowsFull | CapReached

/**
 * The KV of players, as room code and owners reach it. The rates of a project are one over all runners.
 * At the storage wall writes are refused; reads and deletes pass. Spec: Storage limits; D-36, D-45.
 */
export class KvAccess extends Context.Service<
  KvAccess,
  {
    get(key: KvKey): Effect.Effect<StoredEntry | null, KvReadRefusal>
    list(owner: KvOwner, query: KvQuery): Effect.Effect<KvPage<StoredEntry>, KvReadRefusal>
    /** @returns the new version once it is stored; `null` = the entry is not the expected one */
    set(write: KvWrite): Effect.Effect<number | null, KvWriteRefusal>
    /** @returns whether there was an entry */
    delete(key: KvKey): Effect.Effect<boolean, KvReadRefusal>
  }
>()("@atrium/actors/kv/KvAccess") {
  static readonly layer = Layer.effect(
    KvAccess,
    Effect.gen(function* () {
      const store = yield* KvStore
      const walls = yield* CapWalls
      const shared = yield* SharedRates
      const reads = shared.of(KvProjectLimits.kvReads)
      const writes = shared.of(KvProjectLimits.kvWrites)
      // Projects take turns: the burst of one does not hold all connections to the store.
      const turns = yield* PartitionedSemaphore.make<ProjectId>({
        permits: KvProjectLimits.kvAtOnce.max
      })

      const batch = { most: KvProjectLimits.kvBatch.max, run: yield* FiberSet.makeRuntime<never>() }
      const gets = new Batches<ProjectId, KvKeyOf, StoredEntry | null>({
        ...batch,
        perform: (projectId, keys) => turns.withPermit(projectId)(store.get(projectId, keys))
      })
      const sets = new Batches<ProjectId, KvWriteOf, KvWritten | CapWall>({
        ...batch,
        nameOf: ({ playerId, key }) => JSON.stringify([playerId, key]),
        perform: (projectId, writes) =>
          turns.withPermit(projectId)(withinStorage(walls, store.set)(projectId, writes))
      })

      return {
        get: Effect.fn("KvAccess.get")(function* ({ projectId, ...of }) {
          yield* fitting({ player: of.playerId, key: of.key })
          yield* spend(reads, projectId)
          return yield* gets.ask(projectId, of)
        }),
        list: Effect.fn("KvAccess.list")(function* (owner, query) {
          yield* fitting({ player: owner.playerId })
          yield* fittingKeys([query.prefix, query.after])
          yield* spend(reads, owner.projectId)
          return yield* turns.withPermit(owner.projectId)(store.list(owner, query))
        }),
        set: Effect.fn("KvAccess.set")(function* ({ projectId, ...write }) {
          const { playerId, key, value } = write
          yield* fittingValue({ player: playerId, key, value })
          yield* spend(writes, projectId)
          const written = yield* sets.ask(projectId, write)
          if ("meter" in written) return yield* new CapReached({ message: wallText(written) })
          switch (written._tag) {
            case "Written":
              return written.version
            case "Conflict":
              return null
            case "KeysFull":
              return yield* new KvKeysFull({
                message: `key: the player has ${KvLimits.kvKeys.max} keys already`
              })
            case "RowsFull":
              return yield* new KvRowsFull({
                message: `key: the project has ${KvProjectLimits.kvRows.max} rows already`
              })
          }
        }),
        delete: Effect.fn("KvAccess.delete")(function* (of) {
          yield* fitting({ player: of.playerId, key: of.key })
          yield* spend(writes, of.projectId)
          return yield* turns.withPermit(of.projectId)(store.delete(of))
        })
      }
    })
  )
}

/** Takes a token of the project. Source: D-36. */
const spend = (rate: SharedRate, projectId: ProjectId): Effect.Effect<void, KvRate> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const answer = rate.take(projectId, nowMs)
    const retryAfterMs =
      typeof answer === "number" ? answer : yield* Effect.promise(async () => answer)
    if (retryAfterMs > 0) return yield* new KvRate({ retryAfterMs })
  })

const fittingValue = (parts: KvParts): Effect.Effect<void, KvUnfit> => {
  const fault = kvFault(parts)
  return fault === null ? Effect.void : Effect.fail(kvRefusal(fault))
}

const fitting = (
  parts: Omit<KvParts, "value">
): Effect.Effect<void, Exclude<KvUnfit, KvValueTooLarge>> =>
  Effect.catchTag(fittingValue(parts), "E_KV_VALUE_TOO_LARGE", Effect.die)

/** A prefix and the key to go on after, each of which may be empty. */
const fittingKeys = (keys: ReadonlyArray<string>) =>
  Effect.forEach(
    keys.filter((key) => key !== ""),
    (key) => fitting({ player: "any", key }),
    { discard: true }
  )

const bySize = {
  E_KV_KEY_TOO_LONG: KvKeyTooLong,
  E_KV_PLAYER_ID_TOO_LONG: KvPlayerIdTooLong,
  E_KV_VALUE_TOO_LARGE: KvValueTooLarge
} as const satisfies Record<KvSizeCode, unknown>

const kvRefusal = ({ code, message }: KvFault): KvUnfit => {
  const fields = { message: serviceMessage(message) }
  return code === null ? new BadRequest(fields) : new bySize[code](fields)
}
