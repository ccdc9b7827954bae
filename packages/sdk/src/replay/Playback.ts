import { TimerMsMax } from "@atrium/wire/limits/Limit"
import type { ChunkEntry } from "@atrium/wire/replay/ChunkReader"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"

import { RequestError } from "../client/ClientErrors.ts"
import type { Cancel, PlatformPort } from "../client/PlatformPort.ts"
import type { Footage } from "./Footage.ts"
import type { ChunkFacts } from "./ReplayFacts.ts"
import { chunkFault, type ReplaySource } from "./ReplaySource.ts"

interface PlaybackParts {
  readonly port: PlatformPort
  readonly source: ReplaySource
  readonly footage: Footage
  /** At least one. */
  readonly chunks: ReadonlyArray<ChunkFacts>
  /** The state is another one, and whole. */
  readonly changed: () => void
  /** A `msg` frame. May throw as a decoder does. */
  readonly message: (frame: Uint8Array) => void
  /** The replay could not go on, and has paused. */
  readonly failed: (error: unknown) => void
  readonly ended: () => void
}

/** Moves through the chunks of a replay: by the clock while it plays, and at once when it seeks. */
export class Playback {
  readonly durationMs: number
  readonly #parts: PlaybackParts
  /** The chunk that is shown; `null` = the state is not that of the position. */
  #index: number | null = null
  /** The chunk that was begun last. */
  #begun = 0
  #paused = true
  #speed = 1
  /** The position when the clock was looked at last. */
  #baseMs = 0
  #baseAtMs = 0
  /** The position follows the clock. */
  #runs = false
  #timer: Cancel | null = null
  /** Messages of the very moment that was sought. */
  #due: Array<Uint8Array> = []
  #wantedMs = 0
  /** The position before the running seek; a seek that fails returns to it. */
  #leftMs = 0
  #seeking: Promise<void> | null = null
  #closed = false

  constructor(parts: PlaybackParts) {
    this.#parts = parts
    this.durationMs = parts.chunks.at(-1)?.toMs ?? 0
  }

  get paused(): boolean {
    return this.#paused
  }

  get speed(): number {
    return this.#speed
  }

