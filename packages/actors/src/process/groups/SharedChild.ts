import { FromRoom, ToRoom } from "@atrium/runtime/host/HostFrames"

import type { ExitCause } from "../ExitCause.ts"
import type { Child, ChildOwner } from "../RoomChild.ts"

/** The way of a room's frames to the process that it shares. */
interface SharedWay {
  pid(): number
  /** Has the process make the room. */
  open(): void
  /** Has the process let go of the room; it answers. */
  close(): void
  send(frame: Uint8Array): void
  sendData(ref: number, data: Uint8Array): void
  /** The room has ended before the process has heard of it. */
  never(): void
  /** The room gives no answer: the process does not. */
  hung(): void
}

/** A room's part of a process that rooms share, as the room's host sees it. */
export class SharedChild implements Child {
  readonly owner: ChildOwner
  /** They are counted for the process. */
  readonly heldBytes = 0
  readonly unreadBytes = 0
  sent = 0
  readonly #way: SharedWay
  #stage: "blank" | "open" | "closing" = "blank"
  #closingPolls = 0

  constructor(owner: ChildOwner, way: SharedWay) {
    this.owner = owner
    this.#way = way
  }

  get pid(): number {
    return this.#way.pid()
  }

  send(frame: Uint8Array): void {
    if (this.#stage === "closing") return
    this.sent++
    // The process has the code already.
    if (frame[4] !== ToRoom.load) return this.#way.send(frame)
    this.#stage = "open"
    this.#way.open()
  }

  sendData(ref: number, data: Uint8Array): void {
    if (this.#stage === "closing") return
    this.sent++
    this.#way.sendData(ref, data)
  }

  /** The process is looked after by itself. */
  poll(): void {}

  kill(cause?: ExitCause): void {
    if (this.#stage === "closing") return
    const isBlank = this.#stage === "blank"
    this.#stage = "closing"
    if (cause === "hung") return this.#way.hung()
    if (!isBlank) return this.#way.close()
    setImmediate(() => {
      this.#way.never()
      this.owner.ended({ code: 0, signal: null, errorTail: "" })
    })
  }

  /** The process takes code from here on. */
  booted(): void {
    this.owner.frame(FromRoom.booted, Buffer.alloc(0))
  }

  /** Called every `PollEveryMs`. @returns whether the process has not let go of the room for longer than this */
  closesFor(polls: number): boolean {
    if (this.#stage === "closing") this.#closingPolls++
    return this.#closingPolls > polls
  }
}
