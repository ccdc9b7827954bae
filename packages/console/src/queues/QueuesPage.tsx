import type { WaitingTicket } from "@atrium/domain/match/TicketsApi"
import type { Project } from "@atrium/domain/projects/ProjectsApi"

import { parameter, setParameters } from "../app/Location.ts"
import { Empty } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Scrolls } from "../parts/Scrolls.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { addressOfPlayer } from "../players/PlayerPath.ts"
import { useRead } from "../service/Reads.ts"
import { countText } from "../text/Numbers.ts"
import { spanText } from "../text/Times.ts"

interface Depth {
  readonly depth: number
  readonly oldestMs: number | null
}

/** The queues of a project, and who waits in them. */
export const QueuesPage = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}`
  const read = useRead<Project>(path, 30_000)
  const queue = parameter("queue")
  return (
    <>
      <PageHead project={project} title="Queues" />
      <div class="panels">
        <ReadPanel title="Queues" read={read} asked={{ method: "GET", path, credential: "login" }}>
          {({ queues }) => <Declared project={project} queues={Object.entries(queues)} />}
        </ReadPanel>
        {queue !== null && <Waiting key={queue} project={project} queue={queue} />}
      </div>
    </>
  )
}

interface DeclaredProps {
  readonly project: string
  readonly queues: ReadonlyArray<readonly [string, Project["queues"][string]]>
}

const Declared = ({ project, queues }: DeclaredProps) => (
  <>
    {queues.length === 0 && (
      <p class="sub-line">
        Nothing is declared: there is the queue <code>default</code> of two players. Declare{" "}
        <code>queues</code> in <code>service.json</code>, or in the settings.
      </p>
    )}
    <Scrolls label="Queues">
      <table>
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">Match</th>
            <th scope="col" class="number">
              Tickets
            </th>
            <th scope="col" class="number">
              Oldest
            </th>
          </tr>
        </thead>
        <tbody>
          {(queues.length === 0 ? [["default", { size: 2 }] as const] : queues).map(
            ([name, rules]) => (
              <QueueRow key={name} project={project} name={name} rules={rules} />
            )
          )}
        </tbody>
      </table>
    </Scrolls>
  </>
)

/** Who waits in a queue, and why. Source: C-808. */
const Waiting = ({ project, queue }: { project: string; queue: string }) => {
  const query = new URLSearchParams({ queue })
  const path = `/v1/projects/${encodeURIComponent(project)}/tickets?${query.toString()}`
  const read = useRead<ReadonlyArray<WaitingTicket>>(path, 5000)
  return (
    <ReadPanel
      title="Who waits longest"
      read={read}
      asked={{ method: "GET", path, credential: "login" }}
      command={{ words: ["queue"], flags: { project }, values: [queue] }}
    >
      {(tickets) =>
        tickets.length === 0 ? (
          <Empty title="Nobody waits.">
            <p>
              Players queue with <code>client.match</code>.
            </p>
          </Empty>
        ) : (
          <Table
            label="Tickets"
            columns={ticketColumns(project)}
            rows={tickets}
            keyOf={({ playerId }) => playerId}
          />
        )
      }
    </ReadPanel>
  )
}

const ticketColumns = (project: string): ReadonlyArray<TableColumn<WaitingTicket>> => [
  {
    title: "Player",
    cell: ({ playerId, party }) => (
      <>
        <Link to={addressOfPlayer(project, playerId)} class="mono">
          <Tenant text={playerId} max={60} inControl />
        </Link>
        {party && <span class="under">in a party</span>}
      </>
    )
  },
  {
    title: "Rating",
    when: "roomy",
    number: true,
    cell: ({ rating }) => countText(Math.round(rating))
  },
  { title: "Since", cell: ({ since }) => <Moment at={since} /> },
  { title: "Why", cell: ({ why }) => <Tenant text={why} max={200} /> }
]

interface RowProps {
  readonly project: string
  readonly name: string
  readonly rules: Project["queues"][string]
}

const QueueRow = ({ project, name, rules }: RowProps) => {
  const query = new URLSearchParams({ project, queue: name })
  const read = useRead<Depth>(`/match/status?${query.toString()}`, 5000)
  const { last, refused } = read.state.value
  return (
    <tr>
      <td>
        <button
          type="button"
          class="plain"
          aria-pressed={parameter("queue") === name}
          onClick={() => setParameters({ queue: name })}
        >
          <Tenant text={name} max={32} inControl />
        </button>
        {refused !== null && <Fault refusal={refused} again={read.again} />}
      </td>
      <td>{rulesText(rules)}</td>
      <td class="number">{last === null ? "…" : countText(last.value.depth)}</td>
      <td class="number">
        {last === null || last.value.oldestMs === null ? (
          <span class="faint">none</span>
        ) : (
          spanText(last.value.oldestMs)
        )}
      </td>
    </tr>
  )
}

const rulesText = ({ size, skill, teams }: Project["queues"][string]): string => {
  const seats = teams === undefined ? `${size ?? 2} players` : `${teams.length} kinds of teams`
  return skill === true ? `${seats}, by skill` : seats
}
