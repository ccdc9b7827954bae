import type { LifeEvent } from "@atrium/domain/life/LifeEvent"
import { useSignal } from "@preact/signals"

import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Moment } from "../parts/Moment.tsx"
import { More } from "../parts/More.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Scrolls } from "../parts/Scrolls.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useRead } from "../service/Reads.ts"
import type { Command } from "../shell/Equivalents.ts"
import { countText } from "../text/Numbers.ts"
import { lifeText } from "./LifeText.ts"

interface Props {
  readonly path: string
  readonly command: Command
}

const everyMs = 5000
/** Events that are drawn at first, and at each click. */
const step = 50

/** What happened to a room, on one line of time. */
export const LifePanel = ({ path, command }: Props) => {
  const asked = `${path}/life`
  const read = useRead<ReadonlyArray<LifeEvent>>(asked, everyMs)
  const max = useSignal(step)
  const { last, refused } = read.state.value
  const events = last?.value ?? []
  return (
    <Panel
      title="Life"
      asOf={last?.atMs ?? null}
      asked={{ method: "GET", path: asked, credential: "login" }}
      command={command}
    >
      {refused !== null && <Fault refusal={refused} again={read.again} />}
      {last === null ? (
        refused === null && <Waiting />
      ) : events.length === 0 ? (
        <Empty title="Nothing has happened yet.">
          <p>Starts, saves, sleeps and crashes of the last seven days show up here.</p>
        </Empty>
      ) : (
        <Scrolls label="Events">
          <ol class="life">
            {events.slice(0, max.value).map((event) => (
              <Happened key={event.id} event={event} />
            ))}
          </ol>
          {events.length > max.value && (
            <p class="sub-line">
              <More left={events.length - max.value} onClick={() => (max.value += step)} />
            </p>
          )}
        </Scrolls>
      )}
    </Panel>
  )
}

const Happened = ({ event }: { event: LifeEvent }) => {
  const { tone, text, detail } = lifeText(event)
  return (
    <li class={`happened ${tone}`}>
      <span class="when">
        <Moment at={event.at} as="time" />
      </span>
      <span>
        <Tenant text={text} max={400} />
        {detail !== null && detail !== "" && (
          <span class="under">
            <Tenant text={detail} max={300} lines />
          </span>
        )}
        {event.missing !== undefined && (
          <span class="under">{countText(event.missing)} events before it were not kept.</span>
        )}
      </span>
    </li>
  )
}
