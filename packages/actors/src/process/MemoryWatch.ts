import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { MiB } from "@atrium/wire/limits/Limit"

import { OwedAnswer } from "./OwedAnswer.ts"
import { type MappedBytes, type ProcessMemory, WasmReservationBytes } from "./ProcessMemory.ts"
import type { MemoryPace } from "./ProcessPace.ts"

/** What to do about a room's memory: nothing, ask it to collect garbage and tell, or end it. */
export type MemoryVerdict = "fine" | "weigh" | "over"

/** A room after it has collected its garbage. */
export interface Weighing {
  /** Its own figure for heap and buffers. It can only speak against the room. */
  readonly liveBytes: number
  /** All WebAssembly memories, and compiled code; `null` when nobody may know. */
  readonly mapped: MappedBytes | null
  readonly memory: ProcessMemory | null
}

/**
 * Judges one room process by the memory that it has above what it had before it got any code. Past
 * the ceiling it may still be garbage: then the room is weighed. Memory that was asked for and never
 * touched counts as well, and shows in the data size only.
 * Compiled code of a room with physics is apart from it, up to a bound of its own (C-865).
 * Source: spec "Room budget per server"; docs/isolation.md, "Limits of a room process".
 */
export class MemoryWatch {
  #ceilingBytes: number
  /** Compiled code that is apart; `0` = the room has no physics. */
  readonly #codeBytesMax: number
  readonly #pace: MemoryPace
  #base: ProcessMemory | null = null
  readonly #owed: OwedAnswer
  /** It is to collect its garbage, and has not answered yet. */
  #weighs = false
  #restPolls: number
  #blindPolls = 0
  #usedBytes = 0
  /** Of the last weighing, as far as it is apart. */
  #codeBytes = 0
  /** Data size above the base up to which the room cannot be over its ceiling. */
  #quietDataBytes: number

  /** @param cpuWaitMs how long the process has waited for a CPU since it began; `null` = nobody tells */
  constructor(
    room: { readonly memoryMiB: number; readonly physics?: boolean },
    pace: MemoryPace,
    cpuWaitMs: () => number | null
  ) {
    this.#owed = new OwedAnswer(pace, cpuWaitMs)
    this.#ceilingBytes = room.memoryMiB * MiB
    this.#codeBytesMax = room.physics === true ? RoomProcessLimits.physicsCodeBytes.max : 0
    this.#pace = pace
    // Rapier leaves garbage at its start and compiles at the first steps: the room could not answer a weighing in time.
    this.#restPolls = room.physics === true ? pace.startRestPolls : 0
    this.#quietDataBytes = this.#ceilingBytes
  }

  /** The ceiling is another one from now on. */
  resize(bytes: number): void {
    this.#quietDataBytes += bytes - this.#ceilingBytes
    this.#ceilingBytes = bytes
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
    if (used !== null && used.anonBytes > this.#hardBytes) return "over"
    if (!awake) return "fine"
    if (this.#weighs) return this.#owed.poll(false) ? "over" : "fine"
    if (this.#restPolls > 0) {
      this.#restPolls--
      return "fine"
    }
    if (!this.#suspicious(used)) return "fine"
    this.#weighs = true
    this.#owed.settle()
    return "weigh"
  }

  weighed({ liveBytes, mapped, memory }: Weighing): MemoryVerdict {
    if (!this.#weighs) return "fine"
    this.#weighs = false
    this.#restPolls = this.#pace.restPolls
    const used = this.#used(memory)
    this.#codeBytes = Math.min(mapped?.codeBytes ?? 0, this.#codeBytesMax)
    const heldBytes = liveBytes + this.#hidden(mapped, unseenBytes(used, liveBytes))
    // Not a number is a lie, and counts as too much.
    if (!(heldBytes <= this.#ceilingBytes)) return "over"
    if (used === null) this.#usedBytes = heldBytes
    if (used !== null) this.#quietDataBytes = used.dataBytes + this.#ceilingBytes - heldBytes
    return "fine"
  }

  /** The most that a room may have, garbage included. */
  get #hardBytes(): number {
    return 2 * this.#ceilingBytes + RoomProcessLimits.roomMemorySlack.max + this.#codeBytes
  }

  /** Memory of the room that its own figure does not have. Code is in no figure; what is over its bound counts. */
  #hidden(mapped: MappedBytes | null, unseen: number): number {
    if (mapped === null) return Math.max(0, unseen - this.#codeBytesMax)
    return mapped.wasmBytes + Math.max(0, mapped.codeBytes - this.#codeBytesMax)
  }

  #suspicious(used: ProcessMemory | null): boolean {
    if (used !== null) {
      // Memory that takes the place of the code that was seen shows in the data size.
      return (
        used.anonBytes - this.#codeBytes > this.#ceilingBytes ||
        used.dataBytes > this.#quietDataBytes
      )
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

/** WebAssembly that is there, but nobody may look at: then all that is resident counts. */
const unseenBytes = (used: ProcessMemory | null, liveBytes: number): number =>
  used === null || used.sizeBytes < WasmReservationBytes
    ? 0
    : Math.max(0, used.anonBytes - liveBytes)