  /** Milliseconds after the start of the replay. */
  get positionMs(): number {
    if (!this.#runs) return this.#baseMs
    const passedMs = (this.#parts.port.elapsedMs() - this.#baseAtMs) * this.#speed
    return Math.min(this.#limitMs(), this.#baseMs + passedMs)
  }

  setSpeed(speed: number): void {
    this.#stand()
    this.#speed = speed
    this.#goOn()
  }

  play(): void {
    if (this.#closed || !this.#paused) return
    this.#paused = false
    if (this.#index === null || this.#baseMs >= this.durationMs) {
      const fromMs = this.#baseMs >= this.durationMs ? 0 : this.#baseMs
      this.seek(fromMs).catch(this.#parts.failed)
    } else this.#goOn()
  }

  pause(): void {
    this.#stand()
    this.#paused = true
  }

  /**
   * The state becomes that of a moment: the keyframe before it, and the patches until then. Of several calls the last one
   * counts. Errors: those of `ReplaySource`; the replay has paused then.
   */
  seek(toMs: number): Promise<void> {
    this.#stand()
    if (this.#seeking === null) this.#leftMs = this.#baseMs
    this.#wantedMs = Math.max(0, Math.min(this.durationMs, toMs))
    this.#baseMs = this.#wantedMs
    this.#seeking ??= this.#reach()
      .catch((error: unknown) => {
        this.#seeking = null
        if (this.#index !== null) this.#baseMs = this.#leftMs
        throw this.#lost(error)
      })
      .finally(() => this.#goOn())
    return this.#seeking
  }

  close(): void {
    this.pause()
    this.#closed = true
  }

  async #reach(): Promise<void> {
    for (;;) {
      const toMs = this.#wantedMs
      const isThere = await this.#reached(toMs)
      if (this.#closed) return
      if (!isThere || this.#wantedMs !== toMs) continue
      this.#index = this.#chunkAt(toMs)
      // The seek is over before a listener hears of it: a seek of the listener is a new one.
      this.#seeking = null
      this.#parts.changed()
      return
    }
  }

  /** @returns whether the state is that of the moment; else another one is wanted by now */
  async #reached(toMs: number): Promise<boolean> {
    const last = this.#chunkAt(toMs)
    // A message at the boundary of two chunks is in the earlier chunk.
    const isBetween = last > 0 && this.#parts.chunks[last]?.fromMs === toMs
    const isWanted = (): boolean => !this.#closed && this.#wantedMs === toMs
    for (let index = isBetween ? last - 1 : last; index <= last; index += 1) {
      const chunk = await this.#parts.source.chunk(index).catch((error: unknown) => {
        if (isWanted()) throw error
        return null
      })
      if (chunk === null || !isWanted()) return false
      if (index < last || !isBetween) this.#due = []
      this.#index = null
      this.#enter(index, chunk)
      if (!(await this.#skipTo(toMs, isWanted))) return false
    }
    return true
  }

  /** Messages of before are not told. @returns whether the moment is still wanted */
  async #skipTo(toMs: number, isWanted: () => boolean): Promise<boolean> {
    const { footage, port } = this.#parts
    for (let count = 1; isDue(footage, toMs); count += 1) {
      const atMs = footage.nextAtMs
      const entry = footage.take()
      const isHeard = entry.kind === "message" && atMs === toMs
      if (isHeard && this.#due.length < ReplayLimits.watchedDue.max) this.#due.push(entry.bytes)
      if (count % ReplayLimits.watchedEntries.max > 0) continue
      await new Promise<void>((resolve) => {
        port.after(0, resolve)
      })
      if (!isWanted()) return false
    }
    return true
  }

  #chunkAt(atMs: number): number {
    const next = this.#parts.chunks.findIndex(({ fromMs }) => fromMs > atMs)
    return Math.max(0, (next === -1 ? this.#parts.chunks.length : next) - 1)
  }

  #enter(index: number, chunk: Uint8Array): void {
    const { footage, chunks } = this.#parts
    const facts = chunks[index]
    if (facts === undefined) throw new Error(`no chunk ${index}`)
    this.#begun = index
    footage.enter(facts, chunk)
  }

  /** Where the shown chunk ends: the next one begins, or the replay is over. */
  #limitMs(): number {
    return this.#index === null
      ? this.#baseMs
      : (this.#parts.chunks[this.#index + 1]?.fromMs ?? this.durationMs)
  }

  /** The position stays where it is. What is not shown yet comes when it goes on. */
  #stand(): void {
    const atMs = this.positionMs
    if (this.#runs) this.#baseMs = Math.min(atMs, this.#parts.footage.nextAtMs ?? atMs)
    this.#runs = false
    this.#timer?.()
    this.#timer = null
  }

  #goOn(): void {
    if (this.#paused || this.#closed || this.#runs || this.#seeking !== null) return
    this.#runs = true
    this.#baseAtMs = this.#parts.port.elapsedMs()
    this.#ahead()
    this.#turn()
  }

  /** Shows what has come until now, and waits for what comes next. */
  #turn(): void {
    const { footage } = this.#parts
    const nowMs = this.positionMs
    try {
      if (!this.#showUntil(nowMs)) return
    } catch (error) {
      return this.#failed(error)
    }
    const nextMs = footage.nextAtMs ?? this.#limitMs()
    if (footage.nextAtMs === null && nowMs >= nextMs) return this.#leaveChunk()
    // A moment that is farther takes several timers.
    const waitMs = Math.min(TimerMsMax, Math.max(0, nextMs - nowMs) / this.#speed)
    // A listener that has changed the speed has set one.
    this.#timer?.()
    this.#timer = this.#parts.port.after(waitMs, () => this.#turn())
  }

  /** @returns whether it still plays: a listener may have paused or sought */
  #showUntil(nowMs: number): boolean {
    const { footage } = this.#parts
    while (this.#runs) {
      const frame = this.#due.shift()
      if (frame === undefined) break
      this.#parts.message(frame)
    }
    for (let count = 0; this.#runs && isDue(footage, nowMs); count += 1) {
      if (count === ReplayLimits.watchedEntries.max) break
      this.#show(footage.take())
    }
    return this.#runs
  }

  #show(entry: ChunkEntry): void {
    if (entry.kind === "patch") this.#parts.changed()
    else this.#parts.message(entry.bytes)
  }

  #leaveChunk(): void {
    const next = (this.#index ?? 0) + 1
    this.#stand()
    if (next === this.#parts.chunks.length) {
      this.#baseMs = this.durationMs
      this.#paused = true
      return this.#parts.ended()
    }
    void this.#cross(next)
  }

  /** The next chunk begins where the one before it ended, once it has been read. */
  async #cross(next: number): Promise<void> {
    const { source, footage } = this.#parts
    const before = this.#index
    const fromMs = this.#baseMs
    const isElsewhere = (): boolean =>
      this.#closed || this.#seeking !== null || this.#runs || this.#index !== before
    try {
      const chunk = await source.chunk(next)
      if (isElsewhere() || this.#baseMs !== fromMs) return
      const { tick } = footage
      this.#enter(next, chunk)
      this.#index = next
      if (footage.tick !== tick) this.#parts.changed()
      this.#goOn()
    } catch (error) {
      if (!isElsewhere()) this.#failed(error)
    }
  }

  /** Prefetches the chunk after the shown one. Playback reports a failure when it reaches that chunk. */
  #ahead(): void {
    const next = (this.#index ?? 0) + 1
    if (next < this.#parts.chunks.length) this.#parts.source.chunk(next).catch(() => undefined)
  }

  #failed(error: unknown): void {
    this.#stand()
    this.#parts.failed(this.#lost(error))
  }

  /** Pauses. A failed fetch keeps the state; a failed decode sets it back to the last readable keyframe. */
  #lost(error: unknown): unknown {
    const { footage, changed } = this.#parts
    this.#paused = true
    if (this.#closed || (this.#index !== null && error instanceof RequestError)) return error
    const fault = chunkFault(this.#begun, error)
    footage.restore()
    this.#index = null
    this.#due = []
    this.#baseMs = footage.keyframeMs
    changed()
    return fault
  }
}

const isDue = ({ nextAtMs }: Footage, untilMs: number): boolean =>
  nextAtMs !== null && nextAtMs <= untilMs
