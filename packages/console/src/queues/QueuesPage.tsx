import type { Project } from "@atrium/domain/projects/ProjectsApi"

import { Fault } from "../parts/Fault.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
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
  return (
    <>
      <PageHead project={project} title="Queues" />
      <ReadPanel title="Queues" read={read} asked={{ method: "GET", path, credential: "login" }}>
        {({ queues }) => {
          const declared = Object.entries(queues)
          return (
            <>
              {declared.length === 0 && (
                <p class="sub-line">
                  Nothing is declared: there is the queue <code>default</code> of two players.
                  Declare <code>queues</code> in <code>service.json</code>, or in the settings.
                </p>
              )}
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
                  {(declared.length === 0 ? [["default", { size: 2 }] as const] : declared).map(
                    ([name, rules]) => (
                      <QueueRow key={name} project={project} name={name} rules={rules} />
                    )
                  )}
                </tbody>
              </table>
            </>
          )
        }}
      </ReadPanel>
    </>
  )
}

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
        <Tenant text={name} max={32} />
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
