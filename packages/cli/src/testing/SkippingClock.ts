import { Clock, Duration, Effect } from "effect"

/** A longer span is a deadline for an answer and not a wait: it runs in real time. */
const waitMaxMs = 10_000

/** A clock on which time passes by nothing but waits, which are over at once. */
export class SkippingClock implements Clock.Clock {
  /** Every wait, in milliseconds. */
  readonly waitedMs: Array<number> = []
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  currentTimeMillisUnsafe(): number {
    return this.waitedMs.reduce((sum, each) => sum + each, 0)
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    const ms = Duration.toMillis(duration)
    if (ms > waitMaxMs) return Effect.provideService(Effect.sleep(duration), Clock.Clock, realClock)
    return Effect.suspend(() => {
      this.waitedMs.push(ms)
      return Effect.yieldNow
    })
  }
}

const realClock = Effect.runSync(Effect.service(Clock.Clock))
