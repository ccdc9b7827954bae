import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { EventReader } from "./EventReader.ts"

const text = [
  "event: rows\r\ndata: [1,\r\ndata: 2]\r\n\r\n",
  ": a comment\n\n",
  "id: 7\nevent:ping\ndata\n\n",
  "data: plain\rid: 8\r\r",
  "event: nothing\n\n",
  "data: not ended"
].join("")

const whole = [
  { event: "rows", data: "[1,\n2]" },
  { event: "ping", data: "", id: "7" },
  { event: "message", data: "plain", id: "8" }
]

describe("a stream of events", () => {
  it("[C-765] is read line by line, whatever ends a line", () => {
    expect(new EventReader().read(text)).toEqual(whole)
  })

  it("[C-765] gives the same events wherever its answer is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length })), (cuts) => {
        const reader = new EventReader()
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length]
        const parts = places.slice(1).map((end, at) => text.slice(places[at], end))
        expect(parts.flatMap((part) => reader.read(part))).toEqual(whole)
      })
    )
  })

  it("[C-765] an event that is too long is a fault, and not held", () => {
    const reader = new EventReader()
    const part = `data: ${"x".repeat(8 * 1024 * 1024)}`
    expect(() => {
      for (let at = 0; at < 9; at++) reader.read(part)
    }).toThrow("too long")
  })
})
