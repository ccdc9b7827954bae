import { LogLimits } from "@atrium/domain/logs/LogLimits"
import {
  dayOf,
  dayStart,
  isAtLeast,
  isDayOver,
  type KeptLine,
  LogLevels,
  type LogLevel,
  oldestShown
} from "@atrium/domain/logs/LogLine"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { projectIn } from "../projects/ProjectStore.ts"
import { atNow, MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import { readRows } from "../store/ReadRows.ts"

/** A line and its project. */
export interface StoredLine extends KeptLine {
  readonly projectId: ProjectId
}

/** Selects lines of a project. */
export interface LineQuery {
  /** `null` = of every room. */
  readonly roomId: string | null
  /** The least level. */
  readonly level: LogLevel
  /** The least id. */
  readonly fromId: number
  /** A text that the line holds; absent = any line. */
  readonly contains?: string | undefined
}

/** By project, room and id. */
export const lineTable = new MemoryTable<StoredLine>()

const readLines = readRows(
  Schema.Struct({
    roomId: Schema.String,
    lineId: Schema.Int,
    level: Schema.Int,
    line: Schema.Uint8Array
  })
)
const readNames = readRows(Schema.Struct({ name: Schema.String }))

/** Every day of lines is a table of its own, which is dropped as a whole. */
const dayTable = (day: number): string => `room_logs_d${day}`
const dayOfTable = (name: string): number => Number(name.slice("room_logs_d".length))

/**
 * The lines of rooms, by day. A failing store is a defect. Source: D-37, C-330.
 */
export class LogStore extends Context.Service<
  LogStore,
  {
    /**
     * Adds lines, those of deleted projects left out, and those too old to be shown. A line that is
     * there already stays as it is, so that a caller who knows no answer may ask again.
     */
    append(lines: ReadonlyArray<StoredLine>): Effect.Effect<void>
    /** The newest lines that match, at most `limit`, the oldest of them first. None is 7 days old. */
    read(
      projectId: ProjectId,
      query: LineQuery,
      limit: number
    ): Effect.Effect<ReadonlyArray<KeptLine>>
    /** Removes the days whose lines are all too old. @returns how many days */
    removeOld: Effect.Effect<number>
  }
>()("@atrium/actors/logs/LogStore") {
  static readonly layerSql = Layer.effect(
    LogStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const days = makeDays(sql)

      const insert = (lines: ReadonlyArray<StoredLine>) => sql`
        insert into room_logs (project_id, room_id, line_id, level, line)
        select given.project_id, given.room_id, given.line_id, given.level, given.line
        from unnest(
          ${lines.map(({ projectId }) => projectId)}::text[],
          ${lines.map(({ roomId }) => roomId)}::text[],
          ${lines.map(({ lineId }) => BigInt(lineId))}::bigint[],
          ${lines.map(({ level }) => LogLevels.indexOf(level))}::smallint[],
          ${lines.map(({ line }) => Buffer.from(line))}::bytea[]
        ) as given (project_id, room_id, line_id, level, line)
        join projects on projects.project_id = given.project_id
        where projects.deleted_at_ms is null
        on conflict do nothing`

      const append = Effect.fn("LogStore.append")(function* (lines: ReadonlyArray<StoredLine>) {
        const fromId = oldestShown(yield* Clock.currentTimeMillis)
        const shown = lines.filter(({ lineId }) => lineId >= fromId)
        if (shown.length === 0) return
        for (const day of new Set(shown.map(({ lineId }) => dayOf(lineId)))) {
          yield* Effect.orDie(days.make(day))
        }
        yield* Effect.orDie(insert(shown))
      })

      const read = Effect.fn("LogStore.read")(function* (
        projectId: ProjectId,
        { roomId, level, fromId, contains }: LineQuery,
        limit: number
      ) {
        const leastId = Math.max(fromId, oldestShown(yield* Clock.currentTimeMillis))
        const ofRoom = roomId === null ? sql`true` : sql`room_id = ${roomId}`
        const holds =
          contains === undefined
            ? sql`true`
            : sql`position(${Buffer.from(contains)}::bytea in line) > 0`
        const rows = yield* readLines(sql`
          select room_id, line_id, level::int as level, line from room_logs
          where project_id = ${projectId} and line_id >= ${BigInt(leastId)} and ${ofRoom}
            and level >= ${LogLevels.indexOf(level)} and ${holds}
          order by line_id desc, room_id desc limit ${limit}`)
        return rows.toReversed().map((row) => ({
          lineId: row.lineId,
          roomId: row.roomId,
          level: LogLevels[row.level] ?? "error",
          line: Buffer.from(row.line).toString()
        }))
      })

      const removeOld = Effect.orDie(Effect.flatMap(Clock.currentTimeMillis, days.removeOver)).pipe(
        Effect.withSpan("LogStore.removeOld")
      )

      return { append, read, removeOld }
    })
  )

  static readonly layerMemory = Layer.effect(
    LogStore,
    Effect.map(MemoryDatabase, (database) => {
      const { tables } = database
      const ask = atNow(database)
      const rows = lineTable.rowsIn(tables)
      return {
        append: (lines) =>
          ask("LogStore.append", (nowMs) => {
            for (const line of lines) {
              const { projectId, roomId, lineId } = line
              const key = `${projectId}/${roomId}/${lineId}`
              const isTaken = projectIn(tables, projectId) !== null && lineId >= oldestShown(nowMs)
              if (isTaken && !rows.has(key)) rows.set(key, line)
            }
          }),
        read: (projectId, { roomId, level, fromId, contains }, limit) =>
          ask("LogStore.read", (nowMs) =>
            [...rows.values()]
              .filter((row) => row.projectId === projectId)
              .filter((row) => row.lineId >= Math.max(fromId, oldestShown(nowMs)))
              .filter((row) => roomId === null || row.roomId === roomId)
              .filter((row) => isAtLeast(row.level, level))
              .filter((row) => contains === undefined || row.line.includes(contains))
              .sort((one, other) => one.lineId - other.lineId)
              .slice(-limit)
              .map(({ lineId, roomId: room, level: of, line }) => ({
                lineId,
                roomId: room,
                level: of,
                line
              }))
          ),
        removeOld: ask("LogStore.removeOld", (nowMs) => {
          const old = [...rows].filter(([, { lineId }]) => isDayOver(dayOf(lineId), nowMs))
          for (const [key] of old) rows.delete(key)
          return new Set(old.map(([, { lineId }]) => dayOf(lineId))).size
        })
      }
    })
  )
}

