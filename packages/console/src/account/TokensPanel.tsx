import type { LoginTokenRow } from "@atrium/domain/logins/MeApi"
import { useSignal } from "@preact/signals"

import { Confirm } from "../parts/Confirm.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { refusalIn } from "../service/Acts.ts"
import { useRead } from "../service/Reads.ts"
import { ask } from "../service/Service.ts"

const path = "/v1/me/tokens"

/** The logins of the account. */
export const TokensPanel = () => {
  const read = useRead<ReadonlyArray<LoginTokenRow>>(path, 10_000)
  const revoked = useSignal<LoginTokenRow | null>(null)
  return (
    <ReadPanel title="Logins" read={read} asked={{ method: "GET", path, credential: "login" }}>
      {(rows) => (
        <>
          <Table
            label="Logins"
            columns={columnsOf((row) => (revoked.value = row))}
            rows={rows}
            keyOf={({ tokenId }) => tokenId}
          />
          {revoked.value !== null && (
            <Confirm
              title="Revoke this login?"
              act="Revoke"
              typed={revoked.value.tokenId}
              onAct={async () =>
                refusalIn(
                  await ask({ method: "DELETE", path: `${path}/${revoked.value?.tokenId ?? ""}` })
                )
              }
              onClose={() => {
                revoked.value = null
                read.again()
              }}
            >
              <p>
                <b>
                  <Tenant text={revoked.value.label} max={100} />
                </b>{" "}
                is logged out at once.{" "}
                {revoked.value.current ? "It is the login of this page: it asks anew." : ""}
              </p>
            </Confirm>
          )}
        </>
      )}
    </ReadPanel>
  )
}

const columnsOf = (
  onRevoke: (row: LoginTokenRow) => void
): ReadonlyArray<TableColumn<LoginTokenRow>> => [
  {
    title: "Login",
    cell: ({ label, kind, current }) => (
      <>
        <Tenant text={label} max={60} /> {current && <span class="chip">this one</span>}
        <span class="under">{kind}</span>
      </>
    )
  },
  { title: "Made", when: "wide", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: "Last used", when: "roomy", cell: ({ lastUsed }) => <Moment at={lastUsed} /> },
  { title: "Ends", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
  {
    title: "Revoke",
    number: true,
    cell: (row) => (
      <button type="button" class="quiet small danger" onClick={() => onRevoke(row)}>
        Revoke
      </button>
    )
  }
]
