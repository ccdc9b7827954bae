import { Cause, Console, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"

import packageJson from "../package.json" with { type: "json" }
import { CommandEnd } from "./commands/CommandEnd.ts"
import { diff } from "./commands/diff.ts"
import { explain } from "./commands/explain.ts"
import { list } from "./commands/list.ts"
import { mutate } from "./commands/mutate.ts"
import { report } from "./commands/report.ts"
import { run } from "./commands/run.ts"
import { smoke } from "./commands/smoke.ts"

const specTests = Command.make("spec-tests").pipe(
  Command.withDescription("Where an implementation of the specification stands, row by row"),
  Command.withSubcommands([run, list, explain, smoke, diff, report, mutate])
)

const runCommand = Command.runWith(specTests, { version: packageJson.version })

/** Standard output is for results, so what is said about a wrong command line goes elsewhere. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return event.reason === "Requested"
          ? CliOutput.defaultPresenter.present(event)
          : Console.error(`usage: ${event.helpDoc.usage}\nMore: spec-tests --help`)
      case "InvalidInvocation": {
        const errors = event.errors.map(({ message }) => message).join("\n")
        return Console.error(`${errors}\nMore: ${event.commandPath.join(" ")} --help`)
      }
      case "Version":
        return Console.log(event.version)
    }
  }
}

/**
 * Runs one command line to its end; never fails.
 *
 * @returns the exit code: 0 it conforms, 1 it does not, 2 wrong use or the suite broke, 130 interrupted.
 */
export const runSpecTests = (argv: ReadonlyArray<string>) =>
  runCommand(argv).pipe(
    Effect.as(0),
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      if (error instanceof CommandEnd) return Effect.succeed(error.code)
      if (CliError.isCliError(error)) return Effect.succeed(2)
      return Effect.as(Console.error(`spec-tests is at fault:\n${Cause.pretty(cause)}`), 2)
    }),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    )
  )
