import type { KeyRow } from "@atrium/domain/keys/KeysApi"
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

const scopes = ["rooms:read", "rooms:write"] as const

/** The API keys of a project. */
export const ApiKeysPanel = ({ project }: { project: string }) => {
  const path = `/v1/projects/${encodeURIComponent(project)}/keys`
  const read = useRead<ReadonlyArray<KeyRow>>(path, 10_000)
  const revoked = useSignal<KeyRow | null>(null)
  return (
    <ReadPanel
      title="API keys"
      read={read}
      asked={{ method: "GET", path, credential: "login" }}
      command={{ words: ["api-keys", "list"], flags: { project } }}
      above={<Mint path={path} onDone={read.again} />}
    >
      {(keys) => (
        <>
          {keys.length === 0 ? (
            <Empty title="No key yet.">
              <p>A program that works on the project's rooms needs one.</p>
            </Empty>
          ) : (
            <Table
              label="Keys"
              columns={columnsOf((key) => (revoked.value = key))}
              rows={keys}
              keyOf={({ keyId }) => keyId}
            />
          )}
          {revoked.value !== null && (
            <Confirm
              title="Revoke this key?"
              act="Revoke"
              typed={revoked.value.keyId}
              onAct={async () =>
                refusalIn(
                  await ask({ method: "DELETE", path: `${path}/${revoked.value?.keyId ?? ""}` })
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
                opens nothing any more, at once and for good. Its row stays.
              </p>
            </Confirm>
          )}
        </>
      )}
    </ReadPanel>
  )
}

const columnsOf = (onRevoke: (key: KeyRow) => void): ReadonlyArray<TableColumn<KeyRow>> => [
  {
    title: "Label",
    cell: ({ label, keyId }) => (
      <>
        <Tenant text={label} max={60} />
        <span class="under mono">{keyId}</span>
      </>
    )
  },
  { title: "Scopes", cell: (key) => key.scopes.join(", ") },
  { title: "Made", when: "wide", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: "Last used", when: "roomy", cell: ({ lastUsed }) => <Moment at={lastUsed} /> },
  {
    title: "Revoke",
    number: true,
    cell: (key) =>
      key.revokedAt === null ? (
        <button type="button" class="quiet small danger" onClick={() => onRevoke(key)}>
          Revoke
        </button>
      ) : (
        <span class="faint">
          revoked <Moment at={key.revokedAt} />
        </span>
      )
  }
]

const Mint = ({ path, onDone }: { path: string; onDone: () => void }) => {
  const label = useSignal("")
  const chosen = useSignal<ReadonlyArray<string>>(["rooms:read"])
  const secret = useSignal<string | null>(null)
  const { works, refused, act } = useActs()
  const mint = async (): Promise<void> => {
    const body = { label: label.value, scopes: chosen.value }
    const made = await act<{ readonly secret: string }>({ method: "POST", path, body })
    if (made === null) return
    secret.value = made.secret
    label.value = ""
    onDone()
  }
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          void mint()
        }}
      >
        <input
          type="text"
          aria-label="Label of the key"
          placeholder="What is it for?"
          required
          value={label.value}
          onInput={({ currentTarget }) => (label.value = currentTarget.value)}
        />
        {scopes.map((scope) => (
          <label key={scope}>
            <input
              type="checkbox"
              checked={chosen.value.includes(scope)}
              onChange={({ currentTarget: { checked } }) => {
                const others = chosen.value.filter((one) => one !== scope)
                chosen.value = checked ? [...others, scope] : others
              }}
            />{" "}
            {scope}
          </label>
        ))}
        <button disabled={works.value}>Mint a key</button>
      </form>
      {refused.value !== null && <Fault refusal={refused.value} />}
      {secret.value !== null && (
        <Secret secret={secret.value} onDone={() => (secret.value = null)}>
          Programs send it as <code>authorization: Bearer</code>.
        </Secret>
      )}
    </>
  )
}
