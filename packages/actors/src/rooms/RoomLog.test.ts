import { LogIngest } from "@atrium/domain/logs/LogIngest"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { TextLimits } from "@atrium/wire/text/TextLimits"
import { expect, test } from "vitest"

import { RoomLog } from "./RoomLog.ts"

/** A log whose stacks, the lines that begin with `stack`, the test maps. */
const stage = () => {
  const written: string[] = []
  const looked: string[] = []
  const mappings: Array<() => void> = []
  let dropped = 0
  const log = new RoomLog({
    ingest: new LogIngest(),
    nowMs: () => 0,
    mapStack: (line) => {
      looked.push(line)
      if (!line.startsWith("stack")) return line
      return new Promise((resolve) => mappings.push(() => resolve(`mapped ${line}`)))
    },
    write: (level, line) => written.push(`${level} ${line}`),
    dropped: () => dropped++
  })
  const mapNext = async (): Promise<void> => {
    mappings.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { log, written, looked, mapNext, dropped: () => dropped }
}

test("[C-171] the lines of a room keep their order while a stack is mapped", async () => {
  const { log, written, mapNext } = stage()
  log.say("info", "one")
  log.say("error", "stack 1")
  log.say("info", "two")
  log.say("warn", "stack 2")
  log.say("info", "three")
  let isDone = false
  void log.written().then(() => (isDone = true))
  expect(written).toEqual(["info one"])
  await mapNext()
  expect([written.slice(1), isDone]).toEqual([["error mapped stack 1", "info two"], false])
  await mapNext()
  expect([written.slice(3), isDone]).toEqual([["warn mapped stack 2", "info three"], true])
  log.say("info", "four")
  expect(written.at(-1)).toBe("info four")
})

test("[limits.log.ingest] a line past what a project may log is counted and not even looked at", () => {
  const { log, written, looked, dropped } = stage()
  const line = "x".repeat(TextLimits.logLineUnits.max)
  for (let count = 0; count < 33; count++) log.say("info", line)
  expect([written.length, looked.length, dropped()]).toEqual([32, 32, 1])
})

test("[C-171] of 101 lines behind a stack the first one is written as it is, of 100 none", async () => {
  for (const [behind, asItIs] of [
    [RoomProcessLimits.roomLinesWaiting.max, []],
    [RoomProcessLimits.roomLinesWaiting.max + 1, ["info stack 0"]]
  ] as const) {
    const { log, written, mapNext } = stage()
    log.say("info", "stack")
    for (let line = 0; line < behind + 1; line++) log.say("info", `stack ${line}`)
    await mapNext()
    expect(written.slice(1)).toEqual(asItIs)
  }
})
