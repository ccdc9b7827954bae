import { packPlayer, unpackPlayer } from "@atrium/wire/codec/PlayerCodec"
import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { describe as describeSchema } from "@atrium/wire/schema/Describe"
import { s } from "@atrium/wire/schema/FieldKinds"
import { playerHash, playerUnion } from "@atrium/wire/schema/PlayerUnion"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"
import { describe, expect, it } from "vitest"

import { FrameHeaderBytes } from "../host/HostFrames.ts"
import { type HopOrder, type MigrateOrder, Orders, readOrder } from "../host/HostOrders.ts"
import { readReport } from "../host/RoomReports.ts"
import { defineRoom } from "../room/DefineRoom.ts"
import { readSave } from "../room/ReadSave.ts"
import { connect } from "../room/Runtime.ts"
import { decodeSnapshotFile, encodeSnapshotFile } from "../room/SnapshotFile.ts"
import { TestPort } from "../testing/TestRoom.ts"
import { answerMigrate } from "./AnswerMigrate.ts"
import { defineMigration, undecided } from "./DefineMigration.ts"

const schemaOf = (type: string, of: "u8" | "string" | "f64") =>
  defineSchema({
    type,
    singletons: { it: { a: of === "u8" ? s.u8() : of === "string" ? s.string(8) : s.f64() } },
    player: of === "u8" ? { wins: s.u8() } : { score: s.string(8) }
  })
const versions = [schemaOf("t", "u8"), schemaOf("t", "string"), schemaOf("t", "f64")] as const
const [one, two, three] = versions
const hashed = (schema: (typeof versions)[number]) => ({
  hash: schemaHash(schema),
  schema: describeSchema(schema)
})
const players = (schema: (typeof versions)[number]) => {
  const fields = playerUnion([describeSchema(schema)])
  return { hash: playerHash(fields), fields }
}
const between = (from: { readonly hash: string }, to: { readonly hash: string }) => ({
  from: from.hash,
  to: to.hash
})

interface It {
  readonly it: { readonly a: unknown }
}

const migrations = {
  "migrations/0002-a.ts#default": defineMigration({
    rooms: {
      t: {
        ...between(hashed(one), hashed(two)),
        migrate: ({ it }: It) => ({ it: { a: `${String(it.a)}!` } }),
        back: ({ it }: It) => ({ it: { a: Number.parseInt(String(it.a), 10) } })
      }
    },
    player: {
      ...between(players(one), players(two)),
      migrate: ({ wins }: { readonly wins: number }) => ({ score: `${wins}` })
    }
  }),
  "migrations/0003-b.ts#default": defineMigration({
    rooms: {
      t: {
        ...between(hashed(two), hashed(three)),
        migrate: ({ it }: It) => ({ it: { a: String(it.a).length } })
      }
    }
  })
}

const roomHop = (
  [from, to]: readonly [(typeof versions)[number], (typeof versions)[number]],
  back = false
): HopOrder => ({ _tag: "Room", type: "t", from: hashed(from), to: hashed(to), back })
const playersHop: HopOrder = { _tag: "Players", from: players(one), to: players(two), back: false }

const snapshotOf = (a: number) => {
  const state = makeRoomState(one)
  Object.assign(state.state.it, { a })
  const session = {
    id: "s",
    playerId: "ann",
    name: null,
    role: "player",
    resumeHash: "h",
    previousResumeHash: null,
    droppedAtMs: null,
    player: packPlayer(one.player, { wins: 3 }, { other: 1 })
  }
  return encodeSnapshotFile({
    state: state.encodeSnapshot(),
    sessions: [session],
    tick: 7,
    patches: 9,
    random: [1, 2, 3, 4],
    lobby: { isPublic: true, started: false }
  })
}

