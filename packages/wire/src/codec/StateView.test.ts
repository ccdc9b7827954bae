import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { defineSchema, s, type AnyRoomSchema } from "../schema.ts"
import { arbitrarySchema } from "../schema/testing/ArbitrarySchema.ts"
import { CodecError } from "./CodecError.ts"
import { makeRoomState } from "./RoomState.ts"
import { Slot } from "./Row.ts"
import { stateHash } from "./StateHash.ts"
import { makeStateView } from "./StateView.ts"
import { historyOf, takeStep } from "./testing/History.ts"

const schemaAndHistory = arbitrarySchema.chain((schema) =>
  historyOf(schema).map((history) => ({ schema, history }))
)

const small = defineSchema({
  type: "small",
  singletons: { score: { red: s.u16(), blue: s.u16() } },
  entities: { units: { hp: s.u8({ default: 100 }), name: s.string(8) }, marks: {} }
})

const roomAndView = () => {
  const room = makeRoomState(small)
  const view = makeStateView(small)
  const flush = () => {
    const delta = room.encodeDelta()
    if (delta !== null) view.applyDelta(delta)
    return delta === null ? null : [...delta]
  }
  return { room, view, flush }
}

/** Applies bytes to a view that holds units 1 to 3 and mark 1. */
const hostile = (bytes: ReadonlyArray<number>): void => {
  const { room, view, flush } = roomAndView()
  for (let unit = 0; unit < 3; unit += 1) room.state.units.add()
  room.state.marks.add()
  flush()
  view.applyDelta(Uint8Array.from(bytes))
}

describe("convergence", () => {
  test("[D-24] after every delta a client's state is the room's, byte for byte", () => {
    let deltas = 0
    fc.assert(
      fc.property(schemaAndHistory, ({ schema, history }) => {
        const room = makeRoomState<AnyRoomSchema>(schema)
        const early = makeStateView(schema)
        let late = makeStateView(schema)
        for (const step of [...history, { kind: "flush" } as const]) {
          takeStep(room, step)
          if (step.kind !== "flush") continue
          const dirty = room.dirty
          const delta = room.encodeDelta()
          expect(dirty || delta === null).toBe(true)
          expect(room.dirty).toBe(false)
          expect(room.encodeDelta()).toBeNull()
          if (delta !== null) {
            deltas += 1
            early.applyDelta(delta)
            late.applyDelta(delta)
          }
          const full = room.encodeFull()
          expect(early.encodeFull()).toEqual(full)
          expect(stateHash(late.encodeFull())).toBe(stateHash(full))
          expect(JSON.stringify(early.state)).toBe(JSON.stringify(room.state))
          // A client that joins now goes on from the welcome alone.
          late = makeStateView(schema)
          late.applyFull(full)
        }
      }),
      { numRuns: 100 }
    )
    // The histories did something at all.
    expect(deltas).toBeGreaterThan(200)
  })

  test("[D-24] a snapshot gives the state back, and the ids that come next", () => {
    fc.assert(
      fc.property(schemaAndHistory, ({ schema, history }) => {
        const room = makeRoomState<AnyRoomSchema>(schema)
        for (const step of history) takeStep(room, step)
        const snapshot = room.encodeSnapshot()
        const again = makeRoomState<AnyRoomSchema>(schema)
        again.loadSnapshot(snapshot)
        expect(again.dirty).toBe(false)
        expect(again.encodeSnapshot()).toEqual(snapshot)
        room.encodeDelta()
        expect(again.encodeFull()).toEqual(room.encodeFull())
      }),
      { numRuns: 70 }
    )
  })

  test("[D-24] any bytes are a delta, a full state, a snapshot or a CodecError", () => {
    fc.assert(
      fc.property(
        schemaAndHistory,
        fc.uint8Array({ maxLength: 120 }),
        fc.nat(),
        ({ schema, history }, noise, at) => {
          const room = makeRoomState<AnyRoomSchema>(schema)
          for (const step of history) takeStep(room, step)
          const snapshot = room.encodeSnapshot()
          const delta = room.encodeDelta() ?? new Uint8Array(0)
          const full = room.encodeFull()
          const view = makeStateView(schema)
          view.applyFull(full)
          for (const good of [delta, full, snapshot]) {
            const bent = good.slice()
            if (bent.length > 0) bent[at % bent.length] = noise[0] ?? 0
            const cut = good.subarray(0, at % (good.length + 1))
            for (const bytes of [noise, bent, cut, Uint8Array.of(...good, ...noise)]) {
              onlyCodecErrors(() => view.applyDelta(bytes))
              onlyCodecErrors(() => view.applyFull(bytes))
              onlyCodecErrors(() => room.loadSnapshot(bytes))
            }
          }
          // Whatever came before, a welcome makes the view whole, and a snapshot the room.
          view.applyFull(full)
          expect(view.encodeFull()).toEqual(full)
          room.loadSnapshot(snapshot)
          expect(room.encodeSnapshot()).toEqual(snapshot)
        }
      ),
      { numRuns: 70 }
    )
  })
})

