import { randomBytes } from "node:crypto"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { zstdCompressSync } from "node:zlib"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { until } from "@atrium/domain/testing/Until"
import { FrameHeaderBytes, FromRoom } from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { MiB } from "@atrium/wire/limits/Limit"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { OverheadBytes } from "@atrium/wire/replay/ChunkLayout"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

import { NoMeansNotice } from "./BootSource.ts"
import { StandardPace } from "./ProcessPace.ts"
import type { RoomProcess } from "./RoomProcess.ts"
import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { silentSpare } from "./testing/SilentSpare.ts"
import { bundleOf, scriptOf, startOf, TestListener } from "./TestProcesses.ts"

/** Room code whose clients say how much they want it to hold. */
const Holding = `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema } from "@atrium/sdk/schema"

const held: unknown[] = []
export const Arena = defineRoom(defineSchema({ type: "arena" }), {
  onAuth: (_, { options }) => held.push(new Uint8Array(Number(options))) > 0
})
`

let processes: RoomProcesses

beforeAll(async () => {
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
})

afterAll(() => processes.close())

/** Code that is ready at once, welcomes the first client, and then does something with `port`. */
const does = (what: string): Uint8Array =>
  scriptOf(`
    const ready = new Uint8Array(${JSON.stringify([...Reports.ready()])})
    const joined = new Uint8Array(${JSON.stringify([...Reports.joined(1, welcome)])})
    exports.connect = (port) => (kind, payload) => {
      if (kind === 2) port.send(ready)
      if (kind === 3) { port.send(joined); ${what} }
      if (kind === 7) onSnapshot()
    }
    let onSnapshot
  `)

const welcome = { sessionId: "s1", resumed: false, tick: 0, state: new Uint8Array([1]) }

const open = async (
  what: string,
  memoryMiB = 64
): Promise<{ readonly room: RoomProcess; readonly heard: TestListener }> => {
  const heard = new TestListener()
  const room = processes.take(heard.listener, { memoryMiB })
  room.start(startOf(does(what)))
  await heard.got("ready")
  room.join(joinOf(1))
  return { room, heard }
}

/** The same with a room and its first client, however slow the test is. */
const silent = () => {
  const heard = new TestListener()
  const { host, says } = silentSpare()
  host.claim(heard.listener)
  host.start(startOf(scriptOf("")))
  says(Reports.ready())
  host.join(joinOf(1))
  says(Reports.joined(1, welcome))
  return { heard, host, says }
}

const collectGarbage = (): void => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc")()
}

