import { format } from "node:util"
import { compileFunction } from "node:vm"
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"

import {
  dataFrame,
  FrameHeaderBytes,
  HostFrameError,
  LoadMode,
  type LogLevel,
  ToRoom
} from "@atrium/runtime/host/HostFrames"
import { Reports } from "@atrium/runtime/host/RoomReports"
import type { RuntimePort } from "@atrium/runtime/host/RuntimePort"
import { messageOf, stackOf } from "@atrium/runtime/room/ErrorText"
import { cutLogLine } from "@atrium/wire/text/LogLine"

import type { RelayPort } from "../relay/RelayPort.ts"
import type { ProcessEnd } from "./ExitCause.ts"
import { FrameSplitter } from "./FrameSplitter.ts"
import type { Child, ChildOwner } from "./RoomChild.ts"

/** The clock and timers of room processes in memory. */
export interface MemoryMachine extends RelayPort {
  /** The time that the next frame takes between service and room. Frames of one way keep their order. */
  transitMs(): number
}

/** Takes the frames that follow `load`. */
type ReceiveFrame = (kind: number, payload: Uint8Array) => void

/** Exit code of a process that ends of an error that nobody catches. */
const UncaughtCode = 70

/**
 * A room process in this process: real room code on the real runtime, between frames of the real
 * protocol. It has no walls, no memory of its own, and an endless loop in it stops the service.
 */
export class MemoryChild implements Child {
  /** There is no process to signal. */
  readonly pid = 0
  readonly heldBytes = 0
  readonly unreadBytes = 0
  sent = 0
  readonly #machine: MemoryMachine
  readonly #owner: ChildOwner
  readonly #toRoom: Way
  readonly #toService: Way
  readonly #splitter: FrameSplitter
  #receive: ReceiveFrame = (kind, payload) => {
    if (kind === ToRoom.load) this.#load(payload)
  }
  /** Nothing of the room runs any more. */
  #over = false

  constructor(machine: MemoryMachine, owner: ChildOwner) {
    this.#machine = machine
    this.#owner = owner
    this.#toRoom = new Way(machine)
    this.#toService = new Way(machine)
    this.#splitter = new FrameSplitter({
      frame: (kind, payload) => owner.frame(kind, payload),
      lengthMax: (kind) => owner.lengthMax(kind)
    })
    this.#report(Reports.booted())
  }

  send(frame: Uint8Array): void {
    this.sent++
    this.#toRoom.carry(() =>
      this.#inRoom(() => this.#receive(frame[4] ?? 0, frame.subarray(FrameHeaderBytes)))
    )
  }

  sendData(ref: number, data: Uint8Array): void {
    this.send(dataFrame(ref, data))
  }

  /** Frames never wait for others. */
  poll(): void {}

  kill(): void {
    this.#toService.close()
    this.#end({ code: null, signal: "SIGKILL" })
  }

  #end({ code, signal }: Pick<ProcessEnd, "code" | "signal">): void {
    this.#over = true
    this.#toRoom.close()
    this.#toService.carry(() => {
      this.#toService.close()
      this.#owner.ended({ code, signal, errorTail: "" })
    })
  }

  #load(payload: Uint8Array): void {
    const mode = payload[0] === LoadMode.describe ? "describe" : "start"
    this.#receive = () => {}
    try {
      this.#receive = runBundleCode(payload.slice(1), this.#port(mode))
    } catch (error) {
      this.#report(Reports.failed(cut(`${nameOf(error)}${messageOf(error)}`), cut(stackOf(error))))
      this.#end({ code: 0, signal: null })
    }
  }

  #port(mode: RuntimePort["mode"]): RuntimePort {
    const machine = this.#machine
    return {
      mode,
      send: (frame) => this.#report(frame),
      nowMs: () => machine.nowMs(),
      setTimer: (delayMs, run) => machine.setTimer(delayMs, () => this.#inRoom(run)),
      afterTurn: (run) => machine.afterTurn(() => this.#inRoom(run)),
      // Its memory is that of the service.
      liveBytes: () => 0,
      format: (values) => format(...values),
      compression: {
        compress: (bytes) => this.#later(() => zstdCompressSync(bytes)),
        decompress: (bytes, maxOutputLength) =>
          this.#later(() => zstdDecompressSync(bytes, { maxOutputLength }))
      },
      end: () => this.#end({ code: 0, signal: null })
    }
  }

  /** Work that a process does on another thread. */
  #later(work: () => Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#machine.afterTurn(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #report(frame: Uint8Array): void {
    if (this.#over) return
    this.#toService.carry(() => {
      try {
        this.#splitter.read(Buffer.from(frame))
        this.#owner.came(frame.length)
      } catch (error) {
        if (!(error instanceof HostFrameError)) throw error
        this.#owner.broken(error.message)
      }
    })
  }

  #inRoom(act: () => void): void {
    if (this.#over) return
    try {
      act()
    } catch (error) {
      this.#report(Reports.log("error", cut(`uncaught: ${stackOf(error)}`)))
      this.#end({ code: UncaughtCode, signal: null })
    }
  }
}

