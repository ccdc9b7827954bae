import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase, type PlayerKey } from "../store/MemoryDatabase.ts"
import type { PlayerRows, PlayerValue } from "../store/NounTables.ts"

/** Where a page of an export goes on: behind the last row of the page before. */
export interface ExportCursor {
  readonly part: string
  /** The values of the columns that tell the rows apart; none = the part begins here. */
  readonly after: ReadonlyArray<string | number>
}

/** One row of an export: moments in ISO 8601, bytes in base64. */
export type ExportedRow = Readonly<Record<string, unknown>>

/** Rows of one part, by the name of the part; `next` = there is more, `null` = this is the end. */
export interface ExportPage {
  readonly rows: Readonly<Record<string, ReadonlyArray<ExportedRow>>>
  readonly next: ExportCursor | null
}

/** A player to erase, and the id under which what stays is kept. */
export interface Erasure extends PlayerKey {
  readonly newId: string
}

/**
 * The rows that all nouns store about a player. A failing store is a defect. Source: C-540.
 */
export class PlayerData extends Context.Service<
  PlayerData,
  {
    /** In one transaction: removes the rows that are deleted with a player, and gives the other rows a new id. */
    erase(of: Erasure): Effect.Effect<void>
    /** A bounded page of these rows; `null` = the first page. */
    page(player: PlayerKey, cursor: ExportCursor | null): Effect.Effect<ExportPage>
    /** The first rows of one part, as the export shows them. */
    part(player: PlayerKey, name: string): Effect.Effect<ReadonlyArray<ExportedRow>>
  }
>()("@atrium/actors/accounts/PlayerData") {
  /** @param players what the nouns of the service keep of a player */
  static readonly layerSql = (players: ReadonlyArray<PlayerRows>) =>
    Layer.effect(
      PlayerData,
      Effect.map(SqlClient.SqlClient, (sql) => ({
        erase: Effect.fn("PlayerData.erase")(function* (of: Erasure) {
          const each = players.map((rows) => erasureIn(sql, rows, of))
          yield* Effect.orDie(sql.withTransaction(Effect.all(each, { discard: true })))
        }),
        page: (player, cursor) => pageOf(players, cursor, pageIn(sql, player)),
        part: (player, name) => partOf(players, name, pageIn(sql, player))
      }))
    )

  /** @param players what the nouns of the service keep of a player */
  static readonly layerMemory = (players: ReadonlyArray<PlayerRows>) =>
    Layer.effect(
      PlayerData,
      Effect.map(MemoryDatabase, ({ tables, ask }) => {
        const pageOfTables =
          (player: PlayerKey): Read<never> =>
          ({ memory, order }, after) =>
            ask("PlayerData.page", () =>
              memory
                .columns(tables, player)
                .filter((row) => after.length === 0 || compare(keyOf(row, order), after) > 0)
                .toSorted((one, other) => compare(keyOf(one, order), keyOf(other, order)))
                .slice(0, AccountLimits.exportRows.max)
            )
        return {
          erase: (of) =>
            ask("PlayerData.erase", () => {
              for (const { onDeletion, memory } of players) {
                if (onDeletion === "erase") memory.erase(tables, of)
                else memory.move(tables, of, of.newId)
              }
            }),
          page: (player, cursor) => pageOf(players, cursor, pageOfTables(player)),
          part: (player, name) => partOf(players, name, pageOfTables(player))
        }
      })
    )
}

const erasureIn = (
  sql: SqlClient.SqlClient,
  { table, onDeletion }: PlayerRows,
  { projectId, playerId, newId }: Erasure
) => {
  const its = sql`project_id = ${projectId} and player_id = ${playerId}`
  return onDeletion === "erase"
    ? sql`delete from ${sql(table)} where ${its}`
    : sql`update ${sql(table)} set player_id = ${newId} where ${its}`
}

type Columns = Readonly<Record<string, unknown>>
type Read<E> = (
  rows: PlayerRows,
  after: ExportCursor["after"]
) => Effect.Effect<ReadonlyArray<Columns>, E>

const pageIn =
  (sql: SqlClient.SqlClient, { projectId, playerId }: PlayerKey): Read<never> =>
  ({ table, shown, order }, after) => {
    const columns = [...new Set([...Object.keys(shown), ...order])].map((name) => sql`${sql(name)}`)
    const ordered = order.map((name) => sql`${sql(name)}`)
    const key = sql.csv(ordered)
    return Effect.orDie(sql<Record<string, unknown>>`
      select ${sql.csv(columns)} from ${sql(table)}
      where project_id = ${projectId} and player_id = ${playerId}
        ${after.length === 0 ? sql`` : sql`and (${key}) > (${sql.csv(after.map((value) => sql`${value}`))})`}
      ${order.length === 0 ? sql`` : sql`order by ${key}`}
      limit ${AccountLimits.exportRows.max}`)
  }

/** Fills a page from the parts in their order, from the cursor on. */
const pageOf = Effect.fnUntraced(function* (
  players: ReadonlyArray<PlayerRows>,
  cursor: ExportCursor | null,
  read: Read<never>
) {
  const start = cursor === null ? 0 : players.findIndex(({ part }) => part === cursor.part)
  const rows: Record<string, ReadonlyArray<ExportedRow>> = {}
  for (const [index, part] of players.entries()) {
    if (start < 0 || index < start) continue
    const after = index === start ? (cursor?.after ?? []) : []
    const found = yield* read(part, after)
    rows[part.part] = found.map((row) => shownOf(part, row))
    const last = found.at(-1)
    if (found.length < AccountLimits.exportRows.max || last === undefined) continue
    const page: ExportPage = { rows, next: { part: part.part, after: keyOf(last, part.order) } }
    return page
  }
  const page: ExportPage = { rows, next: null }
  return page
})

/** The first rows of one part; an unknown part has none. */
const partOf = Effect.fnUntraced(function* (
  players: ReadonlyArray<PlayerRows>,
  name: string,
  read: Read<never>
) {
  const part = players.find((each) => each.part === name)
  return part === undefined ? [] : (yield* read(part, [])).map((row) => shownOf(part, row))
})

type Key = ReadonlyArray<string | number>

/** What tells the row apart from others of its player. */
const keyOf = (row: Columns, order: ReadonlyArray<string>): Key =>
  order.map((name) => {
    const value = row[name]
    return typeof value === "string" ? value : Number(value)
  })

/** Both keys have the same columns. */
const compare = (one: Key, other: Key): number => {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? value
    if (value !== against) return value < against ? -1 : 1
  }
  return 0
}

const shownOf = ({ shown }: PlayerRows, row: Columns): ExportedRow =>
  Object.fromEntries(
    Object.entries(shown).map(([column, as]) => [exportNameOf(column), written(row[column], as)])
  )

/** `written_at_ms` → `writtenAt`. */
const exportNameOf = (column: string): string =>
  column.replace(/_ms$/, "").replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const written = (value: unknown, as: PlayerValue): unknown => {
  if (value === null || value === undefined) return null
  if (as === "moment") return isoOf(Number(value))
  if (as === "number") return Number(value)
  if (as === "jsonText") return JSON.parse(String(value))
  if (as === "bytes" && value instanceof Uint8Array) return Buffer.from(value).toString("base64")
  return value
}
