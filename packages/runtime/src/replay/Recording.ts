import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"

import type { AnnouncedChunk } from "../host/ReplayReports.ts"
import type { Pins } from "./Pins.ts"
import type { Footage } from "./ReplayRing.ts"

interface Running {
  readonly replayId: string
  /** The first chunk of it. */
  readonly first: number
  /** Chunks that the service has not taken yet. */
  readonly waiting: Set<number>
}

/** The recording of a room, as far as its process is concerned: which chunks the service is to take. */
export class Recording {
  readonly #pins: Pins
  readonly #announce: (chunk: AnnouncedChunk) => void
  #running: Running | null = null
  #ending = false

  constructor(pins: Pins, announce: (chunk: AnnouncedChunk) => void) {
    this.#pins = pins
    this.#announce = announce
  }

  get replayId(): string | null {
    return this.#running?.replayId ?? null
  }

  /** @param first the number of its first chunk */
  begin(replayId: string, first: number): void {
    this.end()
    this.#running = { replayId, first, waiting: new Set() }
  }

  /** The next chunk is the last one of this process. */
  closing(): void {
    this.#ending = true
  }

  /** A chunk is in the ring. */
  added(chunk: Footage): void {
    const running = this.#running
    if (running === null || chunk.number < running.first) return
    // The service ends a recording long before. One that does not must not fill the room's memory.
    if (running.waiting.size > ReplayLimits.chunksWaiting.max + 1) return this.end()
    running.waiting.add(chunk.number)
    this.#pins.pin(chunk)
    this.#announce({ number: chunk.number, last: this.#ending })
  }

  /** The service has taken a chunk. */
  taken(number: number): void {
    if (this.#running?.waiting.delete(number) === true) this.#pins.unpin(number)
  }

  end(): void {
    for (const number of this.#running?.waiting ?? []) this.#pins.unpin(number)
    this.#running = null
  }
}
