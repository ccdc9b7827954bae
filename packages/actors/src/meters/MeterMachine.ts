import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { Data } from "effect"

import type { MeterReport, MeterSum } from "./MeterReport.ts"

/** What a runner has counted and the store has not confirmed. */
export interface MeterState {
  /** This run of the runner's process. */
  readonly run: string
  /** The number of the last report that was made. */
  readonly sequence: number
  /** The report that the store may have taken or not; `null` = every report is confirmed. */
  readonly sent: MeterReport | null
  /** What the next reports will say, by project, meter and day. */
  readonly waiting: ReadonlyMap<string, MeterSum>
}

export type MeterEvent = Data.TaggedEnum<{
  /** The runner counted this since it counted last. */
  Counted: { readonly sums: ReadonlyArray<MeterSum> }
  /** It is time to report, or the last report is confirmed. */
  ReportDue: {}
  /** The store has this report, from now or from before. */
  ReportTaken: { readonly sequence: number }
}>
export const MeterEvent = Data.taggedEnum<MeterEvent>()

/** The next state, and the report that is sent now; `null` = nothing is sent. */
type Step = readonly [MeterState, MeterReport | null]

/** @param run an id that no run of a runner has had */
export const newRun = (run: string): MeterState => ({
  run,
  sequence: 0,
  sent: null,
  waiting: new Map()
})

/**
 * Total: every event has an answer in every state. A report that nobody confirmed is sent again as it
 * was; what is counted meanwhile waits for the next one. Source: C-491.
 */
export const step = (state: MeterState, event: MeterEvent): Step => {
  switch (event._tag) {
    case "Counted":
      return [{ ...state, waiting: withSums(state.waiting, event.sums) }, null]
    case "ReportDue":
      return reportDue(state)
    case "ReportTaken":
      return state.sent?.sequence === event.sequence
        ? [{ ...state, sent: null }, null]
        : [state, null]
  }
}

const reportDue = (state: MeterState): Step => {
  if (state.sent !== null) return [state, state.sent]
  if (state.waiting.size === 0) return [state, null]
  const waiting = [...state.waiting]
  const sequence = state.sequence + 1
  const sums = waiting.slice(0, MeterLimits.reportSums.max).map(([, sum]) => sum)
  const sent = { run: state.run, sequence, sums }
  return [{ ...state, sequence, sent, waiting: new Map(waiting.slice(sums.length)) }, sent]
}

const withSums = (
  waiting: ReadonlyMap<string, MeterSum>,
  sums: ReadonlyArray<MeterSum>
): ReadonlyMap<string, MeterSum> => {
  if (sums.length === 0) return waiting
  const all = new Map(waiting)
  for (const sum of sums) {
    const key = `${sum.projectId}/${sum.meter}/${sum.dayStartsAtMs}`
    all.set(key, { ...sum, amount: sum.amount + (all.get(key)?.amount ?? 0) })
  }
  return all
}
