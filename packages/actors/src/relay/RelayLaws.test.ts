import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { makeStateView } from "@atrium/wire/codec"
import type { Plain } from "@atrium/wire/msgpack/MsgpackReader"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import type { AnyRoomSchema } from "@atrium/wire/schema"
import { arbitrarySchema, partialValue } from "@atrium/wire/schema/testing/ArbitrarySchema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { NoValue, valueEnd } from "./MsgpackEnd.ts"
import { RelayMachine } from "./RelayMachine.ts"
import { readOps } from "./RelayOps.ts"
import type { RelaySession } from "./RelaySeatsMachine.ts"
import { RelayState } from "./RelayState.ts"
import { shapesOf, tableShapesOf } from "./RelayValues.ts"

/** Rules and values of a room side by side, as RelayDesk keeps them. */
const makePair = (schema: AnyRoomSchema) => {
  const seats = { players: 64, viewers: 256 }
  const machine = new RelayMachine({ tables: tableShapesOf(schema), seats, reconnectForMs: 1000 })
  const state = new RelayState(schema, () => {})
  const sessions = ["ann", "bob"].map((id, ref): RelaySession => {
    const who = { ref, sessionId: id, playerId: id, name: null, role: "player" }
    const seating = machine.seats.enter(
      { ...who, resumeHash: null, nextResumeHash: id, attachedAs: null },
      0
    )
    if (seating.is === "full") throw new Error("the room is full")
    return seating.session
  })
  let nowMs = 0
  /** @returns the keys, or the code of the refusal */
  const write = (who: number, ops: Plain): unknown => {
    nowMs += 60_000
    const tables = { shapes: state.shapes, placeOf: (name: string) => machine.tables.placeOf(name) }
    const read = readOps(tables, ops)
    if ("fault" in read) return read.fault.code
    const session = sessions[who % sessions.length]
    if (session === undefined) throw new Error("nobody writes")
    const written = machine.write(session, read.ops, nowMs)
    if ("fault" in written) return written.fault.code
    state.apply(read)
    return written.keys
  }
  return { machine, state, write }
}

/** Ops whose keys are mostly those of records that are there: `k` chooses among them. */
const aimed = (machine: RelayMachine, ops: Plain): Plain =>
  Array.isArray(ops) ? ops.map((op: Plain) => aimedOp(machine, op)) : ops

const aimedOp = (machine: RelayMachine, op: Plain): Plain => {
  const { c, k } = Object(op)
  const table = machine.tables.list[machine.tables.placeOf(c) ?? -1]
  if (typeof k !== "number" || table === undefined || k === 12) return op
  const ids = [...table.records.keys()]
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
      frame.map((list) => unpackValue(packValue(list)))
    ),
    { maxLength: 30, size: "max" }
  )
}

const schemaAndFrames = arbitrarySchema.chain((schema) =>
  framesFor(schema).map((frames) => ({ schema, frames }))
)

describe("what clients write", () => {
  test("[D-24] the state's size is known without encoding it; all of a frame is done, or nothing", () => {
    let [done, refused] = [0, 0]
    fc.assert(
      fc.property(schemaAndFrames, ({ schema, frames }) => {
        const { machine, state, write } = makePair(schema)
        const view = makeStateView(schema)
        view.applyFull(state.full())
        let before = state.full()
        for (const [who, ops] of frames) {
          const written = write(who, aimed(machine, ops))
          const delta = state.delta()
          if (delta !== null) view.applyDelta(delta)
          const after = state.full()
          expect(machine.tables.bytes).toBe(after.length)
          expect(view.encodeFull()).toEqual(after)
          if (typeof written === "string") expect(after).toEqual(before)
          if (typeof written === "string") refused++
          else done++
          before = after
        }
      }),
      { numRuns: 300 }
    )
    expect(Math.min(done, refused)).toBeGreaterThan(300)
  })

  test("[D-24] an id is given once in the life of a collection, whatever happens between", () => {
    fc.assert(
      fc.property(schemaAndFrames, ({ schema, frames }) => {
        const { machine, state, write } = makePair(schema)
        const given = new Set<string>()
        let pair = { machine, state, write }
        for (const [at, [who, ops]] of frames.entries()) {
          const keys = pair.write(who, aimed(pair.machine, ops))
          if (!Array.isArray(keys) || !Array.isArray(ops)) continue
          const adds = ops.filter((op) => Object(op).op === "add")
          for (const [place, op] of adds.entries()) {
            const id = `${Object(op).c} ${keys[place]}`
            expect(given.has(id), id).toBe(false)
            given.add(id)
          }
          if (at % 5 !== 4) continue
          // The room sleeps and wakes.
          const stored = pair.state.snapshot()
          pair = makePair(schema)
          pair.state.load(stored, pair.machine.tables, () => "ann")
          expect(pair.machine.tables.bytes).toBe(pair.state.full().length)
        }
      })
    )
  })

  test("[limits.relay.state] no sequence of writes makes the state larger than 512 KB", () => {
    const size = fc.integer({ min: 0, max: 120_000 })
    const op = fc.oneof(
      fc.record({ op: fc.constant("add"), c: fc.constant("f"), size }),
      fc.record({ op: fc.constant("set"), c: fc.constant("f"), k: fc.nat({ max: 20 }), size }),
      {
        weight: 1,
        arbitrary: fc.record({ op: fc.constant("remove"), k: fc.nat({ max: 20 }), size })
      }
    )
    let capped = 0
    fc.assert(
      fc.property(
        fc.array(fc.array(op, { minLength: 1, maxLength: 4 }), { maxLength: 40, size: "max" }),
        (frames) => {
          const machine = new RelayMachine({
            tables: [{ name: "f", singleton: false, defaults: [1] }],
            seats: { players: 1, viewers: 0 },
            reconnectForMs: 0
          })
          const who = { ref: 1, sessionId: "a", playerId: "a", name: null, role: "player" }
          const more = { resumeHash: null, nextResumeHash: "", attachedAs: null }
          const seating = machine.seats.enter({ ...who, ...more }, 0)
          if (seating.is === "full") throw new Error("the room is full")
          for (const [at, frame] of frames.entries()) {
            const ops = frame.map((one) => {
              const fields = [[0, one.size]] as const
              if (one.op === "add") return { op: "add", table: 0, fields } as const
              const ids = [...(machine.tables.list[0]?.records.keys() ?? [])]
              const key = ids[("k" in one ? one.k : 0) % Math.max(1, ids.length)] ?? 0
              return one.op === "set"
                ? ({ op: "set", table: 0, key, fields } as const)
                : ({ op: "remove", table: 0, key } as const)
            })
            const written = machine.write(seating.session, ops, at * 60_000)
            if ("fault" in written && written.fault.code === "E_STATE_CAP") capped++
            expect(machine.tables.bytes).toBeLessThanOrEqual(RelayLimits.relayStateBytes.max)
          }
        }
      ),
      { numRuns: 500 }
    )
    expect(capped).toBeGreaterThan(20)
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

  test("[D-24] what it takes, every client can read", () => {
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
