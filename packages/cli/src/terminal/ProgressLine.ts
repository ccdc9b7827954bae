import { type Console, Context } from "effect"

/** The terminal that standard error is: what is written there goes on where the cursor is. */
export interface Screen {
  readonly write: (text: string) => void
  readonly columns: () => number
}

/** Some terminals say that they have no column. */
const widthUsual = 80

/** The screen of this process; tests have one of their own. */
export const Screen: Context.Reference<Screen> = Context.Reference("@atrium/cli/terminal/Screen", {
  defaultValue: () => ({
    write: (text) => {
      process.stderr.write(text)
    },
    columns: () => process.stderr.columns || widthUsual
  })
})

const eraseLine = "\r\u001b[2K"

/** One line at the bottom of a screen, which changes until it is erased. */
export interface ProgressLine {
  readonly show: (text: string) => void
  readonly erase: () => void
  /** What goes to a console while the line is there stands above it. */
  readonly above: (console: Console.Console) => Console.Console
}

/** @param paint makes the shown text stand back; it adds no column */
export const makeProgressLine = (
  { write, columns }: Screen,
  paint: (text: string) => string
): ProgressLine => {
  let shown = false
  const show = (text: string): void => {
    // A line that is as wide as the terminal would wrap, and could not be erased.
    write(eraseLine + paint([...text].slice(0, columns() - 1).join("")))
    shown = true
  }
  const erase = (): void => {
    if (shown) write(eraseLine)
    shown = false
  }
  const above = (console: Console.Console): Console.Console => {
    const after = (print: (...args: ReadonlyArray<unknown>) => void) => ({
      value: (...args: ReadonlyArray<unknown>) => {
        erase()
        print.call(console, ...args)
      }
    })
    const wrapped: Console.Console = Object.create(console, {
      log: after(console.log),
      error: after(console.error)
    })
    return wrapped
  }
  return { show, erase, above }
}
