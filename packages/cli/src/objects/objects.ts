import type { ObjectOrder, ObjectsState } from "@atrium/domain/objects/ObjectsApi"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"

import { json, url } from "../projects/ProjectParameters.ts"
import { openService } from "../service/OpenService.ts"
import { loginSettings } from "../service/ServiceSettings.ts"
import { sizeText } from "../terminal/Sizes.ts"
import { pairsFor, type Pairs } from "../terminal/Table.ts"

/** `atrium objects` with the flag that its subcommands take as well. */
const group = Command.make("objects", { json }).pipe(Command.withSharedFlags({ url }))

const print = Effect.fnUntraced(function* (state: ObjectsState, asJson: boolean) {
  yield* Console.log(asJson ? JSON.stringify(state) : yield* pairsFor(pairsOf(state)))
})

const show = Command.withHandler(
  group,
  Effect.fn("atrium.objects")(function* (input) {
    const { ask, objects } = yield* openService(yield* loginSettings(input.url))
    yield* print(yield* ask(objects.state({ query: {} })), input.json)
  })
)

const ordering = Effect.fnUntraced(function* (order: ObjectOrder, asJson: boolean) {
  const shared = yield* group
  const { ask, objects } = yield* openService(yield* loginSettings(shared.url))
  yield* print(yield* ask(objects.order({ query: {}, payload: { move: order } })), asJson)
})

const move = Command.make(
  "move",
  {
    json,
    to: Flag.Literals("to", ["s3", "postgres"]).pipe(
      Flag.withDescription("Where the bytes go; a move that was stopped goes on")
    )
  },
  Effect.fn("atrium.objects.move")(({ to, json: asJson }) => ordering(`to-${to}`, asJson))
).pipe(Command.withDescription("Store new bytes there, and let those that are elsewhere follow"))

const stop = Command.make(
  "stop",
  { json },
  Effect.fn("atrium.objects.stop")(({ json: asJson }) => ordering("stop", asJson))
).pipe(Command.withDescription("Stop a move: what it has not reached stays where it is"))

/** `atrium objects`: where the bytes of stored objects are, for the operator. Source: C-469. */
export const objects = show.pipe(
  Command.withSubcommands([move, stop]),
  Command.withExamples([{ command: "atrium objects move --to s3" }])
)

const pairsOf = ({ place, s3Url, postgres, s3, garbage, move: moved }: ObjectsState): Pairs => [
  ["new bytes", place === "s3" ? "S3" : "PostgreSQL"],
  ["S3", s3Url ?? "none"],
  ["in PostgreSQL", heldText(postgres)],
  ["in the S3", heldText(s3)],
  ["to be swept", String(garbage)],
  ["move", moved === null ? "none" : moveText(moved)]
]

const heldText = (held: ObjectsState["s3"]): string =>
  `${held.objects} objects, ${sizeText(held.bytes)}`

const moveText = ({ status, moved, failed }: NonNullable<ObjectsState["move"]>): string =>
  `${status}: ${heldText(moved)}${failed === 0 ? "" : `; ${failed} could not be moved`}`
