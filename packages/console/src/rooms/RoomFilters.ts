import type { RoomListRow } from "@atrium/domain/rooms/RoomsApi"

/** The choices of a reader of the list of rooms. The first two are the API's own filters. */
export interface RoomFilters {
  readonly active: "true" | "false" | null
  /** A duration, such as `36h`. */
  readonly idle: string | null
  /** Part of an id. */
  readonly search: string
}

/** The path that lists the rooms of a project. */
export const roomsPath = (
  project: string,
  { active, idle }: Omit<RoomFilters, "search">
): string => {
  const query = new URLSearchParams()
  if (active !== null) query.set("active", active)
  if (idle !== null) query.set("idle-longer-than", idle)
  const text = query.toString()
  return `/v1/projects/${encodeURIComponent(project)}/rooms${text === "" ? "" : `?${text}`}`
}

type Compare = (one: RoomListRow, other: RoomListRow) => number

const byId: Compare = (one, other) =>
  one.roomId < other.roomId ? -1 : one.roomId > other.roomId ? 1 : 0

/** Awake rooms first, as most people look for those. */
const ranks: Readonly<Record<string, number>> = {
  awake: 0,
  starting: 1,
  restarting: 2,
  draining: 3,
  closed: 4,
  hibernated: 5
}
const rankOf = ({ status }: RoomListRow): number => ranks[status] ?? 6

/** A room that is kept for ever comes last. */
const deletedAt = ({ deletesAt }: RoomListRow): number =>
  deletesAt === null ? Number.POSITIVE_INFINITY : Date.parse(deletesAt)

/** How rows compare by each column; rows that are alike go by their id. */
export const roomOrders: Readonly<Record<string, Compare>> = {
  room: byId,
  status: (one, other) => rankOf(one) - rankOf(other),
  players: (one, other) => one.clients - other.clients,
  seen: (one, other) => Date.parse(one.lastSeen) - Date.parse(other.lastSeen),
  deleted: (one, other) => deletedAt(one) - deletedAt(other)
}

/** The rows that are shown, in their order. */
export const shownRooms = (
  rooms: ReadonlyMap<string, RoomListRow>,
  search: string,
  sorting: { readonly by: string; readonly down: boolean }
): ReadonlyArray<RoomListRow> => {
  const wanted = search.trim().toLowerCase()
  const found = [...rooms.values()].filter(
    ({ roomId }) => wanted === "" || roomId.toLowerCase().includes(wanted)
  )
  const compare = roomOrders[sorting.by] ?? byId
  const turn = sorting.down ? -1 : 1
  return found.sort((one, other) => turn * compare(one, other) || byId(one, other))
}
