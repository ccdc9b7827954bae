import { KvProjectLimits } from "@atrium/domain/kv/KvProjectLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { type KvEntry, type KvPage, kvPage, type KvQuery } from "@atrium/wire/kv/KvPage"
import { utf8Length } from "@atrium/wire/text/Utf8"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { atNow, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"

/** A player of a project. */
export interface KvOwner {
  readonly projectId: ProjectId
  readonly playerId: string
}

/** A key of a player. */
export interface KvKey extends KvOwner {
  readonly key: string
}

/** What a player has under a key. */
export interface StoredEntry extends KvEntry {
  readonly writtenAtMs: number
}

/** A write of an entry. */
export interface KvWrite extends KvKey {
  /** JSON. */
  readonly value: string
  /** The version that the entry must have, 0 = there must be none; `null` = the write does not compare. */
  readonly expected: number | null
}

/** What became of a write: it is stored under a new version, or nothing has changed. */
export type KvWritten =
  | { readonly _tag: "Written"; readonly version: number }
  /** The entry is not the expected one. */
  | { readonly _tag: "Conflict" }
  /** The player has as many keys as it may. */
  | { readonly _tag: "KeysFull" }
  /** The project has as many rows as it may. */
  | { readonly _tag: "RowsFull" }

/**
 * Values that room code stores for players, under keys. Writes of one player run one after another, so that its
 * number of keys is exact. The project's rows and bytes are counted with each write. A failing store is a defect.
 * Spec: Storage limits.
 */
export class KvStore extends Context.Service<
  KvStore,
  {
    get(key: KvKey): Effect.Effect<StoredEntry | null>
    list(owner: KvOwner, query: KvQuery): Effect.Effect<KvPage<StoredEntry>>
    set(write: KvWrite): Effect.Effect<KvWritten>
    /** @returns whether there was an entry */
    delete(key: KvKey): Effect.Effect<boolean>
  }
>()("@atrium/actors/kv/KvStore") {
  static readonly layerSql = Layer.effect(
    KvStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      get: getIn(sql),
      list: listIn(sql),
      set: Effect.fn("KvStore.set")(function* ({ projectId, playerId, key, value, expected }) {
        const nowMs = yield* Clock.currentTimeMillis
        const rows =
          yield* Effect.orDie(sql<SetRow>`select outcome, version::double precision as version from player_kv_set(
            ${projectId}, ${playerId}, ${key}, ${value}, ${expected}::bigint, ${nowMs}::bigint,
            ${KvLimits.kvKeys.max}, ${KvProjectLimits.kvRows.max},
            ${KvProjectLimits.kvRowsCountedAlone.max})`)
        const { outcome = null, version = 0 } = rows[0] ?? {}
        return outcome === null ? { _tag: "Written" as const, version } : { _tag: outcome }
      }),
      delete: Effect.fn("KvStore.delete")(function* ({ projectId, playerId, key }) {
        const rows = yield* Effect.orDie(sql<{ readonly removed: boolean }>`
          select player_kv_remove(${projectId}, ${playerId}, ${key}) as removed`)
        return rows[0]?.removed === true
      })
    }))
  )

  static readonly layerMemory = Layer.effect(
    KvStore,
    Effect.map(MemoryDatabase, (database) => {
      const { tables, ask } = database
      const rows = kvTable.rowsIn(tables)
      return {
        get: (key) => ask("KvStore.get", () => entryOf(rows.get(rowKey(key)))),
        list: (owner, query) =>
          ask("KvStore.list", () => {
            const own = [...rows.values()].filter((row) => isOf(owner, row))
            return kvPage(new Map(own.map((row) => [row.key, shown(row)])), query)
          }),
        set: (write) => atNow(database)("KvStore.set", (nowMs) => writtenIn(tables, write, nowMs)),
        delete: (key) => ask("KvStore.delete", () => rows.delete(rowKey(key)))
      }
    })
  )
}

/** `outcome` = why nothing was written; `null` = the entry has this version now. */
interface SetRow {
  readonly outcome: Exclude<KvWritten["_tag"], "Written"> | null
  readonly version: number
}

const getIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("KvStore.get")(function* ({ projectId, playerId, key }: KvKey) {
    const rows = yield* Effect.orDie(sql<StoredEntry>`
      select value, version::double precision as version,
        written_at_ms::double precision as "writtenAtMs"
      from player_kv
      where project_id = ${projectId} and player_id = ${playerId} and key = ${key}`)
    return rows[0] ?? null
  })

/** A value past the page's bytes is not read: its length is known without it. */
const listIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("KvStore.list")(function* ({ projectId, playerId }: KvOwner, query: KvQuery) {
    const rows = yield* Effect.orDie(sql<
      StoredEntry & { readonly key: string; readonly left: number }
    >`
      select key, value, version::double precision as version,
        written_at_ms::double precision as "writtenAtMs", (found - place)::int as left
      from (
        select *, row_number() over by_key as place, count(*) over () as found,
          sum(octet_length(key) + octet_length(value)) over by_key as bytes
        from player_kv
        where project_id = ${projectId} and player_id = ${playerId}
          and key > ${query.after} and starts_with(key, ${query.prefix})
        window by_key as (order by key)
      ) entries
      where place <= ${query.limit}::int
        and (place = 1 or bytes <= ${KvLimits.kvPageBytes.max}::bigint)
      order by key`)
    const last = rows.at(-1)
    return {
      entries: rows.map(({ key, ...row }) => ({ key, ...shown(row) })),
      next: last === undefined || last.left === 0 ? null : last.key
    }
  })

interface MemoryRow extends KvKey, StoredEntry {}

/** The entries of all projects. */
export const kvTable = new MemoryTable<MemoryRow>()

/** Bytes that an entry counts as storage. Source: C-573. */
export const kvBytes = ({ playerId, key, value }: MemoryRow): number =>
  utf8Length(playerId) + utf8Length(key) + utf8Length(value)

/** Any text may be in a player's id and in a key. */
export const rowKey = ({ projectId, playerId, key }: KvKey): string =>
  JSON.stringify([projectId, playerId, key])

const isOf = ({ projectId, playerId }: KvOwner, row: KvOwner): boolean =>
  row.projectId === projectId && row.playerId === playerId

const shown = ({ value, version, writtenAtMs }: StoredEntry): StoredEntry => ({
  value,
  version,
  writtenAtMs
})

const entryOf = (row: MemoryRow | undefined): StoredEntry | null =>
  row === undefined ? null : shown(row)

const writtenIn = (
  tables: MemoryTables,
  { expected, ...write }: KvWrite,
  nowMs: number
): KvWritten => {
  const rows = kvTable.rowsIn(tables)
  const stored = rows.get(rowKey(write))
  if (expected !== null && expected !== (stored?.version ?? 0)) return { _tag: "Conflict" }
  if (stored === undefined) {
    const its = [...rows.values()].filter(({ projectId }) => projectId === write.projectId)
    const own = its.filter((row) => isOf(write, row))
    if (own.length >= KvLimits.kvKeys.max) return { _tag: "KeysFull" }
    if (its.length >= KvProjectLimits.kvRows.max) return { _tag: "RowsFull" }
  }
  const version = tables.next("kv.version")
  rows.set(rowKey(write), { ...write, version, writtenAtMs: nowMs })
  return { _tag: "Written", version }
}
