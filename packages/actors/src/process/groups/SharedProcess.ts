import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import {
  FrameHeaderBytes,
  FromRoom,
  HostFrameError,
  LoadMode,
  PayloadReader
} from "@atrium/runtime/host/HostFrames"
import { Orders, SharedOrders } from "@atrium/runtime/host/HostOrders"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import { type Exit, type ExitCause, type ProcessEnd, causeOf } from "../ExitCause.ts"
import { FrameMeter } from "../FrameMeter.ts"
import type { Holder } from "../HeldFrames.ts"
import { HostMemory } from "../HostMemory.ts"
import type { HostSettings, SharedSettings } from "../HostSettings.ts"
import { prepareBundle } from "../PreparedBundle.ts"
import type { Child, ChildOwner } from "../RoomChild.ts"
import { groupCeilingBytes } from "./GroupMachine.ts"
import { SharedChild } from "./SharedChild.ts"

interface SharedListener {
  /** The process must end: it took too much, gave no answer, or broke the protocol. Or it has ended. */
  failed(exit: Exit): void
  /** A room has ended in it. */
  left(member: number): void
  /** It is over, and nothing comes after it. */
  ended(): void
}

/**
 * The service's side of a process that rooms share. Each room has a host as if the process were its own; this one takes
 * the frames of all of them apart, and looks at what belongs to none: memory, boot, the end. Believes nothing that comes
 * out of it.
 */
export class SharedProcess implements ChildOwner, Holder {
  readonly #child: Child
  readonly #settings: HostSettings
  readonly #listener: SharedListener
  readonly #memory: HostMemory
  readonly #members = new Map<number, SharedChild>()
  readonly #meter = new FrameMeter()
  #rooms = 0
  #booted = false
  /** The room that the next frame goes to, and the one that the next frame is from; 0 = the process itself. */
  #to = 0
  #from = 0
  #came = false
  #heldBytes = 0
  /** What it was ended for; `null` = nobody has ended it. */
  #exit: Exit | null = null
  #counts = false

