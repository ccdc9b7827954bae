import { expect, test } from "vitest"

import { readArguments } from "./Arguments.ts"

const nothing = { extent: "full", json: false, strict: false, help: false }
const all = ["W1", "W2", "W3", "W4", "W5", "W6"]

test.each([
  [[], { ...nothing, only: all }],
  [["--only", "W3,W1"], { ...nothing, only: ["W1", "W3"] }],
  [["--only=W2", "--json"], { ...nothing, only: ["W2"], json: true }],
  [["--quick", "--strict"], { ...nothing, only: all, extent: "quick", strict: true }],
  [["--thorough"], { ...nothing, only: all, extent: "thorough" }],
  [["--help"], { ...nothing, only: all, help: true }]
])("[performance] %j is understood", (args, read) => {
  expect(readArguments(args)).toEqual(read)
})

test.each([
  [["--only", "W7"], '--only: "W7" is no workload; there are W1, W2, W3, W4, W5, W6.'],
  [["--only", ""], '--only: "" is no workload; there are W1, W2, W3, W4, W5, W6.'],
  [["--only", "W1,"], '--only: "" is no workload; there are W1, W2, W3, W4, W5, W6.'],
  [["--quick", "--thorough"], "--quick and --thorough exclude each other."],
  [["--only"], "Option '--only <value>' argument missing."],
  [["--fast"], "Unknown option '--fast'."],
  [["--json=yes"], "Option '--json' does not take an argument."]
])("[performance] %j is refused in one sentence", (args, sentence) => {
  expect(readArguments(args)).toBe(sentence)
})

test("[performance] what is no option at all is named", () => {
  expect(readArguments(["W1"])).toMatch(/^Unexpected argument 'W1'[^.]*\.$/)
})
