import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Data, Effect } from "effect"
import { CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"

/** A fault of the command line that no single flag has. */
export class Misused extends Data.TaggedError("Misused")<{ readonly message: string }> {}

interface Bounds {
  readonly least: number
  readonly most: number
}

const within =
  ({ least, most }: Bounds, kind: string) =>
  (flag: Flag.Flag<number>): Flag.Flag<number> =>
    Flag.filter(
      flag,
      (value) => value >= least && value <= most,
      () => `Expected ${kind} from ${least} to ${most}`
    )

export const wholeFlag = (name: string, bounds: Bounds): Flag.Flag<number> =>
  within(bounds, "a whole number")(Flag.Int(name))

export const numberFlag = (name: string, bounds: Bounds): Flag.Flag<number> =>
  within(bounds, "a number")(Flag.Finite(name))

/** `--name` without a value. */
export const switchFlag = (name: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false))

/** Faults of the command line go to standard error, and leave standard output to the results. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag === "InvalidInvocation") {
      const errors = event.errors.map(({ message }) => message).join("\n")
      const [tool, ...names] = event.commandPath
      return Console.error(`${errors}\nMore: npm run ${[tool, "--", ...names].join(" ")} --help`)
    }
    return CliOutput.defaultPresenter.present(event)
  }
}

/**
 * Runs one command line of a developer's tool; never rejects.
 *
 * @returns 0 when the command ran, 2 after wrong use, 1 after a fault of the tool
 */
export const runTool = <Name extends string, Input, ContextInput, E>(
  command: Command.Command<Name, Input, ContextInput, E, Command.Environment>,
  argv: ReadonlyArray<string>
): Promise<number> =>
  Command.runWith(command, { version: "0.1.0" })(argv).pipe(
    Effect.as(0),
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      if (error instanceof Misused) return Effect.as(Console.error(error.message), 2)
      if (CliError.isCliError(error)) return Effect.succeed(2)
      return Effect.as(Console.error(Cause.pretty(cause)), 1)
    }),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(CliConfig.CliConfig, CliConfig.make({ builtIns: [GlobalFlag.Help] })),
    Effect.provide(NodeServices.layer),
    Effect.runPromise
  )
