import { billingPeriod, eachMeter } from "@atrium/domain/meters/Caps"
import { dayStart } from "@atrium/domain/meters/Metering"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { isProjectId, type ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { objectTable } from "../objects/ObjectStore.ts"
import {
  atNow,
  byText,
  MemoryDatabase,
  type MemoryTables,
  type StoredSize
} from "../store/MemoryDatabase.ts"
import type { Purged, StoredRows } from "../store/NounTables.ts"
import { dayTable, isMetered, periodKey, useTable } from "./MemoryMeters.ts"

/** How many bytes each project stores. */
export type Levels = ReadonlyMap<ProjectId, number>

/** What one project stores in a part. */
interface StoredSum {
  readonly projectId: ProjectId
  readonly bytes: number
}

/** Which part of the objects, or of a table; `after` empty = the first one. */
interface PartOf {
  /** One of `places`. */
  readonly place: string
  readonly after: string
  readonly most: number
}

/** A part of one place; `last` is where the next part goes on, `null` = there is none. */
export interface StoredPart {
  readonly last: string | null
  readonly sums: ReadonlyArray<StoredSum>
}

/** The place of all objects. */
const objects = "objects"

/**
 * What projects store: the objects in the folders that the nouns declare, at the size at which they are
 * stored, wherever their bytes are, and the rows of the tables that declare a size. A failing store is a
 * defect. Source: C-494.
 */
export class StoredBytes extends Context.Service<
  StoredBytes,
  {
    /** Where projects store: `objects`, and the tables whose rows count, by name. */
    readonly places: ReadonlyArray<string>
    /** The objects after a key, or the projects after an id in a table: at most so many of them. */
    part(of: PartOf): Effect.Effect<StoredPart>
    /**
     * Writes what all projects store now: others than these store nothing. The day keeps its highest
     * level. A deleted project is left out.
     */
    keep(levels: Levels): Effect.Effect<void>
  }
>()("@atrium/actors/meters/StoredBytes") {
  /** @param purge what the nouns of the service store of a project */
  static readonly layerSql = (purge: ReadonlyArray<Purged>) =>
    Layer.effect(
      StoredBytes,
      Effect.map(SqlClient.SqlClient, (sql) => {
        const tables = tablesOf(purge)
        const ofObjects = partIn(sql, foldersOf(purge))
        const ofTables = tablePartIn(sql, tables)
        return {
          places: [objects, ...tables.keys()],
          part: (of) => (of.place === objects ? ofObjects(of) : ofTables(of)),
          keep: keepingIn(sql)
        }
      })
    )

  /** @param purge what the nouns of the service store of a project */
  static readonly layerMemory = (purge: ReadonlyArray<Purged>) =>
    Layer.effect(
      StoredBytes,
      Effect.map(MemoryDatabase, (database) => {
        const { tables, ask } = database
        const [folders, stored] = [foldersOf(purge), tablesOf(purge)]
        return {
          places: [objects, ...stored.keys()],
          part: (of) =>
            ask("StoredBytes.part", () =>
              of.place === objects
                ? objectsPart(tables, folders, of)
                : rowsPart(tableAt(stored, of.place).memory(tables), of)
            ),
          keep: (levels) =>
            atNow(database)("StoredBytes.keep", (nowMs) => {
              const { startMs } = billingPeriod(nowMs)
              const [uses, days] = [useTable.rowsIn(tables), dayTable.rowsIn(tables)]
              for (const [key, amounts] of uses) {
                if (key.endsWith(`/${startMs}`)) uses.set(key, { ...amounts, storageBytes: 0 })
              }
              for (const [projectId, storageBytes] of levels) {
                if (!isMetered(tables, projectId)) continue
                const period = periodKey({ projectId, startMs })
                uses.set(period, { ...(uses.get(period) ?? eachMeter(0)), storageBytes })
                const day = `${projectId}/${dayStart(nowMs)}`
                const before = days.get(day) ?? eachMeter(0)
                const highest = Math.max(before.storageBytes, storageBytes)
                days.set(day, { ...before, storageBytes: highest })
              }
            })
        }
      })
    )
}

/** The part in memory, of the objects. */
const objectsPart = (
  tables: MemoryTables,
  folders: ReadonlySet<string>,
  { after, most }: PartOf
): StoredPart => {
  const page = [...objectTable.rowsIn(tables)]
    .filter(([key]) => key > after)
    .sort(([one], [other]) => byText(one, other))
    .slice(0, most)
  const rows = page.map(([key, { bytes }]) => ({ ...placeOf(key), bytes: bytes.length }))
  const last = page.length < most ? null : (page.at(-1)?.[0] ?? null)
  return { last, sums: sumsOf(rows, folders) }
}

/** The part in memory, of the rows of a table. */
const rowsPart = (rows: ReadonlyArray<StoredSize>, { after, most }: PartOf): StoredPart => {
  const sums = new Map<string, number>()
  for (const { projectId, bytes } of rows) {
    if (projectId > after) sums.set(projectId, (sums.get(projectId) ?? 0) + bytes)
  }
  const page = [...sums].sort(([one], [other]) => byText(one, other)).slice(0, most)
  return tablePart(
    page.map(([project, bytes]) => ({ project, bytes })),
    most
  )
}

const tablesOf = (purge: ReadonlyArray<Purged>): ReadonlyMap<string, StoredRows> =>
  new Map(
    purge.flatMap((each) =>
      "table" in each && each.stored !== undefined ? [[each.table, each.stored] as const] : []
    )
  )

const tableAt = (tables: ReadonlyMap<string, StoredRows>, place: string): StoredRows => {
  const table = tables.get(place)
  if (table === undefined) throw new Error(`${place}: no table of that name declares a size`)
  return table
}

/** @param rows one for each project, in order */
const tablePart = (rows: ReadonlyArray<Omit<StoredRow, "folder">>, most: number): StoredPart => ({
  last: rows.length < most ? null : (rows.at(-1)?.project ?? null),
  sums: rows.flatMap(({ project, bytes }) =>
    isProjectId(project) ? [{ projectId: project, bytes }] : []
  )
})

const foldersOf = (purge: ReadonlyArray<Purged>): ReadonlySet<string> =>
  new Set(purge.flatMap((each) => ("folder" in each ? [each.folder] : [])))

const placeOf = (key: string) => {
  const [folder = "", project = ""] = key.split("/")
  return { folder, project }
}

interface StoredRow {
  readonly folder: string
  readonly project: string
  readonly bytes: number
}

const sumsOf = (
  rows: ReadonlyArray<StoredRow>,
  folders: ReadonlySet<string>
): ReadonlyArray<StoredSum> => {
  const sums = new Map<ProjectId, number>()
  for (const { folder, project, bytes } of rows) {
    if (!folders.has(folder) || !isProjectId(project)) continue
    sums.set(project, (sums.get(project) ?? 0) + bytes)
  }
  return [...sums].map(([projectId, bytes]) => ({ projectId, bytes }))
}

const partIn = (sql: SqlClient.SqlClient, folders: ReadonlySet<string>) =>
  Effect.fn("StoredBytes.part")(function* ({ after, most }: PartOf) {
    // The size of bytes in a row is read from where the row says that they are, without reading them.
    const rows = yield* Effect.orDie(sql<{
      readonly folder: string
      readonly project: string
      readonly bytes: bigint
      readonly last: string
      readonly objects: bigint
    }>`
      with page as materialized (
        select key, coalesce(blob_bytes, octet_length(bytes), 0) as size from objects
        where key > ${after} order by key limit ${most}::int
      )
      select split_part(key, '/', 1) as folder, split_part(key, '/', 2) as project,
        sum(size)::bigint as bytes, (select max(key) from page) as last,
        (select count(*) from page) as objects
      from page group by 1, 2`)
    const [first] = rows
    const part: StoredPart = {
      last: first !== undefined && Number(first.objects) === most ? first.last : null,
      sums: sumsOf(
        rows.map(({ folder, project, bytes }) => ({ folder, project, bytes: Number(bytes) })),
        folders
      )
    }
    return part
  })

/** Adds up the rows of the next projects: a range of the table's primary key. */
const tablePartIn = (sql: SqlClient.SqlClient, tables: ReadonlyMap<string, StoredRows>) =>
  Effect.fn("StoredBytes.part")(function* ({ place, after, most }: PartOf) {
    const { bytes } = yield* Effect.sync(() => tableAt(tables, place))
    const rows = yield* Effect.orDie(sql<{ readonly project: string; readonly bytes: bigint }>`
      select project_id as project, sum(${sql.literal(bytes)})::bigint as bytes
      from ${sql(place)} where project_id > ${after}
      group by project_id order by project_id limit ${most}::int`)
    return tablePart(
      rows.map((row) => ({ project: row.project, bytes: Number(row.bytes) })),
      most
    )
  })

const keepingIn = (sql: SqlClient.SqlClient) => {
  const keepSome = (rows: ReadonlyArray<StoredSum>, { startMs, day }: Moment) =>
    sql`with given as (
        select level."projectId", level.bytes
        from json_to_recordset(${JSON.stringify(rows)}::json)
            as level("projectId" text, bytes bigint)
          join projects on projects.project_id = level."projectId"
        where projects.deleted_at_ms is null
        order by level."projectId"
      ), kept as (
        insert into meter_days (project_id, day_starts_at_ms, meter, amount)
        select "projectId", ${day}::bigint, 'storageBytes', bytes from given
        on conflict (project_id, day_starts_at_ms, meter) do update set amount = excluded.amount
          where meter_days.amount < excluded.amount
      )
      insert into meter_uses (project_id, period_starts_at_ms, meter, used, amount)
      select "projectId", ${startMs}::bigint, 'storageBytes', bytes, bytes from given
      on conflict (project_id, period_starts_at_ms, meter)
        do update set used = excluded.used, amount = excluded.amount
        where meter_uses.amount <> excluded.amount`

  return Effect.fn("StoredBytes.keep")(function* (levels: Levels) {
    const nowMs = yield* Clock.currentTimeMillis
    const moment: Moment = { startMs: billingPeriod(nowMs).startMs, day: dayStart(nowMs) }
    const rows = [...levels].map(([projectId, bytes]) => ({ projectId, bytes }))
    for (let at = 0; at < rows.length; at += MeterLimits.reportSums.max) {
      yield* Effect.orDie(keepSome(rows.slice(at, at + MeterLimits.reportSums.max), moment))
    }
    yield* Effect.orDie(sql`
      update meter_uses set used = 0, amount = 0
      where meter = 'storageBytes' and period_starts_at_ms = ${moment.startMs} and amount > 0
        and project_id <> all(${rows.map(({ projectId }) => projectId)}::text[])`)
  })
}

interface Moment {
  readonly startMs: number
  readonly day: number
}
