import { readFileSync } from "node:fs"

import {
  type AnyField,
  type AnyRoomSchema,
  defineSchema,
  describe as describeSchema,
  s,
  schemaHash
} from "@atrium/sdk/schema"
import { describeKind } from "@atrium/wire/schema/Describe"
import { kindText } from "@atrium/wire/schema/KindText"
import { playerHash, playerUnion } from "@atrium/wire/schema/PlayerUnion"
import { describe, expect, it } from "vitest"

import { foundChange, type Read } from "./FoundChange.ts"
import { type Change, migrationText, withSchemas } from "./MigrationText.ts"
import { migration as written } from "./testing/0003-duel.ts"

const before: ReadonlyArray<AnyRoomSchema> = [
  defineSchema({
    type: "duel",
    singletons: {
      match: { round: s.u16(), phase: s.enum("lobby", "play", "end"), raw: s.bytes(4) },
      weather: { wind: s.f32() }
    },
    entities: {
      fighters: {
        name: s.string(16),
        hp: s.u8(),
        team: s.enum("red", "blue"),
        path: s.list(s.u8(), 4),
        kit: s.struct({ blade: s.u8(), names: s.list(s.string(4), 2) }),
        spells: s.map(s.string(8), s.struct({ cost: s.u8() }), 4),
        foe: s.ref("fighters"),
        home: s.ref("tents")
      },
      tents: { at: s.u8() }
    },
    messages: { hi: {} },
    player: { wins: s.u8(), name: s.string(8) }
  }),
  defineSchema({ type: "tic-tac-toe", messages: { hi: {}, bye: {} } }),
  defineSchema({ type: "old.lobby", singletons: { it: { a: s.u8() } } })
]
const after: ReadonlyArray<AnyRoomSchema> = [
  defineSchema({
    type: "duel",
    singletons: {
      match: {
        round: s.u8(),
        phase: s.enum("lobby", "play", "end", "over"),
        raw: s.bytes(4),
        title: s.string(8, { default: "duel" })
      },
      score: { red: s.u8(), blue: s.u8({ default: 3 }) }
    },
    entities: {
      fighters: {
        name: s.string(16),
        health: s.u8({ default: 100 }),
        team: s.u8(),
        path: s.list(s.u16(), 4),
        kit: s.struct({
          blade: s.u16(),
          names: s.list(s.string(4), 2),
          worn: s.optional(s.bool())
        }),
        spells: s.map(s.string(8), s.struct({ price: s.u8() }), 4),
        horse: s.optional(s.struct({ age: s.u8() })),
        seen: s.map(s.u8(), s.bool(), 4),
        seat: s.struct({ row: s.u8(), kind: s.enum("wood", "stone") }),
        bag: s.bytes(4, { default: Uint8Array.of(1, 2) }),
        foe: s.ref("fighters"),
        home: s.ref("camps")
      },
      camps: { at: s.u8() }
    },
    messages: { hi: {} },
    player: { score: s.u16(), name: s.string(8) }
  }),
  defineSchema({ type: "tic-tac-toe", messages: { hi: {} } })
]

const readOf = (version: number, schemas: ReadonlyArray<AnyRoomSchema>): Read => {
  const described = schemas.map((schema) => describeSchema(schema))
  const fields = playerUnion(described)
  return {
    version,
    schemas: schemas.map((schema) => ({
      type: schema.type,
      hash: schemaHash(schema),
      schema: JSON.parse(JSON.stringify(describeSchema(schema)))
    })),
    players: { hash: playerHash(fields), fields: JSON.parse(JSON.stringify(fields)) }
  }
}
const bundleOf = (schemas: ReadonlyArray<AnyRoomSchema>) => ({
  relay: false,
  types: new Map(
    schemas.map((schema) => [
      schema.type,
      { hash: schemaHash(schema), schema: describeSchema(schema) }
    ])
  )
})
const changeOf = (
  ...[deployed, folder]: [ReadonlyArray<AnyRoomSchema>, ReadonlyArray<AnyRoomSchema>]
): Change => {
  const change = foundChange({ current: readOf(2, deployed), earlier: [] }, bundleOf(folder))
  if (change === null) throw new Error("nothing breaks")
  return change
}

/** The migration of a field `it`, beside another one that is removed: without that not every change breaks. */
const textOf = (was: AnyField, is: AnyField): string => {
  const of = (fields: Readonly<Record<string, AnyField>>) =>
    defineSchema({ type: "a", singletons: { one: fields }, entities: { units: {}, others: {} } })
  return migrationText(changeOf([of({ it: was, gone: s.bool() })], [of({ it: is })]))
}

