import type { RoomDetail, RoomListRow, Save } from "@atrium/domain/rooms/RoomsApi"

import { ageText } from "../terminal/Ages.ts"
import type { Column } from "../terminal/Table.ts"

type Retained = Pick<RoomDetail, "retention" | "retentionOverride">

/** The window in force, and whether it is the room's own. */
const retentionText = ({ retention, retentionOverride }: Retained): string =>
  (retention ?? "forever") + (retentionOverride === null ? "" : " (its own)")

/** Where a room is in its life; one in quarantine also with the version that does not lead it on. */
const statusText = ({ status, quarantined }: RoomDetail): string =>
  quarantined === undefined
    ? status
    : `${status}, in quarantine: version ${quarantined} does not lead its state on`

/** The columns of a list of rooms. */
export const roomColumns = (nowMs: number): ReadonlyArray<Column<RoomListRow>> => [
  { title: "ROOM", cell: ({ roomId }) => roomId, weight: 6 },
  {
    title: "STATUS",
    cell: ({ status, quarantined }) => (quarantined === undefined ? status : "quarantined"),
    weight: 5
  },
  { title: "CLIENTS", cell: ({ clients, maxClients }) => `${clients}/${maxClients}`, weight: 4 },
  { title: "SEEN", cell: ({ lastSeen }) => ageText(lastSeen, nowMs, ""), weight: 3 },
  { title: "DELETED", cell: ({ deletesAt }) => ageText(deletesAt, nowMs, "never"), weight: 2 },
  { title: "RETENTION", cell: retentionText, weight: 1 }
]

/** A room, name by name. */
export const roomPairs = (room: RoomDetail, nowMs: number): ReadonlyArray<[string, string]> => [
  ["room", room.roomId],
  ["type", `${room.type} (${room.class})`],
  ["status", statusText(room)],
  ["seen", momentText(room.lastSeen, nowMs)],
  ["state", `${room.stateBytes} bytes`],
  ["saves", String(room.saves)],
  ["retention", retentionText(room)],
  ["deleted", room.deletesAt === null ? "never" : momentText(room.deletesAt, nowMs)]
]

/** The columns of a list of saves. */
export const saveColumns = (nowMs: number): ReadonlyArray<Column<Save>> => [
  { title: "SAVE", cell: ({ saveId }) => saveId, weight: 5 },
  { title: "MADE", cell: ({ createdAt }) => ageText(createdAt, nowMs, ""), weight: 4 },
  { title: "BYTES", cell: ({ bytes }) => String(bytes), weight: 3 },
  { title: "VERSION", cell: ({ version }) => String(version), weight: 2 },
  { title: "REASON", cell: ({ reason }) => reason, weight: 1 }
]

const momentText = (at: string, nowMs: number): string => `${ageText(at, nowMs, "")} (${at})`
