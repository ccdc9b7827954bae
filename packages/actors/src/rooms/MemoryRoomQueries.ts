import { isSweepCandidate } from "@atrium/domain/rooms/Retention"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { Effect } from "effect"

import { atNow, byText, type MemoryDatabase, type MemoryTables } from "../store/MemoryDatabase.ts"
import {
  byKey,
  changeRoom,
  isUp,
  type MemoryRoom,
  roomsWhere,
  roomTable,
  rowKey
} from "./MemoryRoomTable.ts"
import type { ProjectCount, RoomCensus } from "./RoomCensus.ts"
import type { RoomFilter, RoomLists } from "./RoomLists.ts"
import type { LapsedQuery, RoomSweeps } from "./RoomSweeps.ts"

const keyOf = ({ key }: MemoryRoom) => key

/** Of a room on its way or up: what it runs, or is started with, once that is known. */
const runsOf = ({ state }: MemoryRoom) => ("at" in state ? state.at : null)

/** The queries of `RoomStore` that reach over many rows, on the tables in memory. */
export const memoryRoomCensus = ({ tables, ask }: MemoryDatabase["Service"]): RoomCensus => ({
  report: (reports) =>
    reports.length === 0
      ? Effect.void
      : atNow({ ask })("RoomStore.report", (nowMs) => {
          for (const { epoch, clients, entered, ...key } of reports) {
            changeRoom(tables, key, (row) =>
              row.epoch === epoch && isUp(row)
                ? { clients, lastSeenMs: nowMs, entered: row.entered || entered }
                : {}
            )
          }
        }),

  upOnOlder: (projectId, { from, below }, staying = []) =>
    ask("RoomStore.upOnOlder", () =>
      roomsWhere(tables, (row) => {
        const runs = runsOf(row)
        if (runs === null || row.key.projectId !== projectId || !isUp(row)) return false
        if (row.branch !== undefined) return false
        return runs.version >= from && runs.version < below && !staying.includes(runs.type)
      }).map(keyOf)
    ),

  up: (projectId) =>
    ask("RoomStore.up", () =>
      roomsWhere(tables, (row) => row.key.projectId === projectId && isUp(row)).map(keyOf)
    ),

  upByVersion: (projectId) =>
    ask("RoomStore.upByVersion", () => {
      const counts = new Map<number, number>()
      for (const row of roomsWhere(tables, isUp)) {
        const runs = runsOf(row)
        if (row.key.projectId !== projectId || runs === null) continue
        counts.set(runs.version, (counts.get(runs.version) ?? 0) + 1)
      }
      return counts
    }),

  countByProject: (projectIds) =>
    ask("RoomStore.countByProject", () =>
      countsOf(roomsWhere(tables, ({ key }) => projectIds.includes(key.projectId)))
    ),

  countByStatus: ask("RoomStore.countByStatus", () => {
    const counted = countsOf(roomsWhere(tables, () => true))
    const statuses = [...new Set(counted.map(({ status }) => status))].sort(byText)
    return statuses.map((status) => {
      const its = counted.filter((one) => one.status === status)
      return { status, rooms: its.reduce((sum, { rooms }) => sum + rooms, 0) }
    })
  })
})

/** Rooms per project and status, in that order. */
const countsOf = (rows: ReadonlyArray<MemoryRoom>): ReadonlyArray<ProjectCount> => {
  const counts = new Map<string, ProjectCount>()
  for (const row of rows) {
    if (row.pruned || !(row.entered || isUp(row))) continue
    const { status, key } = row
    const before = counts.get(`${key.projectId} ${status}`)?.rooms ?? 0
    const count = { projectId: key.projectId, status, rooms: before + 1 }
    counts.set(`${key.projectId} ${status}`, count)
  }
  return [...counts.values()].sort(
    (one, other) => byText(one.projectId, other.projectId) || byText(one.status, other.status)
  )
}

