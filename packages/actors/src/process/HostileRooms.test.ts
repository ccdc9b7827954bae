import { FrameHeaderBytes, frameOf, FromRoom, text } from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { TextLimits } from "@atrium/wire/text/TextLimits"
import fc from "fast-check"
import { afterAll, describe, expect, test } from "vitest"

import { machinePort } from "../relay/RelayPort.ts"
import { MemoryProcesses } from "./MemoryProcesses.ts"
import { scriptOf, startOf, TestListener } from "./TestProcesses.ts"

// The host judges the frames, and it is the same for processes of their own.
const processes = new MemoryProcesses({ ...machinePort, transitMs: () => 0 })

afterAll(() => processes.close())

/** Code that is ready at once, and sends these bytes when the first client joins. */
const sends = (...frames: ReadonlyArray<Uint8Array>): Uint8Array =>
  scriptOf(`
    const ready = new Uint8Array(${JSON.stringify([...Reports.ready()])})
    const frames = ${JSON.stringify(frames.map((frame) => [...frame]))}
    exports.connect = (port) => (kind) => {
      if (kind === 2) port.send(ready)
      if (kind === 3) for (const frame of frames) port.send(new Uint8Array(frame))
    }
  `)

const hear = async (bundle: Uint8Array): Promise<TestListener> => {
  const heard = new TestListener()
  const room = processes.take(heard.listener, { memoryMiB: 64 })
  room.start(startOf(bundle))
  await heard.got("ready")
  room.join(joinOf(1))
  await heard.got("exited")
  return heard
}

const bytes = new Uint8Array([1])
const call = { name: "a.b", payload: bytes }
const welcome = { sessionId: "s1", resumed: false, tick: 0, state: bytes }

describe("a room process that lies", () => {
  test.each<[string, ReadonlyArray<Uint8Array>]>([
    ["an unknown kind", [frameOf(99)]],
    ["a frame without a kind", [new Uint8Array([0, 0, 0, 0])]],
    ["a length past the limit", [new Uint8Array([0xff, 0xff, 0xff, 0xff, 40])]],
    ["a second boot", [Reports.booted()]],
    ["a second ready", [Reports.ready()]],
    ["a description", [Reports.described("[]")]],
    ["a welcome for nobody", [Reports.joined(2, welcome)]],
    ["a refusal for nobody", [Reports.refused(2, { code: "E_X", message: "" })]],
    ["two welcomes", [Reports.joined(1, welcome), Reports.joined(1, welcome)]],
    ["a frame for nobody", [Reports.deliver([2], bytes)]],
    ["a frame before the welcome", [Reports.deliver([1], bytes)]],
    ["a kick of nobody", [Reports.kick(2, { code: 1000, reason: "" })]],
    ["a kick before the welcome", [Reports.kick(1, { code: 1000, reason: "" })]],
    [
      "a frame after the kick",
      [
        Reports.joined(1, welcome),
        Reports.kick(1, { code: 1000, reason: "" }),
        Reports.deliver([1], bytes)
      ]
    ],
    ["a snapshot that nobody asked for", [Reports.snapshot(7, bytes)]],
    ["a pong without its ping", [Reports.pong(7, 0)]],
    ["a weighing that nobody asked for", [Reports.weighed(7, 0)]],
    ["a weighing before any", [Reports.weighed(0, 0)]],
    ["one save twice", [Reports.saveRequested(1, true), Reports.saveRequested(1, true)]],
    ["one call twice", [Reports.called(1, call), Reports.called(1, call)]],
    [
      "more calls than may wait",
      Array.from({ length: RuntimeLimits.roomCallsWaiting.max + 1 }, (_, at) =>
        Reports.called(at, call)
      )
    ],
    [
      "more saves than may wait",
      Array.from({ length: RuntimeLimits.savesWaiting.max + 1 }, (_, at) =>
        Reports.saveRequested(at, true)
      )
    ]
  ])("[D-48] is ended, and its listener hears nothing of it: %s", async (_, frames) => {
    const heard = await hear(sends(...frames))
    expect(heard.calls.at(-1)).toEqual([
      "exited",
      { cause: "protocol", detail: expect.any(String) }
    ])
    expect(heard.calls.filter(([name]) => name === "exited")).toHaveLength(1)
  })

  test("[D-48] a report before ready is refused", async () => {
    const heard = new TestListener()
    const code = `exports.connect = (port) => () => port.send(new Uint8Array(${JSON.stringify([
      ...Reports.changed()
    ])}))`
    processes.take(heard.listener, { memoryMiB: 64 }).start(startOf(scriptOf(code)))
    expect(await heard.exit()).toEqual({ cause: "protocol", detail: "changed came before ready" })
    expect(heard.calls.map(([name]) => name)).toEqual(["exited"])
  })

  test("[D-48] any frames end it or are honest; the service never throws", async () => {
    const kind = fc.oneof(fc.constantFrom(...Object.values(FromRoom)), fc.nat(255))
    const frame = fc
      .tuple(kind, fc.uint8Array({ maxLength: 40 }))
      .map(([of, rest]) => frameOf(of, { rest }))
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 10 }), async (frames) => {
        // The last one is a lie in any case, so that every run comes to an end.
        const heard = await hear(sends(...frames, frameOf(99)))
        expect(["protocol", "code"]).toContain((await heard.exit()).cause)
      }),
      { numRuns: 50 }
    )
  })

  test("[D-24] a frame for a client that the service just took away is no lie, and is not delivered", async () => {
    const heard = new TestListener()
    const joined = JSON.stringify([...Reports.joined(1, welcome)])
    const deliver = JSON.stringify([...Reports.deliver([1], bytes)])
    const changed = JSON.stringify([...Reports.changed()])
    const room = processes.take(heard.listener, { memoryMiB: 64 })
    room.start(
      startOf(
        scriptOf(`
          exports.connect = (port) => (kind) => {
            if (kind === 2) port.send(new Uint8Array(${JSON.stringify([...Reports.ready()])}))
            if (kind === 3) port.send(new Uint8Array(${joined}))
            if (kind === 5) for (const frame of [${deliver}, ${changed}]) port.send(new Uint8Array(frame))
          }
        `)
      )
    )
    await heard.got("ready")
    room.join(joinOf(1))
    await heard.got("joined")
    room.drop(1)
    await heard.got("changed")
    room.kill("stopped")
    await heard.exit()
    expect(heard.calls.map(([name]) => name)).toEqual(["ready", "joined", "changed", "exited"])
  })

  test("[limits.log.line] output around the frames becomes log lines, cut to their limit", async () => {
    const long = "x".repeat(3 * TextLimits.logLineUnits.max)
    const log = frameOf(FromRoom.log, { u8: 1 }, text(long))
    expect(log.length).toBeGreaterThan(FrameHeaderBytes)
    const heard = await hear(sends(log, frameOf(99)))
    expect(heard.lines.map(({ length }) => length)).toEqual([TextLimits.logLineUnits.max])
  })
})
