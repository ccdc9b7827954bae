import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"

/** A connection whose peer may not take what is written to it. */
export interface Backlogged {
  /** Bytes that it holds now. */
  readonly backlogBytes: number
  /** Closes it for what it holds, and lets go of that within a second. */
  cutOff(): void
}

/** So much of the bound may be written before the buffers are looked at again: each look costs time. */
const stepsPerBound = 64

/**
 * The backlogs of all connections of a runner, for peers that do not read. A connection reports a backlog,
 * and does not report its end: when the sum is over the bound, each reported connection is looked at, and
 * those that hold the most are closed until the rest is within the bound. Source: C-134.
 */
export class Backlogs {
  readonly #max: number
  readonly #told = new Map<Backlogged, number>()
  #bytes = 0
  #lookAtBytes: number

  constructor(max: number = ConnectionLimits.outboundAllBytes.max) {
    this.#max = max
    this.#lookAtBytes = max
  }

  /** Connections that had a backlog when they were last looked at, or told of one since. */
  get size(): number {
    return this.#told.size
  }

  tell(connection: Backlogged, bytes: number): void {
    this.#bytes += bytes - (this.#told.get(connection) ?? 0)
    this.#told.set(connection, bytes)
    if (this.#bytes > this.#lookAtBytes) this.#look()
  }

  gone(connection: Backlogged): void {
    this.#bytes -= this.#told.get(connection) ?? 0
    this.#told.delete(connection)
  }

  #look(): void {
    this.#bytes = 0
    for (const connection of this.#told.keys()) {
      const bytes = connection.backlogBytes
      this.#bytes += bytes
      if (bytes > 0) this.#told.set(connection, bytes)
      else this.#told.delete(connection)
    }
    if (this.#bytes > this.#max) this.#cutDown()
    this.#lookAtBytes = Math.max(this.#max, this.#bytes + this.#max / stepsPerBound)
  }

  #cutDown(): void {
    const byBytes = [...this.#told].toSorted(([, one], [, other]) => other - one)
    for (const [connection] of byBytes) {
      if (this.#bytes <= this.#max) return
      this.gone(connection)
      connection.cutOff()
    }
  }
}
