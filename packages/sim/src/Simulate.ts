import { dirname, relative, resolve } from "node:path"

import { Cause, Console, Effect, FileSystem, Option } from "effect"
import { Argument, CliConfig, CliError, CliOutput, Command, Flag, GlobalFlag } from "effect/cli"

import packageJson from "../package.json" with { type: "json" }
import { calibrate } from "./calibration/calibrate.ts"
import { askedFigures } from "./init/AskedFigures.ts"
import { gameSchema } from "./init/GameSchema.ts"
import { scenarioDraft } from "./init/ScenarioDraft.ts"
import { load } from "./load/load.ts"
import { plan } from "./plan/PlanCommand.ts"
import { scenarioFile } from "./scenario/ScenarioFile.ts"
import { scenarioJsonSchema } from "./scenario/ScenarioKeys.ts"
import { printScenario, scenarioSource } from "./scenario/ScenarioPrint.ts"
import { misused, SimulateFailure } from "./SimulateFailure.ts"
import { validate } from "./validate/validate.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const init = Command.make(
  "init",
  {
    schema: Argument.String("schema").pipe(
      Argument.withDescription(
        "The schema or room file of the game; none = every value is a guess"
      ),
      Argument.optional
    ),
    type: text("type", "The room type, when the file declares several"),
    project: text("project", "Id of a project whose rooms and metrics of now are measured"),
    url: text("url", "The service that has the project; default: as for `atrium rooms`"),
    out: text("out", "File to write; default: standard output").pipe(Flag.withAlias("o")),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Replace the file if it is there"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    )
  },
  Effect.fn("atrium.sim.init")(function* (input) {
    const out = Option.getOrNull(input.out)
    const fs = yield* FileSystem.FileSystem
    if (out !== null && !input.force && (yield* Effect.orDie(fs.exists(out)))) {
      return yield* misused(`${out}: is there already; --force replaces it`)
    }
    const project = Option.getOrNull(input.project)
    const shownPath = Option.getOrNull(input.schema)
    const type = Option.getOrNull(input.type)
    const declared =
      shownPath === null ? null : yield* gameSchema(resolve(shownPath), { shownPath, type })
    const from = out === null ? "." : dirname(out)
    const draft = scenarioDraft({
      schema:
        shownPath === null || declared === null
          ? null
          : { path: relative(from, shownPath), declared },
      project:
        project === null
          ? null
          : {
              id: project,
              figures: yield* askedFigures({ project, url: Option.getOrNull(input.url) })
            }
    })
    if (out === null) return yield* Console.log(draft.trimEnd())
    const flag = input.force ? "w" : "wx"
    yield* Effect.mapError(fs.writeFileString(out, draft, { flag }), ({ message }) =>
      misused(`${out}: ${message}`)
    )
    yield* Console.error(`${out}: written; check it with \`atrium sim check ${out}\``)
  })
).pipe(
  Command.withDescription("Write a commented scenario to begin with"),
  Command.withExamples([
    { command: "atrium sim init schema.ts --out scenario.yaml" },
    { command: "atrium sim init room.ts --project p_0123456789abcdef" }
  ])
)

const check = Command.make(
  "check",
  {
    scenario: Argument.String("scenario").pipe(
      Argument.withDescription("The scenario: a YAML or JSON file")
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print the scenario as one line of JSON"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("atrium.sim.check")(function* ({ scenario: path, json }) {
    const fs = yield* FileSystem.FileSystem
    const scenario = yield* scenarioFile(path)
    const { schema } = scenario.game
    if (schema !== undefined) {
      const there = yield* Effect.orDie(fs.exists(resolve(dirname(path), schema)))
      if (!there) return yield* misused(`${path}: game.schema: there is no file ${schema}`)
    }
    yield* Console.log(
      json ? JSON.stringify(scenarioSource(scenario)) : printScenario(scenario).trimEnd()
    )
  })
).pipe(Command.withDescription("Check a scenario, and print it with all that it left out"))

const simulate = Command.make(
  "atrium sim",
  {
    jsonSchema: Flag.Boolean("json-schema").pipe(
      Flag.withDescription("Print the JSON Schema of scenarios, for editors"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    )
  },
  Effect.fn("atrium.sim")(function* ({ jsonSchema }) {
    if (!jsonSchema)
      return yield* misused(
        "say init, check, plan, load, calibrate, validate or --json-schema; more: atrium sim --help"
      )
    yield* Console.log(JSON.stringify(scenarioJsonSchema(), null, 2))
  })
).pipe(
  Command.withDescription("Plan capacity, cost and caps of a game, and load it"),
  Command.withSubcommands([init, check, plan, load, calibrate, validate])
)

const run = Command.runWith(simulate, { version: packageJson.version })

/** Standard output is for results, so what is said about a wrong command line goes elsewhere. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag === "InvalidInvocation") {
      const errors = event.errors.map(({ message }) => message).join("\n")
      return Console.error(`${errors}\nMore: atrium sim --help`)
    }
    return CliOutput.defaultPresenter.present(event)
  }
}

/**
 * Runs one command line of `atrium sim` to its end; never fails.
 *
 * @returns the exit code: 0 done, 1 refused, 2 wrong use or an unusable file. Source: D-41.
 */
export const runSimulate = (argv: ReadonlyArray<string>) => {
  return run(argv).pipe(
    Effect.as(0),
    Effect.catchCause((cause) => {
      const error = Cause.squash(cause)
      if (error instanceof SimulateFailure) {
        return Effect.as(Console.error(error.message), error.exitCode)
      }
      if (CliError.isCliError(error)) return Effect.succeed(2)
      return Effect.as(Console.error(`atrium sim is at fault:\n${Cause.pretty(cause)}`), 1)
    }),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
    )
  )
}
