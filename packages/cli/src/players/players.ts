import type { PlayerExport, PlayerRecord } from "@atrium/domain/accounts/PlayersApi"
import { wholeExport } from "@atrium/domain/accounts/WholeExport"
import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { idArgument, json, target } from "../projects/ProjectParameters.ts"
import { ageText } from "../terminal/Ages.ts"
import { confirmed, yes } from "../terminal/Confirmation.ts"
import { printable } from "../terminal/Printable.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

/** With what its subcommands take, before or after their names. */
const group = Command.make("players").pipe(Command.withSharedFlags(target))

const player = idArgument("player", "Id of the player: pl_…, or one of your own")

const get = Command.make(
  "get",
  { player, json },
  Effect.fn("atrium.players.get")(function* (input) {
    const { ask, players: routes, project } = yield* openOwn(yield* group)
    const params = { id: project.id, playerId: input.player }
    const found = yield* ask(routes.read({ params, query: {} }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.accountId !== found.playerId) {
      yield* Console.error(`its identity is a device of ${printable(found.accountId)} now`)
    }
    if (found.devices.length + found.ratings.length === 0) {
      return yield* Console.error("no devices and no ratings")
    }
    const nowMs = yield* Clock.currentTimeMillis
    if (found.devices.length > 0) yield* Console.log(yield* tableFor(found.devices, devices(nowMs)))
    if (found.ratings.length > 0) yield* Console.log(yield* tableFor(found.ratings, ratings(nowMs)))
  })
).pipe(Command.withDescription("Show a player's devices and ratings"))

const exported = Command.make(
  "export",
  { player, json },
  Effect.fn("atrium.players.export")(function* (input) {
    const { ask, players: routes, project } = yield* openOwn(yield* group)
    const params = { id: project.id, playerId: input.player }
    const pages: Array<PlayerExport> = []
    let after: string | null = null
    do {
      const query: { readonly after?: string } = after === null ? {} : { after }
      const page: PlayerExport = yield* ask(routes.export({ params, query }))
      pages.push(page)
      after = page.next
    } while (after !== null)
    const whole = wholeExport(input.player, pages)
    yield* Console.log(input.json ? JSON.stringify(whole) : JSON.stringify(whole, null, 2))
  })
).pipe(
  Command.withDescription("Print all that is kept of a player, as JSON"),
  Command.withExamples([{ command: "atrium players export pl_0123456789abcdef > player.json" }])
)

const remove = Command.make(
  "delete",
  { player, yes, json },
  Effect.fn("atrium.players.delete")(function* (input) {
    const { ask, players: routes, project } = yield* openOwn(yield* group)
    const params = { id: project.id, playerId: input.player }
    yield* confirmed(
      `the player ${printable(input.player)} of ${project.id} loses its identity, its devices and all that is kept of it, for good; scores and ratings stay under a random id`,
      input.yes
    )
    const gone = yield* ask(routes.delete({ params, query: {} }))
    yield* Console.log(
      input.json
        ? JSON.stringify(gone)
        : `deleted ${printable(gone.accountId)}; scores and ratings are kept as ${gone.scoresKeptAs}`
    )
  })
).pipe(
  Command.withDescription("Delete a player, and all that is kept of it but scores and ratings")
)

/** `atrium players`: for the account that has the project. Source: C-807, D-41. */
export const players = group.pipe(Command.withSubcommands([get, exported, remove]))

const devices = (nowMs: number): ReadonlyArray<Column<PlayerRecord["devices"][number]>> => [
  { title: "DEVICE", cell: ({ deviceId }) => deviceId, weight: 9 },
  { title: "LABEL", cell: ({ label }) => label ?? "", weight: 5 },
  { title: "WAS", cell: ({ identityId }) => identityId, weight: 8 },
  { title: "LINKED", cell: ({ linkedAt }) => ageText(linkedAt, nowMs, ""), weight: 5 }
]

const ratings = (nowMs: number): ReadonlyArray<Column<PlayerRecord["ratings"][number]>> => [
  { title: "QUEUE", cell: ({ queue }) => queue, weight: 9 },
  { title: "RATING", cell: ({ rating }) => rating.toFixed(1), weight: 5 },
  { title: "DEVIATION", cell: ({ deviation }) => deviation.toFixed(1), weight: 5 },
  { title: "RATED", cell: ({ ratedAt }) => ageText(ratedAt, nowMs, ""), weight: 5 }
]
