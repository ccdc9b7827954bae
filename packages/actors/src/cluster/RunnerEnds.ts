import { StoreLimits } from "@atrium/domain/store/StoreLimits"

/** A runner as the database sees it. */
export interface SeenRunner {
  readonly address: string
  /** The connection that the runner holds while it lives is there. */
  readonly connected: boolean
  /** Nobody listens at its address. */
  readonly refused: boolean
  /** Its last sign of life; only a change tells something. */
  readonly beat: number
}

interface Missing {
  readonly sinceMs: number
  readonly beat: number
}

/**
 * Finds runners that have ended. A killed process leaves its table row, and its connection goes with it;
 * after a restart of the database every connection is gone, and the living come back or give a sign of
 * life. So a runner has ended when it is not connected and nobody listens at its address; where that
 * cannot be told, as with a machine that is out of reach, when it gives no sign at each look of a span.
 */
export class RunnerEnds {
  readonly #missing = new Map<string, Missing>()
  #lookedAtMs = -Infinity

  /** @returns the addresses of runners that have ended */
  look(seen: ReadonlyArray<SeenRunner>, nowMs: number): ReadonlySet<string> {
    // After a pause of this runner or of the store, what was seen before says nothing.
    if (nowMs - this.#lookedAtMs > StoreLimits.runnerEnd.ms / 2) this.#missing.clear()
    this.#lookedAtMs = nowMs
    const ended = new Set<string>()
    for (const { address, connected, refused, beat } of seen) {
      const before = this.#missing.get(address)
      if (connected) this.#missing.delete(address)
      else if (refused) ended.add(address)
      else if (before?.beat !== beat) this.#missing.set(address, { sinceMs: nowMs, beat })
      else if (nowMs - before.sinceMs >= StoreLimits.runnerEnd.ms) ended.add(address)
    }
    return ended
  }
}
