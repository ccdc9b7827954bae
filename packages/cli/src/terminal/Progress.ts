import { Clock, Console, Context, Duration, Effect, Stdio } from "effect"
import { TerminalCapabilities } from "effect/cli"

import { paintOf } from "./Paint.ts"
import { makeProgressLine, Screen } from "./ProgressLine.ts"

/** Whether steps say how far they are: not within another step, and not for a program that reads `--json`. */
export const SaysProgress: Context.Reference<boolean> = Context.Reference(
  "@atrium/cli/terminal/SaysProgress",
  { defaultValue: () => true }
)

/** What is being done, now. */
type Doing = string | (() => string)

interface Said {
  readonly doing: Doing
  /** A shorter step says nothing. */
  readonly after: Duration.Duration
}

const later = Duration.seconds(1)
/** How often the line at a terminal is drawn anew. */
const drawEvery = Duration.millis(200)
/** How often a step elsewhere says how far it is, when that changes. */
const sayEvery = Duration.seconds(10)

/**
 * Says on standard error what is being done when it takes longer than a second: at a terminal on one line, which counts
 * the seconds and is erased at the end; elsewhere on a line of its own. Source: C-375.
 */
export const withProgress =
  (doing: Doing, from: "later" | "atOnce" = "later") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Stdio.Stdio> =>
    Effect.gen(function* () {
      if (!(yield* SaysProgress)) return yield* effect
      const said = { doing, after: from === "atOnce" ? Duration.zero : later }
      const step: Effect.Effect<A, E, R | Stdio.Stdio> = (yield* animates)
        ? onLine(said, effect)
        : inLines(said, effect)
      return yield* Effect.provideService(step, SaysProgress, false)
    })

/** Whether standard error is a terminal on which a line can be erased. */
const animates = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const { canAnimate } = yield* Effect.service(TerminalCapabilities.TerminalCapabilities).pipe(
    Effect.provide(TerminalCapabilities.layer),
    Effect.provideService(Stdio.Stdio, { ...stdio, stdoutIsTerminal: stdio.stderrIsTerminal })
  )
  return canAnimate
})

const textOf = (doing: Doing): string => (typeof doing === "string" ? doing : doing())

const onLine = Effect.fnUntraced(function* <A, E, R>(
  { doing, after }: Said,
  effect: Effect.Effect<A, E, R>
) {
  const line = makeProgressLine(yield* Screen, (yield* paintOf("stderr")).aside)
  const console = yield* Console.Console
  const startMs = yield* Clock.currentTimeMillis
  const draw = Effect.map(Clock.currentTimeMillis, (nowMs) =>
    line.show(`${textOf(doing)} … ${Math.floor((nowMs - startMs) / 1000)}s`)
  )
  const draws = Effect.forever(Effect.andThen(draw, Effect.sleep(drawEvery)))
  return yield* Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.addFinalizer(() => Effect.sync(line.erase))
      yield* Effect.forkScoped(Effect.delay(draws, after))
      return yield* Effect.provideService(effect, Console.Console, line.above(console))
    })
  )
})

const inLines = <A, E, R>(
  { doing, after }: Said,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const say = Effect.suspend(() => Console.error(`${textOf(doing)} …`))
  if (Duration.isZero(after)) return Effect.andThen(say, effect)
  const again = Effect.forever(Effect.andThen(Effect.sleep(sayEvery), say))
  const says = Effect.andThen(say, typeof doing === "string" ? Effect.void : again)
  return Effect.scoped(Effect.andThen(Effect.forkScoped(Effect.delay(says, after)), effect))
}
