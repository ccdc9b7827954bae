import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import type { ExitCause } from "./ExitCause.ts"
import { PollEveryMs } from "./ProcessPace.ts"
import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { SpareProcesses } from "./SpareProcesses.ts"
import { scriptOf, startOf, TestListener } from "./TestProcesses.ts"

/** A process that only says what it was told. */
class FakeHost {
  readonly memoryMiB: number
  code: Uint8Array | null = null
  booted = true
  killed: ExitCause | null = null

  get ending(): boolean {
    return this.killed !== null
  }

  constructor(memoryMiB: number) {
    this.memoryMiB = memoryMiB
  }

  prepare(bundle: Uint8Array): void {
    this.code = bundle
  }

  kill(cause: ExitCause): void {
    this.killed = cause
  }
}

const makeSpares = () => {
  const made: Array<FakeHost> = []
  const spawn = (memoryMiB: number): FakeHost => {
    const host = new FakeHost(memoryMiB)
    made.push(host)
    return host
  }
  const spares = new SpareProcesses(spawn, { blankPerSize: 1, firstSizeMiB: 64 })
  const renew = (times = 20): void => {
    for (let step = 0; step < times; step++) spares.renew()
  }
  /** A deployment has a spare from its second room on. */
  const startTwo = (bundle: Uint8Array, memoryMiB = 64): void => {
    for (let rooms = 0; rooms < 2; rooms++) spares.take({ memoryMiB, bundle })
  }
  return { spares, made, renew, startTwo }
}

const bundles = Array.from({ length: RoomProcessLimits.preparedSpares.max + 1 }, (_, at) =>
  scriptOf(`${at}`)
)
const [one, two] = bundles as [Uint8Array, Uint8Array]

describe("which spare a room gets", () => {
  test("[C-61] [C-995] the first two rooms get blank spares; the third gets one that has run its deployment's code", () => {
    const { spares, renew } = makeSpares()
    for (let rooms = 0; rooms < 2; rooms++) {
      renew()
      expect(spares.take({ memoryMiB: 64, bundle: one })?.code).toBeNull()
    }
    renew()
    expect(spares.take({ memoryMiB: 64, bundle: one })?.code).toBe(one)
  })

  test("[C-61] no room gets a spare that has run the code of another deployment", () => {
    const { spares, renew, startTwo } = makeSpares()
    renew()
    startTwo(one)
    renew()
    expect(spares.take({ memoryMiB: 64, bundle: two })?.code).toBeNull()
    expect(spares.take({ memoryMiB: 64, bundle: two })).toBeUndefined()
    expect(spares.take({ memoryMiB: 64 })).toBeUndefined()
  })

  test("[D-14] never one of another size", () => {
    const { spares, renew } = makeSpares()
    renew()
    expect(spares.take({ memoryMiB: 256, bundle: one })).toBeUndefined()
    expect(spares.take({ memoryMiB: 256, bundle: one })).toBeUndefined()
    renew()
    expect(spares.take({ memoryMiB: 256, bundle: one })).toMatchObject({
      memoryMiB: 256,
      code: one
    })
  })

  test("[D-14] one step at a time", () => {
    const { spares, made, startTwo } = makeSpares()
    spares.renew()
    startTwo(one)
    startTwo(one, 256)
    for (let step = 1; step <= 2; step++) {
      spares.renew()
      expect(made.length).toBe(1 + step)
    }
  })

  test("[D-14] so many deployments have one, the one more ends the oldest", () => {
    const { made, renew, startTwo } = makeSpares()
    for (const bundle of bundles.slice(0, -1)) {
      startTwo(bundle)
      renew()
    }
    const prepared = () => made.filter(({ code, killed }) => code !== null && killed === null)
    expect(prepared().map(({ code }) => code)).toEqual(bundles.slice(0, -1))
    startTwo(bundles.at(-1) as Uint8Array)
    expect(made.filter(({ killed }) => killed === "stopped").map(({ code }) => code)).toEqual([one])
    expect(prepared().length).toBe(RoomProcessLimits.preparedSpares.max - 1)
  })

  test("[D-14] one that is being ended is for no room", () => {
    const { spares, made, renew, startTwo } = makeSpares()
    for (const bundle of bundles) {
      startTwo(bundle)
      renew()
    }
    expect(made.find(({ code }) => code === one)?.ending).toBe(true)
    expect(spares.take({ memoryMiB: 64, bundle: one })?.code).toBeNull()
  })

  test.each<[ExitCause, boolean]>([
    ["code", false],
    ["startTimeout", false],
    ["memory", false],
    ["killed", true]
  ])("[D-14] after its end by %s, is the code prepared again: %s", (cause, again) => {
    const { spares, made, renew, startTwo } = makeSpares()
    startTwo(one)
    renew()
    const ended = made.find(({ code }) => code === one) as FakeHost
    expect(spares.ended(ended, { cause, detail: "" })).toBe(false)
    renew()
    expect(made.filter(({ code }) => code === one).length).toBe(again ? 2 : 1)
  })

  test("[D-14] the end of a blank spare is reported once", () => {
    const { spares, made, renew } = makeSpares()
    renew()
    expect(spares.ended(made[0] as FakeHost, { cause: "crashed", detail: "" })).toBe(true)
    expect(spares.ended(made[0] as FakeHost, { cause: "crashed", detail: "" })).toBe(false)
  })
})