/** The answer of a process that has these exports. */
const answered = (
  exported: Readonly<Record<string, unknown>>,
  order: Omit<MigrateOrder, "requestId">
) => {
  const port = new TestPort()
  const receive = connect(port, exported)
  const frame = Orders.migrate({ requestId: 5, ...order })
  receive(frame[4] ?? 0, frame.subarray(FrameHeaderBytes))
  const [report] = port.reports
  expect(report?.[1]).toBe(5)
  return report ?? []
}
const roomLed = (
  hops: ReadonlyArray<HopOrder>,
  exported: Readonly<Record<string, unknown>> = migrations
) => answered(exported, { stored: describeSchema(one), hops, bytes: snapshotOf(12) })
const bytesOf = ([name, , bytes]: ReadonlyArray<unknown>): Uint8Array => {
  if (name !== "migrated" || !(bytes instanceof Uint8Array)) throw new Error(String(name))
  return bytes
}

describe("a process that leads stored rooms on", () => {
  it("[C-702] takes each change in turn, and leaves everything else of the snapshot as it is", () => {
    const led = bytesOf(roomLed([roomHop([one, two]), roomHop([two, three]), playersHop]))
    expect(readSave(three, led).state.it.a).toBe(3)
    const before = decodeSnapshotFile(snapshotOf(12))
    const after = decodeSnapshotFile(led)
    const [session] = before.sessions
    const player = after.sessions[0]?.player ?? new Uint8Array()
    expect(after).toEqual({ ...before, state: after.state, sessions: [{ ...session, player }] })
    expect(unpackPlayer(two.player, player)).toEqual({ score: "3" })
  })

  it("[C-702] the same state becomes the same, as often as it is asked for", () => {
    const hops = [roomHop([one, two]), playersHop]
    expect(bytesOf(roomLed(hops))).toEqual(bytesOf(roomLed(hops)))
  })

  it("[C-708] goes back by the way back", () => {
    const there = bytesOf(roomLed([roomHop([one, two])]))
    const back = { stored: describeSchema(two), hops: [roomHop([two, one], true)], bytes: there }
    expect(readSave(one, bytesOf(answered(migrations, back))).state.it.a).toBe(12)
    const none = { ...back, hops: [roomHop([three, two], true)], stored: describeSchema(three) }
    expect(answered(migrations, none)[2]).toMatch(/has no migration/)
  })

  it("[C-707] leads a player's fields on alone", () => {
    const bytes = packPlayer(one.player, { wins: 200 })
    const led = answered(migrations, { stored: null, hops: [playersHop], bytes })
    expect(unpackPlayer(two.player, bytesOf(led))).toEqual({ score: "200" })
  })
})

/** As room code calls it. */
const drawn = (): number => Reflect.get(Math, "random")()

const failing = (migrate: (old: It) => unknown) => ({
  "migrations/0002-a.ts#default": defineMigration({
    rooms: {
      // What it returns is nobody's promise.
      t: { ...between(hashed(one), hashed(two)), migrate: migrate as (old: It) => object }
    }
  })
})

describe("a migration that cannot be trusted", () => {
  it.each<[what: string, migrate: (old: It) => unknown, fault: RegExp]>([
    [
      "throws",
      () => {
        throw new RangeError("too far")
      },
      /^too far$/
    ],
    [
      "is not decided",
      () => ({ it: { a: undecided("it.a was u8") } }),
      /^undecided: it\.a was u8$/
    ],
    ["gives a wrong value", () => ({ it: { a: 5 } }), /^it\.a: /],
    ["is async", async () => ({ it: { a: "" } }), /0002-a\.ts: a migration must not be async/],
    ["asks for the time", () => ({ it: { a: String(Date.now()) } }), /has no Date\.now\(\)/],
    ["makes a date of now", () => ({ it: { a: String(new Date()) } }), /has no new Date\(\)/],
    ["draws a number", () => ({ it: { a: String(drawn()) } }), /has no Math\.random\(\)/],
    ["makes an id", () => ({ it: { a: crypto.randomUUID() } }), /has no crypto\.randomUUID/],
    ["measures", () => ({ it: { a: String(performance.now()) } }), /has no performance\.now/],
    ["changes what it gets", (old) => Object.assign(old.it, { a: 1 }), /read only/]
  ])("[C-704] [C-705] that %s fails, and says why", (_, migrate, fault) => {
    const [name, , message, stack] = roomLed([roomHop([one, two])], failing(migrate))
    expect([name, stack]).toEqual(["migrateFailed", expect.any(String)])
    expect(message).toMatch(fault)
    // The process goes on with time and chance of its own.
    expect([Date.now() > 0, new Date(5).getTime(), drawn() < 1]).toEqual([true, 5, true])
  })

  it("[C-704] may make dates of moments that it gets", () => {
    const migrate = () => ({ it: { a: new Date(0).toISOString().slice(0, 4) } })
    expect(roomLed([roomHop([one, two])], failing(migrate))[0]).toBe("migrated")
  })

  it("[C-705] fails for bytes that are no snapshot", () => {
    const order = { requestId: 1, stored: describeSchema(one), hops: [], bytes: Uint8Array.of(193) }
    const frame = answerMigrate(migrations, order)
    const told: Array<string> = []
    readReport(frame[4] ?? 0, frame.subarray(FrameHeaderBytes), {
      migrateFailed: (_: number, message: string) => void told.push(message)
      // No other report comes.
    } as unknown as Parameters<typeof readReport>[2])
    expect(told).toHaveLength(1)
  })
})

