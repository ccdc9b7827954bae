import { Meters } from "@atrium/domain/meters/Caps"
import { DayMs, GiB, HourMs, MinuteMs } from "@atrium/wire/limits/Limit"

import type { Scenario } from "../scenario/Scenario.ts"
import { type Varied, variedScenarios } from "./Influences.ts"
import { planPeriod } from "./PlanPeriod.ts"
import { type Part, type Planned, type RunSummary, summarized } from "./PlanRuns.ts"
import type { Cost, Influence } from "./report/PlanReport.ts"

/** How far a plan is. */
export interface PlanProgress {
  readonly doing: string
  /** Part of the work that is done, 0 to 1. */
  readonly done: number
}

/** What the runs of a plan came to. */
export interface PlanOutcome {
  /** Those that were finished; if none was, the first one as far as it came. Not empty. */
  readonly runs: ReadonlyArray<RunSummary>
  readonly finished: number
  /** The first run without caps; `null` = the plan was stopped before. */
  readonly uncapped: RunSummary | null
  /** The first run without runaway loops; `null` = the scenario has none, or the plan was stopped before. */
  readonly calm: { readonly capped: RunSummary; readonly uncapped: RunSummary } | null
  readonly influences: ReadonlyArray<Influence>
}

/** A plan at work: it yields how far it is, hears whether to go on, and returns what it has. */
export type Planning = Generator<PlanProgress, PlanOutcome | null, boolean>

/** @returns `null` = the plan was stopped before its first day was over */
export function* planning(planned: Planned, runs: number): Planning {
  const monthMs = planPeriod(planned.scenario).days * DayMs
  const hasRunaway = planned.scenario.events.some(({ kind }) => kind === "runawayLoop")
  const varied = variedScenarios(planned.scenario)
  const months = runs + (hasRunaway ? 3 : 1)
  const work = new Work(months * monthMs + (2 * varied.length + 1) * (warmMs + afterMs))
  const finished: Array<RunSummary> = []
  for (let run = 0; run < runs; run++) {
    const doing = `run ${run + 1} of ${runs}`
    const summary = yield* work.run(planned, { doing, run, fromMs: 0, toMs: monthMs })
    if (summary?.ranMs === monthMs) finished.push(summary)
    if (work.goesOn) continue
    const all = finished.length > 0 || summary === null ? finished : [summary]
    if (all.length === 0) return null
    return { runs: all, finished: finished.length, uncapped: null, calm: null, influences: [] }
  }
  const [first] = finished
  if (first === undefined) return null
  const uncapped = yield* withoutCaps(planned, first, work)
  const calm = hasRunaway && work.goesOn ? yield* withoutRunaway(planned, work) : null
  const influences =
    uncapped === null ? [] : yield* influencesOf({ planned, varied, uncapped }, work)
  return { runs: finished, finished: finished.length, uncapped, calm, influences }
}

/** What is run of a period to see what a parameter does: rooms fill before the busiest minute. */
const warmMs = 6 * HourMs
const afterMs = HourMs / 2

/** Counts what has been run, and hears whether to go on. */
class Work {
  readonly #totalMs: number
  #ranMs = 0
  goesOn = true

  constructor(totalMs: number) {
    this.#totalMs = totalMs
  }

