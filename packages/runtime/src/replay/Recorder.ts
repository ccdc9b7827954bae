import { MiB } from "@atrium/wire/limits/Limit"
import { EntryBytesMax, OverheadBytes } from "@atrium/wire/replay/ChunkLayout"
import { ChunkWriter } from "@atrium/wire/replay/ChunkWriter"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"

import type { Compression } from "../host/Compression.ts"
import { messageOf } from "../room/ErrorText.ts"
import type { PublicView } from "./PublicView.ts"
import { type Footage, ReplayRing } from "./ReplayRing.ts"

/** What a recorder needs of its room. */
export interface RecorderPort {
  readonly publicView: PublicView
  readonly compression: Compression
  nowMs(): number
  /** Encodes what is pending, so that a keyframe can be taken; `patched` may be called within it. */
  settle(): void
  /** Schedules {@link Recorder.settled}. */
  touch(): void
  warn(line: string): void
  /** A chunk is in the ring. */
  added(chunk: Footage): void
  /** There is no footage any more until a keyframe fits. */
  disarmed(): void
}

/** The memory of a chunk that is larger than this is given back, and the next chunk begins with new memory. */
const WriterKeptBytes = MiB

/** One chunk that is being written. */
interface OpenChunk {
  readonly number: number
  readonly writer: ChunkWriter
}

/**
 * Records what every client may see: the public state, and messages to everybody. It costs a room a copy of each patch
 * and message; a chunk is compressed on another thread. Spec: Replay limits.
 */
export class Recorder {
  readonly ring: ReplayRing
  readonly #port: RecorderPort
  #open: OpenChunk | null = null
  /** A message has filled the time of the open chunk, which ends when nothing is pending. */
  #due = false
  /** While it is disarmed: the next keyframe is tried then. */
  #triedAgainAtMs = Number.NEGATIVE_INFINITY
  #told = false
  #number = 0
  #closing = 0
  #closed: Promise<unknown> = Promise.resolve()
  /** Grows when the footage begins anew: what is compressed of before is not of it. */
  #generation = 0
  /** A chunk ends at so many bytes, so that several of them fit into the ring. */
  #endsAtBytes: number = 4 * ReplayLimits.chunkAheadBytes.max

  constructor(spanMs: number, port: RecorderPort) {
    this.ring = new ReplayRing(spanMs)
    this.#port = port
  }

  /** `null` = it is disarmed, or has not begun. */
  get open(): OpenChunk | null {
    return this.#open
  }

