import type { AuditRow } from "@atrium/domain/audit/AuditApi"

import { Empty } from "../parts/Empty.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useRead } from "../service/Reads.ts"
import type { Command } from "../shell/Equivalents.ts"

interface Props {
  readonly path: string
  readonly command: Command
}

/** Who did what. */
export const AuditPanel = ({ path, command }: Props) => {
  const read = useRead<ReadonlyArray<AuditRow>>(path, 10_000)
  return (
    <ReadPanel
      title="Audit"
      read={read}
      asked={{ method: "GET", path, credential: "login" }}
      command={command}
    >
      {(rows) =>
        rows.length === 0 ? (
          <Empty title="Nothing was done yet.">
            <p>Who makes, changes, deploys, restores or revokes something is written down here.</p>
          </Empty>
        ) : (
          <Table
            label="What was done"
            columns={columns}
            rows={rows}
            keyOf={({ at, requestId, action }) => `${at} ${requestId} ${action}`}
          />
        )
      }
    </ReadPanel>
  )
}

const columns: ReadonlyArray<TableColumn<AuditRow>> = [
  { title: "When", cell: ({ at }) => <Moment at={at} as="time" /> },
  {
    title: "What",
    cell: ({ action, outcome }) => (
      <>
        <code>{action}</code>
        {outcome !== "done" && <span class="chip">{outcome}</span>}
      </>
    )
  },
  {
    title: "To",
    cell: ({ target }) =>
      target === null ? <span class="faint">itself</span> : <Tenant text={target} max={60} />
  },
  {
    title: "By",
    when: "roomy",
    cell: ({ actor }) => (
      <code>
        <Tenant text={actor} max={40} />
      </code>
    )
  },
  { title: "From", when: "wide", cell: ({ address }) => <Tenant text={address} max={60} /> }
]
