import { makeStateView } from "@atrium/wire/codec/StateView"
import { ChunkReader } from "@atrium/wire/replay/ChunkReader"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import type { AnyRoomSchema } from "@atrium/wire/schema/RoomSchema"

import type { Compression } from "../host/Compression.ts"
import type { ReplayFrame } from "../room/RoomReplay.ts"
import { RpcError } from "../room/RpcError.ts"
import type { Footage } from "./ReplayRing.ts"

/** The part of a room's footage that is wanted. Unix milliseconds, both ends included. */
export interface Window {
  readonly fromMs: number
  readonly toMs: number
}

/** Room code runs on the same thread: an excerpt gives way to it after so many milliseconds. */
const SliceMs = 2

/** What an excerpt needs of its room's process. */
export interface ExcerptPort {
  readonly compression: Compression
  nowMs(): number
  afterTurn(run: () => void): void
}

/**
 * Takes the frames of a window out of footage, a little at a time: its first frame is the state as of the beginning.
 * Errors: `RpcError` E_EXCERPT_TOO_LARGE.
 *
 * @param footage in order, and all of the window
 */
export const excerptOf = async (
  port: ExcerptPort,
  schema: AnyRoomSchema,
  { footage, window }: { readonly footage: ReadonlyArray<Footage>; readonly window: Window }
): Promise<ReadonlyArray<ReplayFrame>> => {
  const taken = new TakenFrames(schema, window)
  for (const chunk of footage) {
    if (chunk.toMs < window.fromMs || chunk.fromMs > window.toMs) continue
    const { max } = ReplayLimits.replayChunkBytes
    const reader = new ChunkReader(await port.compression.decompress(chunk.bytes, max))
    taken.begin(reader)
    let sliceEndsAtMs = port.nowMs() + SliceMs
    while (taken.next(reader)) {
      if (port.nowMs() < sliceEndsAtMs) continue
      await new Promise<void>((resolve) => port.afterTurn(resolve))
      sliceEndsAtMs = port.nowMs() + SliceMs
    }
  }
  return taken.finish()
}

class TakenFrames {
  readonly #window: Window
  readonly #view: ReturnType<typeof makeStateView<AnyRoomSchema>>
  readonly #frames: Array<ReplayFrame> = []
  #bytes = 0
  #tick: number | null = null
  #begun = false

  constructor(schema: AnyRoomSchema, window: Window) {
    this.#window = window
    this.#view = makeStateView<AnyRoomSchema>(schema)
  }

  /** A chunk begins. Its keyframe is of use when it is the first, or has a patch that the chunk before lacks. */
  begin({ keyframe: { atMs, tick, state } }: ChunkReader): void {
    if (this.#tick === null || (!this.#begun && tick !== this.#tick)) this.#view.applyFull(state)
    else if (this.#begun && tick !== this.#tick)
      this.#add({ kind: "state", atMs, tick, bytes: state.slice() })
    this.#tick = tick
  }

  /** Takes the next entry of a chunk. @returns false at its end, or past the window */
  next(reader: ChunkReader): boolean {
    const entry = reader.next()
    if (entry === null || entry.kind === "end") return false
    const { fromMs, toMs } = this.#window
    const { kind, atMs, tick, bytes } = entry
    if (atMs > toMs) return false
    if (!this.#begun && (kind === "patch" ? atMs <= fromMs : atMs < fromMs)) {
      if (kind === "patch") this.#view.applyDelta(bytes)
      this.#tick = tick
      return true
    }
    this.#start()
    this.#tick = tick
    this.#add({ kind, atMs, tick, bytes: bytes.slice() })
    return true
  }

  finish(): ReadonlyArray<ReplayFrame> {
    this.#start()
    return this.#frames
  }

  /** The state as of the beginning of the window is the first frame. */
  #start(): void {
    if (this.#begun) return
    this.#begun = true
    const { fromMs } = this.#window
    const bytes = this.#view.encodeFull()
    this.#add({ kind: "state", atMs: fromMs, tick: this.#tick ?? 0, bytes })
  }

  #add(frame: ReplayFrame): void {
    const { max } = ReplayLimits.excerptBytes
    this.#bytes += frame.bytes.length
    if (this.#bytes > max) {
      throw new RpcError(
        RoomRefusals.excerptTooLarge.code,
        `excerpt: the frames have more than ${max} bytes; ask for a shorter window`
      )
    }
    this.#frames.push(frame)
  }
}
