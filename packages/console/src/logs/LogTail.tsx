import type { LogLine } from "@atrium/domain/logs/LogLine"
import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"

import { addressOf } from "../app/Routes.ts"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { LiveMark } from "../parts/LiveMark.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useEvents } from "../service/Reads.ts"
import { type LogEntry, withEvents } from "./LogEntries.ts"

/** The lines that a reader wants. Empty texts choose all. */
export interface LogChoice {
  readonly room: string
  readonly level: LogLine["level"]
  readonly contains: string
}

interface Props {
  readonly project: string
  readonly choice: LogChoice
  readonly title: string
  readonly tools?: ComponentChildren
  /** The page is that of the room: its lines do not name it, and they take less height. */
  readonly ofRoom?: boolean
}

/** The lines of a project or of a room as they come. */
export const LogTail = ({ project, choice, title, tools, ofRoom = false }: Props) => {
  const { room, level, contains } = choice
  const query = new URLSearchParams({ level })
  if (room !== "") query.set("room", room)
  const path = `/v1/projects/${encodeURIComponent(project)}/logs/tail?${query.toString()}`
  const entries = useSignal<ReadonlyArray<LogEntry>>([])
  useEffect(() => {
    entries.value = []
  }, [path])
  const state = useEvents(path, {
    onBegin: () => undefined,
    onEvents: (events) => (entries.value = withEvents(entries.value, events)),
    // A tail that begins anew would tell the last lines a second time.
    resumes: true
  })
  const refused = typeof state.value === "object" ? state.value : null
  const shown = entries.value.filter(
    (entry) => contains === "" || entry._tag === "Missed" || entry.line.includes(contains)
  )
  return (
    <Panel
      title={title}
      asked={{ method: "GET", path, credential: "login", live: true }}
      command={{
        words: ["logs"],
        flags: { level, follow: null, project },
        values: room === "" ? [] : [room]
      }}
      tools={
        <>
          {tools}
          <LiveMark state={state.value} />
        </>
      }
    >
      {refused !== null && <Fault refusal={refused} />}
      {shown.length === 0 && state.value !== "live" ? (
        refused === null && <Waiting />
      ) : shown.length === 0 ? (
        <Empty title="No lines.">
          <p>
            What room code writes with <code>room.log</code> or <code>console.log</code> shows up
            here.
          </p>
        </Empty>
      ) : (
        <Lines project={project} entries={shown} ofRoom={ofRoom} />
      )}
    </Panel>
  )
}

interface LinesProps {
  readonly project: string
  readonly entries: ReadonlyArray<LogEntry>
  readonly ofRoom: boolean
}

const Lines = ({ project, entries, ofRoom }: LinesProps) => {
  const box = useRef<HTMLDivElement>(null)
  /** Whether new lines scroll the box: only while the reader is at its end. */
  const follows = useRef(true)
  useLayoutEffect(() => {
    const { current } = box
    if (current !== null && follows.current) current.scrollTop = current.scrollHeight
  }, [entries])
  return (
    <div
      class={ofRoom ? "log" : "log tall"}
      ref={box}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Lines"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < 24
      }}
    >
      {entries.map((entry) =>
        entry._tag === "Missed" ? (
          <p key={entry.key} class="line missed">
            {entry.lines === null ? "Some" : entry.lines} lines are left out here.
          </p>
        ) : (
          <LogRow key={entry.key} project={project} line={entry} ofRoom={ofRoom} />
        )
      )}
    </div>
  )
}

interface RowProps {
  readonly project: string
  readonly line: Pick<LogLine, "at" | "level" | "roomId" | "line">
  readonly ofRoom?: boolean
}

/** A line of a log, with a link to its room. */
export const LogRow = ({
  project,
  line: { at, level, roomId, line },
  ofRoom = false
}: RowProps) => (
  <p class={`line ${level}`}>
    <span class="when">
      <Moment at={at} as="time" />
    </span>
    <span class="level">{level}</span>
    <span>
      {!ofRoom && (
        <>
          <Link to={addressOf({ _tag: "Room", project, room: roomId })} class="of-room">
            <Tenant text={roomId} max={40} inControl />
          </Link>{" "}
        </>
      )}
      <Tenant text={line} max={1000} lines />
    </span>
  </p>
)
