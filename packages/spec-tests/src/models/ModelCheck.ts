import type fc from "fast-check"

import type { ProbeOf } from "../check/Check.ts"
import { holds, Mismatch } from "../check/Expect.ts"
import type { Trial } from "../trial/Trial.ts"
import type { Model, Subject } from "./Machine.ts"
import { replayOf, replayText } from "./ReplayToken.ts"
import { runModel, runStory } from "./RunModel.ts"

export interface ModelCheck<State, Command, Deed, View> {
  readonly title: string
  readonly needs?: ReadonlyArray<string>
  readonly alone?: true
  readonly model: Model<State, Command, Deed, View>
  readonly commands: ReadonlyArray<fc.Arbitrary<Command>>
  /** A sequence that is always asked: it has repetitions that chance seldom brings. */
  readonly story?: ReadonlyArray<Command>
  /** A thing of the implementation that nobody else knows. */
  readonly start: (trial: Trial) => Promise<Subject<Deed, View>>
  /** Sequences of an ordinary run. */
  readonly runs: number
  readonly commandsMax: number
  /** For the sequences of an ordinary run and the shrinking together; default 15 s. */
  readonly limitMs?: number
}

const endsWithinMs = 15_000

/** A check that compares an implementation with a model, deed by deed, over many sequences. */
export const modelCheck = <State, Command, Deed, View>(
  options: ModelCheck<State, Command, Deed, View>
): ProbeOf => {
  const { title, needs, alone, start } = options
  return (id) => ({
    name: "model",
    title,
    ...(needs === undefined ? {} : { needs }),
    ...(alone === undefined ? {} : { alone }),
    timeoutMs: 9 * nightlyMs,
    run: (trial) => judge({ ...options, id }, trial, () => start(trial))
  })
}

type ModelTrial = Pick<Trial, "modelRuns" | "seed" | "replay" | "note" | "replaysWith">

/** Fails with the shortest wrong sequence that was found, and says how it is repeated. */
export const judge = async <State, Command, Deed, View>(
  options: ModelCheck<State, Command, Deed, View> & { readonly id: string },
  trial: ModelTrial,
  start: () => Promise<Subject<Deed, View>>
): Promise<void> => {
  const { id, model, commands, commandsMax, story = [], limitMs = endsWithinMs } = options
  const endsMs = trial.modelRuns === null ? limitMs : nightlyMs
  const running = runModel(model, {
    commands,
    commandsMax,
    runs: trial.modelRuns ?? options.runs,
    seed: trial.seed,
    start,
    limitMs: endsMs,
    replay: replayOf(id, trial.replay)
  })
  const both = Promise.all([running, runStory(model, story, start)])
  const [found, wrong] = await inTime(both, 8 * endsMs)
  trial.note(`${found.runs} sequences`)
  if (found.failure !== null) {
    trial.note(`the shortest sequence found: ${found.failure.story.join("; ")}`)
    trial.replaysWith(replayText(id, found.failure.replay))
  }
  const failure = found.failure ?? wrong
  if (failure === null) {
    return holds("a sequence comes to its end", found.runs > 0, found.runs)
  }
  const { what, expected, actual } = failure.mismatch
  throw new Mismatch(`${failure.story.join("; ")}: ${what}`, { expected, actual })
}

const nightlyMs = 20 * 60_000

/** A request that is never answered must not take as long as a nightly run may. */
const inTime = async <A>(running: Promise<A>, withinMs: number): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const expected = `within ${withinMs} ms`
    const tooLate = new Mismatch("the end of the sequences", { expected, actual: "not" })
    timer = setTimeout(() => reject(tooLate), withinMs)
  })
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}
