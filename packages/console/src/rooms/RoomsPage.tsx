import type { RoomListRow } from "@atrium/domain/rooms/RoomsApi"
import { useComputed, useSignal } from "@preact/signals"

import { parameter, setParameters } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { LiveMark } from "../parts/LiveMark.tsx"
import { Moment } from "../parts/Moment.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { Panel } from "../parts/Panel.tsx"
import { type Column, Rows, type Sorting } from "../parts/Rows.tsx"
import { Status } from "../parts/Status.tsx"
import { useLive } from "../service/Reads.ts"
import { countText } from "../text/Numbers.ts"
import { plainText } from "../text/ShownText.ts"
import { roomOrders, roomsPath, shownRooms } from "./RoomFilters.ts"

/** The rooms of a project, as they change. */
export const RoomsPage = ({ project }: { project: string }) => {
  const active = activeOf(parameter("active"))
  const idle = parameter("idle")
  const search = useSignal(parameter("search") ?? "")
  const sorting = useSignal<Sorting>({ by: "status", down: false })
  const path = roomsPath(project, { active, idle })
  const { list, state } = useLive<RoomListRow>(path, ({ roomId }) => roomId)
  const shown = useComputed(() => shownRooms(list.value.rows, search.value, sorting.value))
  const { rows, atMs } = list.value
  const refused = typeof state.value === "object" ? state.value : null
  const isFiltered = active !== null || idle !== null || search.value !== ""
  return (
    <>
      <PageHead project={project} title="Rooms" />
      <Panel
        title={atMs === null && rows.size === 0 ? "Rooms" : countOf(shown.value.length, rows.size)}
        asOf={atMs}
        asked={{ method: "GET", path, credential: "key" }}
        command={{
          words: ["rooms"],
          flags: {
            active: active === "true" ? null : undefined,
            idle: active === "false" ? null : undefined,
            "idle-longer-than": idle ?? undefined,
            project
          }
        }}
        tools={<LiveMark state={state.value} />}
      >
        <Filters
          active={active}
          idle={idle}
          search={search.value}
          onSearch={(text) => (search.value = text)}
        />
        {refused !== null && <Fault refusal={refused} />}
        {atMs === null && rows.size === 0 ? (
          refused === null && <Waiting />
        ) : shown.value.length === 0 ? (
          <NoRooms
            isFiltered={isFiltered}
            onAll={() => {
              search.value = ""
              setParameters({ active: null, idle: null, search: null })
            }}
          />
        ) : (
          <Rows
            label="Rooms"
            columns={columnsOf(project)}
            rows={shown.value}
            keyOf={({ roomId }) => roomId}
            sorting={sorting.value}
            onSort={(next) => (sorting.value = next)}
          />
        )}
      </Panel>
    </>
  )
}

const countOf = (shown: number, all: number): string =>
  shown === all
    ? `${countText(all)} ${all === 1 ? "room" : "rooms"}`
    : `${countText(shown)} of ${countText(all)} rooms`

const activeOf = (text: string | null): "true" | "false" | null =>
  text === "true" || text === "false" ? text : null

interface NoRoomsProps {
  readonly isFiltered: boolean
  readonly onAll: () => void
}

const NoRooms = ({ isFiltered, onAll }: NoRoomsProps) =>
  isFiltered ? (
    <Empty title="No room fits these filters.">
      <button type="button" class="quiet" onClick={onAll}>
        Show all rooms
      </button>
    </Empty>
  ) : (
    <Empty title="No room yet.">
      <p>A room is made when the first player joins it. Deploy room code, then open your game:</p>
      <p>
        <code>atrium deploy</code>
      </p>
    </Empty>
  )

const idles = ["10m", "1h", "1d", "7d", "30d"] as const

interface FilterProps {
  readonly active: "true" | "false" | null
  readonly idle: string | null
  readonly search: string
  readonly onSearch: (text: string) => void
}

const Filters = ({ active, idle, search, onSearch }: FilterProps) => (
  <div class="filters">
    <input
      type="search"
      aria-label="Part of the room's id"
      placeholder="Find a room by its id"
      value={search}
      onInput={(event) => onSearch(event.currentTarget.value)}
    />
    <select
      aria-label="Awake or not"
      value={active ?? ""}
      onChange={(event) => setParameters({ active: event.currentTarget.value })}
    >
      <option value="">Awake or not</option>
      <option value="true">Awake</option>
      <option value="false">Not awake</option>
    </select>
    <select
      aria-label="Last seen"
      value={idle ?? ""}
      onChange={(event) => setParameters({ idle: event.currentTarget.value })}
    >
      <option value="">Seen at any time</option>
      {idles.map((span) => (
        <option key={span} value={span}>
          Not seen for {span}
        </option>
      ))}
    </select>
  </div>
)

const never = (): number => 0

const columnsOf = (project: string): ReadonlyArray<Column<RoomListRow>> => [
  {
    name: "room",
    title: "Room",
    width: "auto",
    compare: roomOrders["room"] ?? never,
    cell: ({ roomId }) => {
      const shown = plainText(roomId, 128)
      return (
        <Link to={addressOf({ _tag: "Room", project, room: roomId })} class="mono" title={shown}>
          <bdi>{shown}</bdi>
        </Link>
      )
    }
  },
  {
    name: "status",
    title: "Status",
    width: "150px",
    compare: roomOrders["status"] ?? never,
    cell: (room) => <Status room={room} />
  },
  {
    name: "players",
    title: "Players",
    width: "92px",
    number: true,
    compare: roomOrders["players"] ?? never,
    downFirst: true,
    cell: ({ clients, maxClients }) => (
      <>
        {clients}
        <span class="faint">/{maxClients}</span>
      </>
    )
  },
  {
    name: "seen",
    title: "Last seen",
    width: "120px",
    when: "roomy",
    compare: roomOrders["seen"] ?? never,
    downFirst: true,
    cell: ({ lastSeen }) => <Moment at={lastSeen} />
  },
  {
    name: "retention",
    title: "Kept",
    width: "110px",
    when: "wide",
    cell: ({ retention, retentionOverride }) => (
      <span title={retentionOverride === null ? "what its type declares" : "the room's own"}>
        {retention ?? "forever"}
        {retentionOverride !== null && " *"}
      </span>
    )
  },
  {
    name: "deleted",
    title: "Deleted",
    width: "120px",
    when: "wide",
    compare: roomOrders["deleted"] ?? never,
    cell: ({ deletesAt }) => <Moment at={deletesAt} none="never" />
  }
]
