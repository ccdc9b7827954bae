import type { RoomClient } from "@atrium/domain/inspect/InspectApi"
import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"

import { addressOf } from "../app/Routes.ts"
import { Empty } from "../parts/Empty.tsx"
import { Link } from "../parts/Link.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { Status } from "../parts/Status.tsx"
import { useRead } from "../service/Reads.ts"
import type { Command } from "../shell/Equivalents.ts"
import { ClientsPanel } from "./ClientsPanel.tsx"
import { LifePanel } from "./LifePanel.tsx"
import { LogPanel } from "./LogPanel.tsx"
import { RoomFacts } from "./RoomFacts.tsx"
import { roomPath } from "./RoomPath.ts"
import { RoomPlots } from "./RoomPlots.tsx"
import { SettingsPanel } from "./SettingsPanel.tsx"
import { StatePanel } from "./StatePanel.tsx"

/** Only the state and the log come as streams: a browser has six connections for all its windows. */
const everyMs = 2000

/** One room: its facts, state, clients, life and log. Source: C-773. */
export const RoomPage = ({ project, room }: { project: string; room: string }) => {
  const path = roomPath(project, room)
  const facts = useRead<RoomDetail>(path, everyMs)
  const { last, refused } = facts.state.value
  const rooms = addressOf({ _tag: "Project", project, page: "rooms" })
  const isThere = refused === null || refused.status !== 404
  return (
    <>
      <PageHead
        project={project}
        title={room}
        trail={<Link to={rooms}>Rooms</Link>}
        mark={last !== null && <Status room={last.value} />}
      />
      {isThere ? (
        <Panels project={project} room={room} path={path} facts={facts} />
      ) : (
        <div class="panel">
          <Empty title="There is no such room.">
            <p>
              It may have been deleted, or nobody has joined it yet.{" "}
              <Link to={rooms}>All rooms</Link>
            </p>
          </Empty>
        </div>
      )}
    </>
  )
}

interface Props {
  readonly project: string
  readonly room: string
  readonly path: string
  readonly facts: ReturnType<typeof useRead<RoomDetail>>
}

const Panels = ({ project, room, path, facts }: Props) => {
  const commandOf = (word: string): Command => ({
    words: ["rooms", word],
    flags: { project },
    values: [room]
  })
  const { last } = facts.state.value
  const clients = useRead<ReadonlyArray<RoomClient>>(`${path}/clients`, everyMs)
  return (
    <div class="panels">
      <RoomFacts
        path={path}
        command={commandOf("get")}
        read={facts}
        saves={addressOf({ _tag: "Saves", project, room })}
      />
      <div class="pair">
        <StatePanel path={path} />
        <div class="panels">
          <ClientsPanel path={path} command={commandOf("clients")} read={clients} />
          <RoomPlots path={path} read={clients} />
          <LifePanel path={path} command={commandOf("life")} />
        </div>
      </div>
      <LogPanel project={project} room={room} />
      {last !== null && (
        <SettingsPanel
          key={last.value.retentionOverride}
          project={project}
          room={room}
          path={path}
          detail={last.value}
          onDone={facts.again}
        />
      )}
    </div>
  )
}
