import type { DeploymentListed } from "@atrium/domain/deployments/DeploymentsApi"
import { useSignal } from "@preact/signals"

import { parameter, setParameters } from "../app/Location.ts"
import { Empty } from "../parts/Empty.tsx"
import { Moment } from "../parts/Moment.tsx"
import { PageHead } from "../parts/PageHead.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { type Read, useRead } from "../service/Reads.ts"
import { bytesText, countText } from "../text/Numbers.ts"
import { QuarantinePanel } from "./QuarantinePanel.tsx"
import { RehearsalsPanel } from "./RehearsalsPanel.tsx"
import { Rollback } from "./Rollback.tsx"
import { VersionPanel } from "./VersionPanel.tsx"

const everyMs = 5000

/** The versions of a project's room code, and what its rooms make of them. Source: C-779. */
export const DeploymentsPage = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}/deployments`
  const read = useRead<ReadonlyArray<DeploymentListed>>(path, everyMs)
  const versions = read.state.value.last?.value ?? []
  const opened = versions.find(({ version }) => String(version) === parameter("version"))
  return (
    <>
      <PageHead project={project} title="Deployments" />
      <div class="panels">
        <Versions project={project} path={path} read={read} />
        {opened !== undefined && (
          <VersionPanel key={opened.version} path={path} version={opened.version} />
        )}
        {versions.some(({ quarantine }) => quarantine === true) && (
          <QuarantinePanel project={project} />
        )}
        <RehearsalsPanel project={project} />
      </div>
    </>
  )
}

interface Props {
  readonly project: string
  readonly path: string
  readonly read: Read<ReadonlyArray<DeploymentListed>>
}

const Versions = ({ project, path, read }: Props) => {
  const asked = useSignal<DeploymentListed | null>(null)
  const done = useSignal<string | null>(null)
  return (
    <ReadPanel
      title="Versions"
      read={read}
      asked={{ method: "GET", path, credential: "login" }}
      command={{ words: ["deployments"], flags: { project } }}
      above={
        done.value !== null && (
          <p class="done" role="status">
            {done.value}
          </p>
        )
      }
    >
      {(versions) => (
        <>
          {versions.length === 0 ? (
            <Empty title="No version yet.">
              <p>Room code, or a schema alone, becomes version 1 with the first deploy:</p>
              <p>
                <code>atrium deploy</code>
              </p>
            </Empty>
          ) : (
            <Table
              label="Versions"
              columns={columnsOf((row) => (asked.value = row))}
              rows={versions}
              keyOf={({ version }) => String(version)}
            />
          )}
          {asked.value !== null && (
            <Rollback
              project={project}
              version={asked.value.version}
              onDone={(text) => {
                done.value = text
                read.again()
              }}
              onClose={() => (asked.value = null)}
            />
          )}
        </>
      )}
    </ReadPanel>
  )
}

const columnsOf = (
  onRollback: (row: DeploymentListed) => void
): ReadonlyArray<TableColumn<DeploymentListed>> => [
  {
    title: "Version",
    cell: ({ version, current, rollbackOf }) => (
      <>
        <button
          type="button"
          class="plain"
          aria-expanded={parameter("version") === String(version)}
          onClick={() =>
            setParameters({
              version: parameter("version") === String(version) ? null : String(version)
            })
          }
        >
          {version}
        </button>{" "}
        {current && <span class="chip current">current</span>}
        {rollbackOf !== null && <span class="under">code of {rollbackOf}</span>}
      </>
    )
  },
  { title: "Deployed", when: "roomy", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: "Rooms up", number: true, cell: ({ rooms }) => countText(rooms) },
  { title: "Room types", when: "roomy", cell: ({ roomTypes }) => roomTypes.length },
  { title: "Size", number: true, when: "roomy", cell: ({ bytes }) => bytesText(bytes) },
  { title: "Rooms that were up", when: "wide", cell: (row) => wayText(row) },
  {
    title: "",
    number: true,
    cell: (row) =>
      !row.current && (
        <button type="button" class="quiet small danger" onClick={() => onRollback(row)}>
          Roll back
        </button>
      )
  }
]

/** What became of rooms of older versions. */
const wayText = ({ relay, strategy, discards, quarantine }: DeploymentListed): string =>
  [
    strategy === "drain" ? "stay until they are empty" : "move at once",
    ...(discards === true ? ["start anew"] : []),
    ...(quarantine === true ? ["or go into quarantine"] : []),
    ...(relay ? ["no code: a schema alone"] : [])
  ].join(", ")
