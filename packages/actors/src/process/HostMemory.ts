import { HostFrameError } from "@atrium/runtime/host/HostFrames"

import type { HostSettings } from "./HostSettings.ts"
import { MemoryWatch, type Weighing } from "./MemoryWatch.ts"
import { wasmBytesOf } from "./ProcessMemory.ts"

/** What a look at the memory of a room process needs of its host. */
interface HostMemoryParts {
  readonly pid: () => number
  /** Asks the process to collect its garbage and to tell what is left. */
  readonly weigh: (number: number) => void
  /** Ends the process; one that has ended already stays as it is. */
  readonly over: () => void
}

/** Looks at the memory of one room process, and has it weighed where the system's figure may be garbage. */
export class HostMemory {
  readonly #parts: HostMemoryParts
  readonly #watch: MemoryWatch
  readonly #memoryOf: HostSettings["memoryOf"]
  readonly #wasmBytesOf: HostSettings["wasmBytesOf"]
  #weighing = 0
  #weighed = 0

  constructor(
    settings: Pick<HostSettings, "memoryMiB" | "pace" | "memoryOf" | "wasmBytesOf">,
    parts: HostMemoryParts
  ) {
    this.#parts = parts
    this.#watch = new MemoryWatch(settings.memoryMiB, settings.pace.memory)
    this.#memoryOf = settings.memoryOf
    this.#wasmBytesOf = settings.wasmBytesOf
  }

  get usedBytes(): number {
    return this.#watch.usedBytes
  }

  /** The process has booted and has no code yet. */
  baseline(): void {
    this.#watch.baseline(this.#memoryOf(this.#parts.pid()))
  }

  /** @param awake `false` while the room loads: then it cannot be asked */
  poll(awake: boolean): void {
    switch (this.#watch.poll(this.#memoryOf(this.#parts.pid()), awake)) {
      case "fine":
        return
      case "over":
        return this.#parts.over()
      case "weigh":
        this.#weighing++
        return this.#parts.weigh(this.#weighing)
    }
  }

  /** The process has answered. Errors: `HostFrameError`: nobody has asked. */
  weighed(number: number, liveBytes: number): void {
    // Each answer is looked into, which costs: one is taken.
    if (number !== this.#weighing || number <= this.#weighed) {
      throw new HostFrameError("weighed without asking")
    }
    this.#weighed = number
    const memory = this.#memoryOf(this.#parts.pid())
    const wasmBytes = memory === null ? null : wasmBytesOf(this.#parts.pid())
    const judge = (bytes: number | null) => this.#judge({ liveBytes, wasmBytes: bytes, memory })
    if (memory === null || wasmBytes !== null) return judge(wasmBytes)
    void this.#wasmBytesOf().then(judge)
  }

  #judge(weighing: Weighing): void {
    if (this.#watch.weighed(weighing) === "over") this.#parts.over()
  }
}