const onlyCodecErrors = (work: () => void): void => {
  try {
    work()
  } catch (fault) {
    expect(fault).toBeInstanceOf(CodecError)
  }
}

describe("delta bytes", () => {
  test("[D-24] removals, creations and changes, as runs and groups", () => {
    const { room, flush } = roomAndView()
    for (let unit = 0; unit < 5; unit += 1) room.state.units.add()
    // Section 1, nothing removed, 1 group: empty mask, 5 runs of one id each.
    expect(flush()).toEqual([1, 0, 1, 0, 5, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    room.state.score.blue = 0x102
    room.state.units.remove(1)
    room.state.units.remove(2)
    const three = room.state.units.get(3)
    if (three !== undefined) three.hp = 7
    for (const id of [4, 5]) {
      const unit = room.state.units.get(id)
      if (unit !== undefined) unit.name = "u"
    }
    room.state.units.add({ name: "v" })
    expect(flush()).toEqual(
      [
        [0, 0b10, 0x02, 0x01],
        [1, 1, 0, 2, 2],
        [0b01, 1, 2, 1, 7],
        [0b10, 1, 3, 3, 1, 0x75, 1, 0x75, 1, 0x76]
      ].flat()
    )
  })

  test("[D-24] a delta holds what changed since the last one, and nothing more", () => {
    const { room, flush } = roomAndView()
    const unit = room.state.units.add({ hp: 1, name: "a" })
    room.state.score.red = 1
    flush()
    unit.hp = 2
    room.state.score.blue = 1
    expect(flush()).toEqual([0, 0b10, 1, 0, 1, 0, 1, 0b01, 1, 0, 1, 2])
  })

  test("[D-24] an entity that came and went within a delta leaves no trace but its id", () => {
    const { room, view, flush } = roomAndView()
    const unit = room.state.units.add({ hp: 3 })
    room.state.units.remove(unit.id)
    expect(room.dirty).toBe(true)
    expect(flush()).toBeNull()
    expect(room.dirty).toBe(false)
    expect(view.encodeFull()).toEqual(room.encodeFull())
    expect(room.state.units.add().id).toBe(unit.id + 1)
  })

  test("[D-24] entities without fields are told of too", () => {
    const { room, view, flush } = roomAndView()
    const mark = room.state.marks.add()
    room.state.marks.add()
    expect(flush()).toEqual([2, 0, 1, 2, 0, 1, 0, 1])
    room.state.marks.remove(mark.id)
    expect(flush()).toEqual([2, 1, 0, 1, 0])
    expect([...view.state.marks].map(({ id }) => id)).toEqual([2])
  })

  test("[D-24] the full state: singletons, then each collection with ids as gaps", () => {
    const { room, flush } = roomAndView()
    room.state.score.red = 1
    for (const name of ["a", "b", "c"]) room.state.units.add({ name })
    room.state.units.remove(2)
    flush()
    expect([...room.encodeFull()]).toEqual(
      [[1, 0, 0, 0], [2, 0, 100, 1, 0x61, 1, 100, 1, 0x63], [0]].flat()
    )
    expect([...room.encodeSnapshot()].slice(0, 2)).toEqual([4, 1])
  })

  test.each([
    ["an unknown section", [3], "section 3 of 3"],
    ["a removal of nobody", [1, 1, 8, 1, 0], "units 9 removed but not there"],
    ["a removal of all ids there are", [1, 1, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f], "units 4 removed"],
    ["a run without an id", [1, 1, 0, 0, 0], "a run without an id"],
    ["an id past the highest", [1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0], "an id over 4294967294"],
    ["a mask of no field", [1, 0, 1, 0b100, 1, 0, 1, 0], "a mask of more than 2 fields"],
    ["entities that cost nothing", [1, 0, 1, 0, 1, 0, 0xff, 0xff, 0x3f], "1048575 entities in 1"],
    ["entities past the bytes", [1, 0, 1, 1, 1, 0, 0xff, 0xff, 0x3f], "1048575 entities in 0"],
    ["runs past the bytes", [1, 0xff, 0xff, 0xff, 0xff, 0x0f], "4294967295 runs in 0 bytes"],
    ["groups past the bytes", [1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f], "1 bytes expected"]
  ])("[D-24] %s is a CodecError at once", (_, bytes, message) => {
    expect(() => hostile(bytes)).toThrow(CodecError)
    expect(() => hostile(bytes)).toThrow(message)
  })

  test("[D-24] a full state of more entities than bytes is a CodecError at once", () => {
    const view = makeStateView(small)
    const bytes = Uint8Array.of(0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f)
    expect(() => view.applyFull(bytes)).toThrow("4294967295 entities in 0 bytes")
  })
})

describe("view", () => {
  test("[D-24] records stay the same objects over deltas and welcomes, and keep their last values", () => {
    const { room, view, flush } = roomAndView()
    room.state.units.add({ name: "a" })
    room.state.units.add({ name: "b" })
    flush()
    const [first, second] = [...view.state.units]
    room.state.units.remove(1)
    const two = room.state.units.get(2)
    if (two !== undefined) two.name = "c"
    flush()
    view.applyFull(room.encodeFull())
    expect(view.state.units.get(2)).toBe(second)
    expect(second?.name).toBe("c")
    expect(view.state.units.has(1)).toBe(false)
    expect(first?.name).toBe("a")
    expect(first?.toJSON()).toEqual({ id: 1, hp: 100, name: "a" })
  })

  test("[D-24] a welcome takes away who is gone; the record keeps its values beside newcomers", () => {
    const { room, view, flush } = roomAndView()
    room.state.units.add({ name: "a" })
    flush()
    const gone = view.state.units.get(1)
    room.state.units.remove(1)
    room.encodeDelta()
    view.applyFull(room.encodeFull())
    room.state.units.add({ name: "b" })
    flush()
    expect(gone?.name).toBe("a")
    // Its place among the values is free again: a view does not grow by its welcomes.
    expect(Reflect.get(gone ?? {}, Slot)).toBe(-1)
    expect(view.state.units.get(2)?.name).toBe("b")
    expect(view.state.units.size).toBe(1)
  })

  test("[D-24] a view cannot be assigned, not even by plain JavaScript", () => {
    const { room, view, flush } = roomAndView()
    room.state.units.add()
    flush()
    const unit: object = view.state.units.get(1) ?? {}
    expect(Reflect.set(unit, "hp", 3)).toBe(false)
    expect(Reflect.set(view.state.score, "red", 3)).toBe(false)
    expect("add" in view.state.units).toBe(false)
  })

  test("[D-24] entities that come in groups are iterated by ascending id", () => {
    const { room, view, flush } = roomAndView()
    for (let unit = 0; unit < 6; unit += 1) {
      room.state.units.add(unit % 2 === 0 ? { hp: unit } : { name: "odd" })
    }
    flush()
    expect([...view.state.units].map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6])
  })
})

describe("W2", () => {
  test("[performance.W2] 200 entities of 4 float32, all changing, take at most 3,296 bytes", () => {
    const w2 = defineSchema({
      type: "w2",
      entities: { bodies: { x: s.f32(), y: s.f32(), vx: s.f32(), vy: s.f32() } }
    })
    const room = makeRoomState(w2)
    for (let body = 0; body < 200; body += 1) room.state.bodies.add()
    room.encodeDelta()
    for (const body of room.state.bodies) {
      body.x = body.id + 0.1
      body.y = body.id + 0.2
      body.vx = 0.3
      body.vy = 0.4
    }
    expect(room.encodeDelta()?.length).toBe(3208)
  })
})
