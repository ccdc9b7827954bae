import { ConsoleLimits } from "@atrium/domain/console/ConsoleLimits"
import { InspectLimits } from "@atrium/domain/inspect/InspectLimits"
import type { Save } from "@atrium/domain/rooms/RoomsApi"
import { expect, it } from "vitest"

import { chosenOf, idsAfter, isCompared, isOpened, reasonText } from "./SaveText.ts"

const saveOf = (saveId: string): Save => ({
  saveId,
  createdAt: "2026-11-28T10:00:00.000Z",
  bytes: 1,
  version: 1,
  schemaHash: "00",
  reason: "manual"
})
const [newest, middle, oldest] = [saveOf("c"), saveOf("b"), saveOf("a")]
const saves = [newest, middle, oldest]

it("[C-777] one save that is chosen is opened, two are compared from the older one on", () => {
  expect(chosenOf(saves, [null, null])).toEqual({ _tag: "None" })
  expect(chosenOf(saves, ["pruned", null])).toEqual({ _tag: "None" })
  expect(chosenOf(saves, [null, "b"])).toEqual({ _tag: "One", save: middle })
  const two = { _tag: "Two", before: oldest, after: newest }
  expect(chosenOf(saves, ["a", "c"])).toEqual(two)
  expect(chosenOf(saves, ["c", "a"])).toEqual(two)
})

it("[C-777] a third save takes the place of the one that was chosen first, and a second click lets go", () => {
  expect(idsAfter([null, null], "a")).toEqual(["a", null])
  expect(idsAfter(["a", null], "b")).toEqual(["a", "b"])
  expect(idsAfter(["a", "b"], "c")).toEqual(["b", "c"])
  expect(idsAfter(["a", "b"], "a")).toEqual(["b", null])
  expect(idsAfter(["a", null], "a")).toEqual([null, null])
})

it("[limits.console.compared-bytes] [C-776] saves over a bound are downloaded only", () => {
  const compared = ConsoleLimits.consoleComparedBytes.max
  expect([compared, compared + 1].map((bytes) => isCompared({ bytes }))).toEqual([true, false])
  const opened = InspectLimits.liveStateBytes.max
  expect([opened, opened + 1].map((bytes) => isOpened({ bytes }))).toEqual([true, false])
})

it("[C-777] a reason of a newer service is told by its name", () => {
  expect(reasonText("hibernate")).toBe("as the room fell asleep")
  expect(reasonText("eclipse")).toBe("eclipse")
  expect(reasonText("toString")).toBe("toString")
})
