import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"

import { until } from "@atrium/domain/testing/Until"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import type { RoomProcess, RoomStart } from "./RoomProcess.ts"
import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, isAlive, scriptOf, startOf, TestListener } from "./TestProcesses.ts"

const Source = `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "arena",
  singletons: { score: { red: s.u16() } },
  messages: { add: { by: s.u16() }, run: { what: s.string(20) } }
})

export const Arena = defineRoom(schema, {
  onMessage: {
    add: (room, _, { by }) => void (room.state.score.red += by),
    run: (_room, _client, { what }) => {
      if (what === "loop") for (;;) {}
      if (what === "throw") throw new Error("a bug")
      if (what === "reject") void Promise.reject(new Error("forgotten"))
      if (what === "console") console.warn("to the", { log: 1 })
    }
  }
})
`

const ProcessesPath = fileURLToPath(new URL("./RoomProcesses.ts", import.meta.url))

/** A service with a room and a spare, which tells their pids. */
const ServiceSource = `
  const { makeRoomProcesses } = await import(process.argv[1])
  const processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
  const listener = new Proxy({}, { get: () => () => {} })
  const rooms = [1, 2].map(() => processes.take(listener, { memoryMiB: 64 }))
  setInterval(() => console.log(rooms.map(({ pid }) => pid).join(" ")), 20)
`

let bundle: Uint8Array
let processes: RoomProcesses

beforeAll(async () => {
  bundle = await bundleOf(Source)
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
})

afterAll(() => processes.close())

const open = async (
  more: Partial<RoomStart> = {},
  from = processes
): Promise<{ readonly room: RoomProcess; readonly heard: TestListener }> => {
  const heard = new TestListener()
  const room = from.take(heard.listener, { memoryMiB: 64 })
  room.start(startOf(bundle, more))
  await heard.got("ready")
  room.join(joinOf(1))
  await heard.got("joined")
  return { room, heard }
}

const mapped = (lines: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  Promise.all(lines.map((line) => processes.mapStack(bundle, line)))

const record = (text: string): Uint8Array => new Uint8Array([text.length, ...Buffer.from(text)])
const run = (room: RoomProcess, what: string): void => room.data(1, packValue([2, 1, record(what)]))
const add = (room: RoomProcess, by: number): void =>
  room.data(1, packValue([2, 0, new Uint8Array([by, 0])]))

describe("a room process", () => {
  test("[D-14] a throw in a handler and a forgotten promise are logged, and their places can be told", async () => {
    const { room, heard } = await open()
    run(room, "throw")
    run(room, "reject")
    run(room, "console")
    await until("three lines", () => heard.lines.length >= 3)
    expect(await mapped(heard.lines)).toEqual([
      expect.stringMatching(/^onMessage\.run: Error: a bug\n {4}at .*room\.ts:16:\d+/),
      "to the { log: 1 }",
      expect.stringMatching(/^unhandled rejection: Error: forgotten\n {4}at .*room\.ts:17:\d+/)
    ])
    add(room, 1)
    await heard.got("deliver")
    room.kill("stopped")
  })
})

describe.runIf(process.platform === "linux")("memory", () => {
  test("[state.worker.memory-restart] the kernel's limit stands above the ceiling", async () => {
    const { room } = await open()
    const limits = readFileSync(`/proc/${room.pid}/limits`, "utf8")
    const bytes = Number(/Max data size\s+(\d+)/.exec(limits)?.[1])
    expect(bytes).toBeGreaterThan(128 * 1024 * 1024)
    expect(bytes).toBeLessThan(1200 * 1024 * 1024)
    expect(/Max core file size\s+(\d+)/.exec(limits)?.[1]).toBe("0")
    room.kill("stopped")
  })
})

describe("describing", () => {
  test("[D-40] code that takes too long to load is refused", async () => {
    const quick = await makeRoomProcesses({
      nodePath: process.execPath,
      warmSpares: 0,
      describeMs: 400
    })
    expect(await quick.describe(scriptOf("for (;;) {}"))).toEqual({
      ok: false,
      fault: "bundle",
      message: "loading took more than 400 ms"
    })
    await quick.close()
  })
})

describe("the set of processes", () => {
  test("[D-14] close ends all, and leaves nothing behind", async () => {
    const few = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
    const rooms = [await open({}, few), await open({}, few)]
    run(rooms[0]?.room ?? few.take(new TestListener().listener, { memoryMiB: 64 }), "loop")
    const description = few.describe(scriptOf("for (;;) {}"))
    await few.close()
    for (const { room, heard } of rooms) {
      expect(await heard.exit()).toMatchObject({ cause: "stopped" })
      expect(isAlive(room.pid)).toBe(false)
    }
    expect(await description).toMatchObject({ ok: false })
    expect(await few.describe(scriptOf(""))).toMatchObject({ ok: false, fault: "machine" })
    expect(() => few.take(new TestListener().listener, { memoryMiB: 64 })).toThrow("closed")
  })

  test("[D-14] rooms and spares end when the service is killed", async () => {
    const service = spawn(
      process.execPath,
      ["--input-type=module", "--eval", ServiceSource, pathToFileURL(ProcessesPath).href],
      { stdio: ["ignore", "pipe", "inherit"] }
    )
    let told = ""
    service.stdout.on("data", (chunk: Buffer) => (told += String(chunk)))
    const pids = await until("two pids", () =>
      /^([1-9]\d*) ([1-9]\d*)$/m.exec(told)?.slice(1).map(Number)
    )
    expect(pids.map(isAlive)).toEqual([true, true])
    service.kill("SIGKILL")
    await until("their end", () => !pids.some(isAlive))
  })

  test("[D-14] a uid that cannot be taken is told, and starts no room", async () => {
    const notices: string[] = []
    // Nobody may become a uid past the last; root included.
    const dropToUid = 2 ** 33
    const onNotice = (line: string): void => void notices.push(line)
    const few = await makeRoomProcesses({
      nodePath: process.execPath,
      warmSpares: 1,
      dropToUid,
      onNotice
    })
    await until("a notice", () =>
      notices.find((line) => line.startsWith("room processes do not start: "))
    )
    const heard = new TestListener()
    few.take(heard.listener, { memoryMiB: 64 }).start(startOf(bundle))
    expect(await heard.exit()).toMatchObject({ cause: "crashed" })
    await few.close()
  })

  test("[D-14] a Node that is not there is a clear error", async () => {
    await expect(makeRoomProcesses({ nodePath: "/nowhere/node", warmSpares: 0 })).rejects.toThrow(
      "/nowhere/node"
    )
  })
})