describe("a new migration", () => {
  it("[C-709] is typed with both schemas, filled in with what can be inferred, and asks for the rest", () => {
    // The file is a part of this repository, so that its compiler proves the types.
    const path = new URL("testing/0003-duel.ts", import.meta.url)
    const text = migrationText(changeOf(before, after))
    expect(text).toBe(readFileSync(path, "utf8"))
    expect(written.rooms).toMatchObject({ "old.lobby": { removed: true } })
  })

  it("[C-709] a rename by likeness is proposed, and never assumed", () => {
    const text = migrationText(changeOf(before, after))
    expect(text).toContain("// Was it called hp? Then: each.hp\n")
    expect(text).toContain("health: 100, // new\n")
    expect(text).toContain("// Was it called tents? Then: old.tents.map(…)\n")
    expect(text).toContain("// Was it called wins? Then: old.wins\n")
  })

  it("[C-709] proposes no collection that stays for a new one", () => {
    const at = { x: s.u8(), y: s.u8() }
    const textWith = (now: Readonly<Record<string, typeof at>>) => {
      const was = { units: at, walls: { x: s.u8() } }
      const change = changeOf(
        [defineSchema({ type: "a", entities: was })],
        [defineSchema({ type: "a", entities: now })]
      )
      return migrationText(change)
    }
    expect(textWith({ units: at, traps: at })).toContain(
      "// Was it called walls? Then: old.walls.map(…)\n        traps: [], // new\n"
    )
    expect(textWith({ walls: at, traps: at })).toContain("// Was it called units?")
  })

  const named = (rows: ReadonlyArray<readonly [was: AnyField, is: AnyField]>) =>
    rows.map(([was, is]) => {
      const [from, to] = [kindText(describeKind(was)), kindText(describeKind(is))]
      return { from, to, was, is }
    })

  it.each(
    named([
      [s.u8(), s.u16()],
      [s.quantised({ min: 0, max: 1, step: 0.5 }), s.f64()],
      [s.string(4), s.string(16)],
      [s.ref("units"), s.ref("units")],
      [s.u8(), s.optional(s.u16())],
      [s.enum("a", "b"), s.enum("b", "c", "a")],
      [s.list(s.u8(), 4), s.list(s.u16(), 5)],
      [s.map(s.u8(), s.u8(), 4), s.map(s.u16(), s.u16(), 5)],
      [s.struct({ a: s.u8() }), s.struct({ b: s.optional(s.u8()), a: s.u16() })]
    ])
  )("[C-709] copies $from into $to", ({ was, is }) => {
    expect(textOf(was, is)).toContain("\n          it: old.one.it,\n")
  })

  it.each(
    named([
      [s.u16(), s.u8()],
      [s.i8(), s.u8()],
      [s.f64(), s.f32()],
      [s.u8(), s.quantised({ min: 0, max: 255, step: 1 })],
      [s.string(16), s.string(4)],
      [s.bytes(5), s.bytes(4)],
      [s.ref("units"), s.ref("others")],
      [s.ref("units"), s.u8()],
      [s.u8(), s.ref("units")],
      [s.optional(s.u8()), s.u8()],
      [s.optional(s.u16()), s.optional(s.u8())],
      [s.enum("a", "b"), s.enum("a")],
      [s.enum("a, b"), s.enum("a", "b")],
      [s.list(s.u8(), 4), s.list(s.u8(), 3)],
      [s.list(s.ref("units"), 4), s.list(s.ref("others"), 4)],
      [s.map(s.u8(), s.u8(), 4), s.map(s.u8(), s.u8(), 3)],
      [s.map(s.u16(), s.u8(), 4), s.map(s.u8(), s.u8(), 4)],
      [s.map(s.u8(), s.u16(), 4), s.map(s.u8(), s.u8(), 4)],
      [s.struct({ a: s.u16() }), s.struct({ a: s.u8() })],
      [s.struct({ a: s.u8(), b: s.u8() }), s.struct({ a: s.u8() })],
      [s.struct({ a: s.u8() }), s.struct({ a: s.u8(), b: s.u8() })]
    ])
  )("[C-709] asks what $from becomes as $to", ({ was, is }) => {
    expect(textOf(was, is)).toContain("\n          it: undecided(")
  })

  it("[C-709] nothing is asked for where everything goes on by name", () => {
    const wider = defineSchema({ type: "duel", singletons: { it: { a: s.u8(), b: s.u8() } } })
    const [narrow] = [defineSchema({ type: "duel", singletons: { it: { a: s.u8() } } })]
    const deployed = { current: readOf(1, [narrow]), earlier: [] }
    expect(foundChange(deployed, bundleOf([wider]))).toBeNull()
    expect(foundChange(deployed, bundleOf([narrow]))).toBeNull()
  })

  it("[C-704] a type that comes back is led on from its last declaration", () => {
    const [duel, lobby] = [after[0], before[2]]
    if (duel === undefined || lobby === undefined) throw new Error("two schemas")
    const changed = defineSchema({ type: "old.lobby", singletons: { it: { a: s.string(4) } } })
    const earlier = [{ type: "old.lobby", read: readOf(4, before) }]
    const change = foundChange({ current: readOf(7, [duel]), earlier }, bundleOf([duel, changed]))
    expect(change).toMatchObject({
      version: 7,
      next: 8,
      types: [{ type: "old.lobby", version: 4, before: { hash: schemaHash(lobby) } }],
      players: null
    })
    const text = change === null ? "" : migrationText(change)
    expect(text).toContain("migrate: (old: OldLobbyV4): OldLobbyV8 => ({")
  })
})

describe("a migration that is there already", () => {
  const change = changeOf(before, after)
  const [duel] = after
  const again = defineSchema({
    type: "duel",
    entities: { fighters: { name: s.string(16), health: s.f64() } },
    player: duel === undefined ? {} : { score: s.u16() }
  })

  it("[C-709] gets its schemas anew, and keeps everything that somebody wrote", () => {
    const mine = migrationText(change).replace("health: 100, // new", "health: each.hp,")
    const text = withSchemas(mine, changeOf(before, [again])) ?? ""
    expect(text).toContain("health: each.hp,")
    expect(text).toContain(schemaHash(again))
    expect(text).toContain("readonly health: number\n")
    expect(text).not.toContain("readonly path: ReadonlyArray<number>\n  }>\n  readonly camps")
    // Its functions are as they were: the compiler shows what has to change.
    expect(text.slice(text.indexOf("// #endregion"))).toBe(
      mine.slice(mine.indexOf("// #endregion"))
    )
  })

  it("[C-709] without the marks it is left alone", () => {
    expect(withSchemas("export const a = 1", change)).toBeNull()
  })
})
