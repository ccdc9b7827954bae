import type { CallAnswer } from "@atrium/runtime/host/HostOrders"
import { ServiceCalls } from "@atrium/runtime/room/ServiceCalls"
import { MiB } from "@atrium/wire/limits/Limit"

import type { ExitCause } from "../ExitCause.ts"
import type { JoinRequest, RoomProcess, RoomProcessListener, RoomStart } from "../RoomProcess.ts"
import { PlayedFootage } from "./PlayedFootage.ts"
import { PlayedSaves } from "./PlayedSaves.ts"

/** What a client writes into the room. */
export interface PlayedWrite {
  readonly does: "plain" | "durable" | "save" | "alarm" | "begin" | "large"
  /** A number that no other frame has: the room's state holds it from now on. */
  readonly write: number
}

/** What a client lets the room ask of the service. */
export interface PlayedCall {
  readonly does: "call"
  /** A number that comes back with the answer. */
  readonly call: number
  readonly name: string
  readonly payload: unknown
}

/** What a client sends to the room, as JSON. */
export type PlayFrame = PlayedWrite | PlayedCall

interface WriteAnswer {
  readonly write: number
  /** `null` = the call does not wait until its state is stored. */
  readonly stored: boolean | null
}

/** What the service has answered to room code. */
export interface PlayedAnswer {
  readonly call: number
  /** `null` = it was refused. */
  readonly answer: { readonly value: unknown } | null
  /** Of the refusal. */
  readonly code: string | null
}

/** What the room sends to the client of a frame, as JSON. */
export type PlayAnswer = WriteAnswer | PlayedAnswer

/** The writes that the room has taken, in their order; a migration adds a number below zero. */
export type PlayState = ReadonlyArray<number>

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
// Both ends of each of these are this file's.
const read = <A>(bytes: Uint8Array): A => JSON.parse(new TextDecoder().decode(bytes)) as A

export const frameOf = (frame: PlayFrame): Uint8Array => bytesOf(frame)
export const answerIn = (frame: Uint8Array): PlayAnswer => read<PlayAnswer>(frame)
export const stateIn = (snapshot: Uint8Array): PlayState => read<PlayState>(snapshot)

/** Where a {@link MemoryRoomProcess} runs: its time, and what becomes of it. */
export interface PlayPort {
  /** Time of the machine, in milliseconds from any fixed point. */
  readonly machineMs: () => number
  /** Runs once, after so many milliseconds of the machine. */
  after(ms: number, run: () => void): void
  /** What the service's clock shows. */
  readonly nowMs: () => number
  /** Runs once, when the service's clock has gone on by so many milliseconds. */
  afterByRule(ms: number, run: () => void): void
  /** How long the next order or report takes. Orders keep their order, and so do reports. */
  readonly delayMs: () => number
  /** How long it takes until the end of the process is noticed. */
  readonly exitMs: () => number
  /** The state of a room that starts anew. Absent = it is empty. */
  readonly fresh?: (start: RoomStart) => PlayState
  /** What the room does at its start: it takes so many milliseconds, hangs (`null`), or ends. */
  starts(start: RoomStart, process: MemoryRoomProcess): number | null | ExitCause
  /** The process has ended. */
  ended(process: MemoryRoomProcess): void
}

const alarmSpanMs = 90_000

/** The answer to a `large` frame has so many bytes: JSON may end with spaces. */
const largeBytes = 1 * MiB

const largeAnswer = (answer: WriteAnswer): Uint8Array => {
  const bytes = new Uint8Array(largeBytes).fill(32)
  bytes.set(bytesOf(answer))
  return bytes
}

/** Messages in one direction: each takes its time, and none overtakes another. */
class Pipe {
  readonly #port: PlayPort
  #lastMs = 0

  constructor(port: PlayPort) {
    this.#port = port
  }

  send(run: () => void): void {
    const { machineMs, delayMs } = this.#port
    this.#lastMs = Math.max(this.#lastMs, machineMs() + delayMs())
    this.#port.after(this.#lastMs - machineMs(), run)
  }
}

/** A room process without a process, in virtual time: its code keeps what it is told. */
export class MemoryRoomProcess implements RoomProcess {
  readonly pid = 1
  usedBytes = 8 * MiB
  readonly footage: PlayedFootage
  readonly #port: PlayPort
  readonly #listener: RoomProcessListener
  readonly #orders: Pipe
  readonly #reports: Pipe
  readonly #refs = new Set<number>()
  readonly #saves: PlayedSaves
  readonly #calls: ServiceCalls
  #state: Array<number> = []
  #alarms: RoomStart["alarms"] = []
  #changedReported = false
  /** The final snapshot was taken: nothing of the room moves any more. */
  #disposed = false
  #ended = false

