import { Effect, Stdio } from "effect"
import { TerminalCapabilities } from "effect/cli"

/** Where a run shows what it does. */
export interface LoadScreen {
  /** A table that takes the place of the one before. */
  draw(text: string): void
  erase(): void
}

/** Standard error as a terminal on which lines can be drawn anew; `null` = it is none. */
export const loadScreen = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const { canAnimate } = yield* Effect.service(TerminalCapabilities.TerminalCapabilities).pipe(
    Effect.provide(TerminalCapabilities.layer),
    Effect.provideService(Stdio.Stdio, { ...stdio, stdoutIsTerminal: stdio.stderrIsTerminal })
  )
  return canAnimate ? makeLoadScreen((text) => process.stderr.write(text), columns) : null
})

const widthUsual = 80
const columns = (): number => process.stderr.columns || widthUsual

const makeLoadScreen = (write: (text: string) => unknown, columns: () => number): LoadScreen => {
  let drawn = 0
  const erase = (): void => {
    if (drawn > 0) write(`\r\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }
  return {
    erase,
    draw: (text) => {
      erase()
      // A line that is as wide as the terminal would wrap, and could not be erased.
      const lines = text.split("\n").map((line) => [...line].slice(0, columns() - 1).join(""))
      write(`${lines.join("\n")}\n`)
      drawn = lines.length
    }
  }
}
