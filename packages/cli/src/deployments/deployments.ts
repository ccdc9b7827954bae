import type { DeploymentListed } from "@atrium/domain/deployments/DeploymentsApi"
import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { json, target } from "../projects/ProjectParameters.ts"
import { ageText } from "../terminal/Ages.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

/** `atrium deployments`: the versions of a project, newest first. Source: D-40, D-41. */
export const deployments = Command.make(
  "deployments",
  { ...target, json },
  Effect.fn("atrium.deployments")(function* (input) {
    const { ask, deployments: routes, project } = yield* openOwn(input)
    const found = yield* ask(routes.list({ params: { id: project.id }, query: {} }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.length === 0) return yield* Console.error("no deployments")
    yield* Console.log(yield* tableFor(found, columns(yield* Clock.currentTimeMillis)))
  })
).pipe(Command.withExamples([{ command: "atrium deployments" }]))

const stateOf = ({ current, rollbackOf }: DeploymentListed): string =>
  [current ? "current" : "", rollbackOf === null ? "" : `code of ${rollbackOf}`]
    .filter((part) => part !== "")
    .join(", ")

const columns = (nowMs: number): ReadonlyArray<Column<DeploymentListed>> => [
  { title: "VERSION", cell: ({ version }) => String(version), weight: 6 },
  { title: "STATE", cell: stateOf, weight: 5 },
  { title: "MADE", cell: ({ createdAt }) => ageText(createdAt, nowMs, ""), weight: 3 },
  { title: "BYTES", cell: ({ bytes }) => String(bytes), weight: 1 },
  { title: "ROOMS UP", cell: ({ rooms }) => String(rooms), weight: 4 },
  {
    title: "SCHEMAS",
    cell: ({ roomTypes }) =>
      roomTypes.map(({ type, schemaHash }) => `${type} ${schemaHash}`).join(", "),
    weight: 2
  }
]
