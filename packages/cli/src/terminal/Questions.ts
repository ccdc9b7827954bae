import { Console, Effect, Pull, type Scope, Stdio, Stream } from "effect"

import { printable } from "./Printable.ts"

/** One terminal, and the questions of one command. */
export interface Questions {
  /** Whether somebody can answer. */
  readonly askable: boolean
  /** Asks on standard error. No answer, or the end of the input, is the default one. */
  readonly ask: (question: string, usual: string) => Effect.Effect<string>
}

/** Standard input is read line by line, so that it has an answer for each question. */
export const makeQuestions: Effect.Effect<Questions, never, Stdio.Stdio | Scope.Scope> = Effect.gen(
  function* () {
    const stdio = yield* Stdio.Stdio
    const askable = yield* stdio.stdinIsTerminal
    const pull = yield* Stream.toPull(stdio.stdin.pipe(Stream.decodeText(), Stream.splitLines))
    const lines: Array<string> = []
    const nextLine = Effect.gen(function* () {
      if (lines.length === 0) lines.push(...(yield* pull))
      return lines.shift() ?? ""
    }).pipe(
      Pull.catchDone(() => Effect.succeed("")),
      Effect.orDie
    )
    const ask = Effect.fn("Questions.ask")(function* (question: string, usual: string) {
      yield* Console.error(`${question} [${printable(usual)}]`)
      const answer = (yield* nextLine).trim()
      return answer === "" ? usual : answer
    })
    return { askable, ask }
  }
)
