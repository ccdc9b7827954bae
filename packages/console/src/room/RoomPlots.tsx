import type { RoomClient } from "@atrium/domain/inspect/InspectApi"
import { useSignal, useSignalEffect } from "@preact/signals"

import { Panel } from "../parts/Panel.tsx"
import { Plot } from "../parts/Plot.tsx"
import type { Read } from "../service/Reads.ts"
import { noSeries, withLook } from "./ClientSeries.ts"

interface Props {
  readonly path: string
  readonly read: Read<ReadonlyArray<RoomClient>>
}

/** The clients of a room and their bytes, since the page was opened. Source: C-774. */
export const RoomPlots = ({ path, read }: Props) => {
  const series = useSignal(noSeries)
  useSignalEffect(() => {
    const { last, refused } = read.state.value
    // Where nobody answered, nobody measured.
    if (last !== null && refused === null)
      series.value = withLook(series.peek(), last.value, Date.now())
  })
  const { points } = series.value
  const atSeconds = points.map(({ atMs }) => atMs / 1000)
  return (
    <Panel
      title="Since you opened this page"
      asked={{ method: "GET", path: `${path}/clients`, credential: "login" }}
    >
      <div class="plots">
        <Plot
          title="Clients"
          atSeconds={atSeconds}
          lines={[{ name: "now", values: points.map(({ clients }) => clients) }]}
          unit="count"
        />
        <Plot
          title="Bytes a second"
          atSeconds={atSeconds}
          lines={[
            { name: "out", values: points.map(({ outPerSecond }) => outPerSecond) },
            { name: "in", values: points.map(({ inPerSecond }) => inPerSecond) }
          ]}
          unit="bytes"
        />
      </div>
    </Panel>
  )
}
