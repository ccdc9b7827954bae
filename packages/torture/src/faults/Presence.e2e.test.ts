// @module-tag thorough

import { roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { afterAll, beforeAll, expect, it } from "vitest"

import { ask, type PresentPlayers, presentPlayers, told } from "./PresentPlayers.ts"

// Runners that are killed or stand still: Presence.long.test.ts.

let stage: PresentPlayers

beforeAll(async () => {
  stage = await presentPlayers()
})

afterAll(() => stage.remove())

it("[C-561] every runner knows within a second who comes and goes on another one", async () => {
  const { holder, others, room } = stage
  const all = [holder, ...others]
  const [entry] = others
  if (entry === undefined) throw new Error("no other runner")
  await told(all, [room.playerId], ["here"])
  const second = await roomsOf(entry).join("here")
  const players = [room.playerId, second.playerId]
  expect(await told(all, players, ["here", "here"])).toBeLessThan(1000)
  await second.leave()
  expect(await told(all, players, ["here", null])).toBeLessThan(1000)
})

it("[C-562] a watch on one runner sees who goes on another one, and its cursor holds on each", async () => {
  const { holder, others } = stage
  const [one, two] = others
  if (one === undefined || two === undefined) throw new Error("no other runners")
  const guest = await roomsOf(holder).join("here")
  const players = `players=${guest.playerId}`
  await told([holder, ...others], [guest.playerId], ["here"])
  const { cursor } = await ask(one, players)
  expect(await ask(two, players)).toEqual({ rooms: ["here"], cursor })
  const quiet = await ask(two, `${players}&wait=1&cursor=${cursor}`)
  expect(quiet).toEqual({ rooms: ["here"], cursor })
  const watching = ask(two, `${players}&wait=30&cursor=${cursor}`)
  await guest.leave()
  const leftMs = performance.now()
  expect((await watching).rooms).toEqual([null])
  expect(performance.now() - leftMs).toBeLessThan(1000)
})
