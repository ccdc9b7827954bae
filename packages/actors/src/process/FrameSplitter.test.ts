import { Limits } from "@atrium/domain/Limits"
import { frameOf, HostFrameError } from "@atrium/sdk/room/HostFrames"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { FrameSplitter } from "./FrameSplitter.ts"

const header = (length: number): Buffer => {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32LE(length)
  return bytes
}

describe("frames in a stream", () => {
  test("[D-48] are the same however the stream is cut", () => {
    const frames = fc.array(fc.tuple(fc.nat(255), fc.uint8Array({ maxLength: 30 })), {
      maxLength: 8
    })
    fc.assert(
      fc.property(frames, fc.infiniteStream(fc.integer({ min: 1, max: 12 })), (sent, cuts) => {
        const got: Array<[number, Uint8Array]> = []
        const splitter = new FrameSplitter((kind, payload) =>
          got.push([kind, new Uint8Array(payload)])
        )
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
    const read = (length: number) => new FrameSplitter(() => {}).read(header(length))
    expect(() => read(Limits.roomFrameBytes.max)).not.toThrow()
    expect(() => read(Limits.roomFrameBytes.max + 1)).toThrow(HostFrameError)
    expect(() => read(0)).toThrow(HostFrameError)
  })
})
