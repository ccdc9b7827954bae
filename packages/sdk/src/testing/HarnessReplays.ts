import type { ReplayClip, ReplayStart, ReplayStop } from "@atrium/runtime/room/RoomReplay"
import { RpcError } from "@atrium/runtime/room/RpcError"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { durationMs } from "@atrium/wire/time/Duration"

import type { HarnessCall } from "./HarnessCalls.ts"

/** Clips and recordings of a harness: room code gets its answers, and nothing is stored. */
export class HarnessReplays {
  readonly calls: Readonly<Record<string, HarnessCall>>
  readonly #nowMs: () => number
  #made = 0
  #recording: { readonly replayId: string; readonly expiresAt: string; runs: boolean } | null = null

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.calls = {
      "replay.clip": { answer: (payload) => this.#clip(payload) },
      "replay.record": { answer: (payload) => this.#record(payload) },
      "replay.stop": { answer: () => this.#stop() }
    }
  }

  #clip(payload: unknown): ReplayClip {
    const clipId = this.#newId()
    return { clipId, url: `/v1/replays/${clipId}`, expiresAt: this.#expiresAt(payload) }
  }

  #record(payload: unknown): ReplayStart {
    if (this.#recording?.runs === true) {
      throw new RpcError(RoomRefusals.recording.code, "record: a recording runs already")
    }
    const replayId = this.#newId()
    this.#recording = { replayId, expiresAt: this.#expiresAt(payload), runs: true }
    return { replayId, url: `/v1/replays/${replayId}` }
  }

  #stop(): ReplayStop {
    if (this.#recording === null) throw new RpcError("E_BAD_REQUEST", "stop: nothing is recorded")
    const { replayId, expiresAt } = this.#recording
    this.#recording.runs = false
    return { replayId, bytes: 0, expiresAt }
  }

  #newId(): string {
    this.#made += 1
    return `rp_${String(this.#made).padStart(32, "0")}`
  }

  #expiresAt(payload: unknown): string {
    const { ttl } = Object(payload)
    return new Date(this.#nowMs() + (durationMs(String(ttl)) ?? 0)).toISOString()
  }
}
