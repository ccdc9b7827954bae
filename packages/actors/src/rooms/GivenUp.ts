import { type Cause, Effect, Metric } from "effect"

const lost = Metric.counter("atrium_facts_given_up_total", {
  description: "Alarms, lobby flags and players' fields that the store did not take, by kind",
  incremental: true
})

/** A fact of a room that the store did not take. */
interface GivenUp {
  readonly fact: "alarms" | "lobby" | "player"
  readonly cause: Cause.Cause<unknown>
  /** The same value was given up before: it is counted and told already. */
  readonly again: boolean
}

/** Counts and tells once that a fact is not stored; the answer is `false`, as it is not. Source: C-313. */
export const givenUp = ({ fact, cause, again }: GivenUp): Effect.Effect<boolean> =>
  again
    ? Effect.succeed(false)
    : Effect.logError(`the store did not take ${named[fact]}`, cause).pipe(
        Effect.andThen(Metric.update(Metric.withAttributes(lost, { fact }), 1)),
        Effect.as(false)
      )

const named = {
  alarms: "a room's alarms",
  lobby: "a room's lobby flags",
  player: "a player's fields"
} as const
