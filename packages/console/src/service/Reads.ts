import { type ReadonlySignal, signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

import type { StreamEvent } from "./EventReader.ts"
import { follow, type FollowState } from "./Follow.ts"
import { LiveCollector, type LiveRows, noRows } from "./LiveRows.ts"
import { type Answer, ask, type Refusal, type There } from "./Service.ts"

/** The moment that pages count ages from, by the reader's own clock: it moves each second while somebody looks. */
export const now = signal(Date.now())
setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 1000)

/** The last value that a page has read, and the refusal of its newest request. */
export interface ReadState<A> {
  readonly last: There<A> | null
  readonly refused: Refusal | null
}

export interface Read<A> {
  readonly state: ReadonlySignal<ReadState<A>>
  /** Asks now: something has been changed. */
  readonly again: () => void
}

/** Reads a path of the service again and again, while somebody looks. */
export const useRead = <A>(path: string, everyMs: number): Read<A> => {
  const state = useSignal<ReadState<A>>({ last: null, refused: null })
  const round = useSignal(0)
  useEffect(() => {
    const abort = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let asks = false
    const turn = async (): Promise<void> => {
      if (asks || document.hidden) return
      asks = true
      const answer = await ask<A>({ path, signal: abort.signal })
      asks = false
      if (abort.signal.aborted) return
      state.value = stateAfter(state.value, answer)
      timer = setTimeout(() => void turn(), everyMs)
    }
    const seen = (): void => {
      clearTimeout(timer)
      void turn()
    }
    document.addEventListener("visibilitychange", seen)
    void turn()
    return () => {
      document.removeEventListener("visibilitychange", seen)
      clearTimeout(timer)
      abort.abort()
    }
  }, [path, everyMs, round.value])
  return { state, again: () => round.value++ }
}

/** A passing refusal (no answer, 429, 5xx) keeps the last value in sight; another refusal removes it. */
const stateAfter = <A>(before: ReadState<A>, answer: Answer<A>): ReadState<A> => {
  if (answer._tag === "There") return { last: answer, refused: null }
  const passing = answer.status === 0 || answer.status >= 500 || answer.status === 429
  return { last: passing ? before.last : null, refused: answer }
}

/** Follows a stream of events that is no list. */
export const useEvents = (
  path: string,
  told: {
    readonly onBegin: () => void
    readonly onEvents: (events: ReadonlyArray<StreamEvent>) => void
    readonly resumes?: boolean
  }
): ReadonlySignal<FollowState> => {
  const state = useSignal<FollowState>("connecting")
  useEffect(() => follow({ path, ...told, onState: (next) => (state.value = next) }), [path])
  return state
}

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
