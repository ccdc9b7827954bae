import { HostFrameError } from "@atrium/runtime/host/HostFrames"

import { cpuWaitMsOf } from "./CpuWait.ts"
import type { HostSettings, SharedSettings } from "./HostSettings.ts"
import { MemoryWatch, type Weighing } from "./MemoryWatch.ts"
import { type MappedBytes, mappedBytesOf } from "./ProcessMemory.ts"

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
  readonly #physics: boolean
  readonly #mappedBytesOf: HostSettings["mappedBytesOf"]
  #weighing = 0
  #weighed = 0

  constructor(
    settings: Pick<HostSettings, "memoryMiB" | "physics" | "pace" | "memoryOf" | "mappedBytesOf">,
    parts: HostMemoryParts
  ) {
    this.#parts = parts
    this.#watch = new MemoryWatch(settings, settings.pace.memory, () => cpuWaitMsOf(parts.pid()))
    this.#memoryOf = settings.memoryOf
    this.#physics = settings.physics === true
    this.#mappedBytesOf = settings.mappedBytesOf
  }

  get usedBytes(): number {
    return this.#watch.usedBytes
  }

  /** The ceiling is another one from now on. */
  resize(bytes: number): void {
    this.#watch.resize(bytes)
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
    const seen = memory === null ? null : mappedBytesOf(this.#parts.pid(), this.#physics)
    const judge = (mapped: MappedBytes | null) => this.#judge({ liveBytes, mapped, memory })
    if (memory === null || seen !== null) return judge(seen)
    void this.#mappedBytesOf().then(judge)
  }

  #judge(weighing: Weighing): void {
    if (this.#watch.weighed(weighing) === "over") this.#parts.over()
  }
}

/** The look at a room's memory: its own, or none, where a room shares its process. */
export const memoryFor = (
  settings: HostSettings | SharedSettings,
  parts: HostMemoryParts
): Pick<HostMemory, "usedBytes" | "baseline" | "poll" | "weighed"> =>
  "sharedBytes" in settings
    ? new SharedMemory(settings.sharedBytes)
    : new HostMemory(settings, parts)

/** The memory of a room that shares its process, which is looked at for all its rooms together. */
class SharedMemory {
  readonly #bytes: () => number

  constructor(bytes: () => number) {
    this.#bytes = bytes
  }

  get usedBytes(): number {
    return this.#bytes()
  }

  baseline(): void {}

  poll(): void {}

  /** Errors: `HostFrameError`: a room is never asked. */
  weighed(): void {
    throw new HostFrameError("weighed without asking")
  }
}
