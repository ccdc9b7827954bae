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

/** The same of a project that is known. */
export type KvKeyOf = Omit<KvKey, "projectId">

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

/** The same in a project that is known. */
export type KvWriteOf = Omit<KvWrite, "projectId">

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
    /** @returns an entry for each key; `null` = there is none */
    get(
      projectId: ProjectId,
      keys: ReadonlyArray<KvKeyOf>
    ): Effect.Effect<ReadonlyArray<StoredEntry | null>>
    list(owner: KvOwner, query: KvQuery): Effect.Effect<KvPage<StoredEntry>>
    /** @param writes of different entries @returns what became of each */
    set(
      projectId: ProjectId,
      writes: ReadonlyArray<KvWriteOf>
    ): Effect.Effect<ReadonlyArray<KvWritten>>
    /** @returns whether there was an entry */
    delete(key: KvKey): Effect.Effect<boolean>
  }
>()("@atrium/actors/kv/KvStore") {
  static readonly layerSql = Layer.effect(
    KvStore,
    Effect.map(SqlClient.SqlClient, (sql) => ({
      get: getIn(sql),
      list: listIn(sql),
      set: setIn(sql),
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
        get: (projectId, keys) =>
          ask("KvStore.get", () =>
            keys.map((key) => entryOf(rows.get(rowKey({ projectId, ...key }))))
          ),
        list: (owner, query) =>
          ask("KvStore.list", () => {
            const own = [...rows.values()].filter((row) => isOf(owner, row))
            return kvPage(new Map(own.map((row) => [row.key, shown(row)])), query)
          }),
        set: (projectId, writes) =>
          atNow(database)("KvStore.set", (nowMs) =>
            writes.map((write) => writtenIn(tables, { projectId, ...write }, nowMs))
          ),
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
  Effect.fn("KvStore.get")(function* (projectId: ProjectId, keys: ReadonlyArray<KvKeyOf>) {
    const rows = yield* Effect.orDie(sql<StoredEntry & { readonly n: number }>`
      select given.n::int as n, kv.value, kv.version::double precision as version,
        kv.written_at_ms::double precision as "writtenAtMs"
      from unnest(${keys.map(({ playerId }) => playerId)}::text[],
          ${keys.map(({ key }) => key)}::text[]) with ordinality as given (player, key, n)
        join player_kv kv on kv.project_id = ${projectId} and kv.player_id = given.player
          and kv.key = given.key`)
    const found = new Map(rows.map((row) => [row.n, shown(row)]))
    return keys.map((_, at) => found.get(at + 1) ?? null)
  })

/** An entry that a batch of writes met. */
interface MetRow {
  readonly n: number
  readonly fits: boolean
  /** Under which it is stored now; `null` = it is not. */
  readonly version: number | null
}

/**
 * Writes entries that are there, all in one statement. It waits for nobody: an entry that somebody else
 * writes, and one whose size changes a sum that somebody else changes, is left out, so that no two writers
 * wait for each other in a ring.
 */
const overwriteIn = (
  sql: SqlClient.SqlClient,
  { projectId, nowMs }: { readonly projectId: ProjectId; readonly nowMs: number },
  writes: ReadonlyArray<KvWriteOf>
) => {
  const given = writes.map(({ playerId, key, value, expected }, n) => ({
    n,
    player: playerId,
    key,
    value,
    expected
  }))
  return Effect.orDie(sql<MetRow>`
    with met as materialized (
      select given.*, given.expected is null or given.expected = kv.version as fits,
        octet_length(given.value) - octet_length(kv.value) as more,
        hashtextextended(given.player, 0) & 15 as part
      from json_to_recordset(${JSON.stringify(given)}::json)
          as given(n integer, player text, key text, value text, expected bigint)
        join player_kv kv on kv.project_id = ${projectId} and kv.player_id = given.player
          and kv.key = given.key
      for update of kv skip locked
    ), free as materialized (
      select part from player_kv_sums
      where project_id = ${projectId} and part in (select part from met where fits and more <> 0)
      for update skip locked
    ), written as (
      update player_kv kv set value = met.value, version = nextval('player_kv_versions'),
        written_at_ms = ${nowMs}::bigint
      from met
      where kv.project_id = ${projectId} and kv.player_id = met.player and kv.key = met.key
        and met.fits and (met.more = 0 or met.part in (select part from free))
      returning met.n, met.part, met.more, kv.version
    ), summed as (
      update player_kv_sums sums set bytes = sums.bytes + grown.bytes
      from (select part, sum(more) as bytes from written where more <> 0 group by part) grown
      where sums.project_id = ${projectId} and sums.part = grown.part
    )
    select met.n, met.fits, written.version::double precision as version
    from met left join written using (n)`)
}

/** Entries that are not there, or that somebody else writes, are written one by one. */
const setIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("KvStore.set")(function* (projectId: ProjectId, writes: ReadonlyArray<KvWriteOf>) {
    const nowMs = yield* Clock.currentTimeMillis
    const rows = yield* overwriteIn(sql, { projectId, nowMs }, writes)
    const met = new Map(rows.map((row) => [row.n, row]))
    return yield* Effect.forEach(writes, (write, at): Effect.Effect<KvWritten> => {
      const row = met.get(at)
      if (row?.fits === false) return Effect.succeed({ _tag: "Conflict" })
      const version = row?.version ?? null
      if (version !== null) return Effect.succeed({ _tag: "Written", version })
      return setAloneIn(sql, { projectId, ...write }, nowMs)
    })
  })

const setAloneIn = (
  sql: SqlClient.SqlClient,
  { projectId, playerId, key, value, expected }: KvWrite,
  nowMs: number
): Effect.Effect<KvWritten> =>
  Effect.map(
    Effect.orDie(sql<SetRow>`
      select outcome, version::double precision as version from player_kv_set(
        ${projectId}, ${playerId}, ${key}, ${value}, ${expected}::bigint, ${nowMs}::bigint,
        ${KvLimits.kvKeys.max}, ${KvProjectLimits.kvRows.max},
        ${KvProjectLimits.kvRowsCountedAlone.max})`),
    ([row]) => {
      const { outcome = null, version = 0 } = row ?? {}
      return outcome === null ? { _tag: "Written", version } : { _tag: outcome }
    }
  )

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
