import { until } from "@atrium/domain/testing/Until"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, startOf, TestListener } from "./TestProcesses.ts"

/** Rooms under their ceiling that make garbage without end, and tell after each 100 MB of it. */
const Source = `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "arena",
  messages: { run: { what: s.string(20) }, told: s.untyped() }
})
const kept: unknown[] = []

const garbage = {
  large: () => { for (let i = 0; i < 4; i++) new Uint8Array(2e6).fill(1); return 8e6 },
  small: () => { for (let i = 0; i < 500; i++) new Uint8Array(4000).fill(1); return 2e6 }
}

export const Arena = defineRoom(schema, {
  onMessage: {
    run: (room, client, { what }) => {
      if (what === "small") {
        for (let index = 0; index < 3; index++) {
          const memory = new WebAssembly.Memory({ initial: 160 })
          new Uint8Array(memory.buffer).fill(1)
          kept.push(memory)
        }
      }
      let bytes = 0
      setInterval(() => {
        const before = Math.floor(bytes / 1e8)
        bytes += garbage[what]()
        if (Math.floor(bytes / 1e8) > before) room.send(client, "told", bytes)
      }, 2)
    }
  }
})
`

let processes: RoomProcesses

beforeAll(async () => {
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
})

afterAll(() => processes.close())

describe("a room that makes garbage and holds less than its ceiling", () => {
  test.each([
    ["large buffers", "large", 15],
    ["small buffers beside 30 MiB of WebAssembly", "small", 5]
  ])("[C-40] goes on: %s", async (_, what, times) => {
    const heard = new TestListener()
    const bundle = await bundleOf(Source)
    const room = processes.take(heard.listener, { memoryMiB: 64, bundle })
    room.start(startOf(bundle))
    room.join(joinOf(1))
    await heard.got("joined")
    room.data(1, packValue([2, 0, new Uint8Array([what.length, ...Buffer.from(what)])]))
    const told = () => heard.calls.filter(([name]) => name === "deliver").length
    const enough = () => told() >= times || heard.calls.some(([name]) => name === "exited")
    await until("its garbage", enough)
    expect(heard.calls.filter(([name]) => name === "exited")).toEqual([])
    expect(told()).toBeGreaterThanOrEqual(times)
    room.kill("stopped")
  })
})