describe("a room process that sends too much", () => {
  test("[C-41] more frames than a room may send: flood", async () => {
    const { heard, says } = silent()
    const { burst } = RoomProcessLimits.roomFrames
    for (let sent = 0; sent <= burst; sent++) says(Reports.alarms([]))
    expect(await heard.exit()).toMatchObject({ cause: "flood" })
    const reached = heard.calls.filter(([name]) => name === "alarms").length
    expect(reached).toBeLessThan(burst)
  })

  test("[C-41] more bytes than a room may send: flood", async () => {
    const { heard, says } = silent()
    const long = packValue(new Uint8Array(MiB))
    for (let sent = 0; sent <= RoomProcessLimits.roomBytes.burst / MiB; sent++)
      says(Reports.deliver([1], long))
    // Not by name: what else it heard is too long to be shown.
    const exited = await until("its end", () => heard.calls.find(([name]) => name === "exited"))
    const detail = `more than ${RoomProcessLimits.roomBytes.tokens} bytes a second`
    expect(exited).toEqual(["exited", { cause: "flood", detail }])
  })

  test("[C-191] bytes of a frame that never ends count as they come", async () => {
    const { heard, host } = silent()
    host.came(RoomProcessLimits.roomBytes.burst - MiB)
    expect(heard.calls.at(-1)?.[0]).not.toBe("exited")
    host.came(MiB)
    expect(await heard.exit()).toMatchObject({ cause: "flood" })
  })

  test("[C-191] a frame of 80 MiB is taken as the welcome or the snapshot that was asked for, not else", () => {
    const { host, says } = silent()
    const longest = () =>
      [FromRoom.joined, FromRoom.snapshot, FromRoom.deliver].map(
        (kind) => host.lengthMax(kind) / MiB
      )
    expect(longest()).toEqual([16, 16, 16])
    host.join(joinOf(2))
    host.requestSnapshot(7, { final: false })
    expect(longest()).toEqual([80, 80, 16])
    says(Reports.joined(2, welcome))
    says(Reports.snapshot(7, new Uint8Array(1)))
    expect(longest()).toEqual([16, 16, 16])
    host.kill("stopped")
  })

  test("[C-825] the longest chunk of a replay fits a frame of the usual bound, 16 MiB", () => {
    const { host } = silent()
    host.footage.takeChunk(1, { number: 1, recording: false })
    expect(host.lengthMax(FromRoom.chunk)).toBe(RoomProcessLimits.roomUnaskedBytes.max)
    // Bytes without any order, which zstd makes longer.
    const plain = randomBytes(ReplayLimits.replayChunkBytes.max - OverheadBytes)
    const frame = Reports.chunk(1, zstdCompressSync(plain))
    expect(frame.length - FrameHeaderBytes).toBeGreaterThan(plain.length)
    expect(frame.length - FrameHeaderBytes).toBeLessThanOrEqual(host.lengthMax(FromRoom.chunk))
    host.kill("stopped")
  })

  test("[C-191] 6 rooms with unfinished frames hold what the bound allows, it counts as theirs, and it comes back", async () => {
    const heldMiB = (): number => process.memoryUsage().arrayBuffers / MiB
    collectGarbage()
    const beforeMiB = heldMiB()
    // Of a snapshot that was asked for 60 MiB come: 360 MiB in all.
    const unfinished = `
      const piece = new Uint8Array(${MiB})
      let left = 60
      const go = () => {
        for (let sent = 0; sent < 4 && left > 0; sent++, left--) port.send(piece)
        if (left > 0) setImmediate(go)
      }
      onSnapshot = () => (port.send(new Uint8Array([0, 0, 0, 4, ${FromRoom.snapshot}])), go())
    `
    const rooms = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const { room, heard } = await open(unfinished, 256)
        await heard.got("joined")
        return { room, heard }
      })
    )
    let mostMiB = 0
    let mostOfRoomMiB = 0
    const look = setInterval(() => {
      mostMiB = Math.max(mostMiB, heldMiB())
      const used = rooms.map(({ room }) => room.usedBytes ?? 0)
      mostOfRoomMiB = Math.max(mostOfRoomMiB, ...used.map((bytes) => bytes / MiB))
    }, 5)
    for (const { room } of rooms) room.requestSnapshot(7, { final: false })
    const ends = await Promise.all(rooms.map(({ heard }) => heard.exit()))
    clearInterval(look)
    // The bound, and what was read and waits for the garbage collector.
    expect(mostMiB - beforeMiB).toBeLessThan(RoomProcessLimits.roomHeldAllBytes.max / MiB + 128)
    expect(mostOfRoomMiB).toBeGreaterThan(20)
    const flood = `unfinished frames of all rooms are over ${RoomProcessLimits.roomHeldAllBytes.max} bytes`
    expect(ends).toContainEqual({ cause: "flood", detail: flood })
    expect(ends.filter(({ cause }) => cause !== "flood" && cause !== "hung")).toEqual([])
    // A socket gives back what it read once it has closed, a moment after its process.
    const stillHeldMiB = (): number => {
      collectGarbage()
      return heldMiB() - beforeMiB
    }
    await expect.poll(stillHeldMiB).toBeLessThan(16)
  })

  test("[C-41] [C-402] lines past the burst are dropped and counted, and the room goes on", () => {
    const { heard, host, says } = silent()
    const { burst } = RoomProcessLimits.roomLogLines
    for (let line = 0; line <= burst; line++) says(Reports.log("info", "line"))
    says(Reports.changed())
    expect(heard.lines).toHaveLength(burst)
    expect(heard.calls.slice(-2).map(([name]) => name)).toEqual(["lineDropped", "changed"])
    host.kill("stopped")
  })
})

test("[C-41] of the lines before a process has a room, the first are kept for it", async () => {
  const { host, says } = silentSpare()
  const heard = new TestListener()
  const { max } = RoomProcessLimits.roomEarlyLines
  const lines = Array.from({ length: max + 1 }, (_, line) => `line ${line}`)
  for (const line of lines) says(Reports.log("info", line))
  host.claim(heard.listener)
  expect(heard.lines).toEqual(lines.slice(0, max))
  host.kill("stopped")
})

