import { Config, Effect, type LogLevel, Option } from "effect"

import { StartRefused } from "./ServiceConfig.ts"

/** How a log line is written: for a person at a terminal, as `key=value`, as a line of JSON. */
export type LogFormat = (typeof logFormats)[number]

const logFormats = ["pretty", "logfmt", "json"] as const

/** The levels that may be asked for, and what Effect calls them. */
const logLevels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

interface LogSettings {
  /** None = `pretty` on a terminal, else `logfmt`. */
  readonly format: Option.Option<LogFormat>
  /** Lines below it are not written. */
  readonly level: LogLevel.LogLevel
}

const fromEnvironment = Config.all({
  format: Config.option(Config.String("ATRIUM_LOG_FORMAT")),
  level: Config.String("ATRIUM_LOG_LEVEL").pipe(Config.withDefault("info"))
})

/** Reads `ATRIUM_LOG_FORMAT` and `ATRIUM_LOG_LEVEL`; what does not fit is refused by name. */
export const readLogSettings: Effect.Effect<LogSettings, StartRefused> = Effect.gen(function* () {
  const { format, level } = yield* Effect.orDie(fromEnvironment)
  const known = logFormats.find((each) => each === Option.getOrUndefined(format))
  if (Option.isSome(format) && known === undefined) {
    return yield* refused("ATRIUM_LOG_FORMAT", format.value, logFormats)
  }
  if (!isLevel(level)) return yield* refused("ATRIUM_LOG_LEVEL", level, Object.keys(logLevels))
  return { format: Option.fromUndefinedOr(known), level: logLevels[level] }
})

const isLevel = (text: string): text is keyof typeof logLevels => Object.hasOwn(logLevels, text)

const refused = (name: string, value: string, known: ReadonlyArray<string>): StartRefused =>
  new StartRefused({
    message: `${name} is ${JSON.stringify(value)}; it must be ${known.join(", ")}.`
  })
