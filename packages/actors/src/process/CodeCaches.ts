import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { FromRoom } from "@atrium/runtime/host/HostFrames"
import { cachedLoadFrame } from "@atrium/runtime/host/HostOrders"

/** The version tag before it. */
const TagBytes = 4
/** Processes of one size that are asked. When no answer has come by then, V8 makes no cache of this code. */
const AsksMax = 3

/** Waits for the code cache of a bundle. Until the wait is over, it looks at each frame of the process that was asked. */
export class CacheWait {
  readonly #keep: (compiled: Uint8Array) => void
  #over = false

  constructor(keep: (compiled: Uint8Array) => void) {
    this.#keep = keep
  }

  /** @returns whether the frame was the awaited one: nobody else is to have it */
  takes(kind: number, payload: Uint8Array): boolean {
    if (this.#over || kind === FromRoom.booted) return false
    // Boot tells before it runs any of the code: a later frame may be one that the code made itself.
    this.#over = true
    if (kind !== FromRoom.compiled) return false
    if (payload.length <= TagBytes + RoomProcessLimits.codeCache.max) this.#keep(payload)
    return true
  }
}

/**
 * The code caches of V8 for one bundle and one kind of room, by the memory of the processes: V8 takes a cache only with
 * the flags that it was made with. A process makes the cache before it runs any of the code. A cache never leaves the
 * memory of this service.
 */
export class CodeCaches {
  readonly #code: Uint8Array
  readonly #frames = new Map<number, Uint8Array>()
  readonly #asks = new Map<number, number>()

  constructor(code: Uint8Array) {
    this.#code = code
  }

  /** The order to load the code with its cache; `undefined` = no process has sent a cache. */
  frame(memoryMiB: number): Uint8Array | undefined {
    return this.#frames.get(memoryMiB)
  }

  /** A process of this size is to tell; `null` = there is nothing to ask for. */
  ask(memoryMiB: number): CacheWait | null {
    const asks = this.#asks.get(memoryMiB) ?? 0
    const isSmall = this.#code.length <= RoomProcessLimits.cachedSource.max
    if (!isSmall || asks === AsksMax || this.#frames.has(memoryMiB)) return null
    this.#asks.set(memoryMiB, asks + 1)
    return new CacheWait((compiled) => {
      this.#frames.set(memoryMiB, cachedLoadFrame(compiled, this.#code))
    })
  }
}
