import type { WaitingTicket } from "@atrium/domain/match/TicketsApi"
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { json, target } from "../projects/ProjectParameters.ts"
import { ageText } from "../terminal/Ages.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

/** `atrium queue`: for the account that has the project. Source: C-808. */
export const queue = Command.make(
  "queue",
  {
    ...target,
    name: Argument.String("name").pipe(
      Argument.withDescription("The queue; default: the only one of the project"),
      Argument.optional
    ),
    json
  },
  Effect.fn("atrium.queue")(function* (input) {
    const { ask, tickets, project } = yield* openOwn(input)
    const query = Option.isSome(input.name) ? { queue: input.name.value } : {}
    const found = yield* ask(tickets.list({ params: { id: project.id }, query }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.length === 0) return yield* Console.error("nobody waits")
    yield* Console.log(yield* tableFor(found, columns(yield* Clock.currentTimeMillis)))
  })
).pipe(Command.withExamples([{ command: "atrium queue duo" }]))

const columns = (nowMs: number): ReadonlyArray<Column<WaitingTicket>> => [
  { title: "PLAYER", cell: ({ playerId }) => playerId, weight: 9 },
  { title: "SINCE", cell: ({ since }) => ageText(since, nowMs, ""), weight: 5 },
  { title: "PARTY", cell: ({ party }) => (party ? "yes" : "no"), weight: 3 },
  { title: "RATING", cell: ({ rating }) => rating.toFixed(0), weight: 4 },
  { title: "WHY", cell: ({ why }) => why, weight: 8 }
]
