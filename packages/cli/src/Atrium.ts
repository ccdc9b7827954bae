import { Cause, Console, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"

import packageJson from "../package.json" with { type: "json" }
import { audit } from "./audit/audit.ts"
import { Misused, ProgramEnded, Refused } from "./CommandFailure.ts"
import { deploy } from "./deployments/deploy.ts"
import { dev } from "./deployments/dev.ts"
import { apiKeys } from "./keys/api-keys.ts"
import { keys } from "./keys/keys.ts"
import { login, logout } from "./logins/login.ts"
import { whoami } from "./logins/whoami.ts"
import { rooms } from "./rooms/rooms.ts"
import { passThrough, simulate } from "./sim/simulate.ts"

const atrium = Command.make("atrium").pipe(
  Command.withDescription("Rooms for multiplayer games: deploy their code, look after them"),
  Command.withSubcommands([
    deploy,
    dev,
    rooms,
    apiKeys,
    audit,
    keys,
    login,
    logout,
    simulate,
    whoami
  ])
)

const run = Command.runWith(atrium, { version: packageJson.version })

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

/**
 * Runs one command line to its end; never fails.
 *
 * @returns the exit code: 0 done, 1 refused, 2 wrong use or an unusable file. Source: D-41.
 */
export const runAtrium = (argv: ReadonlyArray<string>) =>
  run(passThrough(argv)).pipe(
    Effect.as(0),
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      if (error instanceof Refused) return Effect.as(Console.error(error.message), 1)
      if (error instanceof Misused) return Effect.as(Console.error(error.message), 2)
      if (error instanceof ProgramEnded) return Effect.succeed(error.exitCode)
      if (CliError.isCliError(error)) return Effect.succeed(2)
      return Effect.as(Console.error(`atrium is at fault:\n${Cause.pretty(cause)}`), 1)
    }),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    )
  )
