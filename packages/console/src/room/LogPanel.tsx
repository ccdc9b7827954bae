import type { LogLine } from "@atrium/domain/logs/LogLine"
import { useSignal } from "@preact/signals"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"

import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { LiveMark } from "../parts/LiveMark.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useEvents } from "../service/Reads.ts"
import { type LogEntry, withEvents } from "./LogEntries.ts"

const levels = ["debug", "info", "warn", "error"] as const

/** What a room has logged, and each line as it comes. */
export const LogPanel = ({ project, room }: { project: string; room: string }) => {
  const level = useSignal<LogLine["level"]>("debug")
  const query = new URLSearchParams({ room, level: level.value })
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
  return (
    <Panel
      title="Log"
      asked={{ method: "GET", path, credential: "login", live: true }}
      command={{
        words: ["logs"],
        flags: { level: level.value, follow: null, project },
        values: [room]
      }}
      tools={
        <>
          <LevelChoice level={level.value} onLevel={(next) => (level.value = next)} />
          <LiveMark state={state.value} />
        </>
      }
    >
      {refused !== null && <Fault refusal={refused} />}
      {entries.value.length === 0 && state.value !== "live" ? (
        refused === null && <Waiting />
      ) : entries.value.length === 0 ? (
        <Empty title="No lines.">
          <p>
            What room code writes with <code>room.log</code> or <code>console.log</code> shows up
            here.
          </p>
        </Empty>
      ) : (
        <Lines entries={entries.value} />
      )}
    </Panel>
  )
}

interface LevelProps {
  readonly level: LogLine["level"]
  readonly onLevel: (level: LogLine["level"]) => void
}

const LevelChoice = ({ level, onLevel }: LevelProps) => (
  <select
    aria-label="Least level"
    class="small"
    value={level}
    onChange={({ currentTarget }) => {
      const next = levels.find((one) => one === currentTarget.value)
      if (next !== undefined) onLevel(next)
    }}
  >
    {levels.map((one) => (
      <option key={one} value={one}>
        {one === "error" ? "error" : `${one} and up`}
      </option>
    ))}
  </select>
)

const Lines = ({ entries }: { entries: ReadonlyArray<LogEntry> }) => {
  const box = useRef<HTMLDivElement>(null)
  /** Whether new lines scroll the box: only while the reader is at its end. */
  const follows = useRef(true)
  useLayoutEffect(() => {
    const { current } = box
    if (current !== null && follows.current) current.scrollTop = current.scrollHeight
  }, [entries])
  return (
    <div
      class="log"
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
              <Tenant text={entry.line} max={1000} lines />
            </span>
          </p>
        )
      )}
    </div>
  )
}
