import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"

import { hinted } from "../CommandFailure.ts"
import { openOwn } from "../projects/CommandProject.ts"
import { json, target } from "../projects/ProjectParameters.ts"
import { confirmed, yes } from "../terminal/Confirmation.ts"
import { withProgress } from "../terminal/Progress.ts"

const version = Argument.Int("version").pipe(
  Argument.withDescription(
    "The version whose code comes back; default: the one before the version whose code is current"
  ),
  Argument.filter(
    (number) => number > 0,
    () => "the number of a version, from 1 on"
  ),
  Argument.optional
)

/** `atrium rollback`: the code and schema of an older version, as a new one. Source: D-40, C-350. */
export const rollback = Command.make(
  "rollback",
  { version, ...target, yes, json },
  Effect.fn("atrium.rollback")(function* (input) {
    const { ask, deployments, project } = yield* openOwn(input)
    const wanted = Option.getOrNull(input.version)
    const back = wanted === null ? "the version before" : `version ${wanted}`
    yield* confirmed(
      `the rooms of ${project.id} go back to the code and schema of ${back}; they keep their state, and their clients reconnect`,
      input.yes
    )
    const payload = wanted === null ? {} : { version: wanted }
    const call = deployments.rollback({ params: { id: project.id }, query: {}, payload })
    const made = yield* ask(call).pipe(
      withProgress(`rolling ${project.id} back`),
      hinted("E_VERSION_NOT_FOUND", "`atrium deployments` lists the versions"),
      hinted("E_NO_ROLLBACK", "`atrium deployments` lists the versions"),
      hinted(
        "E_SCHEMA_BREAKING",
        "rooms could not read their state with that schema; deploy a mended version instead"
      )
    )
    yield* Console.log(
      input.json
        ? JSON.stringify({ project: project.id, ...made })
        : `version ${made.version} of ${project.id} is current and has the code of version ${made.rollbackOf}`
    )
  })
).pipe(
  Command.withExamples([
    { command: "atrium rollback", description: "Undo the newest deploy" },
    { command: "atrium rollback 3 --yes", description: "Go back to version 3, without a question" }
  ])
)
