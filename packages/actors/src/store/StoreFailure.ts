import { Cause, Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"

import { ObjectsFailure } from "../objects/ObjectsFailure.ts"

/**
 * Codes of a PostgreSQL that can serve no client now: it goes down or comes up (57P), it is out of
 * connections, memory or disk (53, 58), or it has become a read-only copy (25006).
 */
const awayCodes = /^(?:57P0[1235]|53|58|25006)/

const errorsOf = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  cause.reasons.map((reason) => {
    if (Cause.isDieReason(reason)) return reason.defect
    return Cause.isFailReason(reason) ? reason.error : null
  })

const sqlErrorsOf = (cause: Cause.Cause<unknown>): ReadonlyArray<SqlError> =>
  errorsOf(cause).filter((error) => error instanceof SqlError)

/** The S3 that has the bytes of objects is a part of the store. */
const objectsFailuresOf = (cause: Cause.Cause<unknown>): ReadonlyArray<ObjectsFailure> =>
  errorsOf(cause).filter((error) => error instanceof ObjectsFailure)

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
  sqlErrorsOf(cause).length > 0 || objectsFailuresOf(cause).length > 0

/** The store does not answer now and may do so later. */
export const isStoreAway = (cause: Cause.Cause<unknown>): boolean =>
  sqlErrorsOf(cause).some((error) => error.isRetryable || awayCodes.test(codeOf(error))) ||
  objectsFailuresOf(cause).some(({ away }) => away)

/**
 * Logs why a look failed, so that the next look can come. `StoreWatch` logs an outage of the store, once.
 *
 * @param log the level
 */
export const logFailure =
  (message: string, log: typeof Effect.logError = Effect.logError) =>
  <A, E, R>(look: Effect.Effect<A, E, R>): Effect.Effect<A | void, never, R> =>
    Effect.catchCause(look, (cause) => (isStoreAway(cause) ? Effect.void : log(message, cause)))

/**
 * Refuses an actor's call that the store failed, and lets every other cause be. A failing store is no
 * defect of the actor: an actor that died of it would be started again ever more slowly, and keep
 * its callers waiting meanwhile.
 * @param whom the actor, as the log names it
 */
export const refusedWithoutStore =
  <Refusal>(refusal: Refusal, whom: string) =>
  <E>(cause: Cause.Cause<E>): Effect.Effect<never, Refusal | E> => {
    if (!isStoreFailure(cause)) return Effect.failCause(cause)
    const refused = Effect.fail(refusal)
    // `StoreWatch` logs an outage, once.
    return isStoreAway(cause)
      ? refused
      : Effect.andThen(Effect.logError(`the store failed ${whom}`, cause), refused)
  }
