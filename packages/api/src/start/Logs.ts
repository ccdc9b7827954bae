import { RoomLine } from "@atrium/actors/rooms/RoomLine"
import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { kindOfLine, LogRepeats } from "@atrium/domain/logs/LogRepeats"
import { visibleText } from "@atrium/domain/shared/VisibleText"
import { Array as Values, Effect, Formatter, Layer, Logger, Option, References } from "effect"

import { type LogFormat, readLogSettings } from "./LogSettings.ts"
import { readTelemetry, type TelemetrySettings, unexported } from "./TelemetrySettings.ts"

/** Logs go to standard error, as standard output belongs to the banner and to programs. */
export const logsLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { format, level } = yield* readLogSettings
    const settings = yield* readTelemetry
    const texts =
      logTexts[Option.getOrElse(format, () => (process.stderr.isTTY ? "pretty" : "logfmt"))]
    const console = Logger.withConsoleError(texts)
    const { loggers, context } = settings === null ? unexported : yield* exportTo(settings, console)
    const logger = yield* withLogGuard(toAll([console, ...loggers]))
    return Layer.mergeAll(
      Layer.succeedContext(context),
      Logger.layer([logger]),
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, level)
    )
  })
)

/** Starts the export, whose code nobody has who does not ask for it. */
const exportTo = Effect.fnUntraced(function* (
  settings: TelemetrySettings,
  console: Logger.Logger<unknown, unknown>
) {
  const { startTelemetry } = yield* Effect.promise(() => import("./Telemetry.ts"))
  const own = Logger.layer([console])
  return yield* startTelemetry(settings, {
    tell: (sentence) => Effect.provide(Effect.logWarning(sentence), own)
  })
})

const toAll = (
  loggers: ReadonlyArray<Logger.Logger<unknown, unknown>>
): Logger.Logger<unknown, void> =>
  Logger.make((entry) => {
    for (const logger of loggers) logger.log(entry)
  })

/**
 * Puts the guard on repeated lines before a logger: of what the service says again and again it
 * writes 100 lines a minute, and at the end of the minute how many there were besides. Source: C-174.
 */
export const withLogGuard = Effect.fnUntraced(function* (logger: Logger.Logger<unknown, void>) {
  const repeats = new LogRepeats()
  const tell = Effect.suspend(() =>
    Effect.forEach(
      repeats.endMinute(),
      ({ kind, count }) =>
        Effect.logWarning(`left out in the last minute: ${count} more lines like "${kind}"`),
      { discard: true }
    )
  ).pipe(Effect.provide(Logger.layer([logger])))
  yield* Effect.addFinalizer(() => tell)
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.sleep(LogLimits.logRepeats.everyMs), tell))
  )
  return Logger.make<unknown, void>((entry) => {
    const [first] = Values.ensure(entry.message)
    const kind = kindOfLine(entry.logLevel.toUpperCase(), typeof first === "string" ? first : "")
    if (entry.fiber.getRef(RoomLine) || repeats.take(kind)) logger.log(entry)
  })
})

type Entry =
  typeof Logger.formatStructured extends Logger.Logger<unknown, infer Output> ? Output : never

/** Colours of levels, as codes of a terminal. */
const colours: Readonly<Record<string, string>> = {
  ERROR: "\u001b[31m",
  WARN: "\u001b[33m",
  INFO: "\u001b[32m",
  DEBUG: "\u001b[34m"
}
const Plain = "\u001b[0m"
/** Begins each further line of an entry. No entry begins with it, and no text can remove it. */
const Further = "\n  | "

/**
 * How entries are written. Tenants choose what is in them (lines of rooms, names, ids): every control
 * character is written visibly, in every format. Source: C-173.
 */
export const logTexts: Readonly<Record<LogFormat, Logger.Logger<unknown, string>>> = {
  pretty: Logger.map(Logger.formatStructured, (entry) => prettyText(entry)),
  logfmt: Logger.map(Logger.formatLogFmt, visibleText),
  json: Logger.map(Logger.formatJson, visibleText)
}

const prettyText = ({ timestamp, level, message, cause, annotations }: Entry): string => {
  const texts = Array.isArray(message) ? message.map(textOf) : [textOf(message)]
  if (cause !== undefined) texts.push(cause)
  const about = Object.entries(annotations).map(([name, value]) => `${name}=${textOf(value)}`)
  if (about.length > 0) texts.push(about.join(" "))
  const time = timestamp.slice(timestamp.indexOf("T") + 1, -1)
  const body = texts.flatMap((text) => text.split("\n")).map(visibleText)
  return `[${time}] ${colours[level] ?? ""}${level}${Plain} ${body.join(Further)}`
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : Formatter.format(value)
