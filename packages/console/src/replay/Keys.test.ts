import { expect, test } from "vitest"

import { clockText } from "./ClockText.ts"
import { act } from "./Keys.ts"
import { MessageList } from "./MessageList.ts"

const pressed = (key: string, { speed = 1, paused = true } = {}): ReadonlyArray<unknown> => {
  const did: Array<unknown> = []
  const replay = { paused, positionMs: 7000, durationMs: 30_000, speed }
  const known = act(key, replay, {
    play: (wanted) => did.push(wanted ? "play" : "pause"),
    seek: (toMs) => did.push(toMs),
    speed: (to) => did.push(`${to}×`)
  })
  return known ? did : ["nothing"]
}

test("[C-838] the keyboard plays, moves, and changes the speed", () => {
  expect(pressed(" ")).toEqual(["play"])
  expect(pressed("k", { paused: false })).toEqual(["pause"])
  expect(pressed("ArrowLeft")).toEqual([2000])
  expect(pressed("ArrowRight")).toEqual([12_000])
  expect([...pressed(","), ...pressed(".")]).toEqual([6900, 7100])
  expect([...pressed("Home"), ...pressed("End")]).toEqual([0, 30_000])
  expect([...pressed("<"), ...pressed(">")]).toEqual(["0.5×", "2×"])
  expect([...pressed("<", { speed: 0.25 }), ...pressed(">", { speed: 8 })]).toEqual(["0.25×", "8×"])
  expect(pressed("x")).toEqual(["nothing"])
})

test("[C-838] a position is told in minutes, seconds and tenths", () => {
  expect([0, 65_290, 3_600_000, -5].map(clockText)).toEqual([
    "0:00.0",
    "1:05.2",
    "1:00:00.0",
    "0:00.0"
  ])
})

test("[C-838] the page keeps the last hundred messages, the newest first", () => {
  const list = new MessageList()
  for (let atMs = 0; atMs < 250; atMs += 1) list.add({ atMs, name: "said", payload: { atMs } })
  const lines = list.lines()
  expect(lines).toHaveLength(100)
  expect(lines[0]).toEqual({ key: 250, atMs: 249, name: "said", text: "atMs: 249" })
  list.add({ atMs: 1, name: "any", payload: "x" })
  expect(list.lines()[0]).toMatchObject({ name: "any", text: '"x"' })
})
