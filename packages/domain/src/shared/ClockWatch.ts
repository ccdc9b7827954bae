import { ServiceLimits } from "./ServiceLimits.ts"

/** Notices when a clock does not go on with the time that really passed. */
export class ClockWatch {
  #nowMs: number
  #elapsedMs: number

  /**
   * @param nowMs what the watched clock shows, Unix milliseconds
   * @param elapsedMs a count that nobody sets, milliseconds from anywhere
   */
  constructor(nowMs: number, elapsedMs: number) {
    this.#nowMs = nowMs
    this.#elapsedMs = elapsedMs
  }

  /** Tells whether the clock has jumped, forth or back, since it was looked at last. */
  hasJumped(nowMs: number, elapsedMs: number): boolean {
    const jumpMs = nowMs - this.#nowMs - (elapsedMs - this.#elapsedMs)
    this.#nowMs = nowMs
    this.#elapsedMs = elapsedMs
    return Math.abs(jumpMs) >= ServiceLimits.clockJump.ms
  }
}
