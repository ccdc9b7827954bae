import { KeyLimits } from "@atrium/domain/keys/KeyLimits"
import type { KeyRow } from "@atrium/domain/keys/KeysApi"
import { labelText } from "@atrium/domain/shared/LabelText"
import { type Scope, Scopes } from "@atrium/domain/shared/Scope"
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"

import { openOwn } from "../projects/CommandProject.ts"
import { idArgument, json, target } from "../projects/ProjectParameters.ts"
import { ageText } from "../terminal/Ages.ts"
import { printable } from "../terminal/Printable.ts"
import { type Column, tableFor } from "../terminal/Table.ts"

/** With what its subcommands take, before or after their names. Source: T-10. */
const group = Command.make("api-keys").pipe(Command.withSharedFlags(target))

/** `--scopes a,b` is the same as `--scopes a --scopes b`, and twice is once. */
const scopesOf = (given: ReadonlyArray<string>): Option.Option<[Scope, ...Array<Scope>]> => {
  const named = new Set(given.flatMap((text) => text.split(",")).map((text) => text.trim()))
  const [first, ...others] = Scopes.filter((scope) => named.has(scope))
  return first === undefined || others.length + 1 < named.size
    ? Option.none()
    : Option.some([first, ...others])
}

const isLabel = Schema.is(labelText(KeyLimits.keyLabelChars.max))

const mint = Command.make(
  "mint",
  {
    scopes: Flag.String("scopes").pipe(
      Flag.withDescription(`What it may do: ${Scopes.join(", ")}; the latter holds the former`),
      Flag.atLeast(1),
      Flag.filterMap(scopesOf, () => Scopes.join(" | "))
    ),
    label: Flag.String("label").pipe(
      Flag.withDescription("What it is for"),
      Flag.filter(isLabel, () => `1 to ${KeyLimits.keyLabelChars.max} characters`)
    ),
    json
  },
  Effect.fn("atrium.api-keys.mint")(function* ({ scopes, label, json: asJson }) {
    const { ask, keys, project } = yield* openOwn(yield* group)
    const params = { id: project.id }
    const key = yield* ask(keys.mint({ params, query: {}, payload: { scopes, label } }))
    yield* Console.error(
      `${key.keyId} (${printable(key.label)}): ${key.scopes.join(", ")} of ${project.id}\n` +
        "its secret is shown this once; `atrium rooms` takes it from SERVICE_API_KEY"
    )
    yield* Console.log(asJson ? JSON.stringify(key) : key.secret)
  })
).pipe(
  Command.withDescription("Make an API key; its secret alone goes to standard output"),
  Command.withExamples([
    { command: "atrium api-keys mint --scopes rooms:read --label dashboard" },
    { command: "export SERVICE_API_KEY=$(atrium api-keys mint --scopes rooms:write --label me)" },
    {
      command: "atrium api-keys mint --scopes rooms:read --label ci --json",
      description: "{keyId, secret, label, scopes, createdAt, lastUsed, revokedAt}"
    }
  ])
)

const list = Command.make(
  "list",
  { json },
  Effect.fn("atrium.api-keys.list")(function* (input) {
    const { ask, keys, project } = yield* openOwn(yield* group)
    const found = yield* ask(keys.list({ params: { id: project.id }, query: {} }))
    if (input.json) return yield* Console.log(JSON.stringify(found))
    if (found.length === 0) return yield* Console.error("no API keys")
    yield* Console.log(yield* tableFor(found, keyColumns(yield* Clock.currentTimeMillis)))
  })
).pipe(Command.withDescription("List the API keys of a project, without their secrets"))

const revoke = Command.make(
  "revoke",
  { key: idArgument("key", "Id of the key: key_…"), json },
  Effect.fn("atrium.api-keys.revoke")(function* (input) {
    const { ask, keys, project } = yield* openOwn(yield* group)
    const params = { id: project.id, keyId: input.key }
    const row = yield* ask(keys.revoke({ params, query: {} }))
    yield* Console.log(
      input.json
        ? JSON.stringify(row)
        : `revoked ${row.keyId} (${printable(row.label)}), ${row.revokedAt}`
    )
  })
).pipe(Command.withDescription("End an API key for ever"))

/** `atrium api-keys`: for the account that has the project. Spec: Command-line equivalents; D-41. */
export const apiKeys = group.pipe(Command.withSubcommands([mint, list, revoke]))

// The label is a text of all languages, whose width only the terminal knows: it comes last.
const keyColumns = (nowMs: number): ReadonlyArray<Column<KeyRow>> => [
  { title: "KEY", cell: ({ keyId }) => keyId, weight: 6 },
  { title: "SCOPES", cell: ({ scopes }) => scopes.join(","), weight: 3 },
  { title: "MADE", cell: ({ createdAt }) => ageText(createdAt, nowMs, ""), weight: 1 },
  { title: "USED", cell: ({ lastUsed }) => ageText(lastUsed, nowMs, "never"), weight: 2 },
  { title: "REVOKED", cell: ({ revokedAt }) => ageText(revokedAt, nowMs, "no"), weight: 4 },
  { title: "LABEL", cell: ({ label }) => label, weight: 5 }
]
