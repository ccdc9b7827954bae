import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Console, Effect, Fiber, Stdio } from "effect"
import { TestClock, TestConsole } from "effect/testing"

import { SaysProgress, withProgress } from "./Progress.ts"
import { Screen } from "./ProgressLine.ts"

interface Place {
  readonly terminal: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly columns?: number
}

/** What a step says while it lasts so long, and what it has written on a screen. */
const said = Effect.fnUntraced(function* (
  step: Effect.Effect<unknown, never, Stdio.Stdio>,
  seconds: number,
  { terminal, env = {}, columns = 80 }: Place
) {
  let screen = ""
  const write = (text: string): void => void (screen += text)
  const running = yield* Effect.forkChild(
    step.pipe(
      Effect.provideService(Screen, { write, columns: () => columns }),
      Effect.provide(Stdio.layerTest({ stderrIsTerminal: Effect.succeed(terminal) })),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ NO_COLOR: "1", ...env })
      )
    )
  )
  yield* TestClock.adjust(`${seconds} seconds`)
  yield* Fiber.join(running)
  return { lines: yield* TestConsole.errorLines, screen, shown: shownOn(screen) }
})

/** The lines that the screen showed, each of them erased by the next. */
const shownOn = (screen: string): ReadonlyArray<string> => [
  ...new Set(screen.split("\r\u001b[2K").filter((line) => line !== ""))
]

const lasting = (seconds: number) => Effect.sleep(`${seconds} seconds`)

describe("withProgress, where standard error is no terminal", () => {
  const place = { terminal: false }

  it.effect("[C-375] says a line of a step that takes longer than a second", () =>
    Effect.gen(function* () {
      const short = yield* said(withProgress("bundling")(lasting(0.9)), 1, place)
      expect(short).toEqual({ lines: [], screen: "", shown: [] })
      const long = yield* said(withProgress("bundling")(lasting(60)), 60, place)
      expect(long).toEqual({ lines: ["bundling …"], screen: "", shown: [] })
    }).pipe(Effect.provide(TestConsole.layer))
  )

  it.effect("[C-375] says every ten seconds how far a step is that counts", () =>
    Effect.gen(function* () {
      let sent = 0
      const step = Effect.repeat(
        Effect.andThen(
          lasting(1),
          Effect.sync(() => (sent += 1))
        ),
        { times: 24 }
      )
      const { lines } = yield* said(withProgress(() => `sent ${sent}`)(step), 25, place)
      expect(lines).toHaveLength(3)
      expect(lines.at(-1)).toMatch(/^sent 2[01] …$/)
    }).pipe(Effect.provide(TestConsole.layer))
  )

  it.effect("[C-375] says at once what waits for a person", () =>
    Effect.gen(function* () {
      const { lines } = yield* said(withProgress("waiting", "atOnce")(Effect.void), 0, place)
      expect(lines).toEqual(["waiting …"])
    }).pipe(Effect.provide(TestConsole.layer))
  )
})

describe("withProgress at a terminal", () => {
  const place = { terminal: true }

  it.effect("[C-375] counts the seconds on one line, and erases it at the end", () =>
    Effect.gen(function* () {
      const { lines, screen, shown } = yield* said(withProgress("bundling")(lasting(3.1)), 4, place)
      expect(lines).toEqual([])
      expect(shown).toEqual(["bundling … 1s", "bundling … 2s", "bundling … 3s"])
      expect(screen.endsWith("\r\u001b[2K")).toBe(true)
      expect(screen).not.toContain("\n")
    }).pipe(Effect.provide(TestConsole.layer))
  )

  it.effect("[C-375] makes way for what is said meanwhile", () =>
    Effect.gen(function* () {
      const step = lasting(1.1).pipe(
        Effect.andThen(Console.error("warning: odd")),
        Effect.andThen(lasting(0.01))
      )
      const { lines, screen } = yield* said(withProgress("bundling")(step), 2, place)
      expect(lines).toEqual(["warning: odd"])
      expect(screen).toBe("\r\u001b[2Kbundling … 1s\r\u001b[2K")
    }).pipe(Effect.provide(TestConsole.layer))
  )

  it.effect("[C-375] is cut one column before the edge, so that it can be erased", () =>
    Effect.gen(function* () {
      const step = withProgress("reading a.save")(lasting(1.5))
      expect((yield* said(step, 2, { ...place, columns: 10 })).shown).toEqual(["reading a"])
      expect((yield* said(step, 2, { ...place, columns: 19 })).shown).toEqual([
        "reading a.save … 1"
      ])
    }).pipe(Effect.provide(TestConsole.layer))
  )

  it.effect("[C-375] is a line of its own where a line cannot be erased", () =>
    Effect.gen(function* () {
      const dumb = { ...place, env: { TERM: "dumb" } }
      const { lines, screen } = yield* said(withProgress("bundling")(lasting(2)), 2, dumb)
      expect({ lines, screen }).toEqual({ lines: ["bundling …"], screen: "" })
    }).pipe(Effect.provide(TestConsole.layer))
  )
})

it.effect("[C-375] a step within a step says nothing, and neither does any with --json", () =>
  Effect.gen(function* () {
    const inner = withProgress("waiting for http://a")(lasting(5))
    const { lines } = yield* said(withProgress("rolling back")(inner), 5, { terminal: false })
    expect(lines).toEqual(["rolling back …"])
    const silent = inner.pipe(Effect.provideService(SaysProgress, false))
    const { screen } = yield* said(silent, 5, { terminal: true })
    expect(screen).toBe("")
    expect(yield* TestConsole.errorLines).toEqual(lines)
  }).pipe(Effect.provide(TestConsole.layer))
)
