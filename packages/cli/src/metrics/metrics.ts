import type { ProjectMetrics } from "@atrium/domain/metrics/MetricsApi"
import { Console, Effect } from "effect"
import { Command } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { json, target } from "../projects/ProjectParameters.ts"
import { type Pairs, pairsFor } from "../terminal/Table.ts"

/** `atrium metrics`: what a project's rooms are doing. Spec: Observability. */
export const metrics = Command.make(
  "metrics",
  { ...target, json },
  Effect.fn("atrium.metrics")(function* (input) {
    const { ask, metrics: routes, project } = yield* openOwn(input)
    const read = yield* ask(routes.read({ params: { id: project.id }, query: {} }))
    yield* Console.log(input.json ? JSON.stringify(read) : yield* pairsFor(fieldsOf(read)))
  })
)

const fieldsOf = (read: ProjectMetrics): Pairs => [
  ["sockets", String(read.sockets)],
  ...Object.entries(read.roomsByState).map(
    ([state, count]) => [`rooms ${state}`, String(count)] as const
  ),
  ["ingress", `${read.ingressBytes} bytes`],
  ["egress", `${read.egressBytes} bytes`],
  ["memory", `${read.rss} bytes`]
]
