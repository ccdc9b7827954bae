import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Duplex } from "node:stream"

import { FlushTogether } from "@atrium/actors/process/FlushTogether"
import { RoomGate } from "@atrium/actors/rooms/RoomGate"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { WebSocket, WebSocketServer } from "ws"

import { seatClient } from "../testing/SeatedClient.ts"
import { type Backlogged, Backlogs } from "./Backlogs.ts"
import { ClientConnection } from "./ClientConnection.ts"
import { ConnectionFigures } from "./ConnectionFigures.ts"
import type { ConnectionShare } from "./ConnectionParts.ts"
import { UnfinishedMessages } from "./UnfinishedMessages.ts"
import { FrameSharer } from "./WebSocketFrame.ts"

const KiB = 1024
const MiB = 1024 * KiB

/** A connection that holds what it is told to. */
class Holder implements Backlogged {
  backlogBytes = 0
  cut = 0

  cutOff(): void {
    this.cut++
  }
}

describe("the sum of all backlogs", () => {
  const step = fc.record({
    who: fc.nat(5),
    does: fc.constantFrom("hold", "hold", "hold", "read", "go"),
    bytes: fc.integer({ min: 1, max: 40 })
  })

  test("[C-134] is within the bound, and only the connections with the most bytes are closed", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const backlogs = new Backlogs(100)
        const holders = Array.from({ length: 6 }, () => new Holder())
        for (const { who, does, bytes } of steps) {
          const holder = holders[who]
          if (holder === undefined || holder.cut > 0) continue
          if (does === "read") holder.backlogBytes = 0
          if (does === "go") backlogs.gone(holder)
          if (does !== "hold") {
            holder.backlogBytes = 0
            continue
          }
          const before = holders.filter(({ cut }) => cut === 0)
          holder.backlogBytes += bytes
          backlogs.tell(holder, holder.backlogBytes)
          const stay = holders.filter(({ cut }) => cut === 0)
          const held = stay.reduce((sum, each) => sum + each.backlogBytes, 0)
          // Looks are taken when so much was told since the last one.
          expect(held).toBeLessThanOrEqual(100 + 100 / 64)
          const cut = before.filter((each) => !stay.includes(each))
          const least = Math.min(...cut.map((each) => each.backlogBytes))
          const most = Math.max(0, ...stay.map((each) => each.backlogBytes))
          expect(least).toBeGreaterThanOrEqual(most)
        }
        expect(holders.every(({ cut }) => cut <= 1)).toBe(true)
      })
    )
  })

  test("[C-134] connections that read in time are forgotten at the next look, and never closed", () => {
    const backlogs = new Backlogs(1000)
    const readers = Array.from({ length: 500 }, () => new Holder())
    for (const reader of readers) backlogs.tell(reader, 10)
    expect(backlogs.size).toBeLessThanOrEqual(101)
    expect(readers.every(({ cut }) => cut === 0)).toBe(true)
  })

  test("[C-134] the row leaves room for 128 players who read nothing at all", () => {
    expect(ConnectionLimits.outboundAllBytes.max / ConnectionLimits.outboundPlayerBytes.max).toBe(
      128
    )
  })
})

/** Sockets of the file system: their kernel takes 200 KB of what nobody reads, TCP's takes megabytes. */
describe("real sockets", () => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-backlog-"))
  const path = join(folder, "socket")
  const boundBytes = 32 * MiB
  const streams: Array<Duplex> = []
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  const gate = new RoomGate({ occupancy: () => undefined })
  const share: ConnectionShare = {
    turn: new FlushTogether(() => 0),
    frames: new FrameSharer(),
    backlogs: new Backlogs(boundBytes),
    unfinished: new UnfinishedMessages(),
    figures: new ConnectionFigures(),
    nowMs: () => performance.now(),
    leaving: () => false,
    soon: (act) => void setImmediate(act)
  }

  const seat = (socket: WebSocket, stream: Duplex): void => {
    const nothing = (): void => undefined
    const wire = { socket, stream, from: "one", project: "dev" }
    const connection = new ClientConnection(wire, share, {
      hello: nothing,
      welcomed: nothing,
      moved: nothing,
      ended: nothing
    })
    seatClient(connection, gate, { stateBytes: 8 })
  }

  beforeAll(async () => {
    server.on("upgrade", (request, stream, head) => {
      streams.push(stream)
      sockets.handleUpgrade(request, stream, head, (socket) => seat(socket, stream))
    })
    server.listen(path)
    await once(server, "listening")
  })

  afterAll(() => {
    for (const stream of streams) stream.destroy()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const connect = async (): Promise<WebSocket> => {
    const socket = new WebSocket(`ws+unix://${path}:/`)
    socket.on("error", () => undefined)
    await once(socket, "open")
    return socket
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const held = (): number => streams.reduce((sum, stream) => sum + stream.writableLength, 0)

  test("[C-134] 300 that read nothing hold no more than the bound, and delay nobody", async () => {
    const reader = await connect()
    let heard = 0
    reader.on("message", (data: Buffer) => {
      const frame: unknown = unpackValue(data)
      if (Array.isArray(frame) && frame[0] === ServerFrame.msg) heard++
    })
    for (let n = 0; n < 300; n++) (await connect()).pause()
    expect(gate.connections).toBe(301)

    const frame = packValue([ServerFrame.msg, 0, new Uint8Array(64 * KiB)])
    const waitsMs: Array<number> = []
    let mostBytes = 0
    for (let sent = 1; sent <= 60; sent++) {
      const beganMs = performance.now()
      gate.deliver("all", frame)
      while (heard < sent) {
        await turn()
        mostBytes = Math.max(mostBytes, held())
        if (performance.now() - beganMs > 10_000) throw new Error(`only ${heard} of ${sent} came`)
      }
      waitsMs.push(performance.now() - beganMs)
    }
    // 60 frames for 300 of them are over a GB; what was in hand when the sum was told comes on top.
    expect(mostBytes).toBeGreaterThan(boundBytes / 2)
    expect(mostBytes).toBeLessThan(boundBytes + 300 * frame.length)
    expect(gate.connections).toBeLessThan(200)
    expect(reader.readyState).toBe(WebSocket.OPEN)
    // The longest is that of the machine; each copy is written once, whether it is read or not.
    expect(waitsMs.toSorted((one, other) => one - other)[30]).toBeLessThan(250)
  })
})
