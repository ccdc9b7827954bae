import { LogLimits } from "./LogLimits.ts"

/** Lines of one kind that were left out. */
export interface LeftOut {
  readonly kind: string
  readonly count: number
}

/** All kinds past the bound of kinds together. */
const Others = "(others)"
/** Where the constant part of a message ends: values follow a colon or stand in brackets or quotes. */
const Varying = /[:(["\d]/
const KindChars = 100

/**
 * The kind of a line: its level, and its message up to the first value. Annotations do not count.
 * `room 7 was moved: no answer` and `room 8 was moved` are of one kind.
 */
export const kindOfLine = (level: string, message: string): string => {
  const begin = message.slice(0, KindChars)
  const end = begin.search(Varying)
  return `${level} ${(end === -1 ? begin : begin.slice(0, end)).trim()}`
}

/**
 * The guard on repeated lines: 100 of one kind in a minute, then a count. Mutable, as it lies on the
 * way of every line. Its caller ends the minutes. Source: C-174.
 */
export class LogRepeats {
  #counts = new Map<string, number>()

  /** Tells whether a line of this kind is written. */
  take(kind: string): boolean {
    const known = this.#counts.has(kind) || this.#counts.size < LogLimits.logKinds.max
    const counted = known ? kind : Others
    const count = (this.#counts.get(counted) ?? 0) + 1
    this.#counts.set(counted, count)
    return count <= LogLimits.logRepeats.burst
  }

  /** The next minute begins: what was left out in this one. */
  endMinute(): ReadonlyArray<LeftOut> {
    const counts = this.#counts
    this.#counts = new Map()
    return Array.from(counts, ([kind, count]) => ({
      kind,
      count: count - LogLimits.logRepeats.burst
    })).filter(({ count }) => count > 0)
  }
}
