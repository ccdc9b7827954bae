import { zstdCompressSync } from "node:zlib"

import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { CodecError } from "../codec/CodecError.ts"
import { makeRoomState } from "../codec/RoomState.ts"
import { makeStateView } from "../codec/StateView.ts"
import { historyOf } from "../codec/testing/History.ts"
import { defineSchema, s } from "../schema.ts"
import { arbitrarySchema } from "../schema/testing/ArbitrarySchema.ts"
import { ChunkReader } from "./ChunkReader.ts"
import { ChunkWriter } from "./ChunkWriter.ts"
import { cutChunk } from "./CutChunk.ts"
import { packChunk } from "./PackChunk.ts"
import { ReplayLimits } from "./ReplayLimits.ts"
import { entriesOf, recorded } from "./testing/RecordedChunk.ts"
import { unpackChunk } from "./UnpackChunk.ts"

const anyRecording = arbitrarySchema.chain((schema) =>
  historyOf(schema).map((history) => ({ schema, ...recorded(schema, history) }))
)

const bodies = defineSchema({
  type: "bodies",
  entities: {
    bodies: {
      x: s.quantised({ min: 0, max: 4000, step: 0.1 }),
      y: s.quantised({ min: 0, max: 4000, step: 0.1 }),
      vx: s.quantised({ min: -300, max: 300, step: 1 }),
      vy: s.quantised({ min: -300, max: 300, step: 1 })
    }
  }
})

/** Five seconds of bodies that move straight on between two walls. */
const flight = (count: number): Uint8Array => {
  const room = makeRoomState(bodies)
  for (let body = 0; body < count; body += 1) {
    const [x, y] = [(body * 37) % 4000, (body * 91) % 4000]
    room.state.bodies.add({ x, y, vx: ((body * 53) % 600) - 300, vy: ((body * 29) % 600) - 300 })
  }
  room.encodeDelta()
  const writer = new ChunkWriter({ atMs: 1000, tick: 1, state: room.encodeFull() })
  for (let tick = 1; tick <= 100; tick += 1) {
    for (const body of room.state.bodies) {
      const [x, y] = [body.x + body.vx / 20, body.y + body.vy / 20]
      if (x < 0 || x > 4000) body.vx = -body.vx
      else body.x = x
      if (y < 0 || y > 4000) body.vy = -body.vy
      else body.y = y
    }
    const delta = room.encodeDelta()
    if (delta !== null) writer.patch(1000 + 50 * tick, delta)
  }
  return writer.finish(6000)
}

