import { Layer, Logger, References } from "effect"

/** Logs go to standard error, as standard output belongs to the banner and to programs. */
export const logsLayer = Layer.mergeAll(
  Logger.layer([
    process.stderr.isTTY ? Logger.consolePretty() : Logger.withConsoleError(Logger.formatLogFmt)
  ]),
  Layer.succeed(Logger.LogToStderr, true),
  Layer.succeed(References.MinimumLogLevel, "Info")
)