/** The partitions of the table, one for each day. */
const makeDays = (sql: SqlClient.SqlClient) => {
  /** Days whose table is known to be there. */
  const made = new Set<number>()

  // Two runners that make a day at once would both find it missing.
  const oneByOne = <A, E, R>(change: Effect.Effect<A, E, R>) =>
    sql`select pg_advisory_xact_lock(hashtextextended('room_logs', 0))`.pipe(
      Effect.andThen(change),
      sql.withTransaction
    )

  const make = Effect.fnUntraced(function* (day: number) {
    if (made.has(day)) return
    const [from, to] = [dayStart(day), dayStart(day + 1)]
    yield* oneByOne(
      sql`create table if not exists ${sql(dayTable(day))} partition of room_logs
        for values from (${sql.literal(String(from))}) to (${sql.literal(String(to))})`
    )
    made.add(day)
  })

  // A statement that waits for the table's lock holds up all who come after it.
  const drop = (name: string) =>
    sql`select set_config('lock_timeout', ${String(LogLimits.logPartitionLock.ms)}, true)`.pipe(
      Effect.andThen(oneByOne(sql`drop table if exists ${sql(name)}`)),
      sql.withTransaction
    )

  const removeOver = Effect.fnUntraced(function* (nowMs: number) {
    const tables = yield* readNames(sql`
      select child.relname as name from pg_inherits
        join pg_class child on child.oid = inhrelid
        where inhparent = 'room_logs'::regclass`)
    const over = tables.map(({ name }) => name).filter((name) => isDayOver(dayOfTable(name), nowMs))
    for (const name of over) {
      made.delete(dayOfTable(name))
      yield* drop(name)
    }
    return over.length
  })

  return { make, removeOver }
}
