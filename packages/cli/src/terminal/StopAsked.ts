import { Effect } from "effect"

/** The first SIGINT or SIGTERM ends the command in order; a second one ends the process. */
export const stopAsked = Effect.callback<void>((resume) => {
  const stop = (): void => {
    unhook()
    resume(Effect.void)
  }
  const unhook = (): void => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop)
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop)
  return Effect.sync(unhook)
})
