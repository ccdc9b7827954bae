import type { RoomStatus } from "@atrium/domain/rooms/RoomsApi"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import type { RoomClass } from "@atrium/wire/rooms/RoomClass"

import { byText, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import type { BranchOf } from "./RoomRows.ts"
import type { RoomState } from "./RoomState.ts"

/** A row of the table `rooms` in memory, with the columns that PostgreSQL's has. */
export interface MemoryRoom {
  readonly key: RoomKey
  readonly state: RoomState
  readonly status: RoomStatus
  readonly type: string
  readonly class: RoomClass
  readonly epoch: number
  readonly slot: number | null
  readonly clients: number
  readonly maxClients: number
  readonly isPublic: boolean
  readonly started: boolean
  readonly lobbyMetadata: string | null
  readonly retentionOverride: string | null
  readonly lastSeenMs: number
  readonly pruned: boolean
  readonly entered: boolean
  /** Absent = it is no branch. */
  readonly branch?: BranchOf
  readonly revision: number
  /** The version to which its state could not be led; `null` = it is not in quarantine. */
  readonly quarantined: number | null
  /** Players that the room's code asks quick match for; absent = none. */
  readonly backfillSeats?: number
}

export const roomTable = new MemoryTable<MemoryRoom>()

export const rowKey = (key: RoomKey): string => `${key.projectId}/${key.roomId}`

/** The order of the table's primary key. */
export const byKey = (one: RoomKey, other: RoomKey): number =>
  byText(one.projectId, other.projectId) || byText(one.roomId, other.roomId)

/** The rows for which `holds`, in the order of the primary key. */
export const roomsWhere = (
  tables: MemoryTables,
  holds: (row: MemoryRoom) => boolean
): ReadonlyArray<MemoryRoom> =>
  [...roomTable.rowsIn(tables).values()]
    .filter(holds)
    .sort((one, other) => byKey(one.key, other.key))

/** Changes some columns of a row that is there; does nothing without one. */
export const changeRoom = (
  tables: MemoryTables,
  key: RoomKey,
  columns: (row: MemoryRoom) => Partial<MemoryRoom>
): void => {
  const row = roomTable.rowsIn(tables).get(rowKey(key))
  if (row !== undefined) roomTable.rowsIn(tables).set(rowKey(key), { ...row, ...columns(row) })
}

/** The room is neither asleep nor closed: it is up, or on its way. */
export const isUp = ({ status }: MemoryRoom): boolean =>
  status !== "hibernated" && status !== "closed"
