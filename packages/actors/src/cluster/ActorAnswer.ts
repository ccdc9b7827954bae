import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Cause, Effect } from "effect"
import { ClusterError } from "effect/cluster"

/** Faults that may keep a call from its actor; nobody knows whether it was carried out. */
type Unanswered =
  | ClusterError.MailboxFull
  | ClusterError.AlreadyProcessingMessage
  | ClusterError.PersistenceError
  | ClusterError.EntityNotAssignedToRunner
  | Cause.TimeoutError

const isUnanswered = <E>(error: E | Unanswered): error is Unanswered =>
  Cause.isTimeoutError(error) ||
  error instanceof ClusterError.MailboxFull ||
  error instanceof ClusterError.AlreadyProcessingMessage ||
  error instanceof ClusterError.PersistenceError ||
  error instanceof ClusterError.EntityNotAssignedToRunner

/** Refuses a call that its actor does not answer in time: it may be made again later. */
export const answeredOr =
  <Refusal>(refusal: Refusal, ms = ServiceLimits.actorCall.ms) =>
  <A, E>(call: Effect.Effect<A, E | Unanswered>): Effect.Effect<A, E | Refusal> =>
    call.pipe(
      Effect.timeout(ms),
      Effect.catchIf(isUnanswered<E>, () => Effect.fail(refusal))
    )
