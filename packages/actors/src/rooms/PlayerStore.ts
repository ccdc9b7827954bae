import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { wasDeleted } from "../accounts/PlayerAccountsInMemory.ts"
import { atNow, MemoryDatabase, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"

/** One player's persisted fields, as the room packed them. */
export interface PlayerWrite {
  readonly playerId: string
  readonly fields: Uint8Array
  /** As in {@link StoredPlayer}, absent = 0. A write gives way to one of a newer version. */
  readonly since?: number
  /** Unix ms: the write gives way to one that was stored after this moment. Absent = it never does. */
  readonly asOfMs?: number
}

/** A player's persisted fields, as they are stored. */
export interface StoredPlayer {
  readonly fields: Uint8Array
  /** The version since which players are stored in this way; 0 = from the first on. Source: C-707. */
  readonly since: number
}

interface Write extends PlayerWrite {
  readonly projectId: ProjectId
  /** When it counts as written. */
  readonly nowMs: number
}

/** Persisted player fields, per project. A failing store is a defect. Spec: Persisted player fields. */
export class PlayerStore extends Context.Service<
  PlayerStore,
  {
    /** `null` = nothing was written, or not within the time that it is kept. */
    load(projectId: ProjectId, playerId: string): Effect.Effect<StoredPlayer | null>
    /**
     * A player who was deleted lately is not written again: rooms may still hold its fields.
     *
     * @returns ids of players that were not written, as the project has all that it may have
     */
    save(
      projectId: ProjectId,
      writes: ReadonlyArray<PlayerWrite>
    ): Effect.Effect<ReadonlyArray<string>>
  }
>()("@atrium/actors/rooms/PlayerStore") {
  static readonly layerSql = Layer.effect(
    PlayerStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const load = Effect.fn("PlayerStore.load")(function* (
        projectId: ProjectId,
        playerId: string
      ) {
        const lapsedAtMs = (yield* Clock.currentTimeMillis) - RoomLimits.playerKept.ms
        const rows = yield* Effect.orDie(sql<StoredPlayer>`
          select fields, since from players
          where project_id = ${projectId} and player_id = ${playerId}
            and written_at_ms > ${lapsedAtMs}`)
        const [row] = rows
        return row === undefined ? null : { fields: row.fields, since: row.since }
      })

      const overwrite = ({ projectId, playerId, fields, since = 0, nowMs, asOfMs }: Write) => sql`
        update players set fields = ${fields}, since = ${since}, written_at_ms = ${nowMs}
        where project_id = ${projectId} and player_id = ${playerId} and since <= ${since}
          ${asOfMs === undefined ? sql`` : sql`and written_at_ms <= ${asOfMs}`}
        returning 1`

      /** What a write gives way to. */
      const findNewer = ({ projectId, playerId, since = 0, asOfMs }: Write) => sql`
        select 1 from players
        where project_id = ${projectId} and player_id = ${playerId}
          and (since > ${since} or ${asOfMs !== undefined})`

      const findDeleted = ({ projectId, playerId, nowMs }: Write) => sql`
        select 1 from ended_identities
        where project_id = ${projectId} and identity_id = ${playerId} and player_deleted
          and ended_at_ms > ${nowMs - AccountLimits.endedKept.ms}`

      const add = ({ projectId, playerId, fields, since = 0, nowMs }: Write) => sql`
        insert into players (project_id, player_id, fields, since, written_at_ms)
        select ${projectId}, ${playerId}, ${fields}::bytea, ${since}::integer, ${nowMs}::bigint
        where exists (select 1 from players
            where project_id = ${projectId} and player_id = ${playerId})
          or (select count(*) from players where project_id = ${projectId})
            < ${RoomLimits.players.max}
        on conflict (project_id, player_id) do update
          set fields = excluded.fields, since = excluded.since,
            written_at_ms = excluded.written_at_ms
        returning 1`

      const forgetLapsed = ({ projectId, nowMs }: Write) => sql`
        delete from players
        where project_id = ${projectId} and written_at_ms <= ${nowMs - RoomLimits.playerKept.ms}`

      // New players of one project come one by one: no two of them count the same last place free.
      const addAlone = (write: Write) =>
        sql`select pg_advisory_xact_lock(hashtextextended(${`players/${write.projectId}`}, 0))`.pipe(
          Effect.andThen(forgetLapsed(write)),
          Effect.andThen(add(write)),
          sql.withTransaction
        )

      const save = Effect.fn("PlayerStore.save")(function* (
        projectId: ProjectId,
        writes: ReadonlyArray<PlayerWrite>
      ) {
        const nowMs = yield* Clock.currentTimeMillis
        const refused: Array<string> = []
        for (const one of writes) {
          const write = { ...one, projectId, nowMs: one.asOfMs ?? nowMs }
          const known = yield* Effect.orDie(overwrite(write))
          if (known.length > 0) continue
          const gaveWay = (yield* Effect.orDie(findNewer(write))).length > 0
          if (gaveWay || (yield* Effect.orDie(findDeleted(write))).length > 0) continue
          const added = yield* Effect.orDie(addAlone(write))
          if (added.length === 0) refused.push(one.playerId)
        }
        return refused
      })

      return { load, save }
    })
  )

  static readonly layerMemory = Layer.effect(
    PlayerStore,
    Effect.map(MemoryDatabase, ({ tables, ask }) => ({
      load: (projectId, playerId) =>
        atNow({ ask })("PlayerStore.load", (nowMs) => {
          const row = playerTable.rowsIn(tables).get(`${projectId}/${playerId}`)
          if (row === undefined || hasLapsed(row, nowMs)) return null
          return { fields: row.fields.slice(), since: row.since }
        }),
      save: (projectId, writes) =>
        atNow({ ask })("PlayerStore.save", (nowMs) =>
          writes
            .filter(
              (write) => !wasWritten(tables, { ...write, projectId, nowMs: write.asOfMs ?? nowMs })
            )
            .map(({ playerId }) => playerId)
        )
    }))
  )
}

