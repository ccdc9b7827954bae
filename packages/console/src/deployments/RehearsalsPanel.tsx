import type { Rehearsal } from "@atrium/domain/migrations/RehearsalsApi"

import { addressOf } from "../app/Routes.ts"
import { Empty } from "../parts/Empty.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useRead } from "../service/Reads.ts"
import { bytesText, countText } from "../text/Numbers.ts"
import { spanText } from "../text/Times.ts"

const everyMs = 5000

/** Migrations that were tried on what is stored, and what failed. */
export const RehearsalsPanel = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}/rehearsals`
  const read = useRead<ReadonlyArray<Rehearsal>>(path, everyMs)
  return (
    <ReadPanel title="Rehearsals" read={read} asked={{ method: "GET", path, credential: "login" }}>
      {(rehearsals) =>
        rehearsals.length === 0 ? (
          <Empty title="Nothing was rehearsed yet.">
            <p>Try a new version on the stored state of every room before you deploy it:</p>
            <p>
              <code>atrium migrate rehearse</code>
            </p>
          </Empty>
        ) : (
          <ol class="rehearsals">
            {rehearsals.map((one) => (
              <Rehearsed key={one.rehearsalId} project={project} rehearsal={one} />
            ))}
          </ol>
        )
      }
    </ReadPanel>
  )
}

const tones: Readonly<Record<Rehearsal["state"], string>> = {
  running: "busy",
  stopped: "asleep",
  passed: "good",
  failed: "bad",
  outdated: "asleep"
}

interface Props {
  readonly project: string
  readonly rehearsal: Rehearsal
}

const Rehearsed = ({ project, rehearsal }: Props) => {
  const { state, version, createdAt, rooms, failures, diffs } = rehearsal
  return (
    <li class="rehearsal">
      <p>
        <span class={`status ${tones[state]}`}>{state}</span> <b>version {version}</b>{" "}
        <span class="faint">
          <Moment at={createdAt} />, {countText(rooms.done)} of {countText(rooms.total)} rooms
          {rehearsal.sample === null ? "" : ", drawn by chance"}
        </span>
      </p>
      <p class="under">{figuresOf(rehearsal)}</p>
      {failures.length > 0 && (
        <ul class="failures">
          {failures.map((failure) => (
            <Failed
              key={`${failure.roomId} ${failure.saveId ?? ""} ${failure.message}`}
              project={project}
              failure={failure}
            />
          ))}
        </ul>
      )}
      {diffs.length > 0 && (
        <details>
          <summary>
            What changes in {diffs.length === 1 ? "one room" : `${diffs.length} rooms`}
          </summary>
          {diffs.map(({ roomId, lines }) => (
            <div key={roomId} class="diff">
              <Tenant text={roomId} max={128} />
              {lines.map((line, at) => (
                <p key={`${at} ${line}`} class={line.startsWith("-") ? "old" : "new"}>
                  <Tenant text={line} max={400} />
                </p>
              ))}
            </div>
          ))}
        </details>
      )}
    </li>
  )
}

const figuresOf = ({ state, rooms, states, bytes, wakeMs, estimateMs }: Rehearsal): string =>
  [
    `${countText(rooms.failed)} failed`,
    `${countText(states.done)} states`,
    `${bytesText(bytes.before)} before, ${bytesText(bytes.after)} after`,
    `a wake takes ${wakeMs.mean} ms more, at most ${wakeMs.max} ms`,
    ...(state === "running" ? [`about ${spanText(estimateMs)} left`] : [])
  ].join(" · ")

interface FailedProps {
  readonly project: string
  readonly failure: Rehearsal["failures"][number]
}

const Failed = ({ project, failure }: FailedProps) => {
  const { roomId, saveId, version, message, stack, rooms } = failure
  return (
    <li>
      <b>
        {countText(rooms)} {rooms === 1 ? "room" : "rooms"}
      </b>
      : <Tenant text={message} max={400} />
      {stack !== "" && (
        <pre>
          <Tenant text={stack} max={1000} lines />
        </pre>
      )}
      <span class="under">
        such as{" "}
        <Link to={addressOf({ _tag: "Saves", project, room: roomId })}>
          <Tenant text={roomId} max={128} inControl />
        </Link>
        , {saveId === null ? "its newest state" : <code>{saveId}</code>} of version {version}
      </span>
    </li>
  )
}
