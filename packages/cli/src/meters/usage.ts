import type { Usage } from "@atrium/domain/meters/UsageApi"
import { Console, Effect, Predicate } from "effect"
import { Command } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { json, target } from "../projects/ProjectParameters.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

/** `atrium usage`: what a project used of each meter, by day. */
export const usage = Command.make(
  "usage",
  { ...target, json },
  Effect.fn("atrium.usage")(function* (input) {
    const { ask, usage: routes, project } = yield* openOwn(input)
    const headers = { accept: "application/json" }
    const read = yield* ask(routes.read({ params: { id: project.id }, query: {}, headers }))
    // The service answers with the table to those alone who ask for it.
    const found = Predicate.isString(read) ? { days: [] } : read
    if (input.json) return yield* Console.log(JSON.stringify(found))
    yield* Console.log(yield* tableFor(found.days, columns))
  })
)

const columns: ReadonlyArray<Column<Usage["days"][number]>> = [
  { title: "DAY", cell: ({ day }) => day, weight: 9 },
  { title: "ROOM HOURS", cell: ({ roomHours }) => roomHours.toFixed(2), weight: 8 },
  { title: "VOICE MINUTES", cell: ({ voiceMinutes }) => voiceMinutes.toFixed(2), weight: 5 },
  { title: "STORAGE", cell: ({ storageBytes }) => `${storageBytes} bytes`, weight: 6 },
  { title: "DATA OUT", cell: ({ dataOutBytes }) => `${dataOutBytes} bytes`, weight: 7 }
]
