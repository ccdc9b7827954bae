import type { RuleTimes } from "@atrium/actors/clock/RuleTime"
import type { Chance } from "@atrium/api/testing/Chance"
import { Clock, Context, Duration, Effect, Scheduler } from "effect"

import type { Timeline } from "./Timeline.ts"
import type { Ready, Turns } from "./Turns.ts"

/** The parts that all hosts of a world share. */
export interface Machine {
  readonly timeline: Timeline
  readonly turns: Turns
  readonly chance: Chance
  /** How many operations a fiber makes before others may have their turn, on the average. */
  readonly opsPerTurn: number
}

/**
 * One operating system process: it schedules fibers and keeps their clock. A host that dies takes all of its fibers
 * with it, between two of their operations and without a finalizer, as `kill -9` does. A host that is
 * frozen does nothing until it goes on, as after SIGSTOP.
 */
export class Host implements Scheduler.Scheduler, Clock.Clock {
  readonly executionMode = "sync" as const
  readonly name: string
  readonly #machine: Machine
  #dead = false
  #frozen = false
  #opsLeft = 0
  /** Dispatchers and events that wait for the host to go on. */
  readonly #heldTurns: Array<Ready> = []
  readonly #heldEvents: Array<() => void> = []
  readonly #told: Array<() => void> = []

  constructor(name: string, machine: Machine) {
    this.name = name
    this.#machine = machine
  }

  get dead(): boolean {
    return this.#dead
  }

  get frozen(): boolean {
    return this.#frozen
  }

  /** Runs at the host's death, outside of it. */
  onDeath(tell: () => void): void {
    if (this.#dead) tell()
    else this.#told.push(tell)
  }

  kill(): void {
    if (this.#dead) return
    this.#dead = true
    for (const tell of this.#told.splice(0)) tell()
  }

  freeze(): void {
    this.#frozen = true
  }

  goOn(): void {
    if (!this.#frozen) return
    this.#frozen = false
    for (const held of this.#heldTurns.splice(0)) this.#machine.turns.add(held)
    for (const held of this.#heldEvents.splice(0)) this.after(0, held)
  }

  /** An event of the host's own loop: a timer, a frame that arrives. @returns cancels it */
  after(ms: number, run: () => void): () => void {
    return this.#event((happen) => this.#machine.timeline.after(ms, happen), run)
  }

  #event(arm: (happen: () => void) => void, run: () => void): () => void {
    let live = true
    const happen = (): void => {
      if (!live || this.#dead) return
      if (this.#frozen) this.#heldEvents.push(happen)
      else run()
    }
    arm(happen)
    return () => {
      live = false
    }
  }

  /** The host has something to do at once. */
  ready(one: Ready): void {
    if (this.#dead) return
    if (this.#frozen) this.#heldTurns.push(one)
    else this.#machine.turns.add(one)
  }

  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return new Dispatcher(this)
  }

  /** Another fiber may have its turn between any two operations. */
  shouldYield(): boolean {
    if (this.#dead || this.#frozen) return true
    if (--this.#opsLeft > 0) return false
    const { chance, opsPerTurn } = this.#machine
    this.#opsLeft = 1 + chance.below(2 * opsPerTurn)
    return true
  }

  currentTimeMillisUnsafe(): number {
    return this.#machine.timeline.nowMs
  }
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n
  }
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  monotonicTimeNanosUnsafe(): bigint {
    return BigInt(this.#machine.timeline.machineMs) * 1_000_000n
  }
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    if (ms <= 0) return Effect.yieldNow
    if (!Number.isFinite(ms)) return Effect.never
    return this.#slept((wake) => this.after(Math.ceil(ms), wake))
  }

  #slept(arm: (wake: () => void) => () => void): Effect.Effect<void> {
    return Effect.callback<void>((resume) => Effect.sync(arm(() => resume(Effect.void))))
  }

  /** The least context of a fiber of this host. */
  readonly context: Context.Context<never> = Context.empty().pipe(
    Context.add(Scheduler.Scheduler, this),
    Context.add(Clock.Clock, this)
  )

  /** Waits that a rule names. They follow the service's clock, which may jump. */
  readonly ruleTimes: RuleTimes = {
    sleep: (spanMs) => this.#slept((wake) => this.afterByRule(spanMs, wake)),
    every: (spanMs, look) => Effect.forever(Effect.andThen(look, this.ruleTimes.sleep(spanMs))),
    runs: () => true
  }

  afterByRule(ms: number, run: () => void): () => void {
    return this.#event((happen) => this.#machine.timeline.afterByRule(ms, happen), run)
  }
}

/** One per fiber, as in Effect itself: first in, first out within it; the seed picks between them. */
class Dispatcher implements Scheduler.SchedulerDispatcher, Ready {
  readonly #host: Host
  readonly #tasks: Array<{ readonly run: () => void; readonly priority: number }> = []
  #waits = false

  constructor(host: Host) {
    this.#host = host
  }

  scheduleTask(run: () => void, priority: number): void {
    if (this.#host.dead) return
    const tasks = this.#tasks
    let at = tasks.length
    while (at > 0 && (tasks[at - 1]?.priority ?? 0) > priority) at--
    tasks.splice(at, 0, { run, priority })
    if (this.#waits) return
    this.#waits = true
    this.#host.ready(this)
  }

  turn(): boolean {
    if (this.#host.dead) return false
    if (this.#host.frozen) {
      this.#host.ready(this)
      return false
    }
    this.#tasks.shift()?.run()
    const more = this.#tasks.length > 0
    this.#waits = more
    return more
  }

  flush(): void {
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) task.run()
  }
}
