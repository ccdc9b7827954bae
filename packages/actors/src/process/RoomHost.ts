import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { FromRoom, HostFrameError, LoadMode } from "@atrium/runtime/host/HostFrames"
import { type CallAnswer, Orders } from "@atrium/runtime/host/HostOrders"
import { readReport, type ReportSink } from "@atrium/runtime/host/RoomReports"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { cutLogLine } from "@atrium/wire/text/LogLine"

import { AnswerWatch } from "./AnswerWatch.ts"
import { ClientRefs } from "./ClientRefs.ts"
import type { CacheWait } from "./CodeCaches.ts"
import { cpuWaitMsOf } from "./CpuWait.ts"
import { type Exit, type ExitCause, exitOf, type ProcessEnd, tooLarge } from "./ExitCause.ts"
import { FrameMeter } from "./FrameMeter.ts"
import type { HeldFrames, Holder } from "./HeldFrames.ts"
import { HostLines } from "./HostLines.ts"
import { memoryFor } from "./HostMemory.ts"
import type { HostSettings, SharedSettings } from "./HostSettings.ts"
import { isPeek, noState } from "./Peeks.ts"
import { prepareBundle } from "./PreparedBundle.ts"
import type { ProcessPace } from "./ProcessPace.ts"
import { ReplayHost } from "./ReplayHost.ts"
import type { Child, ChildOwner } from "./RoomChild.ts"
import type { JoinRequest, RoomProcess, RoomProcessListener, RoomStart } from "./RoomProcess.ts"
import { TickOverruns } from "./TickOverruns.ts"
import { WaitingIds } from "./WaitingIds.ts"

/**
 * `spare` = booted or booting, without code; `preparing`, `prepared` = with the code of a deployment
 * and no room yet; `loading` = until `ready`.
 */
type Stage = "spare" | "preparing" | "prepared" | "loading" | "running" | "dead"

/** Polls after the start of a room within which its first join is expected. */
const JoinPolls = 2

/** The service's side of one room process. Believes nothing that comes out of it. */
export class RoomHost implements RoomProcess, ChildOwner, Holder {
  readonly memoryMiB: number
  readonly #kind: "plain" | "physics"
  readonly #child: Child
  readonly #pace: ProcessPace
  readonly #answers: AnswerWatch
  readonly #memory: ReturnType<typeof memoryFor>
  readonly #meter = new FrameMeter()
  readonly #overruns = new TickOverruns()
  readonly #onEnded: (host: RoomHost, exit: Exit) => void
  readonly #refs = new ClientRefs()
  readonly #snapshots = new Set<number>()
  readonly #saves = new WaitingIds("save", RuntimeLimits.savesWaiting.max)
  readonly #calls = new WaitingIds("call", RuntimeLimits.roomCallsWaiting.max)
  #listener: RoomProcessListener | null = null
  #stage: Stage = "spare"
  #booted = false
  #code: Uint8Array | null = null
  #cacheWait: CacheWait | null = null
  #hasWelcomed = false
  #exit: Exit | null = null
  #pollsInStage = 0
  /** Payload of the frame that is being read. */
  #frameBytes = 0
  readonly #held: HeldFrames
  readonly footage = new ReplayHost({
    send: (order) => this.#stage === "running" && this.#child.send(order),
    running: (what) => this.#running(what).footage,
    askedFor: () => this.#meter.asked(this.#frameBytes)
  })
  #heldBytes = 0
  readonly #lines = new HostLines(this.#meter)

