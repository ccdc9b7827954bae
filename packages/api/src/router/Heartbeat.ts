/** Whether a client answers the pings of its connection, and how fast. */
export class Heartbeat {
  /** Whether a pong came since the last ping. */
  alive = true
  #pingedAtMs = 0
  /** The time from the last ping to its pong; `null` = none has come yet. */
  lagMs: number | null = null

  pinged(nowMs: number): void {
    this.alive = false
    this.#pingedAtMs = nowMs
  }

  /** A pong came. One that nobody asked for tells no time. */
  answered(nowMs: number): void {
    if (!this.alive) this.lagMs = Math.max(0, nowMs - this.#pingedAtMs)
    this.alive = true
  }
}
