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
  /** Longest frame of this kind that it takes now, where that is over `Limits.roomUnaskedBytes`. */
  lengthMax(kind: number): number
  /** So many bytes came; their whole frames have been handed over. */
  came(bytes: number): void
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
  /** `null` = the machine gave none. */
  readonly #process: ChildProcess | null
  readonly #socket: Duplex | null
  readonly #window: FlushTogether
  #sent = 0
  #sentBefore = 0
  #waits = false
  readonly #stage = new FrameStage()
  readonly #splitter = new FrameSplitter({
    frame: (kind, payload) => {
      if (!this.#ended) this.owner.frame(kind, payload)
    },
    lengthMax: (kind) => this.owner.lengthMax(kind)
  })
  #ended = false
  #errorTail = ""

  constructor(command: Command, owner: ChildOwner, window: FlushTogether) {
    this.owner = owner
    this.#window = window
    const started = startProcess(command, (notStarted) =>
      this.#end({ code: null, signal: null, notStarted })
    )
    this.#process = started
    this.pid = started?.pid ?? 0
    const socket = started?.stdio[3]
    this.#socket = socket instanceof Duplex ? socket : null
    if (started === null) return
    this.#read(started)
    this.#watchEnd(started)
  }

  /** Frames since the start. */
  get sent(): number {
    return this.#sent
  }

  /** What the service holds of a frame that has not come to its end. */
  get heldBytes(): number {
    return this.#splitter.heldBytes
  }

  /** What the service holds of frames that the process has not read. */
  get unreadBytes(): number {
    return this.#socket?.writableLength ?? 0
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
    this.#process?.kill("SIGKILL")
    // What is left in the pipe is not worth the time that reading it takes.
    this.#socket?.destroy()
    this.#splitter.close()
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

  #read(started: ChildProcess): void {
    this.#socket?.on("data", (chunk: Buffer) => {
      if (this.#ended) return
      try {
        this.#splitter.read(chunk)
        this.owner.came(chunk.length)
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
      started[stream]?.on("data", (chunk: Buffer) => {
        if (stream === "stderr") {
          this.#errorTail = (this.#errorTail + chunk.toString("latin1")).slice(-ErrorTailUnits)
        }
        lines.read(chunk)
      })
      started[stream]?.on("end", () => lines.end())
      started[stream]?.on("error", () => {})
    }
  }

  #watchEnd(started: ChildProcess): void {
    let code: number | null = null
    let signal: string | null = null
    const finish = (): void => this.#end({ code, signal })
    started.once("exit", (exitCode, exitSignal) => {
      code = exitCode
      signal = exitSignal
      setTimeout(finish, CloseAfterExitMs).unref()
    })
    started.once("close", finish)
    // A signal could not be sent.
    started.on("error", (error) => (this.#errorTail += `\n${error.message}`))
  }

  #end(end: Omit<ProcessEnd, "errorTail">): void {
    if (this.#ended) return
    this.#ended = true
    this.#socket?.destroy()
    this.#process?.stdout?.destroy()
    this.#process?.stderr?.destroy()
    this.#splitter.close()
    this.owner.ended({ ...end, errorTail: this.#errorTail })
  }
}

/**
 * Starts a process; `null` = there is none, and the reason follows in a later turn. Without memory
 * Node throws; without descriptors or process numbers it gives an object that has no pipes.
 */
const startProcess = (
  { program, args }: Command,
  failed: (why: string) => void
): ChildProcess | null => {
  try {
    // A session of its own: a Ctrl-C in the terminal is for the service, which drains its rooms.
    const started = spawn(program, args, {
      env: {},
      cwd: "/",
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      detached: true
    })
    if (started.pid !== undefined) return started
    started.once("error", ({ message }) => failed(message))
  } catch (error) {
    setImmediate(() => failed(error instanceof Error ? error.message : String(error)))
  }
  return null
}
