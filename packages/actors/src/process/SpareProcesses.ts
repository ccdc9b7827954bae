import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"

import type { Exit, ExitCause } from "./ExitCause.ts"
import type { RoomNeeds } from "./RoomNeeds.ts"

/** A spare process, as the code that chooses one sees it. */
interface Spare {
  readonly memoryMiB: number
  /** The bundle that it has been given; `null` = none, so that any room may have it. */
  readonly code: Uint8Array | null
  readonly booted: boolean
  /** It is being ended: its end takes a moment, in which no room may have it. */
  readonly ending: boolean
  prepare(bundle: Uint8Array): void
  kill(cause: ExitCause): void
}

/** Code that rooms were started with, and the memory of their class. */
interface Wanted {
  readonly bundle: Uint8Array
  readonly memoryMiB: number
}

/**
 * Processes that wait for a room. Blank ones are for any; those that are prepared have run the
 * module of one deployment and are for its rooms alone. The deployments that started rooms last
 * have one each, from their second room on: where many projects start a room now and then, most never need it.
 * Source: performance.md, "What is worth doing" 7; C-995.
 */
export class SpareProcesses<Host extends Spare> {
  readonly #spawn: (memoryMiB: number) => Host
  readonly #blankPerSize: number
  readonly #sizes: Set<number>
  readonly #spares: Array<Host> = []
  /** The last one first. */
  readonly #wanted: Array<Wanted> = []
  /** Bundles that a room was started with. */
  readonly #started = new WeakSet<Uint8Array>()
  /** Bundles that cannot be run ahead of a room: the start of their rooms tells why. */
  readonly #unfit = new WeakSet<Uint8Array>()

  constructor(
    spawn: (memoryMiB: number) => Host,
    options: { readonly blankPerSize: number; readonly firstSizeMiB: number }
  ) {
    this.#spawn = spawn
    this.#blankPerSize = options.blankPerSize
    this.#sizes = new Set([options.firstSizeMiB])
  }

  /** The spare that is the fastest for this room; `undefined` = none of them may run it. */
  take({ memoryMiB, bundle }: RoomNeeds): Host | undefined {
    this.#sizes.add(memoryMiB)
    const fits = this.#spares.filter((spare) => spare.memoryMiB === memoryMiB && !spare.ending)
    const spare =
      fits.find(({ code }) => code === bundle) ??
      fits.find(({ code, booted }) => code === null && booted) ??
      fits.find(({ code }) => code === null)
    if (bundle !== undefined) {
      if (this.#started.has(bundle)) this.#want({ bundle, memoryMiB })
      this.#started.add(bundle)
    }
    if (spare !== undefined) this.#remove(spare)
    return spare
  }

  /**
   * A process has ended. Code that ends its process before there is a room is not prepared again.
   *
   * @returns whether it was a blank spare
   */
  ended(host: Host, { cause }: Exit): boolean {
    if (!this.#remove(host)) return false
    const { code } = host
    if (code !== null && cause !== "stopped" && cause !== "killed") this.#unfit.add(code)
    return code === null
  }

  /** Brings the spares nearer to what they should be. One step at a time: it costs the rooms that run. */
  renew(): void {
    for (const size of this.#sizes) {
      const blanks = this.#spares.filter(
        ({ code, memoryMiB }) => code === null && memoryMiB === size
      )
      if (blanks.length >= this.#blankPerSize) continue
      this.#spares.push(this.#spawn(size))
      return
    }
    const next = this.#wanted.find(
      ({ bundle, memoryMiB }) =>
        !this.#unfit.has(bundle) &&
        !this.#spares.some((spare) => spare.memoryMiB === memoryMiB && spare.code === bundle)
    )
    const blank = this.#spares.find(
      ({ code, booted, memoryMiB }) => code === null && booted && memoryMiB === next?.memoryMiB
    )
    if (next !== undefined) blank?.prepare(next.bundle)
  }

  #want(wanted: Wanted): void {
    const same = this.#wanted.findIndex(
      ({ bundle, memoryMiB }) => bundle === wanted.bundle && memoryMiB === wanted.memoryMiB
    )
    if (same !== -1) this.#wanted.splice(same, 1)
    this.#wanted.unshift(wanted)
    for (const { bundle, memoryMiB } of this.#wanted.splice(RoomProcessLimits.preparedSpares.max)) {
      for (const spare of this.#spares) {
        if (spare.memoryMiB === memoryMiB && spare.code === bundle) spare.kill("stopped")
      }
    }
  }

  #remove(host: Host): boolean {
    const place = this.#spares.indexOf(host)
    if (place === -1) return false
    this.#spares.splice(place, 1)
    return true
  }
}
