import { Console, Data, Effect } from "effect"

import { Misused } from "../engine/Settings.ts"

/** A command that ends with another code than 0; all that there is to say has been said. */
export class CommandEnd extends Data.TaggedError("CommandEnd")<{ readonly code: number }> {}

/** Where a command says something. */
export type Say = Pick<Console.Console, "log" | "error">

/** Work whose exit code is the command's. Wrong use is told on standard error, and is 2. */
export const endingWith = Effect.fnUntraced(function* (
  work: (signal: AbortSignal, say: Say) => number | Promise<number>
) {
  const say = yield* Console.Console
  const code = yield* Effect.promise(async (signal) => {
    try {
      return await work(signal, say)
    } catch (cause) {
      if (!(cause instanceof Misused)) throw cause
      say.error(cause.message)
      return 2
    }
  })
  if (code !== 0) return yield* new CommandEnd({ code })
})

/** Aborted by the first SIGINT or SIGTERM; a second one ends the process at once. */
export const interruptible = async <A>(work: (signal: AbortSignal) => Promise<A>): Promise<A> => {
  const control = new AbortController()
  const signals = ["SIGINT", "SIGTERM"] as const
  const stop = (): void => {
    if (control.signal.aborted) process.exit(130)
    control.abort(new Error("interrupted"))
  }
  for (const signal of signals) process.on(signal, stop)
  try {
    return await work(control.signal)
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}
