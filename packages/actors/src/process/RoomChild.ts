import type { Socket } from "node:net"

import { HostFrameError } from "@atrium/runtime/host/HostFrames"

import type { ExitCause, ProcessEnd } from "./ExitCause.ts"
import type { FlushTogether } from "./FlushTogether.ts"
import { FrameSplitter } from "./FrameSplitter.ts"
import { FrameStage } from "./FrameStage.ts"
import type { Launch, LaunchedPipes } from "./launcher/LauncherLink.ts"
import { GoLine, PipeNames } from "./launcher/LauncherMessages.ts"
import { LineReader } from "./LineReader.ts"
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

/** The service's end of the connection to one room process: bytes in and out, no meaning. */
export interface Child {
  /** `0` = there is no process yet. */
  readonly pid: number
  /** Frames since the start. */
  readonly sent: number
  /** Bytes that the service holds of a frame that has not come to its end. */
  readonly heldBytes: number
  /** Bytes that the service holds of frames that the process has not read. */
  readonly unreadBytes: number
  send(frame: Uint8Array): void
  /** Sends what a client sent, as `send` does. */
  sendData(ref: number, data: Uint8Array): void
  /** Called every `PollEveryMs`. */
  poll(loaded: boolean): void
  /**
   * Ends the process at once; nothing that it sent is read any more.
   *
   * @param cause read where rooms share the process, which goes on without this one unless it is `hung`
   */
  kill(cause?: ExitCause): void
}

/** One room process and its socket. */
export class RoomChild implements Child {
  owner: ChildOwner
  readonly #kill: () => void
  readonly #window: FlushTogether
  #pid = 0
  /** `null` = not yet, or no more. */
  #pipes: LaunchedPipes | null = null
  #socket: Socket | null = null
  #openPipes = 0
  #killed = false
  #end: Omit<ProcessEnd, "errorTail"> | null = null
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

  constructor(launch: Launch, owner: ChildOwner, window: FlushTogether) {
    this.owner = owner
    this.#window = window
    this.#kill = launch({
      started: (pid, pipes) => this.#started(pid, pipes),
      ended: (end) => this.#endedAs(end)
    })
  }

  get pid(): number {
    return this.#pid
  }

  get sent(): number {
    return this.#sent
  }

  get heldBytes(): number {
    return this.#splitter.heldBytes
  }

  get unreadBytes(): number {
    return this.#socket?.writableLength ?? 0
  }

  /** Sends a frame; those of one turn leave in one write, under load those of a few milliseconds. */
  send(frame: Uint8Array): void {
    if (this.#ended) return
    this.#stage.add(frame)
    this.#schedule()
  }

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

  poll(loaded: boolean): void {
    this.#waits = loaded && isWorthWaiting(this.#sent - this.#sentBefore)
    this.#sentBefore = this.#sent
  }

  /** SIGKILL: always works, loses nothing that was stored. */
  kill(): void {
    if (this.#ended || this.#killed) return
    this.#killed = true
    this.#kill()
    // Reading the rest of the pipe would cost time for nothing.
    this.#socket?.destroy()
    this.#splitter.close()
  }

  /** Writes what waits. */
  flush(): void {
    const socket = this.#socket
    // Frames for a process that is not there yet wait for it.
    if (socket === null && !this.#ended && !this.#killed) return
    const parts = this.#stage.take()
    if (socket === null || this.#ended || socket.destroyed) return
    if (parts.length > 1) socket.cork()
    for (const part of parts) socket.write(part)
    if (parts.length > 1) socket.uncork()
    this.owner.unread(socket.writableLength)
  }

  #started(pid: number, pipes: LaunchedPipes): void {
    this.#pid = pid
    this.#pipes = pipes
    this.#socket = pipes.frames
    this.#openPipes = PipeNames.length
    for (const name of PipeNames) {
      // The end of the process tells all there is to say about a lost pipe.
      pipes[name].on("error", () => {})
      pipes[name].once("close", () => {
        this.#openPipes--
        this.#finish()
      })
    }
    if (this.#killed) return void pipes.frames.destroy()
    this.#read(pipes)
    pipes.frames.write(GoLine)
    this.flush()
  }

  #read(pipes: LaunchedPipes): void {
    pipes.frames.on("data", (chunk: Buffer) => {
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
    for (const stream of ["stdout", "stderr"] as const) {
      const lines = new LineReader((line) => {
        if (!this.#ended) this.owner.line(stream, line)
      })
      pipes[stream].on("data", (chunk: Buffer) => {
        if (stream === "stderr") {
          this.#errorTail = (this.#errorTail + chunk.toString("latin1")).slice(-ErrorTailUnits)
        }
        lines.read(chunk)
      })
      pipes[stream].on("end", () => lines.end())
    }
  }

  #endedAs(end: Omit<ProcessEnd, "errorTail">): void {
    this.#end = end
    if (this.#openPipes > 0) setTimeout(() => this.#finish(true), CloseAfterExitMs).unref()
    this.#finish()
  }

  /** It is over when the process is, and all that it wrote has been read. */
  #finish(now = false): void {
    if (this.#ended || this.#end === null || (this.#openPipes > 0 && !now)) return
    this.#ended = true
    for (const name of PipeNames) this.#pipes?.[name].destroy()
    this.#splitter.close()
    this.owner.ended({ ...this.#end, errorTail: this.#errorTail })
  }
}