describe("a room process that does not answer", () => {
  /** Polls until it is ended; `every` = what it says before each. */
  const pollsOf = async (
    before: (room: Pick<ReturnType<typeof silent>, "host" | "says">) => void
  ): Promise<number> => {
    const { heard, host, says } = silent()
    let polls = 0
    const killed = vi.spyOn(host, "kill")
    while (killed.mock.calls.length === 0 && polls < 1000) {
      before({ host, says })
      host.poll(false)
      polls++
    }
    expect(await heard.exit()).toMatchObject({ cause: "hung" })
    return polls
  }

  test("[C-41] has five times as long while frames, or pieces of one, come: it is in no loop", async () => {
    const { answerPolls, pingPolls } = StandardPace
    expect(await pollsOf(() => undefined)).toBe(pingPolls + answerPolls + 1)
    const whole = await pollsOf(({ says }) => says(Reports.changed()))
    const inPieces = await pollsOf(({ host }) => host.came(1))
    for (const busy of [whole, inPieces]) {
      expect(busy).toBeGreaterThanOrEqual(pingPolls + 5 * answerPolls)
      expect(busy).toBeLessThanOrEqual(pingPolls + 5 * answerPolls + 2)
    }
  })
})

describe("a room process that does not read", () => {
  test("[C-41] is ended before the service holds more than it may", async () => {
    const { room, heard } = await open("port.setTimer(1, () => { for (;;) {} })")
    await heard.got("joined")
    const frame = new Uint8Array(MiB)
    const startedAtMs = performance.now()
    for (let sent = 0; sent < RoomProcessLimits.roomUnreadBytes.max / MiB + 2; sent++)
      room.data(1, frame)
    expect(await heard.exit()).toEqual({ cause: "hung", detail: "does not read what it is sent" })
    expect(performance.now() - startedAtMs).toBeLessThan(RoomProcessLimits.roomAnswer.ms)
  })
})

describe("a state that is too large", () => {
  test("[C-42] ends the room with snapshotSize when it is reported in the place of a snapshot", async () => {
    const { heard, host, says } = silent()
    host.requestSnapshot(7, { final: false })
    says(Reports.snapshotTooLarge(7, 70 * MiB))
    expect(await heard.exit()).toEqual({
      cause: "snapshotSize",
      detail: `a snapshot of ${70 * MiB} bytes, over ${RuntimeLimits.snapshotBytes.max}`
    })
  })

  test("[C-42] ends the room with protocol when no snapshot was asked for", async () => {
    const { heard, says } = silent()
    says(Reports.snapshotTooLarge(7, 1))
    expect(await heard.exit()).toMatchObject({ cause: "protocol" })
  })

  test("[C-42] ends the room with snapshotSize when a welcome holds it", async () => {
    const { heard, host, says } = silent()
    host.join(joinOf(2))
    const state = new Uint8Array(RuntimeLimits.snapshotBytes.max + 1)
    says(Reports.joined(2, { ...welcome, state }))
    expect(await heard.exit()).toMatchObject({ cause: "snapshotSize" })
  })
})

describe.runIf(process.platform === "linux")("a system that does not tell of memory", () => {
  test("[C-40] says so at the start, and asks rooms for theirs", async () => {
    const folder = await mkdtemp(join(tmpdir(), "atrium-node-"))
    const nodePath = join(folder, "node")
    // Node as it is, on a system where /proc has no such files.
    const script = `#!/bin/sh\ncase "$*" in\n  *stripTypeScriptTypes*) '${process.execPath}' "$@" | sed 's/RssAnon/Other/' ;;\n  *) exec '${process.execPath}' "$@" ;;\nesac\n`
    await writeFile(nodePath, script)
    await chmod(nodePath, 0o755)
    const notices: string[] = []
    const pace = { ...StandardPace, memory: { ...StandardPace.memory, blindPolls: 3 } }
    const blind = await makeRoomProcesses({
      nodePath,
      warmSpares: 0,
      pace,
      onNotice: (line) => void notices.push(line)
    })
    expect(notices).toContain(NoMeansNotice)
    const bundle = await bundleOf(Holding)
    const [light, heavy] = [1 * MiB, 80 * MiB].map((bytes) => {
      const heard = new TestListener()
      const room = blind.take(heard.listener, { memoryMiB: 64, bundle })
      room.start(startOf(bundle))
      room.join(joinOf(1, { options: bytes }))
      return { heard, room }
    })
    expect(await heavy?.heard.exit()).toMatchObject({ cause: "memory" })
    // The light one was weighed as often, and goes on.
    light?.room.join(joinOf(2, { options: 1 }))
    await until("the second join", () =>
      light?.heard.calls.find(([name, ref]) => name === "joined" && ref === 2)
    )
    await blind.close()
    await rm(folder, { recursive: true })
  })
})
