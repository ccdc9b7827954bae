import fc from "fast-check"
import { expect, test } from "vitest"

import { Outbox } from "./Outbox.ts"

const entry = (bytes: number, id = 0) => ({ body: new Uint8Array(bytes), id })

test("[client.queue] both bounds hold: at them, and one past them", () => {
  const box = new Outbox({ entriesMax: 2, bytesMax: 10 })
  expect(box.push(entry(11))).toBe(false)
  expect(box.push(entry(10))).toBe(true)
  expect(box.push(entry(1))).toBe(false)
  expect(box.push(entry(0))).toBe(true)
  expect(box.push(entry(0))).toBe(false)
})

test("[client.queue] an entry taken away gives its bytes back", () => {
  const box = new Outbox<ReturnType<typeof entry>>({ entriesMax: 9, bytesMax: 10 })
  box.push(entry(4, 1))
  box.push(entry(6, 2))
  box.remove(({ id }) => id === 1)
  expect(box.push(entry(5, 3))).toBe(false)
  expect(box.push(entry(4, 4))).toBe(true)
  expect(box.takeAll().map(({ id }) => id)).toEqual([2, 4])
  expect(box.push(entry(10))).toBe(true)
})

test("[client.queue] keeps the order and never exceeds its bounds", () => {
  const bounds = { entriesMax: 8, bytesMax: 64 }
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (sizes) => {
      const box = new Outbox<ReturnType<typeof entry>>(bounds)
      const kept = sizes.map((bytes, id) => entry(bytes, id)).filter((each) => box.push(each))
      expect(kept.length).toBeLessThanOrEqual(bounds.entriesMax)
      expect(kept.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThanOrEqual(64)
      expect(box.takeAll()).toEqual(kept)
    })
  )
})
