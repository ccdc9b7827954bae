import type { Billing } from "@atrium/domain/meters/BillingApi"
import { useSignal } from "@preact/signals"

import { Empty } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useActs } from "../service/Acts.ts"
import { useRead } from "../service/Reads.ts"
import { amountText, meterNames } from "./MeterText.ts"

type CapAlert = Billing["alerts"][number]

const path = "/v1/billing"

/** The alerts of a project's caps, and the address that gets a mail about them. */
export const AlertsPanel = ({ project }: { project: string }) => {
  const read = useRead<Billing>(path, 10_000)
  return (
    <ReadPanel
      title="Alerts of this month"
      read={read}
      asked={{ method: "GET", path, credential: "login" }}
    >
      {({ alerts, mail }) => {
        const own = alerts.filter((alert) => alert.project === project)
        return (
          <>
            {own.length === 0 ? (
              <Empty title="No alert.">
                <p>One comes when 80 % of a cap are used, and one when all of it is.</p>
              </Empty>
            ) : (
              <Table
                label="Alerts"
                columns={columns}
                rows={own}
                keyOf={({ meter, cap, percent }) => `${meter} ${cap} ${percent}`}
              />
            )}
            <Mail mail={mail} onDone={read.again} />
          </>
        )
      }}
    </ReadPanel>
  )
}

const columns: ReadonlyArray<TableColumn<CapAlert>> = [
  { title: "Meter", cell: ({ meter }) => meterNames[meter] },
  {
    title: "Used",
    cell: ({ percent }) => (
      <span class={`status ${percent >= 100 ? "bad" : "busy"}`}>{percent} %</span>
    )
  },
  { title: "Of", number: true, cell: ({ meter, bound }) => amountText(meter, bound) },
  { title: "Whose cap", when: "roomy", cell: ({ cap }) => cap },
  { title: "Since", cell: ({ at }) => <Moment at={at} /> }
]

interface MailProps {
  readonly mail: string | null
  readonly onDone: () => void
}

const Mail = ({ mail, onDone }: MailProps) => {
  const text = useSignal<string | null>(null)
  const { works, refused, act } = useActs()
  const set = async (next: string | null): Promise<void> => {
    if ((await act<Billing>({ method: "PATCH", path, body: { mail: next } })) === null) return
    text.value = null
    onDone()
  }
  if (text.value === null) {
    return (
      <p class="sub-line">
        {mail === null ? (
          "Nobody gets a mail."
        ) : (
          <>
            A mail goes to <Tenant text={mail} max={100} />.
          </>
        )}{" "}
        <button type="button" class="plain" onClick={() => (text.value = mail ?? "")}>
          Change
        </button>
      </p>
    )
  }
  return (
    <form
      class="inline padded"
      onSubmit={(event) => {
        event.preventDefault()
        void set(text.value === "" ? null : text.value)
      }}
    >
      <input
        type="text"
        inputMode="email"
        aria-label="Address that gets the mails of the account; empty for none"
        placeholder="ops@example.com"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <button disabled={works.value}>Save</button>
      <button type="button" class="quiet" onClick={() => (text.value = null)}>
        Cancel
      </button>
      {refused.value !== null && <Fault refusal={refused.value} />}
    </form>
  )
}
