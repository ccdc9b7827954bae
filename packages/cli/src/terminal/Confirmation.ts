import { Console, Effect, Stdio, Stream } from "effect"
import { Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"

/** For commands that ask first. Without a terminal nobody can be asked, and the flag must be there. */
export const yes = Flag.Boolean("yes").pipe(
  Flag.withAlias("y"),
  Flag.withDescription("Do not ask first"),
  Flag.withoutNegation,
  Flag.withDefault(false)
)

/** Asks on standard error, as standard output may be captured, and fails unless the answer is yes. */
export const confirmed = Effect.fn("Confirmation.ask")(function* (
  consequence: string,
  given: boolean
) {
  if (given) return
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stdinIsTerminal)) {
    return yield* new Misused({
      message: `${consequence}\nstandard input is no terminal, so nobody can be asked: say --yes`
    })
  }
  yield* Console.error(`${consequence}\nGo on? [y/N]`)
  const answer = yield* typedLine
  if (!/^\s*y(?:es)?\s*$/i.test(answer.slice(0, answerCharsMax))) {
    return yield* new Misused({ message: "nothing was changed" })
  }
})

/** The next line that somebody types. */
export const typedLine = Effect.flatMap(Stdio.Stdio, ({ stdin }) =>
  stdin.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(1), Stream.mkString, Effect.orDie)
)

const answerCharsMax = 16
