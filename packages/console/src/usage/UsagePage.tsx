import type { Caps } from "@atrium/domain/meters/CapsApi"
import type { Usage } from "@atrium/domain/meters/UsageApi"

import { Empty } from "../parts/Empty.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { useRead } from "../service/Reads.ts"
import { AlertsPanel } from "./AlertsPanel.tsx"
import { CapsPanel } from "./CapsPanel.tsx"
import { amountText, meterNames, meters } from "./MeterText.ts"

/** What a project uses, and where its caps are. */
export const UsagePage = ({ project }: { project: string }) => {
  const base = `/v1/projects/${encodeURIComponent(project)}`
  const caps = useRead<Caps>(`${base}/caps`, 5000)
  const usage = useRead<Usage>(`${base}/usage`, 30_000)
  return (
    <>
      <PageHead project={project} title="Usage and caps" />
      <div class="panels">
        <CapsPanel project={project} caps={caps} usage={usage} />
        <AlertsPanel project={project} />
        <ReadPanel
          title="Use by day"
          read={usage}
          asked={{ method: "GET", path: `${base}/usage`, credential: "login" }}
          command={{ words: ["usage"], flags: { project } }}
        >
          {({ days }) =>
            days.length === 0 ? (
              <Empty title="Nothing is used yet.">
                <p>The first day shows up here a few seconds after somebody has played.</p>
              </Empty>
            ) : (
              <Table
                label="Days in UTC"
                columns={columns}
                rows={days.toReversed()}
                keyOf={({ day }) => day}
                step={31}
              />
            )
          }
        </ReadPanel>
      </div>
    </>
  )
}

const columns: ReadonlyArray<TableColumn<Usage["days"][number]>> = [
  { title: "Day (UTC)", cell: ({ day }) => day },
  ...meters.map((meter): TableColumn<Usage["days"][number]> => ({
    title: meterNames[meter],
    number: true,
    ...(meter === "voiceMinutes" ? { when: "roomy" as const } : {}),
    cell: (day) => amountText(meter, day[meter])
  }))
]
