import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { eachDelivered, LinkFault, LinkKind, LinkReader, LinkWriter } from "./LinkFrames.ts"

type Got = readonly [number, number, ReadonlyArray<number>]

const reading = () => {
  const got: Array<Got> = []
  const reader = new LinkReader((kind, ref, bytes) => void got.push([kind, ref, [...bytes]]))
  return { got, reader }
}

const header = (length: number, kind: number): Buffer => {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32LE(length)
  bytes[4] = kind
  return bytes
}

describe("frames of a link", () => {
  test("[C-410] are the same however the stream is cut", () => {
    const frame = fc.tuple(fc.nat(255), fc.nat(0xffff_ffff), fc.uint8Array({ maxLength: 40 }))
    const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 12 }))
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), cuts, (sent, sizes) => {
        const writer = new LinkWriter()
        for (const [kind, ref, bytes] of sent) writer.frame(kind, ref, bytes)
        const stream = writer.take()
        const { got, reader } = reading()
        for (let at = 0; at < stream.length;) {
          const size = sizes.next().value
          reader.read(stream.subarray(at, at + size))
          at += size
        }
        expect(got).toEqual(sent.map(([kind, ref, bytes]) => [kind, ref, [...bytes]]))
        expect([reader.frames, writer.frames, reader.heldBytes]).toEqual([
          sent.length,
          sent.length,
          0
        ])
      })
    )
  })

  test("[C-410] a frame for many clients crosses once, and each of them gets it in the order of all frames", () => {
    const payload = fc.uint8Array({ minLength: 1, maxLength: 30 })
    const refs = fc.array(fc.nat(0xffff_ffff), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(fc.array(fc.tuple(payload, refs), { maxLength: 6 }), (broadcasts) => {
        const writer = new LinkWriter()
        for (const [frame, to] of broadcasts) for (const ref of to) writer.share(ref, frame)
        const delivered: Array<readonly [number, ReadonlyArray<number>]> = []
        const reader = new LinkReader((kind, count, bytes) => {
          expect(kind).toBe(LinkKind.deliver)
          eachDelivered(count, bytes, (ref, frame) => delivered.push([ref, [...frame]]))
        })
        reader.read(writer.take())
        expect(reader.frames).toBe(broadcasts.length)
        expect(delivered).toEqual(
          broadcasts.flatMap(([frame, to]) => to.map((ref) => [ref, [...frame]]))
        )
      })
    )
  })

  test("[C-410] a broadcast is closed by the next frame, and by the end of its turn", () => {
    const writer = new LinkWriter()
    const frame = new Uint8Array([7])
    const kinds = (): ReadonlyArray<number> => {
      const { got, reader } = reading()
      reader.read(writer.take())
      return got.map(([kind]) => kind)
    }
    writer.share(1, frame)
    writer.frame(LinkKind.beat, 0)
    writer.share(2, frame)
    expect(kinds()).toEqual([LinkKind.deliver, LinkKind.beat, LinkKind.deliver])
    writer.share(3, frame)
    expect(kinds()).toEqual([LinkKind.deliver])
  })

  test("[C-410] garbage names its fault and nothing else is thrown", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 6 }), (chunks) => {
        const reader = new LinkReader((kind, count, bytes) => {
          if (kind === LinkKind.deliver) eachDelivered(count, bytes, () => undefined)
        })
        try {
          for (const chunk of chunks) reader.read(Buffer.from(chunk))
        } catch (error) {
          expect(error).toBeInstanceOf(LinkFault)
        }
      })
    )
  })

  test("[C-410] a length at the bound of its kind is waited for, one past it is refused at once", () => {
    const read = (length: number, kind: number) => () => reading().reader.read(header(length, kind))
    const { max: state } = RuntimeLimits.roomFrameBytes
    const { max: other } = RoomProcessLimits.roomUnaskedBytes
    expect(read(state, LinkKind.welcome)).not.toThrow()
    expect(read(state + 1, LinkKind.welcome)).toThrow(LinkFault)
    expect(read(other, LinkKind.data)).not.toThrow()
    expect(read(other + 1, LinkKind.data)).toThrow(LinkFault)
    expect(read(4, LinkKind.data)).not.toThrow()
    expect(() => reading().reader.read(Buffer.from([4, 0, 0, 0, LinkKind.data, 1, 2, 3]))).toThrow(
      "frame 4 has no ref"
    )
  })

  test.each([
    [0, [1, 2, 3, 4]],
    [2, [1, 2, 3, 4, 5, 6, 7]],
    [0xffff_ffff, [1, 2, 3, 4]]
  ])("[C-410] a broadcast for %i clients in too few bytes is refused", (count, bytes) => {
    const none = (): never => {
      throw new Error("nobody may get it")
    }
    expect(() => eachDelivered(count, Buffer.from(bytes), none)).toThrow(LinkFault)
  })
})
