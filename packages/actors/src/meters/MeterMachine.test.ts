import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { DayMs } from "@atrium/wire/limits/Limit"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, test } from "vitest"

import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { MeterEvent, type MeterState, newRun, step } from "./MeterMachine.ts"
import type { MeterReport, MeterSum } from "./MeterReport.ts"
import { MeterStore } from "./MeterStore.ts"

const projectId = ProjectId.make("p_0123456789abcdef")
const sum = (amount: number, dayStartsAtMs = 0): MeterSum => ({
  projectId,
  meter: "dataOutBytes",
  dayStartsAtMs,
  amount
})
const counted = (...sums: ReadonlyArray<MeterSum>) => MeterEvent.Counted({ sums })
const due = MeterEvent.ReportDue()
const taken = (sequence: number) => MeterEvent.ReportTaken({ sequence })

/** The reports that these events send, as number and amounts. */
const sentBy = (...events: ReadonlyArray<MeterEvent>) => {
  let state = newRun("run")
  return events.flatMap((event) => {
    const [next, report] = step(state, event)
    state = next
    return report === null ? [] : [[report.sequence, ...report.sums.map(({ amount }) => amount)]]
  })
}

describe("[C-491] a runner's reports", () => {
  test.each<readonly [says: string, events: ReadonlyArray<MeterEvent>, sent: unknown]>([
    ["nothing counted is no report", [due, counted(), due], []],
    [
      "what was counted adds up by day",
      [counted(sum(1)), counted(sum(2), sum(4, DayMs)), due],
      [[1, 3, 4]]
    ],
    [
      "a report that nobody confirms is sent again as it was",
      [counted(sum(1)), due, counted(sum(2)), due],
      [
        [1, 1],
        [1, 1]
      ]
    ],
    [
      "what came meanwhile is the next report",
      [counted(sum(1)), due, counted(sum(2)), taken(1), due],
      [
        [1, 1],
        [2, 2]
      ]
    ],
    [
      "a late answer to a report before confirms nothing",
      [counted(sum(1)), due, taken(1), counted(sum(2)), due, taken(1), due],
      [
        [1, 1],
        [2, 2],
        [2, 2]
      ]
    ],
    ["an answer confirms what was sent alone", [counted(sum(1)), taken(1), due], [[1, 1]]]
  ])("%s", (_says, events, sent) => {
    expect(sentBy(...events)).toEqual(sent)
  })

  test("[limits.reportSums] a report has so many sums, and the next one has the rest", () => {
    const { max } = MeterLimits.reportSums
    const sums = Array.from({ length: max + 1 }, (_, day) => sum(1, day * DayMs))
    expect(sentBy(counted(...sums.slice(1)), due, taken(1), due)).toHaveLength(1)
    const [first, second] = sentBy(counted(...sums), due, taken(1), due)
    expect([first?.length, second]).toEqual([max + 1, [2, 1]])
  })
})

type Fate = "answered" | "answer lost" | "request lost"

type Act =
  | { readonly _tag: "Count"; readonly amount: number; readonly day: number }
  | { readonly _tag: "Report"; readonly fate: Fate }
  /** A report of this runner or of one before arrives once more. */
  | { readonly _tag: "Late"; readonly which: number }
  | { readonly _tag: "Kill" }

const acts: fc.Arbitrary<ReadonlyArray<Act>> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ _tag: fc.constant("Count"), amount: fc.nat(9), day: fc.nat(1) })
    },
    {
      weight: 4,
      arbitrary: fc.record({
        _tag: fc.constant("Report"),
        fate: fc.constantFrom<Fate>("answered", "answer lost", "request lost")
      })
    },
    { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Late"), which: fc.nat(99) }) },
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Kill") }) }
  ),
  { maxLength: 40 }
)

const amountOf = (sums: Iterable<MeterSum>): number =>
  [...sums].reduce((all, { amount }) => all + amount, 0)

/** What a runner that dies now takes with it at most. */
const unconfirmed = ({ sent, waiting }: MeterState): number =>
  amountOf(waiting.values()) + amountOf(sent?.sums ?? [])

layer(MemoryStores)("a runner that reports to the store", (it) => {
  let runs = 0

  /**
   * Plays the acts, up to the one after which too much or too little is metered. At the end the last
   * runner reports in peace.
   */
  const play = Effect.fnUntraced(function* (all: ReadonlyArray<Act>) {
    const store = yield* MeterStore
    const of = yield* newProject
    const made: Array<MeterReport> = []
    let state = newRun(`played ${++runs}`)
    let [used, lost] = [0, 0]
    const happened = (event: MeterEvent): MeterReport | null => {
      const [next, report] = step(state, event)
      state = next
      return report
    }
    const report = Effect.fnUntraced(function* (fate: Fate) {
      const sent = happened(due)
      if (sent === null) return
      made.push(sent)
      if (fate !== "request lost") yield* store.take(sent)
      if (fate === "answered") happened(taken(sent.sequence))
    })
    const stored = Effect.map(
      store.read({ projectId: of, startMs: 0 }),
      ({ dataOutBytes }) => dataOutBytes
    )
    for (const act of all) {
      switch (act._tag) {
        case "Count":
          used += act.amount
          happened(counted({ ...sum(act.amount, act.day * DayMs), projectId: of }))
          break
        case "Report":
          yield* report(act.fate)
          break
        case "Late": {
          const late = made[act.which % Math.max(1, made.length)]
          if (late !== undefined) yield* store.take(late)
          break
        }
        case "Kill":
          lost += unconfirmed(state)
          state = newRun(`played ${++runs}`)
      }
      const metered = yield* stored
      const least = used - lost - unconfirmed(state)
      if (metered < least || metered > used) return { used, least, metered }
    }
    while (unconfirmed(state) > 0) yield* report("answered")
    return { used, least: used - lost, metered: yield* stored }
  })

  it.effect(
    "[C-491] counts nothing twice, and loses what it had not reported when it is killed",
    () =>
      Effect.gen(function* () {
        const context = yield* Effect.context<Effect.Services<ReturnType<typeof play>>>()
        fc.assert(
          fc.property(acts, (all) => {
            const { used, least, metered } = Effect.runSyncWith(context)(play(all))
            expect(metered).toBeLessThanOrEqual(used)
            expect(metered).toBeGreaterThanOrEqual(least)
          }),
          { numRuns: 300 }
        )
      })
  )
})