interface PlayerRow {
  readonly projectId: ProjectId
  readonly fields: Uint8Array
  readonly since: number
  readonly writtenAtMs: number
}

/** The players of all projects, by `<project>/<player>`: no id of a project holds a slash. */
export const playerTable = new MemoryTable<PlayerRow>()

/** What the table in memory has of one player. */
export const playerRows = playerTable.playerRows({
  player: ({ projectId }, key) => ({ projectId, playerId: key.slice(projectId.length + 1) }),
  columns: ({ fields, writtenAtMs }) => ({ fields, written_at_ms: writtenAtMs }),
  moved: (row, { playerId }) => [`${row.projectId}/${playerId}`, row]
})

const hasLapsed = ({ writtenAtMs }: PlayerRow, nowMs: number): boolean =>
  writtenAtMs <= nowMs - RoomLimits.playerKept.ms

/** Writes a player's fields, unless the player is new and the project is full. */
const wasWritten = (
  tables: MemoryTables,
  { projectId, playerId, fields, since = 0, nowMs, asOfMs = Infinity }: Write
): boolean => {
  const players = playerTable.rowsIn(tables)
  const key = `${projectId}/${playerId}`
  const stored = players.get(key)
  if (stored !== undefined && (stored.writtenAtMs > asOfMs || stored.since > since)) return true
  if (stored === undefined && wasDeleted(tables, { projectId, playerId }, nowMs)) return true
  if (stored === undefined) {
    const its = [...players].filter(([, row]) => row.projectId === projectId)
    const lapsed = its.filter(([, row]) => hasLapsed(row, nowMs))
    for (const [gone] of lapsed) players.delete(gone)
    if (its.length - lapsed.length >= RoomLimits.players.max) return false
  }
  players.set(key, { projectId, fields: fields.slice(), since, writtenAtMs: nowMs })
  return true
}
