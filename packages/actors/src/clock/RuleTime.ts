import { Context, Effect, Schedule } from "effect"

/** How the spans pass that rules of the service name. */
export interface RuleTimes {
  sleep(spanMs: number): Effect.Effect<void>
  /** Looks now, and again whenever the span has passed since the last look; for ever. */
  every<E, R>(spanMs: number, look: Effect.Effect<unknown, E, R>): Effect.Effect<unknown, E, R>
  /** Whether time goes on by itself. */
  readonly runs: () => boolean
}

/**
 * The waits of rules follow the service's clock, which a test may move: sweeps, alarms, snapshots, the
 * sleep of an empty room. Guards against a call, a connection or a process that hangs wait on the
 * machine's time, which no test moves. Source: D-49, C-84.
 */
export const RuleTime = Context.Reference<RuleTimes>("@atrium/actors/clock/RuleTime", {
  defaultValue: () => ({
    sleep: (spanMs) => Effect.sleep(spanMs),
    every: (spanMs, look) => Effect.repeat(look, Schedule.spaced(spanMs)),
    runs: () => true
  })
})

/** Waits for a span, in milliseconds, that a rule names. */
export const sleepByRule = (spanMs: number): Effect.Effect<void> =>
  Effect.flatMap(RuleTime, (times) => times.sleep(spanMs))

/** Looks now and every so many milliseconds, as a rule names it; ends with the look's failure alone. */
export const lookEvery =
  (spanMs: number) =>
  <E, R>(look: Effect.Effect<unknown, E, R>): Effect.Effect<unknown, E, R> =>
    Effect.flatMap(RuleTime, (times) => times.every(spanMs, look))
