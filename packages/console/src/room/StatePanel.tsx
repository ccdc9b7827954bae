import type { RoomStateLook } from "@atrium/domain/inspect/InspectApi"
import { readSave } from "@atrium/sdk/saves"
import { type AnyRoomSchema, fromDescriptor } from "@atrium/sdk/schema"
import { type Signal, useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"

import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { LiveMark } from "../parts/LiveMark.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import type { StreamEvent } from "../service/EventReader.ts"
import { useEvents } from "../service/Reads.ts"
import { errorText } from "../text/ErrorText.ts"
import { bytesText } from "../text/Numbers.ts"
import { nodesOf, type StateNode } from "./StateNode.ts"
import { StateTree } from "./StateTree.tsx"

/** A look at a room's state, as the page shows it. */
interface Shown {
  readonly look: RoomStateLook
  /** Why there is no tree; `null` = there is one. */
  readonly why: string | null
  readonly nodes: ReadonlyArray<StateNode>
}

/** The state of a room, as it changes. */
export const StatePanel = ({ path }: { path: string }) => {
  const shown = useSignal<Shown | null>(null)
  const state = useStateLooks(`${path}/state`, shown)
  const refused = typeof state.value === "object" ? state.value : null
  return (
    <Panel
      title="State"
      asOf={shown.value === null ? null : Date.parse(shown.value.look.at)}
      asked={{ method: "GET", path: `${path}/state`, credential: "login", live: true }}
      tools={<LiveMark state={state.value} />}
    >
      {refused !== null && <Fault refusal={refused} />}
      {shown.value === null ? refused === null && <Waiting /> : <Look {...shown.value} />}
    </Panel>
  )
}

const Look = ({ look, why, nodes }: Shown) => (
  <>
    <p class="sub-line">
      {look.live ? (
        "What the room holds now."
      ) : (
        <>
          The room sleeps. Its newest snapshot is of <Moment at={look.at} as="time" />.
        </>
      )}{" "}
      Version {look.version}, {bytesText(look.bytes)}.
    </p>
    {why !== null ? (
      <Empty title="The state is not shown.">
        <p>{why}</p>
      </Empty>
    ) : nodes.length === 0 ? (
      <Empty title="This room type has no state.">
        <p>Its schema declares neither singletons nor entities.</p>
      </Empty>
    ) : (
      <StateTree nodes={nodes} hidden={new Set(look.hidden)} />
    )}
  </>
)

/** Follows the state. An event without a schema has that of the event before. */
const useStateLooks = (path: string, shown: Signal<Shown | null>) => {
  const schema = useRef<AnyRoomSchema | null>(null)
  return useEvents(path, {
    onBegin: () => (schema.current = null),
    onEvents: (events) => {
      for (const look of looksIn(events)) {
        shown.value = shownOf(look, schema)
      }
    }
  })
}

/** The contract of the route says what its events hold; a page shows what it finds of that. Source: C-766. */
const looksIn = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<RoomStateLook> =>
  events.filter(({ event }) => event === "state").map(({ data }) => JSON.parse(data))

const shownOf = (look: RoomStateLook, schema: { current: AnyRoomSchema | null }): Shown => {
  const without = (why: string): Shown => ({ look, why, nodes: [] })
  try {
    if (look.schema !== null) schema.current = fromDescriptor(look.schema)
    if (schema.current === null) return without("Its schema is not known any more.")
    if (look.state === null) return without(`${bytesText(look.bytes)} are too many for a page.`)
    const { state } = readSave(schema.current, bytesOf(look.state))
    return { look, why: null, nodes: nodesOf(state) }
  } catch (error) {
    return without(`This page cannot read it: ${errorText(error)}`)
  }
}

const bytesOf = (base64: string): Uint8Array =>
  Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
