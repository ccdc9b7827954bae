import { Data, Effect } from "effect"

import { Misused } from "../engine/Settings.ts"

/** A command that ends with another code than 0; all that there is to say has been said. */
export class CommandEnd extends Data.TaggedError("CommandEnd")<{ readonly code: number }> {}

/** Work whose exit code is the command's. Wrong use is told on standard error, and is 2. */
export const endingWith = (
  work: (signal: AbortSignal) => number | Promise<number>
): Effect.Effect<void, CommandEnd> =>
  Effect.flatMap(
    Effect.promise(async (signal) => {
      try {
        return await work(signal)
      } catch (cause) {
        if (!(cause instanceof Misused)) throw cause
        process.stderr.write(`${cause.message}\n`)
        return 2
      }
    }),
    (code) => (code === 0 ? Effect.void : Effect.fail(new CommandEnd({ code })))
  )

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
