import { isViewer } from "@atrium/domain/audience/AudienceRole"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import { endless, type Lease } from "../cluster/ShardLeases.ts"
import { isClientAnswer } from "../handover/ClientAnswer.ts"
import type { JoinRequest, RoomProcess } from "../process/RoomProcess.ts"
import { closeFor, type GateListener } from "./GateListener.ts"
import { KeptSeats } from "./KeptSeats.ts"
import { passes, type SpareBytes } from "./SpareBytes.ts"

/** What a room tells a client that it has let in. */
export interface Welcome {
  readonly sessionId: string
  readonly resumed: boolean
  readonly tick: number
  readonly state: Uint8Array
}

/** A welcome, and what the router tells with it. */
export interface ToldWelcome extends Welcome {
  /**
   * Milliseconds of play that a restart of the room has undone for this client, who was in it before;
   * `null` = there was no restart.
   */
  readonly staleMs: number | null
  /** The resume token, of a room on another runner; absent = that of the last `nextResumeHash`. */
  readonly resume?: string
  /** When the player came into the room, Unix ms; absent = a viewer, or nobody knows. */
  readonly sinceMs?: number
}

/** One client as the room sees it: a connection of the router, on this runner or forwarded. */
export interface ClientSink {
  /** The hash of a fresh resume token; the token goes out with the next welcome. */
  nextResumeHash(): string
  /** @returns the bytes that the connection took; 0 = it has ended */
  welcome(welcome: ToldWelcome): number
  refuse(refusal: { readonly code: string; readonly message: string }): void
  /**
   * One complete client frame, which holds until the call returns. Sinks of one broadcast get the same
   * array. `false` = it is not counted as sent: the client reads too slowly, or its own runner counts the
   * frame once the client's connection has taken it.
   */
  write(frame: Uint8Array): boolean
  close(close: { readonly code: number; readonly reason: string }): void
  /** The room moves to another runner: the client's frames wait. `held` is called when none is on its way. */
  hold(held: () => void): void
  /** The room is stored, and the seat is free: the client goes to where the room wakes next. */
  moved(): void
}

/** The seat of a client, as its connection sees it: in a room of this runner, or of another one. */
export interface ClientGate {
  /** One frame from a client, as it came. */
  data(ref: number, frame: Uint8Array): void
  /** The connection ended: by the client's own wish, or lost. */
  exit(ref: number, consented: boolean): void
  /** A chat line that the router has found good goes to everyone in the room. */
  chat(ref: number, text: string): void
  /** Whether somebody serves this client: a process that runs, or one that is on its way. */
  serves(ref: number): boolean
  /** A frame that the connection reads and answers by itself: a ping, a chat line. */
  received(bytes: number): void
  /** A frame that the connection wrote by itself: a pong, an error. */
  sent(bytes: number): void
}

/** What the router knows of a client that wants in. */
export interface Entrance extends Omit<
  JoinRequest,
  "ref" | "nextResumeHash" | "attachedAs" | "seatsKept"
> {
  /** When the player came into the room, of a client that follows the room from another runner. */
  readonly sinceMs?: number
}

interface Seat {
  readonly ref: number
  readonly sink: ClientSink
  readonly entrance: Entrance
  readonly viewer: boolean
  /** The session that the room gave it; `null` until its first welcome. */
  sessionId: string | null
  /** The process that runs now has welcomed it: frames of that process make sense to it. */
  welcomed: boolean
  player: Uint8Array | null
  /** Play that ended with its process, until a welcome tells the client of it. */
  staleMs: number | null
  /** When the player came into the room; it is known from the first welcome on. */
  sinceMs: number | undefined
}

interface Kept {
  readonly ref: number
  readonly frame: Uint8Array
}

/**
 * The clients of one awake room and the way of their frames: socket → room process → sockets. It
 * outlives the process: after a restart every client is seated again without its socket knowing.
 * Nothing here awaits or runs an effect, as every message passes it.
 */
