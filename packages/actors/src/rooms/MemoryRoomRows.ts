import type { RoomKey } from "@atrium/domain/shared/Ids"

import { projectTable } from "../projects/ProjectStore.ts"
import { atNow, type MemoryDatabase } from "../store/MemoryDatabase.ts"
import { type MemoryRoom, roomTable, rowKey } from "./MemoryRoomTable.ts"
import {
  branchRetention,
  firstRetention,
  type RoomRow,
  type RoomRows,
  type RoomSave,
  type ShownRow,
  shownOf
} from "./RoomRows.ts"

/** What a reader sees of a row in memory. */
export const shownRowOf = (row: MemoryRoom): ShownRow => ({
  status: row.status,
  type: row.type,
  class: row.class,
  retentionOverride: row.retentionOverride,
  lastSeenMs: row.lastSeenMs,
  pruned: row.pruned,
  entered: row.entered,
  quarantined: row.quarantined
})

const rowOf = (row: MemoryRoom): RoomRow => ({
  ...shownRowOf(row),
  state: structuredClone(row.state),
  epoch: row.epoch,
  isPublic: row.isPublic,
  started: row.started,
  lobbyMetadata: row.lobbyMetadata,
  branch: row.branch ?? null,
  revision: row.revision
})

/** The queries of `RoomStore` about one room, on the tables in memory. */
export const memoryRoomRows = ({ tables, ask }: MemoryDatabase["Service"]): RoomRows => ({
  load: (key) =>
    ask("RoomStore.load", () => {
      const row = roomTable.rowsIn(tables).get(rowKey(key))
      return row === undefined ? null : rowOf(row)
    }),

  show: (key) =>
    ask("RoomStore.show", () => {
      const project = projectTable.rowsIn(tables).get(key.projectId)
      const row = roomTable.rowsIn(tables).get(rowKey(key))
      return {
        row: project === undefined || row === undefined ? null : shownRowOf(row),
        currentVersion: project?.currentVersion ?? null
      }
    }),

  save: (key, save) =>
    atNow({ ask })("RoomStore.save", (nowMs) => {
      const rows = roomTable.rowsIn(tables)
      const before = rows.get(rowKey(key))
      if (save.after !== "any" && save.after !== (before?.revision ?? null)) return false
      const saved = savedRow(key, { save, nowMs, before })
      if (saved === null) rows.delete(rowKey(key))
      else rows.set(rowKey(key), saved)
      return true
    }),

  addBranch: (key, { type, class: ofClass, maxClients, epoch, branch }) =>
    atNow({ ask })("RoomStore.addBranch", (nowMs) => {
      const rows = roomTable.rowsIn(tables)
      if (rows.has(rowKey(key))) return false
      rows.set(rowKey(key), {
        ...newRow(key, { _tag: "Hibernated", type }, nowMs),
        class: ofClass,
        maxClients,
        epoch,
        retentionOverride: branchRetention.retention,
        branch
      })
      return true
    }),

  saveSettings: (key, { retention, public: isPublic }, { state, facts }) =>
    atNow({ ask })("RoomStore.saveSettings", (nowMs) => {
      if (state._tag === "Absent" || (retention === undefined && isPublic === undefined)) return
      const rows = roomTable.rowsIn(tables)
      const before = rows.get(rowKey(key)) ?? {
        ...newRow(key, state, nowMs),
        class: facts?.class ?? "standard",
        maxClients: facts?.maxClients ?? 0,
        epoch: 0,
        slot: null,
        pruned: true,
        entered: true,
        quarantined: null,
        revision: 0
      }
      rows.set(rowKey(key), {
        ...before,
        retentionOverride: retention === undefined ? before.retentionOverride : retention,
        isPublic: isPublic ?? before.isPublic
      })
    })
})

type Present = Parameters<typeof shownOf>[0]

const newRow = (key: RoomKey, state: Present, lastSeenMs: number): MemoryRoom => {
  const { status, type, epoch, slot, quarantined } = shownOf(state)
  return {
    key: { projectId: key.projectId, roomId: key.roomId },
    state: structuredClone(state),
    status,
    type,
    class: "standard",
    epoch: epoch ?? 0,
    slot,
    clients: 0,
    maxClients: 0,
    isPublic: false,
    started: false,
    lobbyMetadata: null,
    retentionOverride: firstRetention(key).retention,
    lastSeenMs,
    pruned: false,
    entered: !(state._tag === "Starting" && !state.stored),
    quarantined,
    revision: 1
  }
}

interface Saving {
  readonly save: RoomSave
  readonly nowMs: number
  readonly before: MemoryRoom | undefined
}

/** @returns `null` = the room has no row from now on */
const savedRow = (key: RoomKey, { save, nowMs, before }: Saving): MemoryRoom | null => {
  const { state, facts, reported } = save
  if (state._tag === "Absent") return null
  const fresh = newRow(key, state, nowMs)
  const named = { ...fresh, type: facts?.type ?? fresh.type }
  if (before === undefined) {
    return {
      ...named,
      class: facts?.class ?? "standard",
      maxClients: facts?.maxClients ?? 0
    }
  }
  const staysCounted = named.status === "awake" || named.status === "restarting"
  return {
    ...before,
    state: named.state,
    status: named.status,
    type: named.type,
    class: facts?.class ?? before.class,
    maxClients: facts?.maxClients ?? before.maxClients,
    epoch: Math.max(before.epoch, named.epoch),
    slot: named.slot ?? before.slot,
    clients: staysCounted ? before.clients : 0,
    lastSeenMs: reported ? nowMs : before.lastSeenMs,
    pruned: before.pruned && !reported,
    // The same choice as in RoomRows.ts: a room falls asleep after somebody was in it.
    entered: named.entered && (before.entered || state._tag === "Hibernated"),
    quarantined: named.quarantined,
    revision: before.revision + 1
  }
}