  /** Nothing of the state is pending: a chunk can end here. */
  settled(): void {
    // Looked at in every turn of the room: the clock is read for it only when something may come of it.
    if (this.#open !== null && !this.#due) return
    const nowMs = this.#port.nowMs()
    if (this.#open !== null) this.#next(nowMs)
    else if (nowMs >= this.#triedAgainAtMs) this.#begin(nowMs)
  }

  /** The public state has changed by this delta, which leads to the tick of now. Nothing is pending. */
  patched(delta: Uint8Array): void {
    const open = this.#open
    if (open === null) return this.settled()
    const nowMs = this.#port.nowMs()
    if (delta.length > EntryBytesMax) return this.#disarm(`a patch of ${delta.length} bytes`, nowMs)
    // The keyframe of the next chunk has it.
    if (!this.#fits(open, delta)) return this.#next(nowMs)
    open.writer.patch(nowMs, delta)
    if (this.#isOver(open, nowMs)) this.#next(nowMs)
  }

  /** A message to everybody. @param frame as clients get it */
  message(frame: Uint8Array): void {
    if (this.#open === null) return
    const fits = this.#fits(this.#open, frame)
    if (!fits) this.#port.settle()
    const nowMs = this.#port.nowMs()
    if (frame.length > EntryBytesMax) {
      return this.#disarm(`a message of ${frame.length} bytes`, nowMs)
    }
    if (!fits && this.#open !== null && !this.#fits(this.#open, frame)) this.#next(nowMs)
    const open = this.#open
    if (open === null) return
    open.writer.message(nowMs, frame)
    if (this.#due || !this.#isOver(open, nowMs)) return
    this.#due = true
    this.#port.touch()
  }

  /** Ends the chunk that is being written, and begins the next one with this very tick. @returns its number */
  cut(): number | null {
    const before = this.#open
    this.#port.settle()
    const nowMs = this.#port.nowMs()
    const open = this.#open
    if (open === null) this.settled()
    // The chunk was over, and the next one has begun.
    else if (open === before && !isNew(open, nowMs)) this.#next(nowMs)
    return this.#open?.number ?? null
  }

  /** Time has passed in which nothing may have happened: what is recorded of it is not kept back. */
  lapsed(): void {
    const open = this.#open
    if (open === null) return
    const { chunkSpan, idleChunk } = ReplayLimits
    const isIdle = open.writer.length === open.writer.headBytes
    const { ms } = isIdle ? idleChunk : chunkSpan
    if (this.#port.nowMs() - open.writer.startMs >= ms) this.cut()
  }

  /** All footage of now, in order; the last chunk is a copy of the one that is being written. `null` = there is none. */
  async footage(): Promise<ReadonlyArray<Footage> | null> {
    this.#port.settle()
    if (this.#open === null) this.settled()
    const open = this.#open
    if (open === null) return null
    const generation = this.#generation
    const copy = this.#compressed({ number: ++this.#number, writer: open.writer })
    await this.#closed
    const last = await copy
    if (generation !== this.#generation) return null
    return [...this.ring.chunks.filter(({ number }) => number < open.number), last]
  }

  /** Resolves when every chunk that has ended is in the ring. */
  get compressed(): Promise<unknown> {
    return this.#closed
  }

  #isOver({ writer }: OpenChunk, nowMs: number): boolean {
    return nowMs - writer.startMs >= ReplayLimits.chunkSpan.ms
  }

  #fits({ writer }: OpenChunk, entry: Uint8Array): boolean {
    if (writer.length + entry.length > ReplayLimits.replayChunkBytes.max - OverheadBytes)
      return false
    // A chunk has more footage than keyframe, or a room with a large state would write little else.
    const leastBytes =
      writer.headBytes + Math.max(ReplayLimits.chunkLeastBytes.max, writer.headBytes)
    return writer.length <= leastBytes || writer.length + entry.length <= this.#endsAtBytes
  }

  #next(nowMs: number): void {
    const open = this.#open
    if (open === null) return this.#begin(nowMs)
    this.#close(open, nowMs)
    this.#begin(nowMs, open.writer.length > WriterKeptBytes ? null : open.writer)
  }

  /** @param before a chunk that has ended, whose memory this one takes */
  #begin(nowMs: number, before: ChunkWriter | null = null): void {
    const state = this.#port.publicView.encodeFull()
    const { max } = ReplayLimits.keyframeBytes
    if (state.length > max) return this.#disarm(`a state of ${state.length} bytes`, nowMs)
    if (this.#told) this.#port.warn("replay: the state fits again, and is recorded")
    this.#told = false
    const keyframe = { atMs: nowMs, tick: this.#port.publicView.tick(), state }
    this.#due = false
    this.#open = { number: ++this.#number, writer: new ChunkWriter(keyframe, before) }
  }

  #disarm(what: string, nowMs: number): void {
    this.#triedAgainAtMs = nowMs + ReplayLimits.chunkSpan.ms
    this.#forget()
    if (!this.#told) {
      const { max } = ReplayLimits.keyframeBytes
      this.#port.warn(`replay: ${what} is over ${max}: nothing is recorded until it fits`)
    }
    this.#told = true
    this.#port.disarmed()
  }

  #forget(): void {
    this.#open = null
    this.#generation += 1
    this.ring.clear()
  }

  #close(open: OpenChunk, nowMs: number): void {
    if (this.#closing >= ReplayLimits.chunksClosing.max) {
      // The thread that compresses cannot keep up: what has no place in memory is not recorded.
      this.#port.warn("replay: more is recorded than can be compressed; the footage begins anew")
      this.#forget()
      return
    }
    const generation = this.#generation
    this.#closing += 1
    const before = this.#closed
    this.#closed = this.#compressed(open, nowMs).then(
      async (chunk) => {
        await before
        this.#closing -= 1
        if (generation !== this.#generation) return
        this.#weigh(chunk)
        this.ring.add(chunk)
        this.#port.added(chunk)
      },
      (error: unknown) => {
        this.#closing -= 1
        this.#port.warn(`replay: a chunk is lost: ${messageOf(error)}`)
        if (generation === this.#generation) this.#forget()
      }
    )
  }

  async #compressed(open: OpenChunk, nowMs = this.#port.nowMs()): Promise<Footage> {
    const { number, writer } = open
    const fromMs = writer.startMs
    const toMs = Math.max(nowMs, writer.lastMs)
    const plain = writer.finish(nowMs)
    const bytes = await this.#port.compression.compress(plain, "kept")
    return { number, fromMs, toMs, plainBytes: plain.length, bytes }
  }

  /** A chunk that came out large is a sign that the next one must end sooner. */
  #weigh({ plainBytes, bytes }: Footage): void {
    const { chunkAheadBytes, replayChunkBytes } = ReplayLimits
    const ratio = plainBytes / Math.max(1, bytes.length)
    this.#endsAtBytes = Math.min(replayChunkBytes.max, ratio * chunkAheadBytes.max)
  }
}

const isNew = ({ writer }: OpenChunk, nowMs: number): boolean =>
  writer.length === writer.headBytes && writer.startMs === nowMs
