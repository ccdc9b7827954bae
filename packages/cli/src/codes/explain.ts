import { allExplained, type Explained, explain as explained } from "@atrium/domain/codes/Codes"
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import { json } from "../projects/ProjectParameters.ts"
import { type Column, pairsFor, tableFor } from "../terminal/Table.ts"

const code = Argument.String("code").pipe(
  Argument.withDescription(
    "A code such as E_ROOM_FULL, or the number of a close such as 4409; default: list all codes"
  ),
  Argument.optional
)

/** `atrium explain`: what a code means, why it comes and what to do. It asks no service. Source: C-353. */
export const explain = Command.make(
  "explain",
  { code, json },
  Effect.fn("atrium.explain")(function* (input) {
    if (Option.isNone(input.code)) {
      const all = allExplained()
      const text = input.json ? JSON.stringify(all) : yield* tableFor(all, columns)
      return yield* Console.log(text)
    }
    const asked = input.code.value
    const found = explained(asked)
    if (found === null || typeof found === "string") {
      const hint = found === null ? "`atrium explain` lists the codes" : `did you mean ${found}?`
      return yield* new Misused({
        message: `${JSON.stringify(asked)} is no code of Atrium; ${hint}\na code that the game's own room code made up is explained there`
      })
    }
    const text = input.json
      ? JSON.stringify(found)
      : (yield* Effect.forEach(found, explainedText)).join("\n\n")
    yield* Console.log(text)
  })
).pipe(
  Command.withExamples([
    { command: "atrium explain E_ROOM_FULL" },
    { command: "atrium explain 4409", description: "The same, by the number of the close" },
    {
      command: "atrium explain 4403 --json",
      description: "An array of every code with this number"
    }
  ])
)

const whereOf = ({ status, closeCode, client }: Explained): string =>
  [
    status === null ? [] : `HTTP ${status}`,
    closeCode === null ? [] : `close ${closeCode}, the client ${shown[client ?? "stop"]}`
  ]
    .flat()
    .join("; ")

const shown = { stop: "stops", retry: "retries" } as const

const explainedText = (found: Explained) => {
  const where = whereOf(found)
  return pairsFor([
    ["code", found.code],
    ...(where === "" ? [] : [["seen as", where] as const]),
    ["means", found.means],
    ["why", found.why],
    ["next", found.next]
  ])
}

const columns: ReadonlyArray<Column<Explained>> = [
  { title: "CODE", cell: (each) => each.code, weight: 3 },
  { title: "SEEN AS", cell: whereOf, weight: 1 },
  { title: "MEANS", cell: ({ means }) => means, weight: 2 }
]