export class RoomGate implements ClientGate {
  readonly #seats = new Map<number, Seat>()
  readonly #listener: GateListener
  /** While it runs, this runner may speak for the room. */
  readonly #lease: Lease
  /** Frames that arrived while no process ran; they are replayed to the next one. */
  #kept: Array<Kept> = []
  #keptBytes = 0
  #process: RoomProcess | null = null
  #players = 0
  #nextRef = 1
  /** Processes that are on their way, or asked for. */
  #expected = 0
  #closing = false
  /** Whether the room has ever let a client in; `null` = not known yet. */
  #entered: boolean | null = null
  readonly #waiting: Array<(entered: boolean) => void> = []
  /** Seats for players of matches. */
  readonly keptSeats = new KeptSeats(() => (this.#closing || this.#lease.over ? null : this.#seats))
  /** Bytes since the start: of frames from clients, of frames that their connections took, and of dropped messages. */
  ingressBytes = 0
  egressBytes = 0
  droppedBytes = 0
  /** Shared with the other rooms of the server; `null` = messages have no limit now. Source: C-506. */
  spare: SpareBytes | null = null

  constructor(listener: GateListener, lease: Lease = endless) {
    this.#listener = listener
    this.#lease = lease
  }

  /** Connections of the room: players and viewers, welcomed or waiting for their welcome. */
  get connections(): number {
    return this.#seats.size
  }

  /** Players that the room has let in. Viewers are counted apart. Spec: Connection and room limits. */
  get players(): number {
    return this.#players
  }

  /** A started process takes over; every client that waits is seated in it. */
  attach(process: RoomProcess): void {
    this.#process = process
    for (const seat of this.#seats.values()) {
      seat.welcomed = false
      this.#join(process, seat)
    }
    const kept = this.#kept
    this.#kept = []
    this.#keptBytes = 0
    for (const { ref, frame } of kept) if (this.#seats.has(ref)) process.data(ref, frame)
  }

  /**
   * The process is gone; clients wait for the next one, if it is not there already.
   *
   * @param staleMs how old the stored state is that the next one goes on from
   */
  detach(process: RoomProcess, staleMs: number): void {
    if (this.#process !== process) return
    this.#process = null
    for (const seat of this.#seats.values()) {
      // A client that this process has not welcomed has seen nothing of it.
      if (seat.welcomed) seat.staleMs = staleMs
      seat.welcomed = false
    }
  }

  /** Whether the room stays, be it up or on its way up; not when it is being put away. */
  get open(): boolean {
    return !this.#closing
  }

  /** From here on nobody comes in any more. */
  close(): void {
    this.#closing = true
  }

  /** Whether the room has let a client in, or existed before this start. */
  get entered(): boolean {
    return this.#entered === true
  }

  /** Says whether the room was entered, or ended before that. Only the first call counts. */
  settle(entered: boolean): void {
    if (this.#entered !== null) return
    this.#entered = entered
    for (const tell of this.#waiting.splice(0)) tell(entered)
  }

  /** Tells once whether the room was entered: at once, or when that is known. */
  whenSettled(tell: (entered: boolean) => void): void {
    if (this.#entered === null) this.#waiting.push(tell)
    else tell(this.#entered)
  }

  /** Somebody sees to the next process. @returns to be called once, when that has ended in any way */
  expect(): () => void {
    this.#expected++
    let expected = true
    return () => {
      if (expected) this.#expected--
      expected = false
    }
  }

  serves(ref: number): boolean {
    return (
      this.#seats.has(ref) && !this.#lease.over && (this.#process !== null || this.#expected > 0)
    )
  }

  /** Closes every client of a room that another runner may have by now, also when the room says nothing. */
  closeLapsed(): void {
    this.#silenced()
  }

  /** Another runner may have the room by now. */
  get lapsed(): boolean {
    return this.#lease.over
  }

  /**
   * A room whose lease is over says nothing more, as another runner may have it by now: its clients are
   * sent there.
   *
   * @returns whether that is so
   */
  #silenced(): boolean {
    if (!this.#lease.over) return false
    this.closeAll(closeFor("shutdown"))
    return true
  }

  /** @returns the client's number in this room, or `null` when the room is being put away */
  enter(sink: ClientSink, entrance: Entrance): number | null {
    if (this.#closing || this.#silenced()) return null
    const ref = this.#nextRef++
    const seat: Seat = {
      ref,
      sink,
      entrance,
      player: entrance.player,
      viewer: isViewer(entrance.role),
      sessionId: null,
      welcomed: false,
      staleMs: null,
      sinceMs: undefined
    }
    this.#seats.set(ref, seat)
    if (this.#seats.size === 1) this.#listener.occupancy({ occupied: true, dropped: false })
    if (this.#process !== null) this.#join(this.#process, seat)
    return ref
  }

  #join(process: RoomProcess, seat: Seat): void {
    const seatsKept = this.keptSeats.without(seat.entrance.playerId)
    process.join({
      ...seat.entrance,
      ...(seatsKept === 0 ? {} : { seatsKept }),
      ref: seat.ref,
      player: seat.player,
      resumeHash: seat.sessionId === null ? seat.entrance.resumeHash : null,
      nextResumeHash: seat.sink.nextResumeHash(),
      attachedAs: seat.sessionId
    })
  }

  data(ref: number, frame: Uint8Array): void {
    this.ingressBytes += frame.length
    if (this.#process !== null) return this.#process.data(ref, frame)
    const keptBytes = this.#keptBytes + frame.length
    const fits =
      this.#kept.length < ConnectionLimits.framesKept.max &&
      keptBytes <= ConnectionLimits.framesKeptBytes.max
    if (!fits || !this.#seats.has(ref) || isClientAnswer(frame)) return
    this.#kept.push({ ref, frame })
    this.#keptBytes = keptBytes
  }

  received(bytes: number): void {
    this.ingressBytes += bytes
  }

  sent(bytes: number): void {
    this.egressBytes += bytes
  }

  exit(ref: number, consented: boolean): void {
    if (!this.#free(ref)) return
    if (consented) this.#process?.leave(ref)
    else this.#process?.drop(ref)
    if (this.#seats.size === 0) this.#listener.occupancy({ occupied: false, dropped: !consented })
  }

  chat(ref: number, text: string): void {
    const from = this.#seats.get(ref)?.sessionId
    if (from === undefined || from === null || this.#silenced()) return
    const line = packValue([ServerFrame.chat, from, text])
    // It is not the process's: clients that wait for their next welcome read it too.
    for (const seat of this.#seats.values()) if (seat.sessionId !== null) this.#write(seat, line)
  }

  joined(ref: number, welcome: Welcome): void {
    const seat = this.#seats.get(ref)
    if (seat === undefined || this.#silenced()) return
    this.settle(true)
    if (seat.sessionId === null && !seat.viewer) {
      this.#players++
      const { playerId, sinceMs } = seat.entrance
      this.keptSeats.taken(playerId)
      seat.sinceMs = this.#listener.seats?.entered(playerId, sinceMs)
    }
    seat.sessionId = welcome.sessionId
    seat.welcomed = true
    const { staleMs, sinceMs } = seat
    seat.staleMs = null
    const since = sinceMs === undefined ? {} : { sinceMs }
    this.egressBytes += seat.sink.welcome({ ...welcome, staleMs, ...since })
  }

  refused(ref: number, refusal: { readonly code: string; readonly message: string }): void {
    const seat = this.#seats.get(ref)
    if (seat === undefined || this.#silenced()) return
    this.#remove(ref)
    seat.sink.refuse(refusal)
  }

  /** A frame of the room for some or for all of its clients. */
  deliver(refs: ReadonlyArray<number> | "all", frame: Uint8Array): void {
    if (this.#silenced()) return
    if (refs === "all") {
      for (const seat of this.#seats.values()) if (seat.welcomed) this.#write(seat, frame)
      return
    }
    for (const ref of refs) {
      const seat = this.#seats.get(ref)
      if (seat?.welcomed === true) this.#write(seat, frame)
    }
  }

  #write(seat: Seat, frame: Uint8Array): void {
    if (this.spare !== null && !passes(this.spare, frame))
      return void (this.droppedBytes += frame.length)
    // A frame that a slow client is refused is no egress. Spec: Connection and room limits.
    if (seat.sink.write(frame)) this.egressBytes += frame.length
  }

  /** The room lets one client go. */
  kick(ref: number, close: { readonly code: number; readonly reason: string }): void {
    const seat = this.#seats.get(ref)
    if (seat === undefined || this.#silenced()) return
    this.#remove(ref)
    seat.sink.close(close)
  }

  /** The stored fields of a player changed: a restart hands the newest to the next process. */
  playerChanged(playerId: string, bytes: Uint8Array): void {
    for (const seat of this.#seats.values()) {
      if (seat.entrance.playerId === playerId) seat.player = bytes
    }
  }

  /** Ends every connection with one code; nobody comes in any more. */
  closeAll(close: { readonly code: number; readonly reason: string }): void {
    for (const { sink } of this.#clear()) sink.close(close)
  }

  /**
   * The room moves to another runner: nobody comes in any more, and the frames of its clients wait at their
   * connections. `held` is called when the last one that did not wait has come.
   */
  hold(held: () => void): void {
    this.#closing = true
    let left = 1
    const one = (): void => {
      if (--left === 0) held()
    }
    for (const { sink } of this.#seats.values()) {
      left++
      sink.hold(one)
    }
    one()
  }

  /** The room is stored: its clients go to where it wakes next. */
  moveAll(): void {
    for (const { sink } of this.#clear()) sink.moved()
  }

  /** @returns the seats that there were */
  #clear(): ReadonlyArray<Seat> {
    this.#closing = true
    const seats = [...this.#seats.values()]
    this.#seats.clear()
    for (const seat of seats) this.#left(seat)
    return seats
  }

  #remove(ref: number): void {
    this.#free(ref)
    if (this.#seats.size === 0) this.#listener.occupancy({ occupied: false, dropped: false })
  }

  /** @returns whether somebody had the seat */
  #free(ref: number): boolean {
    const seat = this.#seats.get(ref)
    if (seat === undefined) return false
    this.#left(seat)
    return this.#seats.delete(ref)
  }

  /** A player that the room has let in has a seat no more. */
  #left({ sessionId, viewer, entrance }: Seat): void {
    if (sessionId === null || viewer) return
    this.#players--
    this.#listener.seats?.left(entrance.playerId)
  }
}
