import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { MiB } from "@atrium/wire/limits/Limit"

import { type ProcessMemory, WasmReservationBytes } from "./ProcessMemory.ts"

/** What to do about a room's memory: nothing, ask it to collect garbage and tell, or end it. */
export type MemoryVerdict = "fine" | "weigh" | "over"

/** Spans in polls. */
export interface MemoryPace {
  /** A room has this long to answer a weighing. */
  readonly answerPolls: number
  /** It is left alone this long after one. */
  readonly restPolls: number
  /** Where nothing can be measured it is weighed as often as this. */
  readonly blindPolls: number
}

/** A room after it has collected its garbage. */
export interface Weighing {
  /** Its own figure for heap and buffers. It can only speak against the room. */
  readonly liveBytes: number
  /** All WebAssembly memories; `null` when nobody may know. */
  readonly wasmBytes: number | null
  readonly memory: ProcessMemory | null
}

/**
 * Judges one room process by the memory that it has above what it had before it got any code. Past
 * the ceiling it may still be garbage: then the room is weighed. Memory that was asked for and never
 * touched counts as well, and shows in the data size only.
 * Source: spec "Room budget per server"; docs/isolation.md, "Limits of a room process".
 */
export class MemoryWatch {
  readonly #ceilingBytes: number
  readonly #pace: MemoryPace
  #base: ProcessMemory | null = null
  #waitedPolls: number | null = null
  #restPolls = 0
  #blindPolls = 0
  #usedBytes = 0
  /** Data size above the base up to which the room cannot be over its ceiling. */
  #quietDataBytes: number

  constructor(memoryMiB: number, pace: MemoryPace) {
    this.#ceilingBytes = memoryMiB * MiB
    this.#pace = pace
    this.#quietDataBytes = this.#ceilingBytes
  }

  /** The memory of the process before it got code; `null` = the system does not tell. */
  baseline(memory: ProcessMemory | null): void {
    this.#base = memory
  }

  /** Memory that the room has taken, as of the last look; where none can be measured, by its own report. */
  get usedBytes(): number {
    return this.#usedBytes
  }

  /** @param awake `false` while it loads: then it cannot be asked */
  poll(memory: ProcessMemory | null, awake: boolean): MemoryVerdict {
    const used = this.#used(memory)
    if (used !== null) this.#usedBytes = Math.max(0, used.anonBytes)
    if (used !== null && used.anonBytes > hardBytes(this.#ceilingBytes)) return "over"
    if (!awake) return "fine"
    if (this.#waitedPolls !== null) {
      this.#waitedPolls++
      return this.#waitedPolls > this.#pace.answerPolls ? "over" : "fine"
    }
    if (this.#restPolls > 0) {
      this.#restPolls--
      return "fine"
    }
    if (!this.#suspicious(used)) return "fine"
    this.#waitedPolls = 0
    return "weigh"
  }

  weighed({ liveBytes, wasmBytes, memory }: Weighing): MemoryVerdict {
    if (this.#waitedPolls === null) return "fine"
    this.#waitedPolls = null
    this.#restPolls = this.#pace.restPolls
    const used = this.#used(memory)
    const hidden = wasmBytes ?? unseenBytes(used, liveBytes)
    const heldBytes = liveBytes + hidden
    // Not a number is a lie, and counts as too much.
    if (!(heldBytes <= this.#ceilingBytes)) return "over"
    if (used === null) this.#usedBytes = heldBytes
    if (used !== null) this.#quietDataBytes = used.dataBytes + this.#ceilingBytes - heldBytes
    return "fine"
  }

  #suspicious(used: ProcessMemory | null): boolean {
    if (used !== null) {
      return used.anonBytes > this.#ceilingBytes || used.dataBytes > this.#quietDataBytes
    }
    this.#blindPolls = (this.#blindPolls + 1) % this.#pace.blindPolls
    return this.#blindPolls === 0
  }

  #used(memory: ProcessMemory | null): ProcessMemory | null {
    const base = this.#base
    if (memory === null || base === null) return null
    return {
      anonBytes: memory.anonBytes - base.anonBytes,
      dataBytes: memory.dataBytes - base.dataBytes,
      sizeBytes: memory.sizeBytes - base.sizeBytes
    }
  }
}

/** The most that a room may have, garbage included. */
const hardBytes = (ceilingBytes: number): number =>
  2 * ceilingBytes + RoomProcessLimits.roomMemorySlack.max

/** WebAssembly that is there, but nobody may look at: then all that is resident counts. */
const unseenBytes = (used: ProcessMemory | null, liveBytes: number): number =>
  used === null || used.sizeBytes < WasmReservationBytes
    ? 0
    : Math.max(0, used.anonBytes - liveBytes)
