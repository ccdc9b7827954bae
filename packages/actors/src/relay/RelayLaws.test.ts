import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { makeStateView } from "@atrium/wire/codec"
import { plainForm } from "@atrium/wire/codec/PlainForm"
import type { Plain } from "@atrium/wire/msgpack/MsgpackReader"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import type { AnyRoomSchema } from "@atrium/wire/schema"
import { arbitrarySchema, partialValue } from "@atrium/wire/schema/testing/ArbitrarySchema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { NoValue, valueEnd } from "./MsgpackEnd.ts"
import { RelayContents } from "./RelayContents.ts"
import { shapesOf, tableShapesOf } from "./RelayFieldSizes.ts"
import { dueAtMs, step } from "./RelayMachine.ts"
import { readOps } from "./RelayOps.ts"
import { type RelayEvent, type RelayOp, type RelayState } from "./RelayState.ts"
import { makeRelay } from "./testing/SteppedRelay.ts"

const seats = { players: 64, viewers: 256 }

/** The machine and the values of a room side by side, as LiveRelay keeps them. */
const makePair = (schema: AnyRoomSchema) => {
  const room = makeRelay({ tables: tableShapesOf(schema), seats, reconnectForMs: 1000 })
  const contents = new RelayContents(schema, () => {})
  const ids = ["ann", "bob"] as const
  for (const id of ids) room.enter(id)
  /** @returns the keys, or the code of the refusal */
  const write = (who: number, given: Plain): unknown => {
    const read = readOps({ shapes: contents.shapes, places: room.state.tables.places }, given)
    if (read._tag === "Bad") return read.refusal.code
    const from = ids[who % ids.length] ?? "ann"
    const actions = room.take({ _tag: "WriteReceived", from, id: 1, write: read.write })
    for (const action of actions) if (action._tag === "ApplyWrite") contents.apply(action.write)
    const [refused, done] = actions
    if (refused?._tag === "Refuse") return refused.refusal.code
    return done?._tag === "AcknowledgeWrite" ? done.keys : actions
  }
  return { room, contents, write }
}

type Room = ReturnType<typeof makeRelay>

/** Ops whose keys are mostly those of records that are there: `k` chooses among them. */
const aimed = (room: Room, ops: Plain): Plain =>
  Array.isArray(ops) ? ops.map((op: Plain) => aimedOp(room, op)) : ops

const aimedOp = (room: Room, op: Plain): Plain => {
  const { c, k } = Object(op)
  const place = room.state.tables.places.get(c)
  if (typeof k !== "number" || place === undefined || k === 12) return op
  const ids = room.keys(place)
  return { ...Object(op), k: ids[k % Math.max(1, ids.length)] ?? 0 }
}

/** A frame of ops as it comes out of msgpack. */
const framesFor = (
  schema: AnyRoomSchema
): fc.Arbitrary<ReadonlyArray<readonly [number, Plain]>> => {
  const key = fc.nat({ max: 12 })
  const ops = shapesOf(schema).flatMap(({ name: c, fields }) => {
    const op = <K extends string>(kind: K) => fc.constant(kind)
    const v = partialValue(fields)
    const add = fc.record({ op: op("add"), c: fc.constant(c), v })
    return [
      ...(schema.collections.byName.has(c) ? [add, add] : []),
      fc.record({ op: op("set"), c: fc.constant(c), k: key, v }),
      fc.record({ op: op("remove"), c: fc.constant(c), k: key })
    ]
  })
  const odd = fc.constantFrom({ op: "add", c: "?" }, { op: "set", c: 1 }, 7, null)
  const frame = fc.array(fc.oneof({ weight: 20, arbitrary: fc.oneof(...ops) }, odd), {
    maxLength: 4
  })
  return fc.array(
    fc.tuple(
      fc.nat({ max: 1 }),
      frame.map((list) => unpackValue(packValue(plainForm(list))))
    ),
    { maxLength: 30, size: "max" }
  )
}

const schemaAndFrames = arbitrarySchema.chain((schema) =>
  framesFor(schema).map((frames) => ({ schema, frames }))
)

