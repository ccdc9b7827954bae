import { readFileSync } from "node:fs"
import { join } from "node:path"

import { makeRoomState } from "@atrium/wire/codec"
import { packPlayer, unpackPlayer } from "@atrium/wire/codec/PlayerCodec"
import { packRecord, unpackRecord } from "@atrium/wire/codec/RecordCodec"
import {
  type AnyRoomSchema,
  breakingDifference,
  defineSchema,
  describe as descriptorOf,
  fromDescriptor,
  s,
  type SchemaDefinition
} from "@atrium/wire/schema"
import { schemaDifference } from "@atrium/wire/schema/SchemaDifference"
import { recordValue } from "@atrium/wire/schema/testing/ArbitrarySchema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

interface Change {
  readonly change: string
  readonly from: string
  readonly to: string
  readonly compatible: boolean
}

const page = readFileSync(join(import.meta.dirname, "../docs/guide/schemas.md"), "utf8")

/** The rows of the table below a heading. */
const changesBelow = (heading: string): ReadonlyArray<Change> => {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? ""
  const rows = section.split("\n").filter((line) => line.startsWith("|"))
  return rows.slice(2).map((row) => {
    const [change = "", from = "", to = "", verdict = "", why = ""] = row
      .slice(1, -1)
      .split(" | ")
      .map((cell) => cell.trim())
    if (!/^(?:yes|no)$/.test(verdict) || why === "") throw new Error(`no verdict: ${row}`)
    return { change, from, to, compatible: verdict === "yes" }
  })
}

/** What the code of a cell makes. */
const made = (cell: string, wrap: (code: string) => string): never =>
  // The page is a file of the repository, and its code is what the test is about.
  new Function("s", `return ${wrap(cell.replaceAll("`", ""))}`)(s) as never

const units = { units: {}, others: {} }

/** A schema with the field everywhere where a schema may have one. */
const withField = (cell: string): AnyRoomSchema => {
  const fields = { f: made(cell, String) }
  const player = cell.includes("s.ref") ? {} : fields
  return defineSchema({
    type: "t",
    entities: { ...units, all: fields },
    singletons: { one: fields },
    messages: { say: fields },
    rpc: { client: { ask: { args: fields, returns: fields } }, server: { tell: { args: fields } } },
    player
  })
}

const withParts = (cell: string): AnyRoomSchema => {
  const parts: Partial<SchemaDefinition> = made(cell, (code) => `({ ${code} })`)
  return defineSchema({ type: "t", ...parts })
}

const values = (fields: AnyRoomSchema["player"]) => fc.sample(recordValue(fields), 20)

/** Everything that the older schema wrote is read by the newer one, and by the older one again. */
const carriesOver = (old: AnyRoomSchema, next: AnyRoomSchema): void => {
  const room = makeRoomState(old)
  for (const { name, fields } of old.collections.list) {
    const add = Reflect.get(Object(room.state), name).add.bind(Object(room.state)[name])
    for (const each of values(fields)) add(each)
  }
  for (const { name, fields } of old.singletons.list) {
    Object.assign(Object(Reflect.get(room.state, name)), values(fields)[0])
  }
  const bytes = room.encodeSnapshot()
  const [later, back] = [makeRoomState(next), makeRoomState(old)]
  later.migrateSnapshot(descriptorOf(old), bytes)
  expect(JSON.parse(JSON.stringify(later.state))).toMatchObject(
    JSON.parse(JSON.stringify(room.state))
  )
  back.migrateSnapshot(descriptorOf(next), later.encodeSnapshot())
  expect(back.encodeSnapshot()).toEqual(bytes)

  // A client of the older schema reads the room's own, and packs by the newer one what it may send.
  const told = fromDescriptor(JSON.parse(JSON.stringify(descriptorOf(next))))
  const known = schemaDifference(old, told, (path, was, is) => (is.readAs(was) ? null : path))
  expect(known).toBeNull()
  for (const { name, fields } of old.messages.list) {
    const wanted = next.messages.byName.get(name)?.fields ?? null
    if (fields === null || wanted === null) continue
    for (const each of values(fields)) {
      const sent = unpackRecord(fields, packRecord(fields, each, name))
      expect(unpackRecord(wanted, packRecord(wanted, sent, name))).toMatchObject(sent)
    }
  }
  for (const each of values(old.player)) {
    const stored = packPlayer(old.player, each)
    expect(unpackPlayer(next.player, stored)).toMatchObject(unpackPlayer(old.player, stored))
  }
}

describe.each([
  ["A field that takes more", withField, 35],
  ["Declarations", withParts, 20]
] as const)("the table of docs/guide/schemas.md, %s", (heading, schemaOf, atLeast) => {
  const changes = changesBelow(heading)

  test("[C-686] has every kind of change", () => {
    expect(changes.length).toBeGreaterThan(atLeast)
    const verdicts = changes.map(({ compatible }) => compatible)
    expect(verdicts.filter((each) => each).length).toBeGreaterThan(10)
    expect(verdicts.filter((each) => !each).length).toBeGreaterThan(8)
  })

  test.each(changes)("[C-686] $change: $from to $to", ({ from, to, compatible }) => {
    const [old, next] = [schemaOf(from), schemaOf(to)]
    const difference = breakingDifference(old, next)
    if (!compatible) return expect(difference).toEqual(expect.any(String))
    expect(difference).toBeNull()
    carriesOver(old, next)
  })
})
