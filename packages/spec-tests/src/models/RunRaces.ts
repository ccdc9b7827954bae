import fc from "fast-check"

import { Mismatch } from "../check/Expect.ts"
import { type Happened, linearises } from "./Linearise.ts"
import { Abandoned, indefinite, type Machine, type Subject } from "./Machine.ts"
import { Possible } from "./Possible.ts"

/** What clients do at the same time, after something was prepared. */
export interface Scene<Deed> {
  /** One after the other, before the race. */
  readonly before: ReadonlyArray<Deed>
  /** Each client does its deeds in their order. */
  readonly clients: ReadonlyArray<ReadonlyArray<Deed>>
}

export interface RaceRun<State, Deed, View> {
  readonly machine: Machine<State, Deed, View>
  readonly scenes: fc.Arbitrary<Scene<Deed>>
  readonly tell: (deed: Deed) => string
  readonly start: () => Promise<Subject<Deed, View>>
  /** How long a deed may take to hold everywhere after its answer. */
  readonly holdsAfterMs?: number
  readonly runs: number
  readonly seed: number
  readonly limitMs: number
}

/** The first race that nothing explains, shrunk; null = there was none. What is no verdict rejects. */
export const runRaces = async <State, Deed, View>(
  run: RaceRun<State, Deed, View>
): Promise<{ readonly mismatch: Mismatch | null; readonly seed: number }> => {
  let broken: { readonly cause: unknown } | null = null
  const endsAtMs = performance.now() + run.limitMs
  const property = fc.asyncProperty(run.scenes, fc.scheduler(), async (scene, scheduler) => {
    if (broken !== null || performance.now() > endsAtMs) return
    try {
      await raceOnce(run, scene, scheduler)
    } catch (cause) {
      if (cause instanceof Mismatch) throw cause
      if (!(cause instanceof Abandoned)) broken = { cause }
    }
  })
  const found = await fc.check(property, { numRuns: run.runs, seed: run.seed | 0 })
  if (broken !== null) throw causeOf(broken)
  const wrong = found.errorInstance
  return { mismatch: wrong instanceof Mismatch ? wrong : null, seed: found.seed }
}

// The compiler does not see that the property above writes it.
const causeOf = (broken: { readonly cause: unknown }): unknown => broken.cause

const raceOnce = async <State, Deed, View>(
  { machine, tell, start, holdsAfterMs = 0 }: RaceRun<State, Deed, View>,
  { before, clients }: Scene<Deed>,
  scheduler: fc.Scheduler
): Promise<void> => {
  const subject = await start()
  const possible = new Possible(machine)
  for (const deed of before) {
    const told = tell(deed)
    possible.answered(deed, { answer: await subject.perform(deed), told })
  }
  const happened: Array<Happened<Deed>> = []
  const plays = clients.map(async (deeds) => {
    for (const deed of deeds) {
      // The scheduler says who sends next; what is on its way goes on meanwhile.
      await scheduler.schedule(Promise.resolve(), tell(deed))
      const sentMs = performance.now()
      const answer = await subject.perform(deed)
      happened.push({ deed, answer, sentMs, answeredMs: performance.now() })
    }
  })
  await scheduler.waitFor(Promise.all(plays))
  const view = await subject.view()
  const race = { happened, view, holdsAfterMs }
  if (linearises(machine, possible.states, race)) return
  const story = happened.map(({ deed, answer }) => `${tell(deed)} -> ${told(answer)}`)
  const prepared = before.map(tell).join("; ")
  throw new Mismatch(`after ${prepared}, at the same time: ${story.join("; ")}`, {
    expected: "what some order of these leads to",
    actual: view
  })
}

const told = (answer: Happened<unknown>["answer"]): string =>
  answer === indefinite ? "no answer" : answer
