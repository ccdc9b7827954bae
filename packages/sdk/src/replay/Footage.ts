import { CodecError } from "@atrium/wire/codec/CodecError"
import { type ChunkEntry, ChunkReader } from "@atrium/wire/replay/ChunkReader"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import { makeObservedView, type ObservedView } from "../client/RecordEvents.ts"
import type { ChunkFacts } from "./ReplayFacts.ts"

/** A chunk that is being shown. */
interface Shown {
  readonly keyframe: ChunkReader["keyframe"]
  readonly reader: ChunkReader
  readonly facts: ChunkFacts
}

/** An entry and its moment, in milliseconds after the start of the replay. */
interface Coming {
  readonly entry: ChunkEntry
  readonly atMs: number
}

/**
 * The state of a replay, chunk by chunk and entry by entry. After an error the caller calls `restore`. Errors:
 * `CodecError`.
 */
export class Footage {
  readonly view: ObservedView
  tick = 0
  readonly #startMs: number
  #shown: Shown | null = null
  #coming: Coming | null = null

  constructor(schema: AnyRoomSchema, startMs: number) {
    this.view = makeObservedView(schema)
    this.#startMs = startMs
  }

  /** The moment of the next entry of this chunk; `null` = the chunk is at its end. */
  get nextAtMs(): number | null {
    return this.#coming?.atMs ?? null
  }

  /** The moment of the last keyframe that could be read. */
  get keyframeMs(): number {
    return this.#shown?.facts.fromMs ?? 0
  }

  /** Begins a chunk: the state is that of its keyframe. */
  enter(facts: ChunkFacts, chunk: Uint8Array): void {
    const reader = new ChunkReader(chunk)
    const { keyframe } = reader
    const { max } = ReplayLimits.keyframeBytes
    if (keyframe.state.length > max) {
      throw new CodecError(`a keyframe of ${keyframe.state.length} bytes, at most ${max}`)
    }
    this.view.applyFull(keyframe.state)
    this.#shown = { keyframe, reader, facts }
    this.tick = keyframe.tick
    this.#look()
  }

  /** The next entry: a patch is in the state, a message is for the caller. Only while `nextAtMs` is a moment. */
  take(): ChunkEntry {
    const coming = this.#coming
    if (coming === null) throw new Error("the chunk is at its end")
    const { entry } = coming
    if (entry.kind === "patch") this.view.applyDelta(entry.bytes)
    this.tick = entry.tick
    this.#look()
    return entry
  }

  /** Back to the last keyframe that could be read: half of something may have been applied. */
  restore(): void {
    this.#coming = null
    if (this.#shown === null) return
    const { keyframe } = this.#shown
    this.view.applyFull(keyframe.state)
    this.tick = keyframe.tick
  }

  #look(): void {
    const shown = this.#shown
    this.#coming = null
    if (shown === null) return
    const entry = shown.reader.next()
    if (entry === null || entry.kind === "end") return
    const { fromMs, toMs } = shown.facts
    // No entry comes before its chunk, or after the next one has begun.
    this.#coming = {
      entry,
      atMs: Math.max(fromMs, Math.min(toMs, entry.atMs - this.#startMs))
    }
  }
}
