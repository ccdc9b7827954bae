import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { FromRoom, HostFrameError, LoadMode } from "@atrium/runtime/host/HostFrames"
import { type MigrateOrder, Orders } from "@atrium/runtime/host/HostOrders"
import { readReport, type ReportSink } from "@atrium/runtime/host/RoomReports"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import { causeOf, type ProcessEnd } from "./ExitCause.ts"
import { FrameMeter } from "./FrameMeter.ts"
import { prepareBundle } from "./PreparedBundle.ts"
import type { Child, ChildOwner } from "./RoomChild.ts"

/** The outcome of a change by code. */
export type Migrated =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** `code`: of the migration, or of what it was given. `machine`: it may succeed another time. */
  | {
      readonly ok: false
      readonly fault: "code" | "machine"
      readonly message: string
      /** Names places of the bundle; empty = there is none. */
      readonly stack: string
    }

/** What is to be led on, without the number that its order gets. */
export type ToMigrate = Omit<MigrateOrder, "requestId">

/**
 * A process that runs the migrations of one bundle, one after the other. It never has a room. Nothing that
 * comes out of it is believed; a change that takes too long ends it.
 */
export class MigrateProcess implements ChildOwner {
  readonly #child: Child
  readonly #onEnded: () => void
  #requestId = 0
  #meter = new FrameMeter()
  /** Takes the outcome of the change that is under way. */
  #answer: ((outcome: Migrated) => void) | null = null
  #timer: NodeJS.Timeout | undefined
  #why: string | null = null
  #closed = false
  #ended = false

  /** @param spawn makes the process, for this owner */
  constructor(spawn: (owner: ChildOwner) => Child, bundle: Uint8Array, onEnded: () => void) {
    this.#onEnded = onEnded
    this.#child = spawn(this)
    this.#child.send(prepareBundle(bundle).loadFrame(LoadMode.start))
  }

  /** There is no process any more. */
  get isOver(): boolean {
    return this.#ended
  }

  /**
   * Never rejects. One change at a time: the caller waits for the one before.
   *
   * @param waitMs longest wait; the first one has the time that the bundle takes to load beside it
   */
  migrate(asked: ToMigrate, waitMs: number): Promise<Migrated> {
    if (this.#ended) return Promise.resolve(failed("machine", "the process has ended"))
    if (this.#answer !== null) throw new Error("a change is under way")
    const isFirst = this.#requestId === 0
    this.#requestId++
    this.#meter = new FrameMeter()
    return new Promise((resolve) => {
      this.#answer = resolve
      const ms = waitMs + (isFirst ? RoomProcessLimits.roomDescribe.ms : 0)
      this.#timer = setTimeout(() => this.#refuse(`it takes more than ${waitMs} ms`), ms)
      this.#child.send(Orders.migrate({ ...asked, requestId: this.#requestId }))
    })
  }

  close(): void {
    if (this.#ended) return
    this.#closed = true
    this.#child.kill()
  }

  frame(kind: number, payload: Buffer): void {
    if (this.#meter.frame() !== null) return this.#refuse("it sends too much")
    try {
      readReport(kind, payload, this.#sink)
    } catch (error) {
      if (!(error instanceof HostFrameError)) throw error
      this.broken(error.message)
    }
  }

  lengthMax(kind: number): number {
    return kind === FromRoom.migrated && this.#answer !== null
      ? RuntimeLimits.roomFrameBytes.max
      : RoomProcessLimits.roomUnaskedBytes.max
  }

  came(bytes: number): void {
    if (this.#meter.came(bytes) !== null) this.#refuse("it sends too much")
  }

  /** A migration that has to say something throws it. */
  line(): void {}

  broken(why: string): void {
    this.#refuse(`it broke the protocol: ${why}`)
  }

  /** It is sent what it asks for at most, and its time is short. */
  unread(): void {}

  ended(end: ProcessEnd): void {
    this.#ended = true
    clearTimeout(this.#timer)
    if (this.#why !== null) this.#tell(failed("code", this.#why))
    else this.#tell(this.#closed ? failed("machine", "it was closed") : endedEarly(end))
    this.#onEnded()
  }

  /** Ends the process for what its code did. */
  #refuse(why: string): void {
    this.#why ??= why
    this.#child.kill()
  }

  #tell(outcome: Migrated): void {
    clearTimeout(this.#timer)
    const answer = this.#answer
    this.#answer = null
    answer?.(outcome)
  }

  #answered(requestId: number, outcome: Migrated): void {
    if (requestId !== this.#requestId || this.#answer === null) {
      throw new HostFrameError("it answers what was not asked")
    }
    this.#tell(outcome)
  }

  readonly #unexpected = (): never => {
    throw new HostFrameError("it reports without a room")
  }

  readonly #sink: ReportSink = {
    booted: () => {},
    log: () => {},
    pong: () => {},
    failed: (why, stack) => {
      this.#tell({ ok: false, fault: "code", message: why, stack })
      this.#child.kill()
    },
    migrated: (requestId, bytes) => this.#answered(requestId, { ok: true, bytes }),
    migrateFailed: (requestId, message, stack) =>
      this.#answered(requestId, { ok: false, fault: "code", message, stack }),
    described: this.#unexpected,
    ready: this.#unexpected,
    joined: this.#unexpected,
    refused: this.#unexpected,
    deliver: this.#unexpected,
    kick: this.#unexpected,
    changed: this.#unexpected,
    saveRequested: this.#unexpected,
    called: this.#unexpected,
    callFailed: this.#unexpected,
    snapshot: this.#unexpected,
    snapshotTooLarge: this.#unexpected,
    alarms: this.#unexpected,
    lobby: this.#unexpected,
    player: this.#unexpected,
    voice: this.#unexpected,
    chunk: this.#unexpected,
    chunkReady: this.#unexpected,
    recordingLost: this.#unexpected,
    clipMade: this.#unexpected,
    weighed: this.#unexpected
  }
}

const failed = (fault: "code" | "machine", message: string): Migrated => ({
  ok: false,
  fault,
  message,
  stack: ""
})

const endedEarly = (end: ProcessEnd): Migrated => {
  const { cause, detail } = causeOf(end)
  switch (cause) {
    case "notStarted":
    case "killed":
      return failed("machine", detail)
    case "memory":
      return failed("code", `it takes too much memory: ${detail}`)
    default:
      return failed("code", `its process ended: ${detail}`)
  }
}
