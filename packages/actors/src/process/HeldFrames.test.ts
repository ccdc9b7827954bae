import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { expect, test } from "vitest"

import { HeldFrames } from "./HeldFrames.ts"

const setting = (max?: number) => {
  const held = new HeldFrames(max)
  const ended: string[] = []
  const holder = (name: string) => ({ holdsMost: () => void ended.push(name) })
  return { held, ended, holder }
}

test("[C-191] at the bound no process is ended; past it the process that holds the most is", () => {
  const { held, ended, holder } = setting()
  const [small, large, last] = [holder("small"), holder("large"), holder("last")]
  const part = RoomProcessLimits.roomHeldAllBytes.max / 4
  held.tell(small, part)
  held.tell(large, 2 * part)
  held.tell(last, part)
  expect([ended, held.bytes]).toEqual([[], RoomProcessLimits.roomHeldAllBytes.max])
  held.tell(last, part + 1)
  expect([ended, held.bytes]).toEqual([["large"], 2 * part + 1])
})

test("[C-191] a finished frame counts no more, and several rooms end where one is not enough", () => {
  const { held, ended, holder } = setting(10)
  const [one, two, three] = [holder("one"), holder("two"), holder("three")]
  held.tell(one, 10)
  held.tell(one, 0)
  held.tell(two, 5)
  held.tell(three, 5)
  expect([ended, held.bytes]).toEqual([[], 10])
  held.tell(one, 11)
  expect([ended, held.bytes]).toEqual([["one"], 10])
  held.tell(two, 6)
  held.tell(three, 12)
  expect([ended, held.bytes]).toEqual([["one", "two", "three"], 0])
})