describe("a bundle with migrations", () => {
  const describeOf = (exported: Readonly<Record<string, unknown>>) => {
    const port = new TestPort("describe")
    connect(port, exported)
    return port.reports[0] ?? []
  }
  const room = { "room.ts#room": defineRoom(two, {}) }

  it("[C-704] tells the service between which schemas they lead, and a bundle without them tells a list", () => {
    const removed = {
      "migrations/0004.ts#default": defineMigration({
        rooms: { gone: { from: "x", removed: true } }
      })
    }
    const [, json] = describeOf({ ...room, ...migrations, ...removed })
    const { relay, types, migrations: told } = JSON.parse(String(json))
    expect([relay, types.length]).toEqual([false, 1])
    expect(told).toEqual([
      { type: "t", ...between(hashed(one), hashed(two)), code: true, back: true },
      { type: null, ...between(players(one), players(two)), code: true, back: false },
      { type: "t", ...between(hashed(two), hashed(three)), code: true, back: false },
      { type: "gone", from: "x", to: null, code: false, back: false }
    ])
    expect(Array.isArray(JSON.parse(String(describeOf(room)[1])))).toBe(true)
  })

  it("[C-704] may have one for each change", () => {
    const twice = {
      ...room,
      ...migrations,
      "migrations/0009-z.ts#default": migrations["migrations/0003-b.ts#default"]
    }
    expect(describeOf(twice).slice(0, 2)).toEqual([
      "failed",
      "t: migrations/0003-b.ts and migrations/0009-z.ts are for the same change"
    ])
  })

  it.each([
    [{ rooms: { t: { from: "", to: "b" } } }, "rooms.t.from: must be the name of a schema"],
    [{ rooms: { t: { from: "a", removed: true, to: 1 } } }, null],
    [{ rooms: { t: { from: "a", to: "b", migrate: 5 } } }, "rooms.t.migrate: is not a function"],
    [{ player: { from: "a", to: "b" } }, "player.migrate: is missing"]
  ])("[C-704] %j is looked at when it is defined", (definition, fault) => {
    const define = () => defineMigration(definition as Parameters<typeof defineMigration>[0])
    if (fault === null) expect(define()).toMatchObject(definition)
    else expect(define).toThrow(fault)
  })
})

it("[D-48] an order to lead something on crosses as it is", () => {
  const order: MigrateOrder = {
    requestId: 4_294_967_295,
    stored: describeSchema(one),
    hops: [roomHop([one, two]), playersHop],
    bytes: Uint8Array.of(1, 2, 255)
  }
  const frame = Orders.migrate(order)
  const heard: Array<unknown> = []
  readOrder(frame[4] ?? 0, frame.subarray(FrameHeaderBytes), {
    migrate: (read: MigrateOrder) => void heard.push(read)
    // No other order comes.
  } as unknown as Parameters<typeof readOrder>[2])
  expect(heard).toEqual([order])
})
