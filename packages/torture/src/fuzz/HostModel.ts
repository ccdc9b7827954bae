import { HostFrameError } from "@atrium/runtime/host/HostFrames"
import { readReport, type ReportSink } from "@atrium/runtime/host/RoomReports"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

/** The effect that one frame of a room process must have. */
export type Verdict =
  /** The listener hears this call, or nothing. */
  | { readonly _tag: "Honest"; readonly call: string | null }
  /** The process is ended with this cause, and the listener hears nothing of the frame. */
  | { readonly _tag: "Ended"; readonly cause: "protocol" | "code" | "snapshotSize" }

const quiet: Verdict = { _tag: "Honest", call: null }
const heard = (call: string): Verdict => ({ _tag: "Honest", call })
const lie: Verdict = { _tag: "Ended", cause: "protocol" }

type Place = "waiting" | "in" | "gone"

/** Says what `RoomHost` must make of a frame. */
export class HostModel {
  stage: "spare" | "loading" | "running" = "spare"
  readonly places = new Map<number, Place>()
  readonly snapshots = new Set<number>()
  readonly saves = new Set<number>()
  readonly calls = new Set<number>()
  #booted = false

  /** Tells what {@link judge} would say, and forgets it. */
  foresee(kind: number, payload: Uint8Array): Verdict {
    const other = new HostModel()
    other.stage = this.stage
    other.#booted = this.#booted
    for (const [ref, place] of this.places) other.places.set(ref, place)
    for (const id of this.snapshots) other.snapshots.add(id)
    for (const id of this.saves) other.saves.add(id)
    for (const id of this.calls) other.calls.add(id)
    return other.judge(kind, payload)
  }

  judge(kind: number, payload: Uint8Array): Verdict {
    let verdict = lie
    try {
      readReport(
        kind,
        payload,
        this.#sinkFor((found) => (verdict = found))
      )
    } catch (error) {
      if (!(error instanceof HostFrameError)) throw error
    }
    return verdict
  }

  #whenRunning(call: string): Verdict {
    return this.stage === "running" ? heard(call) : lie
  }

  #boots(): Verdict {
    if (this.#booted) return lie
    this.#booted = true
    return quiet
  }

  #isReady(): Verdict {
    if (this.stage !== "loading" || !this.#booted) return lie
    this.stage = "running"
    return heard("ready")
  }

  #answers(ref: number, admitted: boolean): Verdict {
    const place = this.places.get(ref)
    if (this.stage !== "running" || place === undefined || place === "in") return lie
    if (place === "gone") return quiet
    if (!admitted) this.places.delete(ref)
    else this.places.set(ref, "in")
    return heard(admitted ? "joined" : "refused")
  }

  #delivers(refs: ReadonlyArray<number> | "all"): Verdict {
    if (this.stage !== "running") return lie
    if (refs === "all") return heard("deliver")
    const places = refs.map((ref) => this.places.get(ref))
    if (places.some((place) => place === undefined || place === "waiting")) return lie
    return places.includes("in") ? heard("deliver") : quiet
  }

  #failsCall(ref: number): Verdict {
    const verdict = this.#delivers([ref])
    return verdict === lie || verdict === quiet ? verdict : heard("callFailed")
  }

  #kicks(ref: number): Verdict {
    const place = this.places.get(ref)
    if (this.stage !== "running" || place === undefined || place === "waiting") return lie
    if (place === "gone") return quiet
    this.places.delete(ref)
    return heard("kick")
  }

  #asksToSave(saveId: number): Verdict {
    const known = this.saves.has(saveId) || this.saves.size >= RuntimeLimits.savesWaiting.max
    if (this.stage !== "running" || known) return lie
    this.saves.add(saveId)
    return heard("saveRequested")
  }

  #makesCall(callId: number): Verdict {
    const known = this.calls.has(callId) || this.calls.size >= RuntimeLimits.roomCallsWaiting.max
    if (this.stage !== "running" || known) return lie
    this.calls.add(callId)
    return heard("called")
  }

  #sinkFor(tell: (verdict: Verdict) => void): ReportSink {
    return {
      booted: () => tell(this.#boots()),
      described: () => tell(lie),
      failed: () => tell(this.stage === "spare" ? lie : { _tag: "Ended", cause: "code" }),
      ready: () => tell(this.#isReady()),
      joined: (ref) => tell(this.#answers(ref, true)),
      refused: (ref) => tell(this.#answers(ref, false)),
      deliver: (refs) => tell(this.#delivers(refs)),
      kick: (ref) => tell(this.#kicks(ref)),
      changed: () => tell(this.#whenRunning("changed")),
      saveRequested: (saveId) => tell(this.#asksToSave(saveId)),
      snapshot: (id) =>
        tell(this.stage === "running" && this.snapshots.delete(id) ? heard("snapshot") : lie),
      snapshotTooLarge: (id) =>
        tell(
          this.stage === "running" && this.snapshots.has(id)
            ? { _tag: "Ended", cause: "snapshotSize" }
            : lie
        ),
      alarms: () => tell(this.#whenRunning("alarms")),
      lobby: () => tell(this.#whenRunning("lobby")),
      voice: () => tell(this.#whenRunning("voice")),
      called: (callId) => tell(this.#makesCall(callId)),
      callFailed: ({ ref }) => tell(this.#failsCall(ref)),
      // Neither a chunk nor a clip is asked for here.
      chunk: () => tell(lie),
      clipMade: () => tell(lie),
      chunkReady: () => tell(this.#whenRunning("chunkReady")),
      recordingLost: () => tell(this.#whenRunning("recordingLost")),
      log: () => tell(heard("log")),
      player: () => tell(this.#whenRunning("playerChanged")),
      // No ping is sent and nothing is weighed here: each answer to one is a lie.
      pong: () => tell(lie),
      weighed: () => tell(lie),
      // The process holds a room and was sent no state to migrate: each such report is a lie.
      migrated: () => tell(lie),
      migrateFailed: () => tell(lie)
    }
  }
}
