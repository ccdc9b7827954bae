import type { DeploymentRead } from "@atrium/domain/deployments/DeploymentsApi"
import type { Project } from "@atrium/domain/projects/ProjectsApi"
import { isPlaygroundId } from "@atrium/domain/rooms/InertRoom"
import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"
import { fromDescriptor, type SchemaDescriptor } from "@atrium/sdk/schema"
import { TimerMsMax } from "@atrium/wire/limits/Limit"
import { signal, useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"

import { parameter, setParameters } from "../app/Location.ts"
import { addressOf } from "../app/Routes.ts"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Status } from "../parts/Status.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { roomPath } from "../room/RoomPath.ts"
import { useRead } from "../service/Reads.ts"
import { errorText } from "../text/ErrorText.ts"
import { plainText } from "../text/ShownText.ts"
import { PlayerCard } from "./PlayerCard.tsx"
import { StepClock } from "./StepClock.tsx"
import { type Stage, TestPlayer } from "./TestPlayer.ts"

/** Up to four test players in one room. */
export const PlaygroundPage = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}`
  const read = useRead<Project>(path, TimerMsMax)
  const { last, refused } = read.state.value
  const version = last?.value.currentVersion ?? null
  return (
    <>
      <PageHead project={project} title="Playground" />
      {refused !== null && <Fault refusal={refused} again={read.again} />}
      {last === null ? (
        refused === null && <Waiting />
      ) : version === null ? (
        <div class="panel">
          <Empty title="There is nothing to play yet.">
            <p>Deploy room code, then come back:</p>
            <p>
              <code>atrium deploy</code>
            </p>
          </Empty>
        </div>
      ) : (
        <OfVersion key={version} project={project} path={`${path}/deployments/${version}`} />
      )}
    </>
  )
}

const OfVersion = ({ project, path }: { project: string; path: string }) => {
  const read = useRead<DeploymentRead>(path, TimerMsMax)
  const { last, refused } = read.state.value
  if (last === null) {
    return refused === null ? <Waiting /> : <Fault refusal={refused} again={read.again} />
  }
  // The service describes schemas in this form; `fromDescriptor` checks it once more.
  const types = last.value.schemas.map(({ schema }) => schema as unknown as SchemaDescriptor)
  const type = types.find((each) => each.type === parameter("type")) ?? types[0]
  const roomId = parameter("room")
  if (type === undefined) return <Empty title="No room type.">This version declares none.</Empty>
  const isDev = project === "dev"
  return (
    <div class="panels">
      <Choice project={project} types={types.map((each) => each.type)} type={type.type} />
      {roomId !== null && (isDev || isPlaygroundId(roomId)) && (
        <Room key={`${type.type} ${roomId}`} project={project} roomId={roomId} type={type} />
      )}
    </div>
  )
}

/** The room that this page was asked for with a button. The address alone, which anybody may send, lets nobody in. */
const asked = signal<string | null>(null)

const freshRoom = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(4))
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

interface ChoiceProps {
  readonly project: string
  readonly types: ReadonlyArray<string>
  readonly type: string
}

const Choice = ({ project, types, type }: ChoiceProps) => {
  const roomId = useSignal(parameter("room") ?? "")
  return (
    <Panel title="What to try">
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          asked.value = roomId.value
          setParameters({ room: roomId.value })
        }}
      >
        <select
          aria-label="Room type"
          value={type}
          onChange={({ currentTarget }) => setParameters({ type: currentTarget.value, room: null })}
        >
          {types.map((each) => (
            <option key={each} value={each}>
              {plainText(each, 60)}
            </option>
          ))}
        </select>
        {project === "dev" && (
          <>
            <input
              type="text"
              aria-label="Id of the room"
              placeholder="Any room of dev"
              value={roomId.value}
              onInput={({ currentTarget }) => (roomId.value = currentTarget.value)}
            />
            <button class="quiet">Go there</button>
          </>
        )}
        <button
          type="button"
          onClick={() => {
            roomId.value = freshRoom()
            asked.value = roomId.value
            setParameters({ type, room: roomId.value })
          }}
        >
          New room
        </button>
      </form>
      <p class="sub-line">
        {project === "dev"
          ? "Any room of dev, or a fresh one. What you do here is done as in a game."
          : "A fresh room for test players alone: what they do is in no board, rating or KV, nobody else gets in, and it is deleted an hour after its last use."}
      </p>
    </Panel>
  )
}

const playersMax = 4

interface RoomProps {
  readonly project: string
  readonly roomId: string
  readonly type: SchemaDescriptor
}

const Room = ({ project, roomId, type }: RoomProps) => {
  const players = useSignal<ReadonlyArray<TestPlayer>>([])
  const next = useRef(1)
  const stage = stageOf({ project, roomId, type })
  const isAsked = useRef(asked.peek() === roomId)
  // A room of an old address may be there, or gone.
  const wasThere = useRef(!isAsked.current)
  const add = (): void => {
    if (typeof stage === "string") return
    const player = new TestPlayer(next.current++, stage)
    players.value = [...players.value, player]
    void player.join()
  }
  useEffect(() => {
    if (isAsked.current) add()
    return () => {
      for (const player of players.value) void player.leave()
    }
  }, [])
  wasThere.current ||= players.value.some(({ standing }) => standing.value === "connected")
  const present = players.value.filter(({ standing }) => standing.value !== "left")
  return (
    <>
      <Head
        project={project}
        roomId={roomId}
        isFull={players.value.length >= playersMax}
        isEmpty={present.length === 0}
        isThere={wasThere.current}
        onAdd={add}
        onSleep={() => {
          for (const player of players.value) void player.leave()
          players.value = []
        }}
      />
      {project === "dev" && present.length > 0 && <StepClock project={project} roomId={roomId} />}
      {typeof stage === "string" ? (
        <Empty title="This page cannot read the schema.">
          <Tenant text={stage} />
        </Empty>
      ) : (
        <div class="players">
          {players.value.map((player) => (
            <PlayerCard
              key={player.number}
              player={player}
              descriptor={type}
              onGone={() => (players.value = players.value.filter((one) => one !== player))}
            />
          ))}
        </div>
      )}
    </>
  )
}

/** @returns the fault of a schema that this page does not understand */
const stageOf = ({ project, roomId, type }: RoomProps): Stage | string => {
  try {
    return { project, roomId, descriptor: type, schema: fromDescriptor(type) }
  } catch (error) {
    return errorText(error)
  }
}

interface HeadProps {
  readonly project: string
  readonly roomId: string
  readonly isFull: boolean
  readonly isEmpty: boolean
  /** Somebody has been in it. */
  readonly isThere: boolean
  readonly onAdd: () => void
  readonly onSleep: () => void
}

const Head = ({ project, roomId, isFull, isEmpty, isThere, onAdd, onSleep }: HeadProps) => {
  return (
    <Panel
      title="Room"
      asked={{
        method: "POST",
        path: `/v1/projects/${encodeURIComponent(project)}/test-players`,
        body: { roomId },
        credential: "login"
      }}
      command={{ words: ["rooms", "test-player"], flags: { project }, values: [roomId] }}
      tools={
        <>
          {isEmpty ? (
            <button type="button" class="small" onClick={onAdd}>
              Wake it with a player
            </button>
          ) : (
            <>
              <button type="button" class="quiet small" disabled={isFull} onClick={onAdd}>
                Add a player
              </button>
              <button type="button" class="quiet small" onClick={onSleep}>
                Let it sleep
              </button>
            </>
          )}
        </>
      }
    >
      <p class="sub-line">
        <Link to={addressOf({ _tag: "Room", project, room: roomId })} class="mono">
          <Tenant text={roomId} max={128} inControl />
        </Link>{" "}
        {isThere ? <RoomStatus project={project} roomId={roomId} isEmpty={isEmpty} /> : "…"}
      </p>
    </Panel>
  )
}

/** The room's status. It is read once a player has been in the room: before that the room may not exist. */
const RoomStatus = ({
  project,
  roomId,
  isEmpty
}: Pick<HeadProps, "project" | "roomId" | "isEmpty">) => {
  const { last } = useRead<RoomDetail>(roomPath(project, roomId), 1000).state.value
  if (last === null) return null
  return (
    <>
      <Status room={last.value} />{" "}
      {isEmpty &&
        last.value.status !== "hibernated" &&
        "Everybody has left: it falls asleep by itself after a while."}
    </>
  )
}
