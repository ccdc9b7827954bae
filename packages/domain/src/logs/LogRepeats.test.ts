import { describe, expect, it } from "vitest"

import { LogLimits } from "./LogLimits.ts"
import { kindOfLine, LogRepeats } from "./LogRepeats.ts"

const takenOf = (repeats: LogRepeats, kind: string, times: number): number =>
  Array.from({ length: times }, () => repeats.take(kind)).filter(Boolean).length

describe("LogRepeats", () => {
  it.each([
    ["the store does not answer (timeout); rooms go on", "WARN the store does not answer"],
    ["the room's process ended: crashed exit code 70", "WARN the room's process ended"],
    ["a snapshot could not be stored", "WARN a snapshot could not be stored"],
    ["12 rooms", "WARN"],
    ["", "WARN"]
  ])("[C-174] the kind of %j is %j", (message, kind) => {
    expect(kindOfLine("WARN", message).trim()).toBe(kind)
    expect(kindOfLine("INFO", message)).not.toBe(kindOfLine("WARN", message))
  })

  it("[C-174] writes 100 lines of a kind in a minute, and counts those past it", () => {
    const repeats = new LogRepeats()
    expect(takenOf(repeats, "one", 100)).toBe(100)
    expect(takenOf(repeats, "two", 101)).toBe(100)
    expect(repeats.endMinute()).toEqual([{ kind: "two", count: 1 }])
    expect(takenOf(repeats, "two", 101)).toBe(100)
    expect(repeats.endMinute()).toEqual([{ kind: "two", count: 1 }])
    expect(repeats.endMinute()).toEqual([])
  })

  it("[C-174] keeps 1,000 kinds apart, and takes all further ones for one", () => {
    const repeats = new LogRepeats()
    for (let kind = 0; kind < LogLimits.logKinds.max; kind++) repeats.take(`kind ${kind}`)
    expect(takenOf(repeats, "kind 1", 99)).toBe(99)
    const others = Array.from({ length: 102 }, (_, kind) => repeats.take(`other ${kind}`))
    expect(others.filter(Boolean)).toHaveLength(100)
    expect(repeats.endMinute()).toEqual([{ kind: "(others)", count: 2 }])
  })
})
