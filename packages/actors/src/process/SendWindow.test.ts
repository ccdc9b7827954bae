import { Limits } from "@atrium/domain/Limits"
import { expect, test } from "vitest"

import { SendWindow } from "./SendWindow.ts"

const waitsAfter = (...looks: ReadonlyArray<readonly [busy: number, frames: number]>) => {
  const window = new SendWindow()
  return looks.map(([busy, frames]) => {
    window.look({ busy, frames })
    return window.waitMs
  })
}
const { ms } = Limits.sendWindow

test("[C-60] nothing waits before there was a look", () => {
  expect(new SendWindow().waitMs).toBe(0)
})

test("[C-60] frames wait from a load on, until it has gone by far", () => {
  expect(waitsAfter([0.29, 100], [0.3, 100], [0.12, 100], [0.11, 100], [0.29, 100])).toEqual([
    ...[0, ms, ms, 0, 0]
  ])
})

test("[C-60] frames of a room that gets few of them do not wait", () => {
  expect(waitsAfter([0.9, 9], [0.9, 10], [0.9, 9])).toEqual([0, ms, 0])
})
