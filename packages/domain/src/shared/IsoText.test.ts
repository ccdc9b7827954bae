import fc from "fast-check"
import { expect, test } from "vitest"

import { IsoText } from "./IsoText.ts"

test("[rooms.row.lastSeen] moments are written as Date writes them, in whatever order", () => {
  // From the year 0 to 9999: what has four digits.
  const moment = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
  const near = fc.integer({ min: 1_790_000_000_000, max: 1_790_200_000_000 })
  fc.assert(
    fc.property(fc.array(fc.oneof(moment, near), { maxLength: 20 }), (moments) => {
      const text = new IsoText()
      for (const ms of moments) expect(text.of(ms)).toBe(new Date(ms).toISOString())
    })
  )
})

test("[rooms.row.lastSeen] the ends of a day are on its sides of midnight", () => {
  const text = new IsoText()
  expect(text.of(86_399_999)).toBe("1970-01-01T23:59:59.999Z")
  expect(text.of(86_400_000)).toBe("1970-01-02T00:00:00.000Z")
  expect(text.of(0)).toBe("1970-01-01T00:00:00.000Z")
})