/** One direction between service and room. */
class Way {
  readonly #machine: MemoryMachine
  #frames: Array<() => void> = []
  #arrivesAtMs = 0

  constructor(machine: MemoryMachine) {
    this.#machine = machine
  }

  carry(arrive: () => void): void {
    const nowMs = this.#machine.nowMs()
    this.#arrivesAtMs = Math.max(this.#arrivesAtMs, nowMs + this.#machine.transitMs())
    this.#frames.push(arrive)
    // Each arrival is of the frame that has waited longest, whichever timer comes first.
    const first = (): void => this.#frames.shift()?.()
    if (this.#arrivesAtMs === nowMs) this.#machine.afterTurn(first)
    else this.#machine.setTimer(this.#arrivesAtMs - nowMs, first)
  }

  /** Frames that are on their way are lost. */
  close(): void {
    this.#frames = []
  }
}

const cut = (text: string): string => cutLogLine(text).toWellFormed()

const nameOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ` : "")

/**
 * Runs a bundle as `boot.ts` does, with the timers and the console that the port gives it.
 * Errors: what the code throws, unchanged.
 */
const runBundleCode = (code: Uint8Array, port: RuntimePort): ReceiveFrame => {
  const globals = roomGlobals(port)
  const module: { exports: object } = { exports: {} }
  const scope = { exports: module.exports, module, ...globals }
  const run = compileFunction(new TextDecoder().decode(code), Object.keys(scope), {
    filename: "room.bundle.js"
  })
  Reflect.apply(run, undefined, Object.values(scope))
  const connect: unknown = Reflect.get(module.exports, "connect")
  if (typeof connect !== "function") throw new Error("the bundle has no connect()")
  const receive: unknown = connect(port, Reflect.get(module.exports, "rooms"))
  if (typeof receive !== "function") throw new Error("the bundle's connect() gave no receiver")
  return (kind, payload) => void receive(kind, payload)
}

/** Globals that act: on virtual time these must not reach the machine's own. */
const roomGlobals = (port: RuntimePort): object => {
  const at =
    (level: LogLevel) =>
    (...values: ReadonlyArray<unknown>): void =>
      port.send(Reports.log(level, cut(port.format(values))))
  const cancel = (handle: unknown): void => {
    if (typeof handle === "function") handle()
  }
  const every = (run: () => void, delayMs: number): (() => void) => {
    const again = (): void => {
      stop = port.setTimer(delayMs, again)
      run()
    }
    let stop = port.setTimer(delayMs, again)
    return () => stop()
  }
  return {
    console: {
      debug: at("debug"),
      log: at("info"),
      info: at("info"),
      warn: at("warn"),
      error: at("error")
    },
    setTimeout: (run: () => void, delayMs = 0) => port.setTimer(delayMs, run),
    setInterval: every,
    setImmediate: (run: () => void) => port.setTimer(0, run),
    clearTimeout: cancel,
    clearInterval: cancel,
    clearImmediate: cancel
  }
}
