import type { SeriesPoint } from "@atrium/domain/metrics/MetricsApi"

import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Plot } from "../parts/Plot.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useRead } from "../service/Reads.ts"
import { countText } from "../text/Numbers.ts"
import { gridOf, refusalsIn, refusalsOf, type SeriesGrid, spanMs, valuesOf } from "./SeriesGrid.ts"

/** What a project did in the last hour. */
export const HourPage = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}/metrics/series`
  const read = useRead<ReadonlyArray<SeriesPoint>>(path, spanMs)
  const { last, refused } = read.state.value
  const points = last?.value ?? []
  const refusals = refusalsOf(points)
  return (
    <>
      <PageHead project={project} title="Last hour" />
      <div class="panels">
        <Panel
          title="What the project did"
          asOf={last?.atMs ?? null}
          asked={{ method: "GET", path, credential: "login" }}
        >
          {refused !== null && <Fault refusal={refused} again={read.again} />}
          {last === null ? (
            refused === null && <Waiting />
          ) : points.length === 0 ? (
            <Empty title="Nobody has used this project in the last hour.">
              <p>Open your game: the first point comes ten seconds after the first player.</p>
            </Empty>
          ) : (
            <Plots grid={gridOf(points)} />
          )}
        </Panel>
        {refusals.length > 0 && <Refusals rows={refusals} />}
      </div>
    </>
  )
}

const perSecond = (bytes: number): number => (bytes * 1000) / spanMs

const Plots = ({ grid }: { grid: SeriesGrid }) => {
  const line = (name: string, read: (point: SeriesPoint) => number) => ({
    name,
    values: valuesOf(grid, read)
  })
  const { atSeconds } = grid
  return (
    <div class="plots">
      <Plot
        title="Players"
        atSeconds={atSeconds}
        lines={[
          line("in rooms", ({ players }) => players),
          line("sockets", ({ sockets }) => sockets)
        ]}
        unit="count"
      />
      <Plot
        title="Rooms"
        atSeconds={atSeconds}
        lines={[
          line("awake", ({ roomsByState }) => roomsByState.awake),
          line("asleep", ({ roomsByState }) => roomsByState.hibernated),
          line("closed", ({ roomsByState }) => roomsByState.closed)
        ]}
        unit="count"
      />
      <Plot
        title="Joins in ten seconds"
        atSeconds={atSeconds}
        lines={[line("joined", ({ joins }) => joins), line("refused", refusalsIn)]}
        unit="count"
      />
      <Plot
        title="Trouble in ten seconds"
        atSeconds={atSeconds}
        lines={[line("error lines", ({ errors }) => errors), line("crashes", ({ exits }) => exits)]}
        unit="count"
      />
      <Plot
        title="Bytes a second"
        atSeconds={atSeconds}
        lines={[
          line("out", ({ egressBytes }) => perSecond(egressBytes)),
          line("in", ({ ingressBytes }) => perSecond(ingressBytes))
        ]}
        unit="bytes"
      />
      <Plot
        title="Memory of rooms"
        atSeconds={atSeconds}
        lines={[line("taken", ({ memoryBytes }) => memoryBytes)]}
        unit="bytes"
      />
    </div>
  )
}

const Refusals = ({ rows }: { rows: ReadonlyArray<readonly [name: string, count: number]> }) => (
  <Panel title="Refusals of the hour">
    <table>
      <thead>
        <tr>
          <th scope="col">Limit or code</th>
          <th scope="col" class="number">
            Times
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, count]) => (
          <tr key={name}>
            <td>
              <code>
                <Tenant text={name} max={120} />
              </code>
            </td>
            <td class="number">{countText(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Panel>
)
