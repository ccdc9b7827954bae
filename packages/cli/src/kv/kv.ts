import type { KvRow } from "@atrium/domain/kv/KvApi"
import { KvLimits } from "@atrium/wire/kv/KvLimits"
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { idArgument, json, target } from "../projects/ProjectParameters.ts"
import { ageText } from "../terminal/Ages.ts"
import { printable } from "../terminal/Printable.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

/** With what its subcommands take, before or after their names. */
const group = Command.make("kv").pipe(Command.withSharedFlags(target))

const player = idArgument("player", "Id of the player: pl_…, or one of your own")

const key = Argument.String("key").pipe(
  Argument.withDescription(`The key, 1 to ${KvLimits.kvKeyBytes.max} bytes`),
  Argument.filter(
    (text) => text !== "" && Buffer.byteLength(text) <= KvLimits.kvKeyBytes.max,
    () => `1 to ${KvLimits.kvKeyBytes.max} bytes`
  )
)

const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const list = Command.make(
  "list",
  {
    player,
    prefix: text("prefix", "Only keys that begin with this"),
    after: text("after", "Go on after this key"),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Entries at most, up to ${KvLimits.kvPageEntries.max}`),
      Flag.withDefault(KvLimits.kvPageEntries.max)
    ),
    json
  },
  Effect.fn("atrium.kv.list")(function* (input) {
    const { ask, kv: routes, project } = yield* openOwn(yield* group)
    const query = {
      limit: String(input.limit),
      ...(Option.isSome(input.prefix) ? { prefix: input.prefix.value } : {}),
      ...(Option.isSome(input.after) ? { after: input.after.value } : {})
    }
    const params = { id: project.id, playerId: input.player }
    const found = yield* ask(routes.list({ params, query }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.entries.length === 0) return yield* Console.error("no entries")
    yield* Console.log(yield* tableFor(found.entries, columns(yield* Clock.currentTimeMillis)))
    if (found.next !== null) {
      yield* Console.error(`there are more: --after ${JSON.stringify(printable(found.next))}`)
    }
  })
).pipe(Command.withDescription("List what a player has, by key"))

const get = Command.make(
  "get",
  { player, key, json },
  Effect.fn("atrium.kv.get")(function* (input) {
    const { ask, kv: routes, project } = yield* openOwn(yield* group)
    const params = { id: project.id, playerId: input.player }
    const row = yield* ask(routes.get({ params, query: { key: input.key } }))
    yield* Console.log(JSON.stringify(input.json ? row : row.value))
  })
).pipe(Command.withDescription("Show the value under a key, as JSON"))

const set = Command.make(
  "set",
  {
    player,
    key,
    value: Argument.String("value").pipe(
      Argument.withDescription("The value as JSON"),
      Argument.filterMap(readJson, () => `JSON, such as 5, '"a text"' or '{"gold":5}'`)
    ),
    json
  },
  Effect.fn("atrium.kv.set")(function* (input) {
    const { ask, kv: routes, project } = yield* openOwn(yield* group)
    const params = { id: project.id, playerId: input.player }
    const payload = { key: input.key, value: input.value }
    const written = yield* ask(routes.set({ params, query: {}, payload }))
    yield* Console.log(
      input.json
        ? JSON.stringify(written)
        : `wrote ${printable(written.key)} of ${printable(input.player)}`
    )
  })
).pipe(
  Command.withDescription("Write a value; rooms that read it get the new one"),
  Command.withExamples([{ command: `atrium kv set pl_0123456789abcdef purse '{"gold":5}'` }])
)

const remove = Command.make(
  "delete",
  { player, key, json },
  Effect.fn("atrium.kv.delete")(function* (input) {
    const { ask, kv: routes, project } = yield* openOwn(yield* group)
    const params = { id: project.id, playerId: input.player }
    const gone = yield* ask(routes.delete({ params, query: { key: input.key } }))
    yield* Console.log(
      input.json
        ? JSON.stringify(gone)
        : `deleted ${printable(gone.key)} of ${printable(input.player)}`
    )
  })
).pipe(Command.withDescription("Delete what is under a key"))

/** `atrium kv`: for the account that has the project. Source: C-574, D-41. */
export const kv = group.pipe(Command.withSubcommands([list, get, set, remove]))

const columns = (nowMs: number): ReadonlyArray<Column<KvRow>> => [
  { title: "KEY", cell: (row) => row.key, weight: 9 },
  { title: "VERSION", cell: ({ version }) => String(version), weight: 1 },
  { title: "WRITTEN", cell: ({ writtenAt }) => ageText(writtenAt, nowMs, ""), weight: 5 },
  { title: "VALUE", cell: ({ value }) => JSON.stringify(value), weight: 8 }
]
