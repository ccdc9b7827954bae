import { styleText } from "node:util"

import type { LogLevel } from "@atrium/domain/logs/LogLine"
import { Effect, Stdio } from "effect"
import { TerminalCapabilities } from "effect/cli"

/** How texts of one stream stand out. It is applied to texts that are padded already, as it adds characters. */
export interface Paint {
  /** The titles of a table, and the version that a deploy made. */
  readonly title: (text: string) => string
  /** What a value is, before the value; how far a step is. */
  readonly aside: (text: string) => string
  readonly fault: (text: string) => string
  readonly warning: (text: string) => string
}

/** Without colours. */
export const plain: Paint = {
  title: (text) => text,
  aside: (text) => text,
  fault: (text) => text,
  warning: (text) => text
}

type Format = Parameters<typeof styleText>[0]

// Whether the stream takes colours is known already.
const style = (format: Format) => (text: string) =>
  text === "" ? "" : styleText(format, text, { validateStream: false })

/** With colours of the terminal's own palette. */
export const coloured: Paint = {
  title: style("bold"),
  aside: style("dim"),
  fault: style(["bold", "red"]),
  warning: style("yellow")
}

/**
 * The paint of standard output or standard error: colours for a terminal alone, by the rules of `NO_COLOR`,
 * `FORCE_COLOR` and `TERM=dumb` that the help goes by. Source: C-369.
 */
export const paintOf = Effect.fnUntraced(function* (stream: "stdout" | "stderr") {
  const stdio = yield* Stdio.Stdio
  const isTerminal = stream === "stdout" ? stdio.stdoutIsTerminal : stdio.stderrIsTerminal
  const { canColor } = yield* Effect.service(TerminalCapabilities.TerminalCapabilities).pipe(
    Effect.provide(TerminalCapabilities.layer),
    Effect.provideService(Stdio.Stdio, { ...stdio, stdoutIsTerminal: isTerminal })
  )
  return canColor ? coloured : plain
})

/** A refusal or another fault: its code stands out. */
export const faultText = (paint: Paint, message: string): string =>
  message.replace(/^E_[A-Z_]+(?=:)/, (code) => paint.fault(code))

/** A level in a line of a log. @param text the level, padded */
export const levelText = (paint: Paint, level: LogLevel, text: string): string => {
  switch (level) {
    case "error":
      return paint.fault(text)
    case "warn":
      return paint.warning(text)
    case "info":
    case "debug":
      return paint.aside(text)
  }
}
