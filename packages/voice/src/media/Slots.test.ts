import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { nextSlots, type Slots, type Speaker, withoutSpeakers } from "./Slots.ts"

const speaker = (participant: number, loudness: number): Speaker => ({ participant, loudness })

describe("the slots of a listener", () => {
  test.each<[string, Slots, ReadonlyArray<Speaker>, Slots]>([
    ["nobody speaks", [null, null, null], [], [null, null, null]],
    ["one speaks", [null, null, null], [speaker(7, 90)], [7, null, null]],
    ["a speaker stays where it is", [null, 7, null], [speaker(7, 90)], [null, 7, null]],
    [
      "a second one takes a free slot",
      [null, 7, null],
      [speaker(7, 90), speaker(8, 95)],
      [8, 7, null]
    ],
    ["a silent one keeps its slot", [7, 8, null], [speaker(9, 80)], [7, 8, 9]],
    [
      "a silent one loses it to a fourth",
      [7, 8, 9],
      [speaker(8, 80), speaker(9, 80), speaker(1, 60)],
      [1, 8, 9]
    ],
    [
      "of four the three loudest are heard",
      [null, null, null],
      [speaker(1, 60), speaker(2, 70), speaker(3, 80), speaker(4, 90)],
      [4, 3, 2]
    ],
    [
      "a fourth that is a little louder does not cut in",
      [1, 2, 3],
      [speaker(1, 70), speaker(2, 70), speaker(3, 70), speaker(4, 76)],
      [1, 2, 3]
    ],
    [
      "a fourth that is much louder does",
      [1, 2, 3],
      [speaker(1, 71), speaker(2, 70), speaker(3, 71), speaker(4, 76.1)],
      [1, 4, 3]
    ]
  ])("[C-893] %s", (...[, slots, speakers, next]) => {
    expect(nextSlots(slots, speakers)).toEqual(next)
  })

  test("[C-893] nothing that changes nobody's slot makes new slots", () => {
    const slots: Slots = [1, null, 2]
    expect(nextSlots(slots, [speaker(2, 50), speaker(1, 50)])).toBe(slots)
    expect(withoutSpeakers(slots, () => false)).toBe(slots)
    expect(withoutSpeakers(slots, (id) => id === 1)).toEqual([null, null, 2])
  })

  test("[C-893] whoever speaks: no speaker has two slots, none moves to another one, and three are heard", () => {
    const turns = fc.array(
      fc.uniqueArray(fc.tuple(fc.nat(8), fc.nat(127)), { selector: ([id]) => id, maxLength: 9 }),
      { maxLength: 20 }
    )
    fc.assert(
      fc.property(turns, (speaking) => {
        let slots: Slots = [null, null, null]
        for (const each of speaking) {
          const speakers = each.map(([id, loudness]) => speaker(id, loudness))
          const next = nextSlots(slots, speakers)
          const held = next.filter((id) => id !== null)
          expect(new Set(held).size).toBe(held.length)
          for (const [slot, id] of next.entries()) {
            if (id !== null && slots.includes(id)) expect(slots[slot]).toBe(id)
          }
          const heard = speakers.filter(({ participant }) => next.includes(participant))
          expect(heard.length).toBe(Math.min(3, speakers.length))
          slots = next
        }
      })
    )
  })
})
