import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { SlotStream, type SpokenPacket } from "./SlotStream.ts"

const stream = () => new SlotStream({ sequenceNumber: 65_534, timestamp: 2 ** 32 - 480 })

/** The so-manieth packet of 20 ms of a speaker. */
const packet = (speaker: number, at: number, spurt = 1): SpokenPacket => ({
  speaker,
  spurt,
  sequenceNumber: (1000 * speaker + at) & 0xffff,
  timestamp: (48_000 * speaker + 960 * at) >>> 0
})

describe("the stream of a slot", () => {
  test("[C-893] goes on from its start over all borders, and marks where speech begins", () => {
    const slot = stream()
    const places = [0, 1, 2, 3].map((at) => slot.next(packet(1, at), 20 * at))
    expect(places).toEqual([
      { sequenceNumber: 65_535, timestamp: 2 ** 32 - 479, begins: true },
      { sequenceNumber: 0, timestamp: 481, begins: false },
      { sequenceNumber: 1, timestamp: 1441, begins: false },
      { sequenceNumber: 2, timestamp: 2401, begins: false }
    ])
  })

  test("[C-893] another speaker follows without a gap, at the time that has passed", () => {
    const slot = stream()
    slot.next(packet(1, 0), 1000)
    const first = slot.next(packet(1, 1), 1020)
    const second = slot.next(packet(2, 50), 1070)
    expect(second).toEqual({
      sequenceNumber: ((first?.sequenceNumber ?? 0) + 1) & 0xffff,
      timestamp: ((first?.timestamp ?? 0) + 50 * 48) >>> 0,
      begins: true
    })
  })

  test("[C-893] silence that was not forwarded leaves no gap in the numbers, and its time passes", () => {
    const slot = stream()
    const before = slot.next(packet(1, 0), 0)
    const after = slot.next(packet(1, 100, 2), 2000)
    expect(after).toEqual({
      sequenceNumber: ((before?.sequenceNumber ?? 0) + 1) & 0xffff,
      timestamp: ((before?.timestamp ?? 0) + 100 * 960) >>> 0,
      begins: true
    })
  })

  test("[C-893] a lost packet leaves a gap, which a late one fills; what came before the speech has no place", () => {
    const slot = stream()
    slot.next(packet(1, 10), 0)
    const third = slot.next(packet(1, 12), 40)
    const second = slot.next(packet(1, 11), 41)
    expect((third?.sequenceNumber ?? 0) - (second?.sequenceNumber ?? 0)).toBe(1)
    expect(slot.next(packet(1, 9), 42)).toBe(null)
    expect(slot.next(packet(1, 13), 60)?.sequenceNumber).toBe((third?.sequenceNumber ?? 0) + 1)
  })

  test("[C-893] whoever speaks, in whatever order packets come, no number is given to two packets", () => {
    const spoken = fc.array(
      fc.record({ speaker: fc.integer({ min: 1, max: 3 }), back: fc.nat(3), pauses: fc.boolean() }),
      { maxLength: 200 }
    )
    fc.assert(
      fc.property(spoken, (steps) => {
        const slot = stream()
        const next = new Map<number, number>()
        const spurts = new Map<number, number>()
        const given = new Map<number, string>()
        for (const [turn, { speaker, back, pauses }] of steps.entries()) {
          if (pauses) spurts.set(speaker, (spurts.get(speaker) ?? 0) + 1)
          const at = Math.max(0, (next.get(speaker) ?? 0) + 1 - back)
          next.set(speaker, Math.max(at, next.get(speaker) ?? 0))
          const spoke = packet(speaker, at, spurts.get(speaker) ?? 0)
          const place = slot.next(spoke, 20 * turn)
          if (place === null) continue
          const name = `${speaker}/${at}/${place.timestamp}`
          const known = given.get(place.sequenceNumber)
          // The same packet may come twice.
          expect(known ?? name).toBe(name)
          given.set(place.sequenceNumber, name)
        }
      })
    )
  })
})
