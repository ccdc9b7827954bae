import { Cause, Console, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"

import packageJson from "../package.json" with { type: "json" }
import { Misused, ProgramEnded, Refused } from "./CommandFailure.ts"
import { commandFor } from "./Commands.ts"
import { passThrough } from "./sim/PassThrough.ts"
import { attachStatic } from "./sites/AttachStatic.ts"
import { faultText, paintOf } from "./terminal/Paint.ts"
import { SaysProgress } from "./terminal/Progress.ts"

/** Standard output is for results, so what is said about a wrong command line goes elsewhere. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return event.reason === "Requested"
          ? CliOutput.defaultPresenter.present(event)
          : Console.error(`usage: ${event.helpDoc.usage}\nMore: atrium --help`)
      case "InvalidInvocation": {
        const errors = event.errors.map(({ message }) => message).join("\n")
        return Console.error(`${errors}\nMore: ${event.commandPath.join(" ")} --help`)
      }
      case "Version":
        return Console.log(event.version)
    }
  }
}

const sayFault = (message: string) =>
  Effect.flatMap(paintOf("stderr"), (paint) => Console.error(faultText(paint, message)))

/**
 * Runs one command line to its end; never fails.
 *
 * @returns the exit code: 0 done, 1 refused, 2 wrong use or an unusable file. Source: D-41.
 */
export const runAtrium = (argv: ReadonlyArray<string>) =>
  Effect.promise(() => commandFor(argv)).pipe(
    Effect.flatMap((atrium) =>
      Command.runWith(atrium, { version: packageJson.version })(attachStatic(passThrough(argv)))
    ),
    Effect.as(0),
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      if (error instanceof Refused) return Effect.as(sayFault(error.message), 1)
      if (error instanceof Misused) return Effect.as(sayFault(error.message), 2)
      if (error instanceof ProgramEnded) return Effect.succeed(error.exitCode)
      if (CliError.isCliError(error)) return Effect.succeed(2)
      return Effect.as(Console.error(`atrium is at fault:\n${Cause.pretty(cause)}`), 1)
    }),
    Effect.provideService(SaysProgress, !argv.includes("--json")),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    )
  )