describe("a chunk", () => {
  test("[C-822] is read as it was written", () => {
    const writer = new ChunkWriter({ atMs: 1000, tick: 5, state: Uint8Array.of(1, 2) })
    writer.message(1010, Uint8Array.of(3))
    writer.patch(1010, Uint8Array.of(4, 5))
    const early = writer.finish(1020)
    writer.patch(1050, Uint8Array.of(6))
    // A clock that is set back stands still.
    writer.message(900, Uint8Array.of(7))
    const end = { kind: "end", bytes: [] }
    const first = [
      { kind: "message", atMs: 1010, tick: 5, bytes: [3] },
      { kind: "patch", atMs: 1010, tick: 6, bytes: [4, 5] }
    ]
    const keyframe = { atMs: 1000, tick: 5, state: [1, 2] }
    expect(entriesOf(early)).toEqual({
      keyframe,
      entries: [...first, { ...end, atMs: 1020, tick: 6 }]
    })
    expect(entriesOf(writer.finish(1200))).toEqual({
      keyframe,
      entries: [
        ...first,
        { kind: "patch", atMs: 1050, tick: 7, bytes: [6] },
        { kind: "message", atMs: 1050, tick: 7, bytes: [7] },
        { ...end, atMs: 1200, tick: 7 }
      ]
    })
  })

  test("[C-822] begins at any moment with a keyframe of its own when it is cut", () => {
    fc.assert(
      fc.property(anyRecording, fc.nat(100), ({ schema, chunk, startMs, endMs, states }, part) => {
        const fromMs = startMs + Math.round(((endMs - startMs) * part) / 100)
        const cut = cutChunk(chunk, fromMs, makeStateView(schema))
        if (fromMs === startMs) {
          expect(cut).toBe(chunk)
          return
        }
        const { keyframe, entries } = entriesOf(cut)
        const before = states.filter(({ atMs }) => atMs <= fromMs).at(-1)
        expect(keyframe.atMs).toBe(fromMs)
        expect([keyframe.tick, keyframe.state]).toEqual([before?.tick, [...(before?.full ?? [])]])
        const whole = entriesOf(chunk).entries
        // The patches of the very moment are in the keyframe, also those that came behind a message.
        const { tick } = keyframe
        const rest = whole.flatMap((entry) => {
          if (entry.atMs !== fromMs) return entry.atMs > fromMs ? [entry] : []
          return entry.kind === "patch" ? [] : [{ ...entry, tick }]
        })
        expect(entries).toEqual(rest)
        expect(cutChunk(chunk, startMs - 1, makeStateView(schema))).toBe(chunk)
      }),
      { numRuns: 25 }
    )
  })

  test("[C-823] is the same again, byte for byte, after its values were put apart", () => {
    let packed = 0
    fc.assert(
      fc.property(anyRecording, ({ schema, chunk, startMs, endMs, states }) => {
        const stored = packChunk(schema, chunk)
        expect(Buffer.compare(unpackChunk(stored.bytes), chunk)).toBe(0)
        expect(stored).toMatchObject({
          fromMs: startMs,
          toMs: endMs,
          fromTick: 7,
          toTick: states.at(-1)?.tick
        })
        if (stored.bytes.length !== chunk.length) packed += 1
      }),
      { numRuns: 30 }
    )
    expect(packed).toBeGreaterThan(0)
  })

  test("[C-823] takes a third of the room when its values were put apart", () => {
    const chunk = flight(200)
    const { bytes } = packChunk(bodies, chunk)
    expect(Buffer.compare(unpackChunk(bytes), chunk)).toBe(0)
    const [plain, packed] = [chunk, bytes].map((each) => zstdCompressSync(each).length)
    expect(packed).toBeLessThan((plain ?? 0) / 3)
  })
})

describe("bytes that are no chunk", () => {
  /** Reads all of a chunk, as those who show it do. */
  const readAll = (stored: Uint8Array): void => {
    const reader = new ChunkReader(unpackChunk(stored))
    const view = makeStateView(bodies)
    view.applyFull(reader.keyframe.state)
    for (let entry = reader.next(); entry !== null; entry = reader.next()) {
      if (entry.kind === "patch") view.applyDelta(entry.bytes)
    }
  }
  const stored = packChunk(bodies, flight(5)).bytes

  test("[C-824] end in a CodecError wherever they were cut off, and never in another error", () => {
    for (let length = 0; length < stored.length; length += 13) {
      expect(() => readAll(stored.slice(0, length))).toThrow(CodecError)
    }
  })

  test("[C-824] end in a CodecError, or are read, whatever byte was changed", () => {
    let refused = 0
    fc.assert(
      fc.property(fc.nat(stored.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const mutant = stored.slice()
        mutant[at] = (mutant[at] ?? 0) ^ change
        try {
          readAll(mutant)
        } catch (error) {
          expect(error).toBeInstanceOf(CodecError)
          refused += 1
        }
      }),
      { numRuns: 200 }
    )
    expect(refused).toBeGreaterThan(0)
  })

  test("[C-824] take no more memory than a chunk may have, whatever they announce", () => {
    const over = ReplayLimits.replayChunkBytes.max + 1
    const announced = [2, 0x81, 0x80, 0x80, 0x08, 0, 0, 0, 0]
    expect(() => unpackChunk(Uint8Array.from(announced))).toThrow(`a chunk of ${over} bytes`)
    expect(() => new ChunkReader(new Uint8Array(over))).toThrow(`a chunk of ${over} bytes`)
    // Rows without end, of a field whose values are not there.
    const endless = [2, 4, 0, 1, 9, 0, 1, 0, 1, 0, 0xff, 0xff, 0xff, 0x0f, 1, 0, 1, 0, 0]
    expect(() => unpackChunk(Uint8Array.from(endless))).toThrow(CodecError)
  })
})
