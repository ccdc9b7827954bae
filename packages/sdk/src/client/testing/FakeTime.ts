import type { ClientPort } from "../ClientPort.ts"
import type { Cancel } from "../PlatformPort.ts"

/** For tests: virtual time and chance for a client's timers and back-off. */
export class FakeTime {
  nowMs = 0
  random = 0.5
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>()

  get waitsMs(): ReadonlyArray<number> {
    return [...this.#timers].map(({ atMs }) => atMs - this.nowMs).sort((a, b) => a - b)
  }

  advance(ms: number): void {
    const untilMs = this.nowMs + ms
    while (this.#runNext(untilMs));
    this.nowMs = untilMs
  }

  /** As `advance`, but everything that a timer sets off happens before the next one runs. */
  async flow(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms
    await turn()
    while (this.#runNext(untilMs)) await turn()
    this.nowMs = untilMs
  }

  #runNext(untilMs: number): boolean {
    const due = [...this.#timers]
      .filter(({ atMs }) => atMs <= untilMs)
      .sort((a, b) => a.atMs - b.atMs)[0]
    if (due === undefined) return false
    this.#timers.delete(due)
    this.nowMs = Math.max(this.nowMs, due.atMs)
    due.run()
    return true
  }

  after(waitMs: number, run: () => void): Cancel {
    const timer = { atMs: this.nowMs + waitMs, run }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  port(more: Partial<ClientPort> = {}): ClientPort {
    return {
      WebSocket: globalThis.WebSocket,
      fetch: () => Promise.reject(new Error("no identity is expected here")),
      elapsedMs: () => this.nowMs,
      nowMs: () => this.nowMs,
      random: () => this.random,
      randomBytes: (count) => new Uint8Array(count).fill(0xfb),
      after: (waitMs, run) => this.after(waitMs, run),
      defer: (run) => {
        setTimeout(run, 0)
      },
      ...more
    }
  }
}

/** Ends after all microtasks that are there, and those that they add. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))
