import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { TextLimits } from "@atrium/wire/text/TextLimits"
import { describe, expect, test } from "vitest"

import { BundleFileName } from "../RoomCommand.ts"
import { threadMs } from "../testing/ThreadTime.ts"
import { firstPlace, mayBeStack, type Origin, placesIn, withOrigins } from "./StackText.ts"

const origins = new Map<string, Origin>([
  ["1:1", "room.ts:7:19"],
  ["2:2", null]
])
const at = (line: number, column: number): string => `${BundleFileName}:${line}:${column}`

describe("stacks of room code", () => {
  test("[D-14] name the source, and keep a place that the map does not know", () => {
    const stack = `Error: no\n    at run (${at(1, 1)})\n    at ${at(2, 2)}\n    at ${at(3, 3)}`
    expect(withOrigins(stack, origins)).toBe(
      `Error: no\n    at run (room.ts:7:19)\n    at ${at(2, 2)}\n    at ${at(3, 3)}`
    )
    expect(placesIn(stack)).toHaveLength(3)
    expect(placesIn(`${stack}\n    at ${at(3, 3)}`)).toHaveLength(3)
  })

  test.each([
    ["    at listOnTimeout (node:internal/timers:5:1)", false],
    ["    at [eval1]:5:1", false],
    ["    at run (data:text/javascript,x:1:1)", false],
    ["    at run (../node_modules/@atrium/sdk/src/runtime.ts:1:1)", false],
    ["    at run (@atrium/runtime@0.1.0/src/room/Runtime.ts:1:1)", false],
    ["    at run (@atrium/wire@1.2.3/src/codec/Delta.ts:1:1)", false],
    ["    at run (src/room/arena.ts:1:1)", true],
    ["    at run (wire/src/codec/arena.ts:1:1)", true],
    ["    at run (@atrium/wired/src/arena.ts:1:1)", true],
    ["  attack node: 3", true],
    ["node: hello", true]
  ])("[D-14] %j is kept: %s", (line, kept) => {
    expect(withOrigins(`Error\n${line}`, origins)).toBe(kept ? `Error\n${line}` : "Error")
  })

  test("[D-14] a text without places is no stack", () => {
    expect(mayBeStack("node: hello")).toBe(false)
    expect(mayBeStack("Error\n    at x")).toBe(true)
    expect(mayBeStack(`SyntaxError: ${at(1, 1)}`)).toBe(true)
  })

  test("[C-171] 64 places are mapped, further ones are not", () => {
    const { max } = LogLimits.stackPlaces
    const stack = Array.from({ length: max + 1 }, (_, index) => at(index + 1, 1)).join("\n")
    expect(placesIn(stack)).toHaveLength(max)
    expect(placesIn(stack).at(-1)).toEqual({ line: max, column: 1 })
  })

  test("[limits.log.line] a stack keeps the limit of a line when its sources have long names", () => {
    const long = new Map([["1:1", "x".repeat(LogLimits.stackOriginChars.max)]])
    const stack = `${at(1, 1)}\n`.repeat(400)
    expect(withOrigins(stack, long)).toHaveLength(TextLimits.logLineUnits.max)
  })

  test.each([
    [`Error: a.ts:1:1\n    at run (room.ts:7:19)\n    at b.ts:1:1`, "room.ts:7:19"],
    ["Error\n    at room.ts:7:19", "room.ts:7:19"],
    ["Error\n    at async room.ts:7:19", "room.ts:7:19"],
    ["Error\n    at native\n    at run (room.ts:7:19)", "room.ts:7:19"],
    ["Error: a.ts:1:1", null],
    ["", null]
  ])("[D-14] the first place of %j is %j", (stack, place) => {
    expect(firstPlace(stack)).toBe(place)
  })

  test("[C-170] lines made to slow a pattern down take milliseconds", () => {
    const max = TextLimits.logLineUnits.max
    const evil = [
      `\n    at ${"@atrium/".repeat(max)}`,
      `\n    at ${"[eval1".repeat(max)}`,
      `\n    at ${"@atrium/sd".repeat(max)}`,
      `\n    at ${BundleFileName}:${"1:".repeat(max)}`,
      `\n    at ${`${BundleFileName}:1`.repeat(max)}`,
      `\n    at ${"a:1:1".repeat(max)}`,
      "\n    at ".repeat(max)
    ].map((line) => line.slice(0, max))
    // The quickest of three: the first one is compiled.
    const spentMs = evil.map((line) =>
      Math.min(
        ...[1, 2, 3].map(() => {
          const beginMs = threadMs()
          withOrigins(line, origins)
          placesIn(line)
          firstPlace(line)
          return threadMs() - beginMs
        })
      )
    )
    expect(spentMs.filter((ms) => ms > 5)).toEqual([])
  })
})
