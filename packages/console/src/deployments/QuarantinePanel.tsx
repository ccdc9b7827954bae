import type { RoomListRow } from "@atrium/domain/rooms/RoomsApi"

import { addressOf } from "../app/Routes.ts"
import { Empty } from "../parts/Empty.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useRead } from "../service/Reads.ts"
import { countText } from "../text/Numbers.ts"

/** The list of all rooms is long, and a room leaves quarantine with the next deploy. */
const everyMs = 30_000

/** Rooms that are closed because a version does not lead their state on. */
export const QuarantinePanel = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}/rooms?active=false`
  const read = useRead<ReadonlyArray<RoomListRow>>(path, everyMs)
  return (
    <ReadPanel
      title="Rooms in quarantine"
      read={read}
      asked={{ method: "GET", path, credential: "key" }}
      command={{ words: ["rooms"], flags: { idle: null, project } }}
    >
      {(rooms) => {
        const closed = rooms.filter(({ quarantined }) => quarantined !== undefined)
        return closed.length === 0 ? (
          <Empty title="No room is in quarantine.">
            <p>Every room that has slept since its last version can be woken.</p>
          </Empty>
        ) : (
          <>
            <p class="sub-line">
              {countText(closed.length)} {closed.length === 1 ? "room is" : "rooms are"} closed
              until a version leads the state on. Each deploy tries again.
            </p>
            <Table
              label="Rooms in quarantine"
              columns={columnsOf(project)}
              rows={closed}
              keyOf={({ roomId }) => roomId}
            />
          </>
        )
      }}
    </ReadPanel>
  )
}

const columnsOf = (project: string) => [
  {
    title: "Room",
    cell: ({ roomId }: RoomListRow) => (
      <Link to={addressOf({ _tag: "Room", project, room: roomId })}>
        <Tenant text={roomId} max={128} inControl />
      </Link>
    )
  },
  { title: "Not led to version", cell: ({ quarantined }: RoomListRow) => quarantined },
  { title: "Last seen", cell: ({ lastSeen }: RoomListRow) => <Moment at={lastSeen} /> }
]
