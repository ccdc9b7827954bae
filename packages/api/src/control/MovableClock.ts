import type { RuleTimes } from "@atrium/actors/clock/RuleTime"
import { TimerMsMax } from "@atrium/wire/limits/Limit"
import { Clock, type Duration, Effect, Semaphore } from "effect"

/** A part of the service that follows the clock when it is moved. */
export interface ClockPort {
  /** The clock shows this now, by an order and not by itself. */
  moved(nowMs: number): void
  /** Waits until what is under way is done, as far as that can be known. */
  settled(atEnd: boolean): Effect.Effect<void>
}

interface Wake {
  readonly atMs: number
  fire(): void
}

/** A look runs at most so often in one advance: 30 days of 15 minutes would take a minute, and each look asks the store. */
const looksPerAdvance = 10

const real = Clock.Clock.defaultValue()

/**
 * The service's clock in test mode: the machine's time and an offset. It can be moved forward and
 * held. Spans of rules pass on it; every other sleep passes on the machine's time, as a call, a
 * connection or a process that hangs does not hang longer because somebody moved a clock. Source:
 * D-49, C-84.
 */
export class MovableClock implements Clock.Clock {
  #offsetMs = 0
  /** Where time stands; `null` = it runs. */
  #standsAtMs: number | null = null
  /** By moment, and by order among those of one moment. */
  readonly #wakes: Array<Wake> = []
  #timer: NodeJS.Timeout | null = null
  /** The advance that is under way. */
  #advance: {
    readonly fromMs: number
    readonly untilMs: number
    readonly strideMs: number
  } | null = null
  #looking = 0
  #port: ClockPort = { moved: () => undefined, settled: () => Effect.void }
  readonly #oneByOne = Semaphore.makeUnsafe(1)

  follow(port: ClockPort): void {
    this.#port = port
  }

  currentTimeMillisUnsafe(): number {
    return this.#standsAtMs ?? real.currentTimeMillisUnsafe() + this.#offsetMs
  }
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())

  currentTimeNanosUnsafe(): bigint {
    if (this.#standsAtMs !== null) return BigInt(this.#standsAtMs) * nanosPerMs
    return real.currentTimeNanosUnsafe() + BigInt(this.#offsetMs) * nanosPerMs
  }
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())

  monotonicTimeNanosUnsafe(): bigint {
    return real.monotonicTimeNanosUnsafe()
  }
  readonly monotonicTimeNanos = real.monotonicTimeNanos

  get held(): boolean {
    return this.#standsAtMs !== null
  }

  /** Looks that run now. */
  get looking(): number {
    return this.#looking
  }

  /** `Effect.sleep` is not told what it is for: the machine's time. */
  readonly sleep = (span: Duration.Duration): Effect.Effect<void> => real.sleep(span)

  /** Spans that rules name. */
  readonly rules: RuleTimes = {
    runs: () => !this.held,
    sleep: (spanMs) => this.#wakeAfter(() => spanMs),
    every: (spanMs, look) => {
      const counted = Effect.suspend(() => {
        this.#looking++
        return Effect.ensuring(
          look,
          Effect.sync(() => this.#looking--)
        )
      })
      const rest = this.#wakeAfter(() => this.#untilLookMs(spanMs))
      return Effect.forever(Effect.andThen(counted, rest))
    }
  }

  /** While much time passes at once a look takes larger steps, and one at the end. */
  #untilLookMs(spanMs: number): number {
    const advance = this.#advance
    if (advance === null || advance.strideMs <= spanMs) return spanMs
    const { fromMs, untilMs, strideMs } = advance
    const nowMs = this.currentTimeMillisUnsafe()
    if (nowMs >= untilMs) return spanMs
    // All of them at the same moments: each is a stop.
    const strides = Math.floor((nowMs - fromMs) / strideMs) + 1
    return Math.min(fromMs + strides * strideMs, untilMs) - nowMs
  }

  #wakeAfter(spanMs: () => number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      const wake: Wake = {
        atMs: this.currentTimeMillisUnsafe() + spanMs(),
        fire: () => resume(Effect.void)
      }
      const later = this.#wakes.findIndex(({ atMs }) => atMs > wake.atMs)
      this.#wakes.splice(later === -1 ? this.#wakes.length : later, 0, wake)
      this.#arm()
      return Effect.sync(() => {
        const place = this.#wakes.indexOf(wake)
        if (place !== -1) this.#wakes.splice(place, 1)
      })
    })
  }

  /** The machine's timer for the next moment, while time runs. */
  #arm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const [next] = this.#wakes
    if (next === undefined || this.#standsAtMs !== null) return
    const waitMs = Math.max(0, next.atMs - this.currentTimeMillisUnsafe())
    this.#timer = setTimeout(
      () => {
        this.#fireDue()
        this.#arm()
      },
      Math.min(waitMs, TimerMsMax)
    )
  }

  #fireDue(): void {
    const nowMs = this.currentTimeMillisUnsafe()
    const later = this.#wakes.findIndex(({ atMs }) => atMs > nowMs)
    const due = this.#wakes.splice(0, later === -1 ? this.#wakes.length : later)
    for (const wake of due) wake.fire()
  }

  /** Held, time stands still but for {@link advance}. @returns the time that it is now */
  hold(held: boolean): Effect.Effect<number> {
    return this.#oneByOne.withPermits(1)(
      Effect.sync(() => {
        if (held) this.#standAt(this.currentTimeMillisUnsafe())
        else this.#run()
        return this.currentTimeMillisUnsafe()
      })
    )
  }

  #standAt(nowMs: number): void {
    this.#standsAtMs = nowMs
    this.#arm()
    this.#port.moved(nowMs)
  }

  #run(): void {
    const standsAtMs = this.#standsAtMs
    if (standsAtMs === null) return
    this.#offsetMs = standsAtMs - real.currentTimeMillisUnsafe()
    this.#standsAtMs = null
    this.#port.moved(standsAtMs)
    this.#arm()
  }

  /**
   * Goes forward from one due moment to the next, and on only when what became due is done. A look
   * comes at each of its moments, but at most 10 times in one advance, evenly, and then at its end.
   *
   * @returns the time that it is then
   */
  advance(ms: number): Effect.Effect<number> {
    return this.#oneByOne.withPermits(1)(
      Effect.suspend(() => {
        const wasHeld = this.held
        const fromMs = this.currentTimeMillisUnsafe()
        const untilMs = fromMs + ms
        this.#standAt(fromMs)
        this.#advance = { fromMs, untilMs, strideMs: Math.ceil(ms / looksPerAdvance) }
        const end = Effect.sync(() => {
          this.#advance = null
          if (!wasHeld) this.#run()
        })
        return Effect.as(Effect.ensuring(this.#stepsUntil(untilMs), end), untilMs)
      })
    )
  }

  #stepsUntil(untilMs: number): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      // Work from before the advance ends first, at the moment of its request.
      yield* this.#port.settled(false)
      for (;;) {
        const dueAtMs = this.#wakes[0]?.atMs ?? Infinity
        const atEnd = dueAtMs > untilMs
        this.#standAt(Math.max(this.currentTimeMillisUnsafe(), Math.min(dueAtMs, untilMs)))
        this.#fireDue()
        yield* this.#port.settled(atEnd)
        // A wait that was due at the end may have led to another one at that very moment.
        if (atEnd && (this.#wakes[0]?.atMs ?? Infinity) > untilMs) return
      }
    })
  }
}

const nanosPerMs = 1_000_000n
