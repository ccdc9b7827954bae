import { LogLimits } from "./LogLimits.ts"

/**
 * What a project may log: so many bytes in each minute, counted from the minute's first line. The
 * excess is dropped silently. Mutable, as it lies on the way of every line. Source: D-35; spec: Log ingest.
 */
export class LogIngest {
  #startedAtMs = Number.NEGATIVE_INFINITY
  #bytes = 0

  /** Tells whether a line of this size may still be kept, and counts it if so. */
  take(bytes: number, nowMs: number): boolean {
    if (nowMs - this.#startedAtMs >= LogLimits.logIngest.everyMs) {
      this.#startedAtMs = nowMs
      this.#bytes = 0
    }
    if (this.#bytes + bytes > LogLimits.logIngest.burst) return false
    this.#bytes += bytes
    return true
  }
}
