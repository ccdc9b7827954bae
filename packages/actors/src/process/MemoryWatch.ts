import { readFileSync } from "node:fs"

import { MiB } from "@atrium/domain/Limits"

/** What to do about a room's memory: nothing, ask it to collect garbage and tell, or end it. */
export type MemoryVerdict = "fine" | "weigh" | "over"

/** Polls that a room has to answer a weighing, and that pass before the next one. */
export interface MemoryPace {
  readonly answerPolls: number
  readonly restPolls: number
}

/**
 * Judges one room process by its resident memory, buffers and WebAssembly included, above what it
 * had before it got any code. Past the ceiling it may still be garbage: then the room is weighed.
 * Source: spec "Room budget per server"; room-isolation.md, "What a prototype reached".
 */
export class MemoryWatch {
  readonly #ceilingBytes: number
  readonly #pace: MemoryPace
  #baseBytes: number | null = null
  #waitedPolls: number | null = null
  #restPolls = 0

  constructor(memoryMiB: number, pace: MemoryPace) {
    this.#ceilingBytes = memoryMiB * MiB
    this.#pace = pace
  }

  /** The memory of the process before it got code. */
  baseline(residentBytes: number | null): void {
    this.#baseBytes = residentBytes
  }

  /** @param awake `false` while it loads: then it cannot be asked */
  poll(residentBytes: number | null, awake: boolean): MemoryVerdict {
    if (residentBytes === null || this.#baseBytes === null) return "fine"
    const usedBytes = residentBytes - this.#baseBytes
    if (usedBytes > this.#ceilingBytes * 1.5 + 16 * MiB) return "over"
    if (!awake) return "fine"
    if (this.#waitedPolls !== null) {
      this.#waitedPolls++
      return this.#waitedPolls > this.#pace.answerPolls ? "over" : "fine"
    }
    if (this.#restPolls > 0) {
      this.#restPolls--
      return "fine"
    }
    if (usedBytes <= this.#ceilingBytes) return "fine"
    this.#waitedPolls = 0
    return "weigh"
  }

  /** The room's own figure. It can only speak against the room: RSS is judged whatever it says. */
  weighed(liveBytes: number): MemoryVerdict {
    if (this.#waitedPolls === null) return "fine"
    this.#waitedPolls = null
    this.#restPolls = this.#pace.restPolls
    return liveBytes > this.#ceilingBytes ? "over" : "fine"
  }
}

/** Anonymous resident memory of a process in bytes; `null` where `/proc` does not tell. */
export const residentBytes = (pid: number): number | null => {
  try {
    const found = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
    return found === null ? null : Number(found[1]) * 1024
  } catch {
    return null
  }
}