/** The queries of `RoomStore` that look for rooms to delete, prune or restore, on the tables in memory. */
export const memoryRoomSweeps = ({ tables, ask }: MemoryDatabase["Service"]): RoomSweeps => {
  const batch = (rows: ReadonlyArray<MemoryRoom>) =>
    rows.slice(0, RoomLimits.sweepBatch.max).map(keyOf)
  return {
    lapsed: (query) => ask("RoomStore.lapsed", () => batch(lapsedIn(tables, query))),

    prune: (nowMs) =>
      ask("RoomStore.prune", () => {
        const due = (row: MemoryRoom) =>
          !row.pruned && row.quarantined === null && row.lastSeenMs <= nowMs - RoomLimits.rowKept.ms
        const pruned = batch(roomsWhere(tables, due))
        for (const key of pruned) changeRoom(tables, key, () => ({ pruned: true }))
        return pruned
      }),

    forget: (keys) =>
      ask("RoomStore.forget", () => {
        const rows = roomTable.rowsIn(tables)
        for (const key of keys.map(rowKey)) if (rows.get(key)?.pruned === true) rows.delete(key)
      }),

    restoring: ask("RoomStore.restoring", () =>
      batch(
        roomsWhere(tables, ({ state }) => state._tag === "Restoring" || state._tag === "Replacing")
      )
    )
  }
}

const lapsedIn = (
  tables: MemoryTables,
  { nowMs, declared, after }: LapsedQuery
): ReadonlyArray<MemoryRoom> =>
  roomsWhere(tables, (row) => {
    if (after !== null && byKey(row.key, after) <= 0) return false
    if (row.quarantined !== null) return false
    const type = declared.find(
      (one) => one.projectId === row.key.projectId && one.type === row.type
    )
    const room = {
      asleep: !isUp(row),
      removing: row.state._tag === "Deleting",
      entered: row.entered,
      lastSeenMs: row.lastSeenMs,
      retention: { override: row.retentionOverride, declared: type?.retention ?? null }
    }
    return isSweepCandidate(room, nowMs)
  })

/** The rows that the list routes show, from the tables in memory. */
export const memoryRoomLists = ({ tables, ask }: MemoryDatabase["Service"]): RoomLists => ({
  list: (projectId, filter) =>
    atNow({ ask })("RoomStore.list", (nowMs) =>
      [...roomsWhere(tables, (row) => row.key.projectId === projectId)]
        .filter((row) => isListed(row, filter, nowMs))
        .sort((one, other) => other.lastSeenMs - one.lastSeenMs)
        .map(lineOf)
        .join("\n")
    ),

  // Every row counts as written: what is told twice does no harm.
  changes: (projectId, filter) =>
    atNow({ ask })("RoomStore.changes", (nowMs) => {
      const rows = roomsWhere(tables, (row) => row.key.projectId === projectId)
      const shown = rows.filter((row) => isListed(row, filter, nowMs))
      return {
        mark: "0",
        lines: shown.map(lineOf).join("\n"),
        hidden: rows.filter((row) => !shown.includes(row)).map(({ key }) => key.roomId),
        rows: shown.length
      }
    }),

  lobby: (projectId) =>
    atNow({ ask })("RoomStore.lobby", (nowMs) =>
      roomsWhere(
        tables,
        (row) =>
          row.key.projectId === projectId &&
          row.isPublic &&
          !row.pruned &&
          row.quarantined === null &&
          (row.entered || isFresh(row, nowMs))
      )
        .slice(0, RoomLimits.lobbyRows.max)
        .map(({ key, type, clients, maxClients, lobbyMetadata }) => ({
          roomId: key.roomId,
          type,
          clients,
          maxClients,
          metadata: lobbyMetadata
        }))
    )
})

const isFresh = ({ lastSeenMs }: MemoryRoom, nowMs: number): boolean =>
  lastSeenMs > nowMs - RoomLimits.reportFresh.ms

const isListed = (
  row: MemoryRoom,
  { active, idleLongerThanMs }: RoomFilter,
  nowMs: number
): boolean => {
  const live = isUp(row) && isFresh(row, nowMs)
  return (
    !row.pruned &&
    (row.entered || live) &&
    (active === null || active === live) &&
    (idleLongerThanMs === null || row.lastSeenMs < nowMs - idleLongerThanMs)
  )
}

/** The line of RoomLists.ts. */
const lineOf = (row: MemoryRoom): string =>
  [
    `"roomId":"${row.key.roomId}","status":"${row.status}","slot":${row.slot ?? 0}`,
    row.lastSeenMs,
    `"clients":${row.clients},"maxClients":${row.maxClients},"backfill":${(row.backfillSeats ?? 0) > 0}` +
      (row.quarantined === null ? "" : `,"quarantined":${row.quarantined}`),
    row.retentionOverride ?? "",
    row.type
  ].join("\t")
