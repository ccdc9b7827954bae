import { signalAll, standStill } from "@atrium/api/testing/ProcessTree"
import { type ProbeRoom, roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { holderFirst } from "@atrium/api/testing/Runners"
import type { RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

import { type PresentPlayers, presentPlayers, told } from "./PresentPlayers.ts"

let stage: PresentPlayers

beforeAll(async () => {
  stage = await presentPlayers()
})

afterAll(() => stage.remove())

/** Somebody whose connection ends with the runner, and who does not come back. */
const guestOf = async (runner: RunningService, asked: ReadonlyArray<RunningService>) => {
  const { playerId } = await roomsOf(runner).join("here")
  await told(asked, [playerId], ["here"])
  return playerId
}

/** Joins the room until that works: it may have to wait until the runner's rooms are given to others. */
const failOver = (entry: RunningService): Promise<ProbeRoom> =>
  until("the room fails over", () =>
    roomsOf(entry)
      .join("here")
      .catch(() => false as const)
  )

it("[C-561] the players of a runner that is killed are in no room within a second, and others come where the room fails over", async () => {
  const { holder, others } = stage
  const guest = await guestOf(holder, others)
  signalAll([holder.pid], "SIGKILL")
  expect(await told(others, [guest], [null])).toBeLessThan(1000)
  const [entry] = others
  if (entry === undefined) throw new Error("no other runner")
  const next = await failOver(entry)
  expect(await told(others, [guest, next.playerId], [null, "here"])).toBeLessThan(1000)
})

it("[C-561] the players of a runner that stands still are in no room once the room has failed over", async () => {
  const [frozen, left] = await holderFirst(stage.others)
  if (left === undefined) throw new Error("no runner is left")
  const guest = await guestOf(frozen, stage.others)
  standStill(frozen.pid, true)
  try {
    const next = await failOver(left)
    expect(await told([left], [guest, next.playerId], [null, "here"])).toBeLessThan(1000)
    standStill(frozen.pid, false)
    // The runner has dropped the players that it had before it stood still.
    await told([frozen, left], [next.playerId], ["here"])
    await next.leave()
    expect(await told([frozen, left], [next.playerId], [null])).toBeLessThan(1000)
  } finally {
    standStill(frozen.pid, false)
  }
})
