import { Effect } from "effect"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
/** Ctrl-C reaches this program from the terminal and from `atrium` that started it: both are one. */
const sameWithinMs = 500

/** The first signal ends a command in order; another one, later, ends the process. */
export const stopAsked = Effect.callback<void>((resume) => {
  let askedAtMs: number | null = null
  const stop = (): void => {
    const nowMs = performance.now()
    if (askedAtMs !== null && nowMs - askedAtMs > sameWithinMs) process.exit(1)
    askedAtMs ??= nowMs
    resume(Effect.void)
  }
  for (const signal of signals) process.on(signal, stop)
  // A command that ends before anybody asks listens no longer.
  return Effect.sync(() => {
    for (const signal of signals) process.off(signal, stop)
  })
})
