import fc from "fast-check"

import { Mismatch } from "../check/Expect.ts"
import { Abandoned, indefinite, type Model, type Subject } from "./Machine.ts"
import { Possible } from "./Possible.ts"
import type { ReplayToken } from "./ReplayToken.ts"

export interface ModelRun<Command, Deed, View> {
  readonly commands: ReadonlyArray<fc.Arbitrary<Command>>
  /** A subject of its own for each sequence. */
  readonly start: () => Promise<Subject<Deed, View>>
  readonly runs: number
  readonly commandsMax: number
  readonly seed: number
  /** After that the sequence that is under way is cut short, and the shortest failure so far is the answer. */
  readonly limitMs: number
  readonly replay: ReplayToken | null
}

export interface ModelVerdict {
  /** Sequences that came to their end in time, and as they should. */
  readonly runs: number
  /** Null = none was wrong. */
  readonly failure: ModelFailure | null
}

export interface ModelFailure {
  readonly mismatch: Mismatch
  /** Each deed with its answer, of the shortest sequence found. */
  readonly story: ReadonlyArray<string>
  readonly replay: ReplayToken
}

/** The first wrong step of a sequence that was given, with each deed and its answer up to it. */
export type StoryFailure = Pick<ModelFailure, "mismatch" | "story">

interface Told<State, Deed, View> {
  readonly possible: Possible<State, Deed, View>
  readonly before: Array<Deed>
  readonly story: Array<string>
}

/** A wrong step, with what led to it. */
class Wrong extends Error {
  readonly mismatch: Mismatch
  readonly story: ReadonlyArray<string>
  constructor(mismatch: Mismatch, story: ReadonlyArray<string>) {
    super(mismatch.message)
    this.mismatch = mismatch
    this.story = story
  }
}

/**
 * Tries sequences of commands on an implementation and compares it with a model after each. What is
 * neither right nor wrong (`Untestable`, an abort) rejects.
 */
export const runModel = async <State, Command, Deed, View>(
  model: Model<State, Command, Deed, View>,
  run: ModelRun<Command, Deed, View>
): Promise<ModelVerdict> => {
  // An error that is no verdict ends the run; fast-check would try to shrink it.
  let broken: { readonly cause: unknown } | null = null
  let [ended, failed] = [0, false]
  const endsAtMs = performance.now() + run.limitMs
  // The first sequence is not cut short: a slow machine must not prove nothing.
  const isOver = (): boolean => (ended > 0 || failed) && performance.now() > endsAtMs
  const stepOf = stepsOf(model, isOver)
  const setup = async () => ({ model: toldBy(model), real: await run.start() })
  const sequences = fc.commands(
    run.commands.map((command) => command.map(stepOf)),
    { maxCommands: run.commandsMax, size: "max", ...commandPath(run.replay) }
  )
  const property = fc.asyncProperty(sequences, async (commands) => {
    if (broken !== null || isOver()) return
    try {
      await fc.asyncModelRun(setup, commands)
    } catch (cause) {
      failed ||= cause instanceof Wrong
      if (cause instanceof Wrong) throw cause
      if (!(cause instanceof Abandoned)) broken = { cause }
    }
    if (!isOver()) ended++
  })
  const found = await fc.check(property, {
    numRuns: run.runs,
    seed: run.replay?.seed ?? run.seed | 0,
    ...(run.replay === null ? {} : { path: run.replay.path, endOnFailure: true, numRuns: 1 })
  })
  if (broken !== null) throw causeOf(broken)
  return { runs: ended, failure: failureOf(found) }
}

/** Carries out one given sequence of commands. Null = each step is as the model says. */
export const runStory = async <State, Command, Deed, View>(
  model: Model<State, Command, Deed, View>,
  story: ReadonlyArray<Command>,
  start: () => Promise<Subject<Deed, View>>
): Promise<StoryFailure | null> => {
  const told = toldBy(model)
  const real = await start()
  try {
    for (const step of story.map(stepsOf(model, () => false))) {
      if (step.check(told)) await step.run(told, real)
    }
    return null
  } catch (cause) {
    if (cause instanceof Abandoned) return null
    if (cause instanceof Wrong) return { mismatch: cause.mismatch, story: cause.story }
    throw cause
  }
}

const toldBy = <State, Command, Deed, View>({
  machine
}: Model<State, Command, Deed, View>): Told<State, Deed, View> => ({
  possible: new Possible(machine),
  before: [],
  story: []
})

// The compiler does not see that the property above writes it.
const causeOf = (broken: { readonly cause: unknown }): unknown => broken.cause

const commandPath = (replay: ReplayToken | null) =>
  replay === null ? {} : { replayPath: replay.commands }

const soFar = <State, Deed, View>({ possible, before }: Told<State, Deed, View>) => ({
  before,
  states: possible.states
})

/** Makes of a command a step of fast-check's. */
const stepsOf =
  <State, Command, Deed, View>(model: Model<State, Command, Deed, View>, isOver: () => boolean) =>
  (command: Command): fc.AsyncCommand<Told<State, Deed, View>, Subject<Deed, View>> => ({
    check: (told) => model.bind(command, soFar(told)) !== null,
    run: async (so, real) => {
      const { possible, before, story } = so
      const deed = model.bind(command, soFar(so))
      if (deed === null) return
      if (isOver()) throw new Abandoned()
      const told = model.tell(deed)
      before.push(deed)
      try {
        const answer = await real.perform(deed)
        story.push(`${told} -> ${answer === indefinite ? "no answer" : answer}`)
        if (answer === indefinite && real.disturbed?.() !== true) {
          throw new Mismatch(`the answer to ${told}`, { expected: "an answer", actual: "none" })
        }
        possible.answered(deed, { answer, told })
        possible.seen(await real.view(), told)
      } catch (cause) {
        if (cause instanceof Mismatch) throw new Wrong(cause, story)
        throw cause
      }
    },
    toString: () => JSON.stringify(command)
  })

interface Found {
  readonly failed: boolean
  readonly seed: number
  readonly counterexample: ReadonlyArray<unknown> | null
  readonly counterexamplePath: string | null
  readonly errorInstance: unknown
}

const failureOf = (found: Found): ModelFailure | null => {
  const wrong = found.errorInstance
  if (!found.failed || !(wrong instanceof Wrong)) {
    if (found.failed) throw wrong ?? new Error("no sequence could be made")
    return null
  }
  const [commands] = found.counterexample ?? []
  const path = /replayPath="([^"]*)"/.exec(String(commands))?.[1] ?? ""
  const replay = { seed: found.seed, path: found.counterexamplePath ?? "", commands: path }
  return { mismatch: wrong.mismatch, story: wrong.story, replay }
}