describe("a relay room", () => {
  test("[D-24] knows the state's size without encoding it; carries out all of a frame, or nothing", () => {
    let [done, refused] = [0, 0]
    fc.assert(
      fc.property(schemaAndFrames, ({ schema, frames }) => {
        const { room, contents, write } = makePair(schema)
        const view = makeStateView(schema)
        view.applyFull(contents.full())
        let before = contents.full()
        for (const [who, ops] of frames) {
          const stateBefore = room.state
          const written = write(who, aimed(room, ops))
          const delta = contents.delta()
          if (delta !== null) view.applyDelta(delta)
          const after = contents.full()
          expect(room.state.tables.bytes).toBe(after.length)
          expect(view.encodeFull()).toEqual(after)
          if (typeof written === "string") {
            expect(after).toEqual(before)
            expect(room.state).toBe(stateBefore)
            refused++
          } else done++
          before = after
        }
      }),
      { numRuns: 100 }
    )
    expect(Math.min(done, refused)).toBeGreaterThan(100)
  })

  test("[D-24] gives each id once in the life of a collection", () => {
    fc.assert(
      fc.property(schemaAndFrames, ({ schema, frames }) => {
        const given = new Set<string>()
        let pair = makePair(schema)
        for (const [at, [who, ops]] of frames.entries()) {
          const keys = pair.write(who, aimed(pair.room, ops))
          if (!Array.isArray(keys) || !Array.isArray(ops)) continue
          const adds = ops.filter((op) => Object(op).op === "add")
          for (const [place, op] of adds.entries()) {
            const id = `${Object(op).c} ${keys[place]}`
            expect(given.has(id), id).toBe(false)
            given.add(id)
          }
          if (at % 5 !== 4) continue
          // The room sleeps and wakes.
          const stored = pair.contents.snapshot()
          pair = makePair(schema)
          const tables = pair.contents.load(stored, () => "ann")
          pair.room.take({ _tag: "SnapshotLoaded", sessions: [], tables, nowMs: 0 })
          for (const id of ["ann", "bob"]) pair.room.enter(id)
          expect(pair.room.state.tables.bytes).toBe(pair.contents.full().length)
        }
      })
    )
  })

  test("[limits.relay.state] keeps the state within 512 KB through every sequence of writes", () => {
    const size = fc.integer({ min: 0, max: 120_000 })
    const op = fc.oneof(
      fc.record({ _tag: fc.constant("Add" as const), size }),
      fc.record({ _tag: fc.constant("Set" as const), k: fc.nat({ max: 20 }), size }),
      fc.record({ _tag: fc.constant("Remove" as const), k: fc.nat({ max: 20 }) })
    )
    let capped = 0
    fc.assert(
      fc.property(
        fc.array(fc.array(op, { minLength: 1, maxLength: 4 }), { maxLength: 40, size: "max" }),
        (frames) => {
          const tables = [{ name: "f", singleton: false, defaults: [1] }]
          const room = makeRelay({ tables, seats: { players: 1, viewers: 0 }, reconnectForMs: 0 })
          room.enter("a")
          for (const frame of frames) {
            const ids = room.keys(0)
            const keyAt = (k: number): number => ids[k % Math.max(1, ids.length)] ?? 0
            const ops = frame.map((one): RelayOp => {
              if (one._tag === "Add") return { _tag: "Add", table: 0, fields: [[0, one.size]] }
              const key = keyAt(one.k)
              return one._tag === "Set"
                ? { _tag: "Set", table: 0, key, fields: [[0, one.size]] }
                : { _tag: "Remove", table: 0, key }
            })
            if (room.write("a", ...ops) === "E_STATE_CAP") capped++
            expect(room.state.tables.bytes).toBeLessThanOrEqual(RelayLimits.relayStateBytes.max)
          }
        }
      ),
      { numRuns: 150 }
    )
    expect(capped).toBeGreaterThan(5)
  })
})