  *run(
    planned: Planned,
    part: Part & { readonly doing: string }
  ): Generator<PlanProgress, RunSummary | null, boolean> {
    const run = summarized(planned, part)
    let step = run.next()
    let beforeMs = part.fromMs
    while (step.done !== true) {
      this.#ranMs += step.value - beforeMs
      beforeMs = step.value
      const done = Math.min(1, this.#ranMs / this.#totalMs)
      this.goesOn = yield { doing: part.doing, done }
      step = run.next(this.goesOn)
    }
    this.#ranMs += part.toMs - beforeMs
    return step.value
  }
}

const uncappedOf = (scenario: Scenario): Scenario => ({
  ...scenario,
  plan: { ...scenario.plan, tier: "card", caps: {} }
})

const isWalled = ({ meters }: RunSummary): boolean =>
  Meters.some((meter) => meters[meter].walledAtMs !== null)

/** A run that met no wall is the same without caps; but not on the free plan, whose servers are fewer. */
function* withoutCaps(
  planned: Planned,
  first: RunSummary,
  work: Work
): Generator<PlanProgress, RunSummary | null, boolean> {
  if (!isWalled(first) && planned.scenario.plan.tier === "card") return first
  const scenario = uncappedOf(planned.scenario)
  const part = { doing: "without caps", run: 0, fromMs: 0, toMs: first.ranMs }
  const summary = yield* work.run({ ...planned, scenario }, part)
  return work.goesOn ? summary : null
}

function* withoutRunaway(
  planned: Planned,
  work: Work
): Generator<PlanProgress, PlanOutcome["calm"], boolean> {
  const events = planned.scenario.events.filter(({ kind }) => kind !== "runawayLoop")
  const calm = { ...planned, scenario: { ...planned.scenario, events } }
  const toMs = planPeriod(calm.scenario).days * DayMs
  const capped = yield* work.run(calm, { doing: "without the loop", run: 0, fromMs: 0, toMs })
  if (capped === null || !work.goesOn) return null
  const uncapped = yield* withoutCaps(calm, capped, work)
  return uncapped === null ? null : { capped, uncapped }
}

interface Asked {
  readonly planned: Planned
  readonly varied: ReadonlyArray<Varied>
  /** The first run, without caps. */
  readonly uncapped: RunSummary
}

/** The hours around the busiest minute again and again, each parameter a tenth less and a tenth more. */
function* influencesOf(
  { planned, varied, uncapped }: Asked,
  work: Work
): Generator<PlanProgress, ReadonlyArray<Influence>, boolean> {
  const busiestMs = uncapped.busiestMinute * MinuteMs
  const fromMs = Math.max(0, busiestMs - warmMs)
  const part = { run: 0, fromMs, toMs: busiestMs + afterMs }
  const around = function* (scenario: Scenario, doing: string) {
    const run = { ...part, doing }
    return yield* work.run({ ...planned, scenario: uncappedOf(scenario) }, run)
  }
  const base = yield* around(planned.scenario, "what matters most")
  const influences: Array<Influence> = []
  if (base === null) return influences
  // The month is taken to change as these hours do.
  const costOfMonth = ({ need, egressBytes }: RunSummary, { fleet }: Scenario): number =>
    (need + 1) * fleet.runner.perMonth +
    fleet.postgres.perMonth +
    (uncapped.egressBytes / GiB) * fleet.egressPerGB * (egressBytes / base.egressBytes)
  const baseCost = costOfMonth(base, planned.scenario)
  for (const { parameter, less, more, part: tenth } of varied) {
    const doing = `what matters most: ${parameter}`
    const [atLess, atMore] = [yield* around(less, doing), yield* around(more, doing)]
    if (atLess === null || atMore === null || !work.goesOn) break
    influences.push({
      parameter,
      machinesAtLess: tenth * changeOf(atLess.need, base.need),
      machinesAtMore: tenth * changeOf(atMore.need, base.need),
      costAtLess: tenth * changeOf(costOfMonth(atLess, less), baseCost),
      costAtMore: tenth * changeOf(costOfMonth(atMore, more), baseCost)
    })
  }
  return influences.toSorted((one, other) => weightOf(other) - weightOf(one))
}

const changeOf = (value: number, base: number): number =>
  base === 0 || !Number.isFinite(value) ? 0 : Number((value / base - 1).toPrecision(3))

const weightOf = (influence: Influence): number =>
  Math.max(
    Math.abs(influence.machinesAtLess),
    Math.abs(influence.machinesAtMore),
    Math.abs(influence.costAtLess),
    Math.abs(influence.costAtMore)
  )

/** What a month costs: whole machines with the spare one, the database, and what leaves. */
export const costOf = (
  { machines, egressBytes }: Pick<RunSummary, "machines" | "egressBytes">,
  { fleet }: Scenario
): Cost => {
  const cents = (value: number): number => Math.round(value * 100) / 100
  const runners = machines.all * fleet.runner.perMonth
  const egress = (egressBytes / GiB) * fleet.egressPerGB
  return {
    machines: machines.all,
    runners: cents(runners),
    postgres: cents(fleet.postgres.perMonth),
    egress: cents(egress),
    total: cents(runners + fleet.postgres.perMonth + egress)
  }
}