  constructor(
    open: (owner: ChildOwner) => Child,
    bundle: Uint8Array,
    parts: { readonly settings: HostSettings; readonly listener: SharedListener }
  ) {
    const { settings, listener } = parts
    this.#settings = settings
    this.#listener = listener
    this.#memory = new HostMemory(settings, {
      pid: () => this.pid,
      weigh: (number) => this.#sendTo(0, Orders.weigh(number)),
      over: () => this.#fail("memory", `near the ceilings of its rooms: ${this.#rooms}`)
    })
    this.#child = open(this)
    this.#child.send(prepareBundle(bundle).loadFrame(LoadMode.shared))
  }

  get pid(): number {
    return this.#child.pid
  }

  /** The settings of the hosts of its rooms. */
  get roomSettings(): SharedSettings {
    const { memoryMiB, pace, held } = this.#settings
    return { memoryMiB, pace, held, sharedBytes: () => this.#bytesOfRoom }
  }

  /** A room's part of what the process has taken. */
  get #bytesOfRoom(): number {
    const { heldBytes, unreadBytes } = this.#child
    return (this.#memory.usedBytes + heldBytes + unreadBytes) / Math.max(1, this.#rooms)
  }

  /** Connects the host of a room. */
  enter(member: number, owner: ChildOwner): Child {
    const child = new SharedChild(owner, {
      pid: () => this.pid,
      open: () => this.#sendTo(member, SharedOrders.open()),
      close: () => this.#sendTo(member, SharedOrders.close()),
      send: (frame) => this.#sendTo(member, frame),
      sendData: (ref, data) => {
        this.#turnTo(member)
        this.#child.sendData(ref, data)
      },
      never: () => {
        this.#members.delete(member)
        this.#listener.left(member)
      },
      hung: () => this.#fail("hung", `no answer within ${RoomProcessLimits.roomAnswer.ms} ms`)
    })
    this.#members.set(member, child)
    if (this.#booted) child.booted()
    return child
  }

  resize(rooms: number): void {
    this.#rooms = rooms
    this.#memory.resize(groupCeilingBytes(rooms))
  }

  /** @param counts what it is ended for is the doing of its only room */
  end(exit: Exit, counts: boolean): void {
    if (this.#exit !== null) return
    this.#exit = exit
    this.#counts = counts
    this.#child.kill(exit.cause)
    this.#tellHeld(0)
  }

  /** Called every `PollEveryMs`, before the hosts of its rooms. */
  poll(loaded: boolean): void {
    if (this.#exit !== null) return
    this.#child.poll(loaded)
    this.#meter.refill(0)
    for (const child of this.#members.values()) {
      if (this.#came) child.owner.came(0)
      if (child.closesFor(this.#settings.pace.answerPolls))
        return this.#fail("hung", "a room does not end")
    }
    this.#came = false
    if (this.#booted) this.#memory.poll(true)
  }

  frame(kind: number, payload: Buffer): void {
    if (this.#exit !== null) return
    try {
      if (kind === FromRoom.room) {
        this.#from = new PayloadReader(payload).u32()
        this.#count(payload)
      } else if (this.#from === 0) this.#own(kind, payload)
      else this.#ofMember(kind, payload)
    } catch (error) {
      if (!(error instanceof HostFrameError)) throw error
      this.broken(error.message)
    }
  }

  lengthMax(kind: number): number {
    return (
      this.#members.get(this.#from)?.owner.lengthMax(kind) ?? RoomProcessLimits.roomUnaskedBytes.max
    )
  }

  came(_bytes: number): void {
    // Frames count for their rooms; that any bytes come says that the process lives.
    this.#came = true
    if (this.#exit === null) this.#tellHeld(this.#child.heldBytes)
  }

  line(stream: "stdout" | "stderr", line: string): void {
    // Nobody knows whose it is.
    for (const { owner } of this.#members.values()) owner.line(stream, line)
  }

  broken(why: string): void {
    this.#fail("protocol", why)
  }

  holdsMost(): void {
    const detail = `unfinished frames of all rooms are over ${RoomProcessLimits.roomHeldAllBytes.max} bytes`
    this.#fail("flood", detail)
  }

  unread(bytes: number): void {
    // The code and the states of rooms that start are on the way to it.
    if (bytes > 2 * RuntimeLimits.roomFrameBytes.max) {
      this.#fail("hung", "does not read what it is sent")
    }
  }

  ended(end: ProcessEnd): void {
    if (this.#exit === null) {
      const exit = causeOf(end)
      this.#listener.failed(exit)
      this.#exit ??= exit
    }
    this.#tellHeld(0)
    const exit = this.#counts || this.#exit.cause === "stopped" ? this.#exit : neighbour(this.#exit)
    const members = [...this.#members.values()]
    this.#members.clear()
    for (const { owner } of members) owner.ended({ ...end, exit })
    this.#listener.ended()
  }

  #fail(cause: ExitCause, detail: string): void {
    if (this.#exit === null) this.#listener.failed({ cause, detail })
  }

  /** What is of no room counts for the process. */
  #count(payload: Buffer): void {
    const flood = this.#meter.came(FrameHeaderBytes + payload.length)
    if (flood !== null) this.#fail("flood", flood)
  }

  #own(kind: number, payload: Buffer): void {
    this.#count(payload)
    const reader = new PayloadReader(payload)
    switch (kind) {
      case FromRoom.booted:
        if (this.#booted) throw new HostFrameError("booted came twice")
        this.#booted = true
        this.#memory.baseline()
        for (const child of this.#members.values()) child.booted()
        return
      case FromRoom.weighed:
        return this.#memory.weighed(reader.u32(), reader.f64())
      case FromRoom.log:
        reader.u8()
        return this.line("stderr", reader.text(RoomProcessLimits.roomUnaskedBytes.max))
      default:
        throw new HostFrameError(`a frame of the kind ${kind} is of no room`)
    }
  }

  #ofMember(kind: number, payload: Buffer): void {
    const child = this.#members.get(this.#from)
    if (child === undefined) throw new HostFrameError(`room ${this.#from} is unknown`)
    if (kind !== FromRoom.ended) {
      child.owner.frame(kind, payload)
      return child.owner.came(FrameHeaderBytes + payload.length)
    }
    const code = new PayloadReader(payload).u8()
    this.#members.delete(this.#from)
    this.#listener.left(this.#from)
    child.owner.ended({ code, signal: null, errorTail: "" })
  }

  #sendTo(number: number, frame: Uint8Array): void {
    this.#turnTo(number)
    this.#child.send(frame)
  }

  #turnTo(number: number): void {
    if (this.#to !== number) this.#child.send(SharedOrders.room(number))
    this.#to = number
  }

  #tellHeld(bytes: number): void {
    if (bytes === this.#heldBytes) return
    this.#heldBytes = bytes
    this.#settings.held.tell(this, bytes)
  }
}

/** The rooms do not know yet which of them it was. */
const neighbour = ({ cause, detail }: Exit): Exit => ({
  cause: "neighbour",
  detail: `the process that it shared with other rooms ended: ${cause} ${detail}`
})
