import type { KvRow } from "@atrium/domain/kv/KvApi"
import { useSignal } from "@preact/signals"

import { Confirm } from "../parts/Confirm.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { refusalIn } from "../service/Acts.ts"
import { useRead } from "../service/Reads.ts"
import { ask } from "../service/Service.ts"
import { playerPath } from "./PlayerPath.ts"
import type { PlayerProps } from "./WherePanel.tsx"

interface Page {
  readonly entries: ReadonlyArray<KvRow>
  readonly next: string | null
}

/** The KV entries of a player. */
export const KvPanel = ({ project, player }: PlayerProps) => {
  const path = `${playerPath(project, player)}/kv`
  const read = useRead<Page>(`${path}?limit=128`, 10_000)
  const deleted = useSignal<KvRow | null>(null)
  return (
    <ReadPanel
      title="KV"
      read={read}
      asked={{ method: "GET", path: `${path}?limit=128`, credential: "login" }}
      command={{ words: ["kv", "list"], flags: { project }, values: [player] }}
    >
      {({ entries, next }) => (
        <>
          {entries.length === 0 ? (
            <Empty title="Nothing is kept.">
              <p>
                What room code writes with <code>room.kv.set</code> shows up here.
              </p>
            </Empty>
          ) : (
            <Table
              label="Entries"
              columns={columnsOf((row) => (deleted.value = row))}
              rows={entries}
              keyOf={({ key }) => key}
            />
          )}
          {next !== null && <p class="sub-line">Further entries are not shown.</p>}
          {deleted.value !== null && (
            <Confirm
              title="Delete this entry?"
              act="Delete"
              onAct={async () =>
                refusalIn(
                  await ask({
                    method: "DELETE",
                    path: `${path}/entry?key=${encodeURIComponent(deleted.value?.key ?? "")}`
                  })
                )
              }
              onClose={() => {
                deleted.value = null
                read.again()
              }}
            >
              <p>
                <b>
                  <Tenant text={deleted.value.key} max={120} />
                </b>{" "}
                is gone for good. A room that is up may write it again.
              </p>
            </Confirm>
          )}
        </>
      )}
    </ReadPanel>
  )
}

const columnsOf = (onDelete: (row: KvRow) => void): ReadonlyArray<TableColumn<KvRow>> => [
  { title: "Key", cell: ({ key }) => <Tenant text={key} max={80} /> },
  {
    title: "Value",
    cell: ({ value }) => (
      <code>
        <Tenant text={JSON.stringify(value)} max={120} />
      </code>
    )
  },
  { title: "Written", when: "roomy", cell: ({ writtenAt }) => <Moment at={writtenAt} /> },
  {
    title: "Delete",
    number: true,
    cell: (row) => (
      <button type="button" class="quiet small danger" onClick={() => onDelete(row)}>
        Delete
      </button>
    )
  }
]