describe("every step", () => {
  const from = fc.constantFrom("s1", "s2", "s3", "s4", "nobody")
  const key = fc.nat({ max: 5 })
  const table = fc.nat({ max: 2 })
  const fields = fc.array(fc.tuple(fc.constant(0), fc.integer({ min: 0, max: 300_000 })), {
    maxLength: 1
  })
  const tag = <T extends string>(name: T) => fc.constant(name)
  const op: fc.Arbitrary<RelayOp> = fc.oneof(
    fc.record({ _tag: tag("Add"), table, fields }),
    fc.record({ _tag: tag("Set"), table, key, fields }),
    fc.record({ _tag: tag("Remove"), table, key })
  )
  const ops = fc.array(op, { maxLength: 4 })
  const nowMs = fc.nat({ max: 20_000 })
  const token = fc.constantFrom("t1", "t2", "t3", "t4")
  const event: fc.Arbitrary<RelayEvent> = fc.oneof(
    fc.record({
      _tag: tag("ClientEntered"),
      ref: fc.nat({ max: 9 }),
      sessionId: from,
      playerId: fc.constantFrom("p", "q"),
      name: fc.constant(null),
      role: fc.constantFrom("player", "player", "audience"),
      resumeHash: fc.option(token),
      nextResumeHash: token,
      attachedAs: fc.option(from),
      nowMs
    }),
    fc.record({ _tag: tag("ClientDropped"), from, nowMs }),
    fc.record({ _tag: tag("ClientLeft"), from }),
    fc.record({
      _tag: tag("WriteReceived"),
      from,
      id: fc.nat(),
      write: ops.map((list) => ({ ops: list, values: [] }))
    }),
    fc.record({
      _tag: tag("OwnershipRequested"),
      from,
      collection: fc.constantFrom("topic", "shapes", "shapes", "nothing"),
      key,
      nowMs
    }),
    fc.record({
      _tag: tag("OwnershipAnswered"),
      from,
      request: fc.integer({ min: 1, max: 9 }),
      granted: fc.boolean()
    }),
    fc.record({ _tag: tag("TimePassed"), nowMs })
  )
  const tables = [
    { name: "topic", singleton: true, defaults: [1] },
    { name: "shapes", singleton: false, defaults: [1] }
  ]
  /** Three players and a viewer are in; the players have a record each. */
  const begun = (): RelayState => {
    const room = makeRelay({ tables, seats: { players: 3, viewers: 1 }, reconnectForMs: 3000 })
    for (const id of ["s1", "s2", "s3"]) {
      room.enter(id)
      room.write(id, { _tag: "Add", table: 1, fields: [] })
    }
    room.enter("s4", { role: "audience" })
    return room.state
  }

  test("[D-24] leaves the state that it was given as it was, and answers the same event in the same way", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60, size: "max" }), (events) => {
        let state = begun()
        for (const one of events) {
          const before = structuredClone(state)
          const [next, actions] = step(state, one)
          expect(state).toEqual(before)
          expect(step(state, one)).toEqual([next, actions])
          for (const { _tag } of actions) seen.add(_tag)
          const refused = actions.some(({ _tag }) => _tag === "Refuse" || _tag === "RefuseClient")
          if (refused) expect(next).toBe(state)
          expect([...next.sessions.values()].filter(({ viewer }) => !viewer).length <= 3).toBe(true)
          if (one._tag === "TimePassed")
            expect(dueAtMs(next) ?? Infinity).toBeGreaterThan(one.nowMs)
          state = next
        }
      }),
      { numRuns: 150 }
    )
    // The histories had actions of every kind.
    expect([...seen].toSorted()).toEqual([
      "AcknowledgeWrite",
      "AdmitClient",
      "AnswerOwnership",
      "ApplyWrite",
      "AskOwner",
      "CloseReplaced",
      "EndSession",
      "Refuse",
      "RefuseClient"
    ])
  })
})

describe("where a value ends", () => {
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.constant(null), fc.boolean(), fc.maxSafeInteger(), fc.double()),
      fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.uint8Array({ maxLength: 300 })),
      fc.array(tie("value"), { maxLength: 20 }),
      fc.dictionary(
        fc.string().filter((key) => key !== "__proto__"),
        tie("value"),
        { noNullPrototype: true }
      )
    )
  })).value

  test("[D-24] every value that can be written ends where its bytes do", () => {
    fc.assert(
      fc.property(value, fc.uint8Array({ maxLength: 4 }), (given, rest) => {
        const bytes = packValue(given)
        expect(valueEnd(Buffer.concat([bytes, rest]), 0, 1)).toBe(bytes.length)
        for (let cut = 0; cut < Math.min(bytes.length, 20); cut++) {
          expect(valueEnd(bytes.subarray(0, cut), 0, 1)).toBe(NoValue)
        }
      })
    )
  })

  test("[D-24] every client can read the state that a relay room accepts", () => {
    let taken = 0
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      // Values with one byte changed are more often almost right.
      fc.tuple(value, fc.nat(), fc.nat({ max: 255 })).map(([given, at, byte]) => {
        const packed = packValue(given)
        packed[at % packed.length] = byte
        return packed
      })
    )
    fc.assert(
      fc.property(bytes, (given) => {
        const end = valueEnd(given, 0, 1)
        if (end === NoValue) return
        taken++
        expect(() => unpackValue(given.subarray(0, end))).not.toThrow()
      }),
      { numRuns: 2000 }
    )
    expect(taken).toBeGreaterThan(500)
  })

  test.each([
    ["an extension type", [0xd4, 1, 0]],
    ["a byte that means nothing", [0xc1]],
    ["a text that is no UTF-8", [0xa1, 0xff]],
    ["a map whose key is a number", [0x81, 1, 1]],
    ["a map whose key is __proto__", [0x81, 0xa9, ...Buffer.from("__proto__"), 1]],
    ["a list of more than there is", [0xdd, 0xff, 0xff, 0xff, 0xff, 1]],
    ["bytes of more than there are", [0xc6, 0, 0, 0, 2, 1]]
  ])("[D-24] %s is no value", (_, bytes) => {
    expect(valueEnd(Uint8Array.from(bytes), 0, 1)).toBe(NoValue)
  })

  test("[D-24] a value has 64 levels with its frame, and not one more", () => {
    const nested = (levels: number): Uint8Array =>
      Uint8Array.from([...Array.from({ length: levels - 1 }, () => 0x91), 0x90])
    expect(valueEnd(nested(64), 0, 1)).toBe(64)
    expect(valueEnd(nested(65), 0, 1)).toBe(NoValue)
    expect(valueEnd(Uint8Array.from([0x81, 0xab, ...Buffer.from("my__proto__"), 1]), 0, 1)).toBe(14)
  })
})
