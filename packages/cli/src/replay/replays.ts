import type { ReplayRow } from "@atrium/domain/replay/ReplaysApi"
import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"

import { openRooms } from "../projects/CommandProject.ts"
import { idArgument, json, target } from "../projects/ProjectParameters.ts"
import { ageText } from "../terminal/Ages.ts"
import { confirmed, yes } from "../terminal/Confirmation.ts"
import { printable } from "../terminal/Printable.ts"
import { sizeText } from "../terminal/Sizes.ts"
import { type Column, tableFor } from "../terminal/Table.ts"
import { makeReport } from "./report.ts"

/** `atrium replays` with what its subcommands take as well, before or after their names. */
const group = Command.make("replays", { json }).pipe(Command.withSharedFlags(target))

const list = Command.withHandler(
  group,
  Effect.fn("atrium.replays")(function* (input) {
    const { ask, replays: routes, project } = yield* openRooms(input)
    const found = yield* ask(routes.list({ params: { id: project.id }, query: {} }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.length === 0) {
      return yield* Console.error("no replays: room code makes them with room.replay.clip()")
    }
    yield* Console.log(yield* tableFor(found, columns(yield* Clock.currentTimeMillis)))
  })
)

const remove = Command.make(
  "delete",
  { replay: idArgument("replay", "Id of the clip or recording: rp_…"), yes, json },
  Effect.fn("atrium.replays.delete")(function* (input) {
    const { ask, replays: routes, project } = yield* openRooms(yield* group)
    yield* confirmed(`${printable(input.replay)} goes for good, and its link stops`, input.yes)
    const params = { id: project.id, replayId: input.replay }
    const gone = yield* ask(routes.delete({ params, query: {} }))
    yield* Console.log(
      input.json ? JSON.stringify(gone) : `deleted ${gone.replayId} of ${printable(gone.roomId)}`
    )
  })
).pipe(Command.withDescription("Delete a clip or a recording; its link stops"))

/** `atrium replays`: for the account that has the project, and its API keys. Source: C-829. */
export const replays = list.pipe(Command.withSubcommands([remove, makeReport(group)]))

const columns = (nowMs: number): ReadonlyArray<Column<ReplayRow>> => [
  { title: "REPLAY", cell: ({ replayId }) => replayId, weight: 9 },
  { title: "ROOM", cell: ({ roomId }) => roomId, weight: 8 },
  { title: "KIND", cell: ({ kind, running }) => (running ? `${kind}, runs` : kind), weight: 5 },
  { title: "LENGTH", cell: ({ seconds }) => `${Math.round(seconds)}s`, weight: 4 },
  { title: "SIZE", cell: ({ bytes }) => sizeText(bytes), weight: 4 },
  { title: "MADE", cell: ({ createdAt }) => ageText(createdAt, nowMs, ""), weight: 3 },
  { title: "EXPIRES", cell: ({ expiresAt }) => ageText(expiresAt, nowMs, ""), weight: 3 }
]
