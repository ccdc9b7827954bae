import { readFileSync } from "node:fs"

import { until } from "@atrium/domain/testing/Until"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { afterAll, beforeAll, expect, test } from "vitest"

import { roomCommand } from "./RoomCommand.ts"
import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, noWalls, startOf, TestListener } from "./TestProcesses.ts"

const Source = `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({ type: "arena", messages: { fill: { what: s.string(20) } } })
const kept: unknown[] = []

export const Arena = defineRoom(schema, {
  onMessage: {
    fill: (_room, _client, { what }) => {
      if (what === "some") kept.push(new Uint8Array(40 * 2 ** 20).fill(1))
      else kept.push(Array.from({ length: 12e6 }, (_, index) => index + 0.5))
    }
  }
})
`

let bundle: Uint8Array
let processes: RoomProcesses

beforeAll(async () => {
  bundle = await bundleOf(Source)
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
})

afterAll(() => processes.close())

const open = async (size: { readonly memoryMiB: number; readonly isDev?: boolean }) => {
  const heard = new TestListener()
  const room = processes.take(heard.listener, { ...size, bundle })
  room.start(startOf(bundle))
  await heard.got("ready")
  room.join(joinOf(1))
  await heard.got("joined")
  const fill = (what: string): void => {
    const text = new Uint8Array([what.length, ...Buffer.from(what)])
    room.data(1, packValue([2, 0, text]))
  }
  return { room, heard, fill }
}

/** The heap that the process was started with. */
const heapMiBOf = (pid: number): number =>
  Number(/--max-old-space-size=(\d+)/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.[1] ?? 0)

test.each([
  { memoryMiB: 64, heapMiB: 160 },
  { memoryMiB: 256, heapMiB: 544 },
  { memoryMiB: 1024, heapMiB: 2080 },
  { memoryMiB: 64, isDev: true, heapMiB: 256 },
  { memoryMiB: 256, isDev: true, heapMiB: 256 },
  { memoryMiB: 1024, isDev: true, heapMiB: 256 }
])("[memory.dev-heap] a room of %j", ({ heapMiB, ...size }) => {
  const boot = { code: "", vmDataKiB: null }
  const { args } = roomCommand(process.execPath, boot, { ...size, uid: null, walls: noWalls })
  expect(args).toContain(`--max-old-space-size=${heapMiB}`)
})

test.runIf(process.platform === "linux")(
  "[memory.dev-heap] a room of dev gets a process of its heap, made for it or a spare",
  async () => {
    // The first is made for it, the second was a spare.
    for (let time = 0; time < 2; time++) {
      const { room } = await open({ memoryMiB: 1024, isDev: true })
      expect(heapMiBOf(room.pid)).toBe(256)
      room.kill("stopped")
    }
  }
)

test("[memory.dev-heap] the ceiling of a class holds for the heap of a room of dev, too", async () => {
  const { heard, fill } = await open({ memoryMiB: 64, isDev: true })
  fill("all")
  expect(await heard.exit()).toMatchObject({ cause: "memory" })
})

test.runIf(process.platform === "linux")(
  "[memory.server.restarts-largest] the memory of a room is counted above the memory that its process began with",
  async () => {
    const { room, fill } = await open({ memoryMiB: 64 })
    expect(room.usedBytes).toBeLessThan(20 * 2 ** 20)
    fill("some")
    const used = () => ((room.usedBytes ?? 0) > 40 * 2 ** 20 ? true : undefined)
    await until("the look at its memory", used)
    expect(room.usedBytes).toBeLessThan(60 * 2 ** 20)
    room.kill("stopped")
  }
)