describe("a process that is ahead of its room", () => {
  let processes: RoomProcesses

  beforeAll(async () => {
    processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 1 })
  })

  afterAll(() => processes.close())

  /** Its module says so when it runs; it answers pings, and it is ready when it is started. */
  const code = (name: string): Uint8Array =>
    scriptOf(`
      console.log("${name} ran, after " + (globalThis.ranBefore ?? "nothing"))
      globalThis.ranBefore = "${name}"
      const frame = (kind, bytes) => new Uint8Array([1 + bytes.length, 0, 0, 0, kind, ...bytes])
      exports.connect = (port) => (kind, payload) => {
        if (kind === 10) port.send(frame(47, payload))
        if (kind === 2) port.send(frame(35, []))
      }
    `)

  const open = async (bundle: Uint8Array) => {
    const heard = new TestListener()
    const room = processes.take(heard.listener, { memoryMiB: 64, bundle })
    room.start(startOf(bundle))
    await heard.got("ready")
    await until("the module's line", () => heard.lines[0])
    return { room, heard }
  }

  test("[D-14] has run the module once, is for that deployment only, and its lines are heard", async () => {
    const [first, second] = [code("first"), code("second")]
    const opened = []
    for (let rooms = 0; rooms < 3; rooms++) opened.push(await open(first), await open(second))
    for (const { room } of opened) room.kill("stopped")
    for (const { heard } of opened) await heard.exit()
    const lines = ["first ran, after nothing", "second ran, after nothing"]
    expect(opened.flatMap(({ heard }) => heard.lines)).toEqual([...lines, ...lines, ...lines])
  })

  test("[D-14] has run its module before anybody asks for a room", async () => {
    const bundle = scriptOf(`
      console.log(String(Date.now()))
      exports.connect = (port) => (kind, payload) => {
        if (kind === 10) port.send(new Uint8Array([5, 0, 0, 0, 47, ...payload]))
        if (kind === 2) port.send(new Uint8Array([1, 0, 0, 0, 35]))
      }
    `)
    let pauseMs = 3 * PollEveryMs
    await until("a process that is ahead", async () => {
      // The room's process and the test have no clock in common but the machine's.
      const askedAtMs = Date.now()
      const { room, heard } = await open(bundle)
      const isAhead = Number(heard.lines[0]) < askedAtMs
      room.kill("stopped")
      await heard.exit()
      // Nothing tells when a process is prepared, and each look takes one. So the pause is doubled until it is long enough.
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      pauseMs *= 2
      return isAhead
    })
  })

  test("[D-14] code that fails ahead of its room says so when the room starts", async () => {
    const bundle = scriptOf(`throw new Error("a bug at the top")`)
    for (let start = 0; start < 3; start++) {
      const heard = new TestListener()
      const room = processes.take(heard.listener, { memoryMiB: 64, bundle })
      room.start(startOf(bundle))
      expect(await heard.exit()).toEqual({
        cause: "code",
        detail: "Error: a bug at the top"
      })
    }
  })
})