  constructor(port: PlayPort, listener: RoomProcessListener) {
    this.#port = port
    this.#listener = listener
    this.#orders = new Pipe(port)
    this.#reports = new Pipe(port)
    this.#saves = new PlayedSaves((saveId, generation) =>
      this.#report(() => listener.saveRequested(saveId, generation))
    )
    this.#calls = new ServiceCalls((callId, request) =>
      this.#report(() => listener.called(callId, request))
    )
    this.footage = new PlayedFootage({
      listener: listener.footage,
      order: (run) => this.#order(run),
      report: (run) => this.#report(run),
      afterByRule: (ms, run) =>
        port.afterByRule(ms, () => {
          if (!this.#ended && !this.#disposed) run()
        })
    })
  }

  get state(): PlayState {
    return this.#state
  }

  #order(run: () => void): void {
    this.#orders.send(() => {
      if (!this.#ended) run()
    })
  }

  #report(run: () => void): void {
    this.#reports.send(run)
  }

  start(start: RoomStart): void {
    // Its room was given up while its state was read.
    if (this.#ended) return
    const { snapshot } = start
    this.#state = [
      ...(snapshot === null ? (this.#port.fresh?.(start) ?? []) : stateIn(snapshot.bytes))
    ]
    this.#alarms = start.alarms
    const starts = this.#port.starts(start, this)
    if (starts === null) return
    if (typeof starts !== "number") return this.kill(starts)
    this.#port.after(starts, () => {
      if (this.#ended) return
      this.footage.start(start.epoch, start.recording ?? null)
      this.#report(() => this.#listener.ready())
      this.#ring()
    })
  }

  /** Takes the alarms that are due; the others wait for the clock. */
  #ring(): void {
    if (this.#ended || this.#disposed || this.#alarms.length === 0) return
    const nowMs = this.#port.nowMs()
    const left = this.#alarms.filter(({ atMs }) => atMs > nowMs)
    if (left.length < this.#alarms.length) this.#setAlarms(left)
    if (left.length === 0) return
    const next = Math.min(...left.map(({ atMs }) => atMs))
    this.#port.afterByRule(next - nowMs, () => this.#ring())
  }

  #setAlarms(alarms: RoomStart["alarms"]): void {
    this.#alarms = alarms
    this.#report(() => this.#listener.alarms(alarms))
  }

  join({ ref, sessionId, attachedAs }: JoinRequest): void {
    this.#order(() => {
      if (this.#disposed) return
      this.#refs.add(ref)
      const welcome = {
        sessionId: attachedAs ?? sessionId,
        resumed: attachedAs !== null,
        tick: 0,
        state: bytesOf(this.#state)
      }
      this.#report(() => this.#listener.joined(ref, welcome))
    })
  }

  drop(ref: number): void {
    this.#order(() => this.#refs.delete(ref))
  }

  leave(ref: number): void {
    this.drop(ref)
  }

  data(ref: number, frame: Uint8Array): void {
    // The view holds until the call returns.
    const played = read<PlayFrame>(frame)
    this.#order(() => {
      if (this.#refs.has(ref) && !this.#disposed) this.#play(ref, played)
    })
  }

  #play(ref: number, frame: PlayFrame): void {
    if (frame.does === "call") return this.#call(ref, frame)
    const { does, write } = frame
    if (does === "begin") return this.#report(() => this.#listener.lobby({ started: true }))
    this.#state.push(write)
    if (!this.#changedReported) {
      this.#changedReported = true
      this.#report(() => this.#listener.changed())
    }
    if (does === "alarm") {
      this.#setAlarms([{ name: "ring", atMs: this.#port.nowMs() + alarmSpanMs }])
      this.#ring()
    }
    if (does === "large") return this.#tell(ref, largeAnswer({ write, stored: null }))
    if (does === "plain" || does === "alarm")
      return this.#tell(ref, bytesOf({ write, stored: null } satisfies WriteAnswer))
    this.#saves.ask(does === "save", (stored) =>
      this.#tell(ref, bytesOf({ write, stored } satisfies WriteAnswer))
    )
  }

  #call(ref: number, { call, name, payload }: PlayedCall): void {
    const tell = (answer: PlayedAnswer) => this.#tell(ref, bytesOf(answer))
    // What happened until now belongs to the recording.
    if (name === "replay.stop") this.footage.cut()
    this.#calls.ask(name, payload, {
      resolve: (value) => {
        if (name === "replay.record") this.footage.record(String(Object(value).replayId))
        tell({ call, answer: { value }, code: null })
      },
      reject: ({ code }) => tell({ call, answer: null, code })
    })
  }

  #tell(ref: number, answer: Uint8Array): void {
    this.#report(() => this.#listener.deliver([ref], answer))
  }

  requestSnapshot(requestId: number, { final }: { readonly final: boolean }): void {
    this.#order(() => {
      if (this.#disposed) return
      this.#saves.gather()
      this.#changedReported = false
      if (final) this.footage.end()
      this.#disposed = final
      if (final) this.#calls.end()
      const state = bytesOf(this.#state)
      this.#report(() => this.#listener.snapshot(requestId, state))
    })
  }

  peek(requestId: number): void {
    this.#order(() => {
      const state = bytesOf(this.#state)
      this.#report(() => this.#listener.snapshot(requestId, state))
    })
  }

  saved(saveId: number, stored: boolean, wall?: string): void {
    this.#order(() => this.#saves.saved(saveId, stored, wall))
  }

  settled(then: () => void): void {
    this.#order(() => this.#report(then))
  }

  callAnswered(callId: number, answer: CallAnswer): void {
    this.#order(() => this.#calls.answered(callId, answer))
  }

  /** Its alarms wait for the service's clock already. */
  clockMoved(): void {}

  /** It ends at once; the listener hears of it a little later. */
  kill(cause: ExitCause): void {
    if (this.#ended) return
    this.#ended = true
    this.#port.ended(this)
    this.#port.after(this.#port.exitMs(), () =>
      this.#report(() => this.#listener.exited({ cause, detail: "in memory" }))
    )
  }
}
