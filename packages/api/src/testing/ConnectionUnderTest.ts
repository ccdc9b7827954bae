import { EventEmitter } from "node:events"
import { Duplex } from "node:stream"

import { FlushTogether } from "@atrium/actors/process/FlushTogether"
import { RoomGate } from "@atrium/actors/rooms/RoomGate"
import { ClientFrame } from "@atrium/wire/frames/Frame"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import type { WebSocket } from "ws"

import { Backlogs } from "../router/Backlogs.ts"
import { ClientConnection } from "../router/ClientConnection.ts"
import { ConnectionFigures } from "../router/ConnectionFigures.ts"
import type { Hello } from "../router/Hello.ts"
import { UnfinishedMessages } from "../router/UnfinishedMessages.ts"
import { FrameSharer } from "../router/WebSocketFrame.ts"
import { seatClient } from "./SeatedClient.ts"

/** A peer whose kernel takes nothing, unless it is told to: what is written is kept, to be looked at. */
class StuckStream extends Duplex {
  readonly written: Array<Buffer> = []
  takes = false

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: () => void): void {
    this.written.push(chunk)
    if (this.takes) taken()
  }
}

class FakeSocket extends EventEmitter {
  readonly closes: Array<readonly [number, string]> = []
  terminated = false

  paused = false

  close(code: number, reason: string): void {
    this.closes.push([code, reason])
  }

  terminate(): void {
    this.terminated = true
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }
}

/** A room whose process notes what it is told. */
export const makeRoom = (heard: Array<Uint8Array>): RoomGate => {
  const gate = new RoomGate({ occupancy: () => undefined })
  gate.attach({
    pid: 1,
    start: () => {},
    join: () => {},
    drop: () => {},
    leave: () => {},
    requestSnapshot: () => {},
    peek: () => {},
    saved: () => {},
    settled: () => {},
    callAnswered: () => {},
    clockMoved: () => {},
    kill: () => {},
    data: (_ref, frame) => void heard.push(frame)
  })
  return gate
}

/** A connection on a socket that notes what is done to it, and a room. */
export const makeConnection = (backlogs = new Backlogs(), figures = new ConnectionFigures()) => {
  const later: Array<() => void> = []
  const waitsMs: Array<number> = []
  const socket = new FakeSocket()
  const stream = new StuckStream({ highWaterMark: 1 })
  const turn = new FlushTogether(() => 0)
  let nowMs = 1_000_000
  const hellos: Array<Hello> = []
  const heard: Array<Uint8Array> = []
  let [leaving, moves] = [false, 0]
  const connection = new ClientConnection(
    // The parts of a WebSocket that a connection uses, which is all that the fake has.
    { socket: socket as unknown as WebSocket, stream, from: "198.51.100.1", project: "dev" },
    {
      turn,
      frames: new FrameSharer(),
      backlogs,
      nowMs: () => nowMs,
      unfinished: new UnfinishedMessages(),
      figures,
      leaving: () => leaving,
      soon: (act, ms) => {
        waitsMs.push(ms)
        later.push(act)
      }
    },
    {
      hello: (hello) => hellos.push(hello),
      welcomed: () => undefined,
      moved: () => moves++,
      ended: () => undefined
    }
  )
  const gate = makeRoom(heard)
  return {
    connection,
    gate,
    socket,
    stream,
    hellos,
    heard,
    later,
    waitsMs,
    moves: () => moves,
    leaves: () => (leaving = true),
    advance: (ms: number) => (nowMs += ms),
    /** So many bytes come, of a message that is not whole yet. */
    comes: (bytes: number) => stream.emit("data", Buffer.alloc(bytes)),
    receive: (bytes: Uint8Array) => socket.emit("message", Buffer.from(bytes), true),
    /** Lets the client in with a welcome of this many bytes of state. */
    enter: (stateBytes = 0, viewer = false) => {
      socket.emit("message", Buffer.from(packValue([ClientFrame.hello, "token"])), true)
      seatClient(connection, gate, { stateBytes, viewer })
    },
    /** All that was written so far. */
    written: async (): Promise<Buffer> => {
      await new Promise((resolve) => setImmediate(resolve))
      return Buffer.concat(stream.written)
    },
    /** Frames that were written so far, without their WebSocket headers. */
    sent: async (): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
      await new Promise((resolve) => setImmediate(resolve))
      return framesIn(Buffer.concat(stream.written))
    }
  }
}

const framesIn = (bytes: Buffer): ReadonlyArray<ReadonlyArray<unknown>> => {
  const frames: Array<ReadonlyArray<unknown>> = []
  for (let at = 0; at < bytes.length;) {
    const short = bytes[at + 1] ?? 0
    const head = short < 126 ? 2 : short === 126 ? 4 : 10
    const length =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6)
    const frame = unpackValue(bytes.subarray(at + head, at + head + length))
    if (Array.isArray(frame)) frames.push(frame)
    at += head + length
  }
  return frames
}
