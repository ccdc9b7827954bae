import { expect, test } from "vitest"

import { RecentlyRead } from "./RecentlyRead.ts"

/** Values that are their own weight, ten of it at most. */
const upToTen = () => new RecentlyRead<number>({ weightMax: 10, weightOf: (value) => value })

test("[deployments.read-once] values that weigh as much as may be kept are all kept", () => {
  const read = upToTen()
  read.set("a", 4)
  read.set("b", 6)
  expect([read.get("a"), read.get("b")]).toEqual([4, 6])
})

test("[deployments.read-once] one more displaces what was read longest ago, and no more than it must", () => {
  const read = upToTen()
  read.set("a", 4)
  read.set("b", 3)
  read.set("c", 3)
  expect(read.get("a")).toBe(4)
  read.set("d", 1)
  expect(["a", "b", "c", "d"].map((key) => read.get(key))).toEqual([4, undefined, 3, 1])
  read.set("e", 9)
  expect(["a", "c", "d", "e"].map((key) => read.get(key))).toEqual([undefined, undefined, 1, 9])
})

test("[deployments.read-once] a value of the whole weight is kept alone, a heavier one not at all", () => {
  const read = upToTen()
  read.set("a", 1)
  read.set("b", 11)
  expect([read.get("a"), read.get("b")]).toEqual([1, undefined])
  read.set("c", 10)
  expect([read.get("a"), read.get("c")]).toEqual([undefined, 10])
})

test("[deployments.read-once] a value that is set twice weighs once", () => {
  const read = upToTen()
  read.set("a", 4)
  read.set("b", 5)
  read.set("b", 5)
  read.set("b", 6)
  expect([read.get("a"), read.get("b")]).toEqual([4, 6])
})
