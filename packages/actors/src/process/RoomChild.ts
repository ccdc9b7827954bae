import { type ChildProcess, spawn } from "node:child_process"
import { Duplex } from "node:stream"

import { HostFrameError } from "@atrium/sdk/room/HostFrames"

import type { ProcessEnd } from "./ExitCause.ts"
import type { FlushTogether } from "./FlushTogether.ts"
import { FrameSplitter } from "./FrameSplitter.ts"
import { FrameStage } from "./FrameStage.ts"
import { LineReader } from "./LineReader.ts"
import type { Command } from "./RoomCommand.ts"
import { isWorthWaiting } from "./SendWindow.ts"

/** Bytes of stderr that are kept for the cause of the end. */
const ErrorTailUnits = 8192
/** Pipes may outlive their process by a moment, never by more than this. */
const CloseAfterExitMs = 1000

/** Receives what a child process does. Set anew when a spare process is taken. */
export interface ChildOwner {
  frame(kind: number, payload: Buffer): void
  line(stream: "stdout" | "stderr", line: string): void
  /** The bytes on fd 3 are not frames. */
  broken(why: string): void
  /** So much of what it was sent it has not read. */
  unread(bytes: number): void
  /** Once, and nothing after it. */
  ended(end: ProcessEnd): void
}

/** One child process and its fd 3: bytes in and out, no meaning. */
export class RoomChild {
  readonly pid: number
  owner: ChildOwner
  readonly #process: ChildProcess
  readonly #socket: Duplex | null
  readonly #window: FlushTogether
  #sent = 0
  #sentBefore = 0
  #waits = false
  readonly #stage = new FrameStage()
  #ended = false
  #errorTail = ""

  constructor({ program, args }: Command, owner: ChildOwner, window: FlushTogether) {
    this.owner = owner
    this.#window = window
    // A session of its own: a Ctrl-C in the terminal is for the service, which drains its rooms.
    this.#process = spawn(program, args, {
      env: {},
      cwd: "/",
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      detached: true
    })
    this.pid = this.#process.pid ?? 0
    const socket = this.#process.stdio[3]
    this.#socket = socket instanceof Duplex ? socket : null
    this.#read()
    this.#watchEnd()
  }

  /** Frames since the start. */
  get sent(): number {
    return this.#sent
  }

  /** Sends a frame; those of one turn leave in one write, under load those of a few milliseconds. */
  send(frame: Uint8Array): void {
    if (this.#ended) return
    this.#stage.add(frame)
    this.#schedule()
  }

  /** Sends what a client sent, as {@link send} does. */
  sendData(ref: number, data: Uint8Array): void {
    if (this.#ended) return
    this.#stage.addData(ref, data)
    this.#schedule()
  }

  #schedule(): void {
    this.#sent++
    if (this.#stage.frames > 1) return
    if (this.#waits) this.#window.add(this)
    else setImmediate(() => this.flush())
  }

  /** Called every `PollEveryMs`. */
  poll(loaded: boolean): void {
    this.#waits = loaded && isWorthWaiting(this.#sent - this.#sentBefore)
    this.#sentBefore = this.#sent
  }

  /** SIGKILL: always works, loses nothing that was stored. */
  kill(): void {
    if (this.#ended) return
    this.#process.kill("SIGKILL")
    // What is left in the pipe is not worth the time that reading it takes.
    this.#socket?.destroy()
  }

  /** Writes what waits. */
  flush(): void {
    const parts = this.#stage.take()
    const socket = this.#socket
    if (socket === null || this.#ended || socket.destroyed) return
    if (parts.length > 1) socket.cork()
    for (const part of parts) socket.write(part)
    if (parts.length > 1) socket.uncork()
    this.owner.unread(socket.writableLength)
  }

  #read(): void {
    const splitter = new FrameSplitter((kind, payload) => {
      if (!this.#ended) this.owner.frame(kind, payload)
    })
    this.#socket?.on("data", (chunk: Buffer) => {
      if (this.#ended) return
      try {
        splitter.read(chunk)
      } catch (error) {
        // Anything else is a fault of the service: it must not pass for one of the room.
        if (!(error instanceof HostFrameError)) throw error
        this.owner.broken(error.message)
      }
    })
    // The end of the process tells all there is to say about a lost pipe.
    this.#socket?.on("error", () => {})
    for (const stream of ["stdout", "stderr"] as const) {
      const lines = new LineReader((line) => {
        if (!this.#ended) this.owner.line(stream, line)
      })
      this.#process[stream]?.on("data", (chunk: Buffer) => {
        if (stream === "stderr") {
          this.#errorTail = (this.#errorTail + chunk.toString("latin1")).slice(-ErrorTailUnits)
        }
        lines.read(chunk)
      })
      this.#process[stream]?.on("end", () => lines.end())
      this.#process[stream]?.on("error", () => {})
    }
  }

  #watchEnd(): void {
    let code: number | null = null
    let signal: string | null = null
    const finish = (): void => {
      if (this.#ended) return
      this.#ended = true
      this.#socket?.destroy()
      this.#process.stdout?.destroy()
      this.#process.stderr?.destroy()
      this.owner.ended({ code, signal, errorTail: this.#errorTail })
    }
    this.#process.once("exit", (exitCode, exitSignal) => {
      code = exitCode
      signal = exitSignal
      setTimeout(finish, CloseAfterExitMs).unref()
    })
    this.#process.once("close", finish)
    this.#process.once("error", (error) => {
      // Either it never ran, and there will be no exit; or a signal could not be sent.
      this.#errorTail += `\n${error.message}`
      if (this.#process.pid === undefined) finish()
    })
  }
}
