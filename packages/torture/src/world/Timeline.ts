import { type Due, DueHeap } from "./DueHeap.ts"

/** What the service's clock shows when a world begins, Unix milliseconds. */
const BeginningMs = 1_800_000_000_000

export interface ClockJump {
  readonly atMs: number
  readonly ms: number
}

/**
 * Virtual time. The machine's time goes on by itself; the service's clock goes with it and may jump:
 * what a rule names waits for the clock, what guards against a hang for the machine. See
 * actors/clock/RuleTime.ts.
 */
export class Timeline {
  readonly #due = new DueHeap()
  readonly #settle: () => void
  readonly #byRule = new DueHeap()
  #sequence = 0
  #offsetMs = BeginningMs
  readonly #jumps: Array<ClockJump> = []
  #machineMs = 0
  /** Set by the check that finds a fault: nothing happens any more. */
  stopped = false

  /** @param settle runs what happens at once, before time goes on */
  constructor(settle: () => void = () => {}) {
    this.#settle = settle
  }

  get machineMs(): number {
    return this.#machineMs
  }

  /** What the service's clock shows. */
  get nowMs(): number {
    return this.#machineMs + this.#offsetMs
  }

  after(ms: number, run: () => void): void {
    this.#due.add(this.#dueAt(this.#machineMs + ms, run))
  }

  afterByRule(ms: number, run: () => void): void {
    this.#byRule.add(this.#dueAt(this.nowMs + ms, run))
  }

  #dueAt(atMs: number, run: () => void): Due {
    return { atMs, sequence: this.#sequence++, run }
  }

  /** Sets the service's clock forth or back. */
  jump(ms: number): void {
    this.#offsetMs += ms
    this.#jumps.push({ atMs: this.#machineMs, ms })
  }

  /** How the service's clock was set, in the machine's time. */
  get jumps(): ReadonlyArray<ClockJump> {
    return this.#jumps
  }

  /** Lets everything happen that is due in this span. */
  pass(ms: number): void {
    const untilMs = this.#machineMs + ms
    for (;;) {
      this.#settle()
      if (this.stopped) break
      const heap = this.#next(untilMs)
      if (heap === null) break
      heap.take()?.run()
    }
    if (!this.stopped) this.#machineMs = Math.max(this.#machineMs, untilMs)
  }

  /** The heap whose first is next, if it is due by then; the machine's time is set to it. */
  #next(untilMs: number): DueHeap | null {
    const [due, rule] = [this.#due.first, this.#byRule.first]
    const dueMs = due?.atMs ?? Number.POSITIVE_INFINITY
    const ruleMs = Math.max(
      this.#machineMs,
      (rule?.atMs ?? Number.POSITIVE_INFINITY) - this.#offsetMs
    )
    const nextMs = Math.min(dueMs, ruleMs)
    if (nextMs > untilMs) return null
    this.#machineMs = Math.max(this.#machineMs, nextMs)
    return ruleMs < dueMs ? this.#byRule : this.#due
  }
}
