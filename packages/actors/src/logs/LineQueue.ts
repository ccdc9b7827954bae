import { LogLimits } from "@atrium/domain/logs/LogLimits"

import type { StoredLine } from "./LogStore.ts"
import { costOf } from "./RecentLines.ts"

/** Lines that wait to be stored, within a bound of memory. Mutable, as it lies on the way of every line. */
export class LineQueue {
  #lines: Array<StoredLine> = []
  #bytes = 0

  /** @returns false = there is no room for it */
  add(line: StoredLine): boolean {
    const cost = costOf(line)
    if (this.#bytes + cost > LogLimits.logWaiting.max) return false
    this.#lines.push(line)
    this.#bytes += cost
    return true
  }

  get size(): number {
    return this.#lines.length
  }

  /** The first lines, at most a batch of them. They stay in the queue until they are removed. */
  batch(): ReadonlyArray<StoredLine> {
    return this.#lines.slice(0, LogLimits.logBatch.max)
  }

  /** Removes the first lines. */
  remove(count: number): void {
    for (const line of this.#lines.slice(0, count)) this.#bytes -= costOf(line)
    this.#lines = this.#lines.slice(count)
  }
}
