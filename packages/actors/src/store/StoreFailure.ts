import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"

/**
 * Codes of a PostgreSQL that can serve no client now: it goes down or comes up (57P), it is out of
 * connections, memory or disk (53, 58), or it has become a read-only copy (25006).
 */
const awayCodes = /^(?:57P0[1235]|53|58|25006)/

const sqlErrorsOf = (cause: Cause.Cause<unknown>): ReadonlyArray<SqlError> =>
  cause.reasons.flatMap((reason) => {
    const error = Cause.isDieReason(reason)
      ? reason.defect
      : Cause.isFailReason(reason)
        ? reason.error
        : null
    return error instanceof SqlError ? [error] : []
  })

const codeOf = (error: SqlError): string => {
  const { cause } = error.reason
  return cause instanceof Error && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : ""
}

/** PostgreSQL's own code of the failure; empty when it could not be asked. */
export const storeCodeOf = (cause: Cause.Cause<unknown>): string =>
  sqlErrorsOf(cause)
    .map(codeOf)
    .find((code) => code !== "") ?? ""

/** The store failed, whether it is away or was asked something wrong. Stores die of it. */
export const isStoreFailure = (cause: Cause.Cause<unknown>): boolean =>
  sqlErrorsOf(cause).length > 0

/** The store does not answer now and may do so later. */
export const isStoreAway = (cause: Cause.Cause<unknown>): boolean =>
  sqlErrorsOf(cause).some((error) => error.isRetryable || awayCodes.test(codeOf(error)))

/**
 * Refuses an actor's call that the store failed, and lets every other cause be. A failing store is no
 * defect of the actor: an actor that died of it would be started again ever more slowly, and keep
 * its callers waiting meanwhile.
 * @param whom the actor, as the log names it
 */
export const refusedWithoutStore =
  <Refusal>(refusal: Refusal, whom: string) =>
  (cause: Cause.Cause<never>): Effect.Effect<never, Refusal> => {
    if (!isStoreFailure(cause)) return Effect.failCause(cause)
    const refused = Effect.fail(refusal)
    // `StoreWatch` logs an outage, once.
    return isStoreAway(cause)
      ? refused
      : Effect.andThen(Effect.logError(`the store failed ${whom}`, cause), refused)
  }