  /** @param open makes the process, for this owner */
  constructor(
    open: (owner: ChildOwner) => Child,
    settings: HostSettings | SharedSettings,
    onEnded: (host: RoomHost, exit: Exit) => void
  ) {
    this.memoryMiB = settings.memoryMiB
    this.#kind = "physics" in settings && settings.physics === true ? "physics" : "plain"
    this.#pace = settings.pace
    this.#answers = new AnswerWatch(settings.pace, () => cpuWaitMsOf(this.pid))
    this.#memory = memoryFor(settings, {
      pid: () => this.pid,
      weigh: (number) => this.#child.send(Orders.weigh(number)),
      over: () => this.kill("memory", `over the room's ceiling of ${this.memoryMiB} MiB`)
    })
    this.#held = settings.held
    this.#onEnded = onEnded
    this.#child = open(this)
  }

  get pid(): number {
    return this.#child.pid
  }

  /** Its process and what the service holds for it. */
  get usedBytes(): number {
    return this.#memory.usedBytes + this.#child.heldBytes + this.#child.unreadBytes
  }

  get booted(): boolean {
    return this.#booted
  }

  get ending(): boolean {
    return this.#stage === "dead"
  }

  /** Whether a client may be waiting for the first welcome of this room. */
  get welcomes(): boolean {
    if (this.#listener === null || this.#stage === "dead" || this.#hasWelcomed) return false
    return this.#stage !== "running" || this.#refs.someWait || this.#pollsInStage < JoinPolls
  }

  /** The bundle that it has been given; `null` = none, so that any room may have it. */
  get code(): Uint8Array | null {
    return this.#code
  }

  /** Runs the module of a bundle ahead of its room: the start is then a matter of the state alone. */
  prepare(bundle: Uint8Array): void {
    if (this.#stage !== "spare") return
    // Nobody waits for this process: it has time to tell what V8 made of the code.
    this.#cacheWait = prepareBundle(bundle).caches[this.#kind].ask(this.memoryMiB)
    this.#load(bundle)
    this.#enter("preparing")
    this.#ping()
  }

  /** Gives a spare process to its room. */
  claim(listener: RoomProcessListener): void {
    this.#listener = listener
    this.#lines.listens(listener)
  }

  start({ bundle, ...order }: RoomStart): void {
    if (this.#stage === "dead" || this.#stage === "loading" || this.#stage === "running") return
    if (this.#stage === "spare") this.#load(bundle)
    this.#enter("loading")
    this.#child.send(Orders.start(order))
  }

  #load(bundle: Uint8Array): void {
    this.#code = bundle
    const { caches, loadFrame } = prepareBundle(bundle)
    const mode = this.#cacheWait === null ? LoadMode.start : LoadMode.tell
    this.#child.send(caches[this.#kind].frame(this.memoryMiB) ?? loadFrame(mode))
  }

  #enter(stage: Stage): void {
    this.#stage = stage
    this.#pollsInStage = 0
    this.#answers.begin()
  }

  join(request: JoinRequest): void {
    if (this.#stage === "dead") return
    this.#refs.join(request.ref)
    this.#child.send(Orders.join(request))
  }

  data(ref: number, frame: Uint8Array): void {
    if (this.#refs.has(ref)) this.#child.sendData(ref, frame)
  }

  drop(ref: number): void {
    if (!this.#refs.has(ref)) return
    this.#refs.gone(ref, this.#answers.nextPing)
    this.#child.send(Orders.drop(ref))
  }

  leave(ref: number): void {
    if (!this.#refs.has(ref)) return
    this.#refs.gone(ref, this.#answers.nextPing)
    this.#child.send(Orders.leave(ref))
  }

  requestSnapshot(requestId: number, { final }: { readonly final: boolean }): void {
    if (this.#stage === "dead") return
    this.#snapshots.add(requestId)
    this.#child.send(Orders.takeSnapshot(requestId, final))
  }

  peek(requestId: number): void {
    if (this.#stage !== "running") return
    this.#snapshots.add(requestId)
    this.#child.send(Orders.peek(requestId))
  }

  saved(saveId: number, stored: boolean, wall?: string): void {
    if (this.#saves.delete(saveId)) this.#child.send(Orders.saved(saveId, stored, wall))
  }

  settled(then: () => void): void {
    // A promise of the room's code may speak after the first answer, and has spoken before the second.
    this.#answered(() => this.#answered(then))
  }

  #answered(then: () => void): void {
    this.#answers.whenAnswered(then)
    if (this.#stage === "running") this.#ping()
  }

  callAnswered(callId: number, answer: CallAnswer): void {
    if (this.#calls.delete(callId)) this.#child.send(Orders.callAnswered(callId, answer))
  }

  clockMoved(nowMs: number, runs: boolean): void {
    if (this.#stage === "running") this.#child.send(Orders.clock(nowMs, runs))
  }

  kill(cause: ExitCause, detail = "ended by the service"): void {
    if (this.#stage === "dead") return
    this.#stage = "dead"
    this.#exit ??= { cause, detail }
    this.#child.kill(cause)
    this.#tellHeld()
  }

  /** Looks after the process; called every `PollEveryMs`. */
  poll(loaded: boolean): void {
    if (this.#stage === "dead") return
    this.#child.poll(loaded)
    this.#pollsInStage++
    this.#meter.refill(this.#refs.size)
    if (this.#stage === "running" || this.#stage === "prepared") this.#pollAnswers()
    else if (this.#pollsInStage > this.#pace.startPolls && (!this.#booted || this.#code !== null)) {
      return this.kill("startTimeout", `not ready within ${RoomProcessLimits.roomStart.ms} ms`)
    }
    if (this.#stage !== "spare") this.#memory.poll(this.#stage === "running")
  }

  frame(kind: number, payload: Buffer): void {
    if (this.#stage === "dead") return
    this.#answers.heard()
    this.#frameBytes = payload.length
    const flood = this.#meter.frame()
    if (flood !== null) return this.kill("flood", flood)
    if (kind === FromRoom.joined && payload.length > RuntimeLimits.snapshotBytes.max) {
      return this.kill("snapshotSize", tooLarge("welcome", payload.length))
    }
    if (this.#cacheWait?.takes(kind, payload) === true) return
    try {
      readReport(kind, payload, this.#sink)
    } catch (error) {
      if (!(error instanceof HostFrameError)) throw error
      this.broken(error.message)
    }
  }

  lengthMax(kind: number): number {
    const asked =
      (kind === FromRoom.snapshot && this.#snapshots.size > 0) ||
      (kind === FromRoom.joined && this.#refs.someWait)
    return asked ? RuntimeLimits.roomFrameBytes.max : RoomProcessLimits.roomUnaskedBytes.max
  }

  came(bytes: number): void {
    if (this.#stage === "dead") return
    this.#answers.came()
    const flood = this.#meter.came(bytes)
    if (flood !== null) return this.kill("flood", flood)
    this.#tellHeld()
  }

  holdsMost(): void {
    this.kill(
      "flood",
      `unfinished frames of all rooms are over ${RoomProcessLimits.roomHeldAllBytes.max} bytes`
    )
  }

  #tellHeld(): void {
    const bytes = this.#child.heldBytes
    if (bytes === this.#heldBytes) return
    this.#heldBytes = bytes
    this.#held.tell(this, bytes)
  }

  broken(why: string): void {
    this.kill("protocol", why)
  }

  unread(bytes: number): void {
    // Before it runs, its code and its state are on the way to it.
    const max =
      this.#stage === "running"
        ? RoomProcessLimits.roomUnreadBytes.max
        : 2 * RuntimeLimits.roomFrameBytes.max
    if (bytes > max) this.kill("hung", "does not read what it is sent")
  }

  line(stream: "stdout" | "stderr", line: string): void {
    if (this.#stage !== "dead") this.#lines.log(stream === "stdout" ? "info" : "warn", line)
  }

  ended(end: ProcessEnd): void {
    this.#stage = "dead"
    this.#tellHeld()
    const exit = exitOf(this.#exit, end)
    this.#onEnded(this, exit)
    this.#listener?.exited(exit)
  }

  #pollAnswers(): void {
    switch (this.#answers.poll(this.#child.sent)) {
      case "fine":
        return
      case "ping":
        return this.#ping()
      case "hung":
        return this.kill("hung", `no answer within ${RoomProcessLimits.roomAnswer.ms} ms`)
    }
  }

  #ping(): void {
    this.#child.send(Orders.ping(this.#answers.ping(this.#child.sent)))
  }

  #demand(holds: boolean, why: string): void {
    if (!holds) throw new HostFrameError(why)
  }

  /** The listener of a room that is in the state to report this. */
  #running(what: string): RoomProcessListener {
    const listener = this.#listener
    if (this.#stage !== "running" || listener === null) {
      throw new HostFrameError(`${what} came before ready`)
    }
    return listener
  }

  readonly #sink: ReportSink = {
    ...this.footage.sink,
    booted: () => {
      this.#demand(!this.#booted, "booted came twice")
      this.#booted = true
      if (this.#stage === "spare") this.#pollsInStage = 0
      this.#memory.baseline()
    },
    described: () => this.#demand(false, "described came from a room"),
    failed: (why, stack) => {
      this.#demand(this.#stage !== "spare", "failed came without code")
      this.#lines.log("error", stack)
      this.#exit = { cause: "code", detail: cutLogLine(why) }
      this.kill("code")
    },
    ready: () => {
      this.#demand(this.#stage === "loading" && this.#booted, "ready came at the wrong time")
      this.#enter("running")
      this.#listener?.ready()
    },
    joined: (ref, welcome) => {
      const listener = this.#running("joined")
      if (!this.#refs.answered(ref, true)) return
      this.#hasWelcomed = true
      this.#meter.asked(this.#frameBytes)
      listener.joined(ref, welcome)
    },
    refused: (ref, refusal) => {
      const listener = this.#running("refused")
      if (this.#refs.answered(ref, false)) listener.refused(ref, refusal)
    },
    deliver: (refs, frame) => {
      const listener = this.#running("deliver")
      const there = refs === "all" ? refs : this.#refs.recipients(refs)
      const flood = this.#meter.copies(there === "all" ? this.#refs.size : there.length)
      if (flood !== null) return this.kill("flood", flood)
      if (there.length > 0) listener.deliver(there, frame)
    },
    kick: (ref, close) => {
      const listener = this.#running("kick")
      if (this.#refs.kicked(ref)) listener.kick(ref, close)
    },
    changed: () => this.#running("changed").changed(),
    saveRequested: (saveId, generation) => {
      const listener = this.#running("saveRequested")
      this.#saves.add(saveId)
      listener.saveRequested(saveId, generation)
    },
    snapshot: (requestId, bytes) => {
      const listener = this.#running("snapshot")
      this.#demand(this.#snapshots.delete(requestId), `snapshot ${requestId} was not requested`)
      this.#meter.asked(this.#frameBytes)
      listener.snapshot(requestId, bytes)
    },
    snapshotTooLarge: (requestId, bytes) => {
      const listener = this.#running("snapshotTooLarge")
      this.#demand(this.#snapshots.delete(requestId), `snapshot ${requestId} was not requested`)
      if (isPeek(requestId)) return listener.snapshot(requestId, noState)
      this.kill("snapshotSize", tooLarge("snapshot", bytes))
    },
    alarms: (alarms) => this.#running("alarms").alarms(alarms),
    lobby: (change) => this.#running("lobby").lobby(change),
    voice: (changes) => this.#running("voice").voice(changes),
    log: (level, line) => this.#lines.log(level, line),
    player: (playerId, bytes) => this.#running("player").playerChanged(playerId, bytes),
    pong: (number, told) => {
      this.#demand(this.#booted && this.#code !== null, "a pong came without code")
      if (this.#stage === "preparing") this.#enter("prepared")
      this.#demand(this.#answers.pong(number), "a pong without its ping")
      this.#refs.answeredPing(number)
      this.#answers.tell(number)
      this.#overruns.heard(told, this.#listener)
    },
    called: (callId, request) => {
      const listener = this.#running("called")
      this.#calls.add(callId)
      listener.called(callId, request)
    },
    callFailed: (failure) => {
      const listener = this.#running("callFailed")
      if (this.#refs.recipients([failure.ref]).length === 0) return
      // The work on a stack is that on a line of the log, and bounded as that is.
      const isLooked = this.#meter.line(Buffer.byteLength(failure.stack))
      listener.callFailed(isLooked ? failure : { ...failure, stack: "" })
    },
    migrated: () => this.#demand(false, "migrated came from a room"),
    migrateFailed: () => this.#demand(false, "migrateFailed came from a room"),
    weighed: (number, liveBytes) => {
      this.#running("weighed")
      this.#memory.weighed(number, liveBytes)
    }
  }
}
