import { Orders } from "@atrium/runtime/host/HostOrders"
import fc from "fast-check"
import { expect, test } from "vitest"

import { FrameStage } from "./FrameStage.ts"

type Added = { readonly ref: number | null; readonly bytes: Uint8Array }

const added: fc.Arbitrary<Added> = fc.record({
  ref: fc.option(fc.nat(0xffff_ffff)),
  // Around the size from which frames are not copied.
  bytes: fc
    .tuple(fc.oneof(fc.nat(200), fc.integer({ min: 8170, max: 8200 })), fc.nat(255))
    .map(([length, fill]) => new Uint8Array(length).fill(fill))
})

test("[D-48] frames leave in the order in which they were added, in any number of writes", () => {
  fc.assert(
    fc.property(fc.array(fc.array(added, { maxLength: 40 }), { maxLength: 6 }), (turns) => {
      const stage = new FrameStage()
      const left: Array<Buffer> = []
      const expected: Array<Uint8Array> = []
      for (const turn of turns) {
        for (const { ref, bytes } of turn) {
          if (ref === null) stage.add(bytes)
          else stage.addData(ref, bytes)
          expected.push(ref === null ? bytes : Orders.data(ref, bytes))
        }
        expect(stage.frames).toBe(turn.length)
        // Kept as views: nothing that comes later may write over them.
        left.push(
          ...stage.take().map((part) => Buffer.from(part.buffer, part.byteOffset, part.length))
        )
      }
      expect(Buffer.concat(left).equals(Buffer.concat(expected))).toBe(true)
    })
  )
})

test("[D-48] small frames leave as one piece, and nothing leaves twice", () => {
  const stage = new FrameStage()
  for (let ref = 0; ref < 100; ref++) stage.addData(ref, new Uint8Array(64))
  expect(stage.take().map(({ length }) => length)).toEqual([100 * 73])
  expect(stage.take()).toEqual([])
})
