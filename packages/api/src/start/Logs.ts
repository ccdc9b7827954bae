import { Effect, Layer, Logger, Option, References } from "effect"

import { withLogGuard } from "./LogGuard.ts"
import { readLogSettings } from "./LogSettings.ts"
import { logTexts } from "./LogText.ts"

/** Logs go to standard error, as standard output belongs to the banner and to programs. */
export const logsLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { format, level } = yield* readLogSettings
    const texts =
      logTexts[Option.getOrElse(format, () => (process.stderr.isTTY ? "pretty" : "logfmt"))]
    const logger = yield* withLogGuard(Logger.withConsoleError(texts))
    return Layer.mergeAll(
      Logger.layer([logger]),
      Layer.succeed(Logger.LogToStderr, true),
      Layer.succeed(References.MinimumLogLevel, level)
    )
  })
)
