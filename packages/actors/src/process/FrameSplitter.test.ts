import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { frameOf, HostFrameError } from "@atrium/runtime/host/HostFrames"
import { KiB } from "@atrium/wire/limits/Limit"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { FrameSplitter } from "./FrameSplitter.ts"

const header = (length: number): Buffer => {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32LE(length)
  return bytes
}

const silent = (lengthMax: number): FrameSplitter =>
  new FrameSplitter({ frame: () => {}, lengthMax: () => lengthMax })

describe("frames in a stream", () => {
  test("[D-48] are the same however the stream is cut", () => {
    const frames = fc.array(fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 30 })), {
      maxLength: 8
    })
    fc.assert(
      fc.property(frames, fc.infiniteStream(fc.integer({ min: 1, max: 12 })), (sent, cuts) => {
        const got: Array<[number, Uint8Array]> = []
        const splitter = new FrameSplitter({
          frame: (kind, payload) => void got.push([kind, new Uint8Array(payload)]),
          lengthMax: () => 0
        })
        const stream = Buffer.concat(sent.map(([kind, rest]) => frameOf(kind, { rest })))
        for (let at = 0; at < stream.length;) {
          const size = cuts.next().value
          splitter.read(stream.subarray(at, at + size))
          at += size
        }
        expect(got).toEqual(sent)
      })
    )
  })

  test("[D-48] a length at the limit is waited for, one past it is refused at once", () => {
    const read = (length: number, max = RuntimeLimits.roomFrameBytes.max) =>
      silent(max).read(header(length))
    expect(() => read(RuntimeLimits.roomFrameBytes.max)).not.toThrow()
    expect(() => read(RuntimeLimits.roomFrameBytes.max + 1)).toThrow(HostFrameError)
    expect(() => read(0)).toThrow(HostFrameError)
    // A frame that the service did not ask for has a smaller bound.
    expect(() => read(RoomProcessLimits.roomUnaskedBytes.max, 0)).not.toThrow()
    expect(() => read(RoomProcessLimits.roomUnaskedBytes.max + 1, 0)).toThrow(HostFrameError)
  })

  test("[C-191] an unfinished frame takes no memory for its announced length, and little for small pieces", () => {
    const splitter = silent(RuntimeLimits.roomFrameBytes.max)
    splitter.read(header(RuntimeLimits.roomFrameBytes.max))
    let came = 5
    while (came < 100_000) {
      // As Node reads it: a small piece with a buffer of its own.
      splitter.read(Buffer.allocUnsafeSlow(7))
      came += 7
      expect(splitter.heldBytes).toBeGreaterThanOrEqual(came)
      expect(splitter.heldBytes).toBeLessThanOrEqual(Math.max(4 * KiB, 2 * came))
    }
  })

  test("[C-191] a splitter that is closed holds nothing and reads nothing more", () => {
    const kinds: number[] = []
    const splitter: FrameSplitter = new FrameSplitter({
      frame: (kind) => {
        kinds.push(kind)
        if (kind === 2) splitter.close()
      },
      lengthMax: () => 0
    })
    const frames = [1, 2, 3].map((kind) => frameOf(kind, { u32: 0 }))
    splitter.read(frames[0]?.subarray(0, 3) as Buffer)
    splitter.read(
      Buffer.concat(
        [frames[0]?.subarray(3) ?? [], ...frames.slice(1), header(9)].map((part) =>
          Buffer.from(part)
        )
      )
    )
    expect([kinds, splitter.heldBytes]).toEqual([[1, 2], 0])
    splitter.read(header(9))
    expect(splitter.heldBytes).toBe(0)
  })
})
