import { type ReadonlySignal, signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

import { follow, type FollowState } from "./Follow.ts"
import { LiveCollector, type LiveRows, noRows } from "./LiveRows.ts"

/** The moment that pages count ages from: it moves each second while somebody looks. */
export const now = signal(Date.now())
setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 1000)

export interface Live<Row> {
  readonly list: ReadonlySignal<LiveRows<Row>>
  readonly state: ReadonlySignal<FollowState>
}

/** Follows a live list. */
export const useLive = <Row>(path: string, keyOf: (row: Row) => string): Live<Row> => {
  const list = useSignal<LiveRows<Row>>(noRows)
  const state = useSignal<FollowState>("connecting")
  useEffect(() => {
    const collector = new LiveCollector(keyOf)
    list.value = noRows
    return follow({
      path,
      onBegin: () => collector.begin(),
      onEvents: (events) => {
        const next = collector.take(events)
        if (next !== null) list.value = next
      },
      onWhole: (whole) => {
        if (!Array.isArray(whole)) return
        // The contract of the route says what its rows are. Source: C-766.
        const rows = whole as ReadonlyArray<Row>
        list.value = collector.whole(rows, Date.now())
      },
      onState: (next) => (state.value = next)
    })
  }, [path])
  return { list, state }
}
