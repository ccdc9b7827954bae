import { LauncherLost } from "@atrium/actors/process/ProcessPool"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { visibleText } from "@atrium/domain/shared/VisibleText"
import { Cause, Effect, Exit, Fiber } from "effect"

import { StartRefused, StoreLost } from "./ServiceConfig.ts"

/** A failure that ends a service by itself. */
type Ended = StartRefused | StoreLost | LauncherLost

/** After a drain everything else has this long to end. */
const afterDrainMs = 5_000

/**
 * One Ctrl-C arrives twice under npm, which passes on what the terminal has sent to both already:
 * what comes within this span is still the first signal.
 */
const echoMs = 500

/**
 * Runs the service until a signal: the first one drains it, a second one ends the process at once,
 * and a shutdown that hangs is ended by a watchdog. A refused start is one sentence, and so is the end
 * of a service that has lost its store.
 */
export const runUntilSignal = (service: Effect.Effect<never, Ended>): void => {
  // The reader of the output may go away first, which must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)
  const fiber = Effect.runFork(service)
  let stoppingSinceMs: number | null = null
  const stop = (signal: NodeJS.Signals): void => {
    if (stoppingSinceMs !== null) {
      if (performance.now() - stoppingSinceMs < echoMs) return
      process.stderr.write("atrium: stopped at once; rooms keep their last stored state\n")
      process.exit(130)
    }
    stoppingSinceMs = performance.now()
    process.stderr.write(`atrium: ${signal}: storing rooms, stopping\n`)
    setTimeout(() => {
      process.stderr.write("atrium: the shutdown hung and was ended\n")
      process.exit(1)
    }, ServiceLimits.drain.ms + afterDrainMs).unref()
    Effect.runFork(Fiber.interrupt(fiber))
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop)
  fiber.addObserver((exit) => process.exit(codeOf(exit)))
}

const codeOf = (exit: Exit.Exit<never, Ended>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Cause.squash(exit.cause)
  const told =
    error instanceof StartRefused || error instanceof StoreLost || error instanceof LauncherLost
  const text = told ? error.message : Cause.pretty(exit.cause)
  process.stderr.write(`atrium: ${text.split("\n").map(visibleText).join("\n")}\n`)
  return 1
}
