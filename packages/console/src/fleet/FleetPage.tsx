import type { Runner } from "@atrium/domain/fleet/FleetApi"
import type { RunnerOrder } from "@atrium/domain/fleet/RunnerStatus"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { useSignal } from "@preact/signals"

import { Confirm } from "../parts/Confirm.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { refusalIn, useActs } from "../service/Acts.ts"
import { useRead } from "../service/Reads.ts"
import { ask } from "../service/Service.ts"
import { bytesText, countText } from "../text/Numbers.ts"
import { MovePanel } from "./MovePanel.tsx"

const path = "/v1/fleet"

/** The runners of the service: for its operator. */
export const FleetPage = () => {
  const read = useRead<ReadonlyArray<Runner>>(path, 5000)
  const { last, refused } = read.state.value
  const drained = useSignal<Runner | null>(null)
  const acts = useActs()
  const order = async (runner: Runner, what: RunnerOrder): Promise<void> => {
    await acts.act(orderOf(runner, what))
    read.again()
  }
  return (
    <>
      <div class="page-head">
        <h1>Fleet</h1>
      </div>
      {refused?.status === 404 ? (
        <div class="panel">
          <Empty title="The fleet is its operator's.">
            <p>The account that the first start of the service made sees its runners.</p>
          </Empty>
        </div>
      ) : (
        <div class="panels">
          <ReadPanel
            title="Runners"
            read={read}
            asked={{ method: "GET", path, credential: "login" }}
            command={{ words: ["cluster"] }}
            above={acts.refused.value !== null && <Fault refusal={acts.refused.value} />}
          >
            {(runners) => (
              <Table
                label="Runners"
                columns={columnsOf({
                  onOrder: (runner, what) => void order(runner, what),
                  onDrain: (runner) => (drained.value = runner)
                })}
                rows={runners}
                keyOf={({ runner }) => runner}
              />
            )}
          </ReadPanel>
          {last !== null && <MovePanel runners={last.value} />}
        </div>
      )}
      {drained.value !== null && (
        <Drain
          runner={drained.value}
          onClose={() => {
            drained.value = null
            read.again()
          }}
        />
      )}
    </>
  )
}

const orderOf = ({ runner }: Runner, order: RunnerOrder) => ({
  method: "PATCH" as const,
  path: `${path}/${encodeURIComponent(runner)}`,
  body: { order }
})

const Drain = ({ runner, onClose }: { runner: Runner; onClose: () => void }) => (
  <Confirm
    title="Drain this runner?"
    act="Drain"
    typed={runner.runner}
    onAct={async () => refusalIn(await ask(orderOf(runner, "drain")))}
    onClose={onClose}
  >
    <p>
      It takes no new rooms, and its {countText(runner.rooms)} rooms move to other runners one after
      another. Their players stay connected or come back by themselves.
    </p>
  </Confirm>
)

interface Orders {
  readonly onOrder: (runner: Runner, order: RunnerOrder) => void
  readonly onDrain: (runner: Runner) => void
}

const tones: Readonly<Record<string, string>> = {
  open: "good",
  cordoned: "busy",
  draining: "busy",
  drained: "asleep",
  gone: "bad"
}

const columnsOf = ({ onOrder, onDrain }: Orders): ReadonlyArray<TableColumn<Runner>> => [
  {
    title: "Runner",
    cell: ({ runner, version }) => (
      <>
        <code>
          <Tenant text={runner} max={60} />
        </code>
        <span class="under">version {version}</span>
      </>
    )
  },
  {
    title: "Status",
    cell: ({ status }) => <span class={`status ${tones[status] ?? "asleep"}`}>{status}</span>
  },
  { title: "Rooms", number: true, cell: ({ rooms }) => countText(rooms) },
  { title: "Clients", number: true, when: "roomy", cell: ({ clients }) => countText(clients) },
  {
    title: "Load",
    number: true,
    cell: ({ load }) => (
      <span title={`Of ${ServerLimits.serverBudget.max} that fill one server`}>
        {countText(load)}
      </span>
    )
  },
  {
    title: "Free memory",
    number: true,
    when: "wide",
    cell: ({ freeBytes }) => (freeBytes === null ? "–" : bytesText(freeBytes))
  },
  { title: "Heard", when: "wide", cell: ({ heardAt }) => <Moment at={heardAt} /> },
  {
    title: "Order",
    number: true,
    cell: (runner) => (
      <span class="row-actions">
        {runner.status === "open" ? (
          <button type="button" class="quiet small" onClick={() => onOrder(runner, "cordon")}>
            Cordon
          </button>
        ) : (
          runner.status !== "gone" && (
            <button type="button" class="quiet small" onClick={() => onOrder(runner, "uncordon")}>
              Open
            </button>
          )
        )}
        {(runner.status === "open" || runner.status === "cordoned") && (
          <button type="button" class="quiet small danger" onClick={() => onDrain(runner)}>
            Drain
          </button>
        )}
      </span>
    )
  }
]
