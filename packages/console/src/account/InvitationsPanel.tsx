import type { InvitationRow } from "@atrium/domain/logins/MeApi"
import { useSignal } from "@preact/signals"

import { Confirm } from "../parts/Confirm.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Secret } from "../parts/Secret.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { refusalIn, useActs } from "../service/Acts.ts"
import { useRead } from "../service/Reads.ts"
import { ask } from "../service/Service.ts"

const path = "/v1/me/invitations"

/** Who is invited to the service. */
export const InvitationsPanel = () => {
  const read = useRead<ReadonlyArray<InvitationRow>>(path, 10_000)
  const withdrawn = useSignal<InvitationRow | null>(null)
  return (
    <ReadPanel
      title="Invitations"
      read={read}
      asked={{ method: "GET", path, credential: "login" }}
      above={<Invite onDone={read.again} />}
    >
      {(rows) => (
        <>
          {rows.length === 0 ? (
            <Empty title="Nobody is invited.">
              <p>
                Who has the code of an invitation makes an account of their own, with projects of
                their own.
              </p>
            </Empty>
          ) : (
            <Table
              label="Invitations"
              columns={columnsOf((row) => (withdrawn.value = row))}
              rows={rows}
              keyOf={({ invitationId }) => invitationId}
            />
          )}
          {withdrawn.value !== null && (
            <Confirm
              title="Withdraw this invitation?"
              act="Withdraw"
              onAct={async () =>
                refusalIn(
                  await ask({
                    method: "DELETE",
                    path: `${path}/${withdrawn.value?.invitationId ?? ""}`
                  })
                )
              }
              onClose={() => {
                withdrawn.value = null
                read.again()
              }}
            >
              <p>
                The code of{" "}
                <b>
                  <Tenant text={withdrawn.value.name} max={60} />
                </b>{" "}
                makes no account any more.
              </p>
            </Confirm>
          )}
        </>
      )}
    </ReadPanel>
  )
}

const columnsOf = (
  onWithdraw: (row: InvitationRow) => void
): ReadonlyArray<TableColumn<InvitationRow>> => [
  { title: "For", cell: ({ name }) => <Tenant text={name} max={60} /> },
  { title: "Made", when: "roomy", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: "Ends", cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
  {
    title: "Withdraw",
    number: true,
    cell: (row) =>
      row.acceptedBy === null ? (
        <button type="button" class="quiet small danger" onClick={() => onWithdraw(row)}>
          Withdraw
        </button>
      ) : (
        <span class="faint">accepted</span>
      )
  }
]

const Invite = ({ onDone }: { onDone: () => void }) => {
  const name = useSignal("")
  const code = useSignal<string | null>(null)
  const { works, refused, act } = useActs()
  const invite = async (): Promise<void> => {
    const body = { name: name.value }
    const made = await act<{ readonly code: string }>({ method: "POST", path, body })
    if (made === null) return
    code.value = made.code
    name.value = ""
    onDone()
  }
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          void invite()
        }}
      >
        <input
          type="text"
          aria-label="Name of the new account"
          placeholder="Name"
          required
          value={name.value}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
        <button disabled={works.value}>Invite</button>
      </form>
      {refused.value !== null && <Fault refusal={refused.value} />}
      {code.value !== null && (
        <Secret secret={code.value} onDone={() => (code.value = null)}>
          The one who is invited types it at <code>{location.origin}/login</code>, within a week.
        </Secret>
      )}
    </>
  )
}
