import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"

import type { PlayFrame, RoomProcess } from "./RoomProcess.ts"

/** What the service lets a client hear. */
export interface ClientSink {
  welcome(): void
  answered(write: number, stored: boolean): void
  close(code: string): void
}

interface Seat {
  readonly sink: ClientSink
  welcomed: boolean
}

/** The clients of an awake room. See actors/room/RoomGate.ts. */
export class RoomGate {
  readonly #seats = new Map<number, Seat>()
  readonly #occupancy: (change: { readonly occupied: boolean; readonly dropped: boolean }) => void
  #kept: Array<{ readonly ref: number; readonly frame: PlayFrame }> = []
  #process: RoomProcess | null = null
  #nextRef = 1
  #closing = false

  constructor(
    occupancy: (change: { readonly occupied: boolean; readonly dropped: boolean }) => void
  ) {
    this.#occupancy = occupancy
  }

  get clients(): number {
    return this.#seats.size
  }

  attach(process: RoomProcess): void {
    this.#process = process
    for (const [ref, seat] of this.#seats) {
      seat.welcomed = false
      process.join(ref)
    }
    const kept = this.#kept
    this.#kept = []
    for (const { ref, frame } of kept) if (this.#seats.has(ref)) process.data(ref, frame)
  }

  detach(process: RoomProcess): void {
    if (this.#process === process) this.#process = null
  }

  close(): void {
    this.#closing = true
  }

  enter(sink: ClientSink): number | null {
    if (this.#closing) return null
    const ref = this.#nextRef++
    this.#seats.set(ref, { sink, welcomed: false })
    if (this.#seats.size === 1) this.#occupancy({ occupied: true, dropped: false })
    this.#process?.join(ref)
    return ref
  }

  data(ref: number, frame: PlayFrame): void {
    if (this.#process !== null) return this.#process.data(ref, frame)
    if (this.#kept.length < ConnectionLimits.framesKept.max && this.#seats.has(ref)) {
      this.#kept.push({ ref, frame })
    }
  }

  exit(ref: number, consented: boolean): void {
    if (!this.#seats.delete(ref)) return
    this.#process?.drop(ref)
    if (this.#seats.size === 0) this.#occupancy({ occupied: false, dropped: !consented })
  }

  joined(ref: number): void {
    const seat = this.#seats.get(ref)
    if (seat === undefined) return
    seat.welcomed = true
    seat.sink.welcome()
  }

  answered(ref: number, write: number, stored: boolean): void {
    const seat = this.#seats.get(ref)
    if (seat?.welcomed === true) seat.sink.answered(write, stored)
  }

  closeAll(code: string): void {
    const seats = [...this.#seats.values()]
    this.#seats.clear()
    for (const seat of seats) seat.sink.close(code)
  }
}
