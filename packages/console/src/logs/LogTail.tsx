import type { LogLine } from "@atrium/domain/logs/LogLine"
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"

import { addressOf } from "../app/Routes.ts"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { LiveMark } from "../parts/LiveMark.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { type LogEntry, withEvents } from "../room/LogEntries.ts"
import { useEvents } from "../service/Reads.ts"

/** The lines that a reader wants. Empty texts choose all. */
export interface LogChoice {
  readonly room: string
  readonly level: LogLine["level"]
  readonly contains: string
}

interface Props {
  readonly project: string
  readonly choice: LogChoice
}

/** The lines of a project as they come. */
export const LogTail = ({ project, choice: { room, level, contains } }: Props) => {
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
      title="As they come"
      asked={{ method: "GET", path, credential: "login", live: true }}
      command={{
        words: ["logs"],
        flags: { level, follow: null, project },
        values: room === "" ? [] : [room]
      }}
      tools={<LiveMark state={state.value} />}
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
        <Lines project={project} entries={shown} />
      )}
    </Panel>
  )
}

const Lines = ({ project, entries }: { project: string; entries: ReadonlyArray<LogEntry> }) => {
  const box = useRef<HTMLDivElement>(null)
  /** Whether new lines scroll the box: only while the reader is at its end. */
  const follows = useRef(true)
  useLayoutEffect(() => {
    const { current } = box
    if (current !== null && follows.current) current.scrollTop = current.scrollHeight
  }, [entries])
  return (
    <div
      class="log tall"
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
          <p key={entry.key} class={`line ${entry.level}`}>
            <span class="when">
              <Moment at={entry.at} as="time" />
            </span>
            <span class="level">{entry.level}</span>
            <span>
              <Link to={addressOf({ _tag: "Room", project, room: entry.roomId })} class="of-room">
                <Tenant text={entry.roomId} max={40} />
              </Link>{" "}
              <Tenant text={entry.line} max={1000} lines />
            </span>
          </p>
        )
      )}
    </div>
  )
}
