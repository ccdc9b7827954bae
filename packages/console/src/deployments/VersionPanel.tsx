import type { DeploymentRead } from "@atrium/domain/deployments/DeploymentsApi"

import { Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useRead } from "../service/Reads.ts"
import { changeText, type SchemaChange, schemaChanges } from "./SchemaChange.ts"

interface Props {
  /** Of the list of versions. */
  readonly path: string
  readonly version: number
}

/** A version never changes. */
const everyMs = 600_000

/** The room types of a version, and how their schemas differ from those of the version before. */
export const VersionPanel = ({ path, version }: Props) => {
  const own = `${path}/${version}`
  const read = useRead<DeploymentRead>(own, everyMs)
  return (
    <ReadPanel
      title={`Version ${version}`}
      read={read}
      asked={{ method: "GET", path: own, credential: "login" }}
    >
      {(now) =>
        version === 1 ? (
          <Types now={now} changes={schemaChanges([], now.schemas)} />
        ) : (
          <Changed path={path} now={now} />
        )
      }
    </ReadPanel>
  )
}

const Changed = ({ path, now }: { path: string; now: DeploymentRead }) => {
  const { last, refused } = useRead<DeploymentRead>(`${path}/${now.version - 1}`, everyMs).state
    .value
  if (refused !== null) return <Fault refusal={refused} />
  if (last === null) return <Waiting />
  return <Types now={now} changes={schemaChanges(last.value.schemas, now.schemas)} />
}

const Types = ({ now, changes }: { now: DeploymentRead; changes: ReadonlyArray<SchemaChange> }) => (
  <>
    <p class="sub-line">
      {now.version === 1
        ? "The first version."
        : `Compared with version ${now.version - 1}: the first difference that stored state cannot bridge by itself.`}
    </p>
    <Table
      label={`Room types of version ${now.version}`}
      columns={columnsOf(now)}
      rows={changes}
      keyOf={({ type }) => type}
    />
  </>
)

const columnsOf = (now: DeploymentRead): ReadonlyArray<TableColumn<SchemaChange>> => {
  const types = new Map(now.roomTypes.map((one) => [one.type, one]))
  return [
    { title: "Room type", cell: ({ type }) => <Tenant text={type} max={64} /> },
    {
      title: "Schema",
      cell: (change) => (
        <span class={change.kind === "breaking" ? "breaking" : ""}>
          <Tenant text={changeText(change)} max={400} />
        </span>
      )
    },
    { title: "Class", when: "roomy", cell: ({ type }) => types.get(type)?.class ?? "" },
    {
      title: "Clients at most",
      number: true,
      when: "roomy",
      cell: ({ type }) => types.get(type)?.maxClients ?? ""
    },
    {
      title: "Hash",
      when: "wide",
      cell: ({ type }) => <code>{types.get(type)?.schemaHash ?? ""}</code>
    }
  ]
}
