import type { LogLine } from "@atrium/domain/logs/LogLine"
import { TimerMsMax } from "@atrium/wire/limits/Limit"
import { durationMs } from "@atrium/wire/time/Duration"
import { useSignal } from "@preact/signals"

import { Empty } from "../parts/Empty.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { useRead } from "../service/Reads.ts"
import { LevelChoice } from "./LevelChoice.tsx"
import { type LogChoice, LogRow, LogTail } from "./LogTail.tsx"

const spans = ["10m", "1h", "6h", "1d", "7d"] as const
const limit = 500

/** A span of the past, and the moment at which it began when the reader chose it. */
interface Since {
  readonly span: string
  readonly at: string
}

const agoText = (span: string): string =>
  new Date(Date.now() - (durationMs(span) ?? 0)).toISOString()

/** What the rooms of a project have logged: found in the past, and as it comes. */
export const LogsPage = ({ project }: { project: string }) => {
  const choice = useSignal<LogChoice>({ room: "", level: "debug", contains: "" })
  const since = useSignal<Since | null>(null)
  return (
    <>
      <PageHead project={project} title="Logs" />
      <div class="panels">
        <div class="panel">
          <Filters
            choice={choice.value}
            span={since.value?.span ?? ""}
            onChoice={(next) => (choice.value = next)}
            onSpan={(span) => {
              since.value = span === "" ? null : { span, at: agoText(span) }
            }}
          />
        </div>
        {since.value === null ? (
          <LogTail project={project} choice={choice.value} title="As they come" />
        ) : (
          <Past project={project} choice={choice.value} since={since.value} />
        )}
      </div>
    </>
  )
}

interface FilterProps {
  readonly choice: LogChoice
  /** Empty = lines as they come. */
  readonly span: string
  readonly onChoice: (choice: LogChoice) => void
  readonly onSpan: (span: string) => void
}

const Filters = ({ choice, span, onChoice, onSpan }: FilterProps) => {
  const typed = useSignal({ room: choice.room, contains: choice.contains })
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        onChoice({ ...choice, ...typed.value })
      }}
    >
      <input
        type="search"
        aria-label="Text that a line holds"
        placeholder="Text in the line"
        value={typed.value.contains}
        onInput={({ currentTarget: { value } }) =>
          (typed.value = { ...typed.value, contains: value })
        }
      />
      <input
        type="search"
        aria-label="Id of a room"
        placeholder="All rooms"
        value={typed.value.room}
        onInput={({ currentTarget: { value } }) => (typed.value = { ...typed.value, room: value })}
      />
      <LevelChoice
        level={choice.level}
        onLevel={(level) => onChoice({ ...choice, ...typed.value, level })}
      />
      <select
        aria-label="When"
        value={span}
        onChange={({ currentTarget }) => {
          onChoice({ ...choice, ...typed.value })
          onSpan(currentTarget.value)
        }}
      >
        <option value="">As they come</option>
        {spans.map((each) => (
          <option key={each} value={each}>
            The last {each}
          </option>
        ))}
      </select>
      <button class="quiet">Search</button>
    </form>
  )
}

interface PastProps {
  readonly project: string
  readonly choice: LogChoice
  readonly since: Since
}

/** Lines of the past, the newest ones that match. */
const Past = ({ project, choice, since }: PastProps) => {
  const { room, level, contains } = choice
  const query = new URLSearchParams({ since: since.at, level, limit: String(limit) })
  if (room !== "") query.set("room", room)
  if (contains !== "") query.set("contains", contains)
  const path = `/v1/projects/${encodeURIComponent(project)}/logs?${query.toString()}`
  const read = useRead<ReadonlyArray<LogLine>>(path, TimerMsMax)
  return (
    <ReadPanel
      title={`The last ${since.span}`}
      read={read}
      asked={{ method: "GET", path, credential: "login" }}
      command={{
        words: ["logs"],
        flags: {
          since: since.span,
          level,
          limit,
          contains: contains === "" ? undefined : contains,
          project
        },
        values: room === "" ? [] : [room]
      }}
      tools={
        <button type="button" class="quiet small" onClick={read.again}>
          Search again
        </button>
      }
    >
      {(lines) =>
        lines.length === 0 ? (
          <Empty title="No line matches.">
            <p>
              Lines are kept for 7 days. A search finds a text letter by letter: it knows no
              patterns, and capital letters count.
            </p>
          </Empty>
        ) : (
          <>
            {lines.length === limit && (
              <p class="sub-line">The newest {limit} that match; earlier ones are not shown.</p>
            )}
            <div class="log tall" tabIndex={0} role="log" aria-live="off" aria-label="Lines">
              {lines.map((line, at) => (
                <LogRow key={at} project={project} line={line} />
              ))}
            </div>
          </>
        )
      }
    </ReadPanel>
  )
}
