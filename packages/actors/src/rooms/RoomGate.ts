import { isViewer } from "@atrium/domain/audience/AudienceRole"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

import { endless, type Lease } from "../cluster/ShardLeases.ts"
import { isClientAnswer } from "../handover/ClientAnswer.ts"
import type { RoomProcess } from "../process/RoomProcess.ts"
import type { GateCall } from "../voice/RoomCall.ts"
import type { ClientGate, ClientSink, Entrance, Welcome } from "./ClientGate.ts"
import { closeFor, type GateListener } from "./GateListener.ts"
import { clientIdOf, type Seat, type SeatedClient, seatedClient } from "./GateSeat.ts"
import { KeptSeats } from "./KeptSeats.ts"
import { passes, type SpareBytes } from "./SpareBytes.ts"

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
  /** The call of the room, which is given with the gate itself; `null` = not yet. */
  call: GateCall | null = null

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
      sinceMs: undefined,
      atMs: this.#listener.nowMs?.() ?? 0,
      ingressBytes: 0,
      egressBytes: 0
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
    this.received(frame.length, ref)
    if (this.#process !== null) return this.#process.data(ref, frame)
    const keptBytes = this.#keptBytes + frame.length
    const fits =
      this.#kept.length < ConnectionLimits.framesKept.max &&
      keptBytes <= ConnectionLimits.framesKeptBytes.max
    if (!fits || !this.#seats.has(ref) || isClientAnswer(frame)) return
    this.#kept.push({ ref, frame })
    this.#keptBytes = keptBytes
  }

  received(bytes: number, ref: number): void {
    this.ingressBytes += bytes
    const seat = this.#seats.get(ref)
    if (seat !== undefined) seat.ingressBytes += bytes
  }

  sent(bytes: number, ref: number): void {
    this.egressBytes += bytes
    const seat = this.#seats.get(ref)
    if (seat !== undefined) seat.egressBytes += bytes
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

  voice(ref: number, frame: Uint8Array): void {
    this.ingressBytes += frame.length
    const seat = this.#seats.get(ref)
    if (seat === undefined || seat.sessionId === null || this.#silenced()) return
    this.call?.asked({ ref, clientId: seat.sessionId, viewer: seat.viewer }, frame)
  }

  /** Writes a frame of the room's call. */
  tell(ref: number, frame: Uint8Array): void {
    const seat = this.#seats.get(ref)
    if (seat !== undefined && !this.#silenced()) this.#write(seat, frame)
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
    this.sent(seat.sink.welcome({ ...welcome, staleMs, ...since }), ref)
    this.call?.named(ref, welcome.sessionId)
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
    if (!seat.sink.write(frame)) return
    this.egressBytes += frame.length
    seat.egressBytes += frame.length
  }

  /** The connections of the room, the oldest first. */
  clients(): ReadonlyArray<SeatedClient> {
    return Array.from(this.#seats.values(), seatedClient)
  }

  /** An operator removes a client: to the room it has left for good. @returns whether the room has it */
  remove(clientId: string, close: { readonly code: number; readonly reason: string }): boolean {
    const seat = [...this.#seats.values()].find((each) => clientIdOf(each) === clientId)
    if (seat === undefined || this.#silenced()) return false
    this.exit(seat.ref, true)
    seat.sink.close(close)
    return true
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
    // Its participants join again at the room's next place.
    this.call?.moved()
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
  #left({ ref, sessionId, viewer, entrance }: Seat): void {
    this.call?.left(ref)
    if (sessionId === null || viewer) return
    this.#players--
    this.#listener.seats?.left(entrance.playerId)
  }
}
