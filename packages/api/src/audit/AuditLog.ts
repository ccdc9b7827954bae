import { type AuditEntry, AuditStore } from "@atrium/actors/audit/AuditStore"
import { answeredWithin } from "@atrium/actors/store/StoreAnswer"
import { aboutAMinute } from "@atrium/actors/store/StoreRetry"
import type { AuditOutcome } from "@atrium/domain/audit/AuditApi"
import { Audited } from "@atrium/domain/audit/Audited"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import {
  Cause,
  Context,
  Effect,
  Exit,
  Fiber,
  Layer,
  Metric,
  Option,
  Predicate,
  Schema
} from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpRouter, HttpServerError, type HttpServerResponse } from "effect/http"

import { ClientAddresses } from "../http/ClientAddresses.ts"
import { hasNotBegun } from "../http/NotBegun.ts"
import { clientAddress } from "../http/PublicAddress.ts"
import { makeRequestId, RequestId } from "../http/RequestId.ts"

/** The caller of a request, and the project and the account that its row is listed under. */
export interface AuditedCaller {
  /** Id of the login or the API key. */
  readonly actor: string
  readonly projectId: string | null
  /** `null` = that of the project. */
  readonly accountId: string | null
}

const lost = Metric.counter("atrium_audit_lost_total", {
  description: "Rows of the audit log that could not be written, and are in the log only",
  incremental: true
})

type Answering<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/**
 * Writes a row for each request to an audited route that was not refused. The contract names these
 * routes; handlers know nothing of it. A request whose caller went away has the outcome `unknown`.
 * Source: C-233.
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Answers a request, and writes it down if its route is audited. */
    around(
      endpoint: { readonly annotations: Context.Context<never> },
      caller: AuditedCaller
    ): <E, R>(
      answering: Answering<E, R>
    ) => Answering<E, R | HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext>
  }
>()("@atrium/api/audit/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const store = yield* AuditStore
      const addresses = yield* ClientAddresses
      const scope = yield* Effect.scope

      /** A row that no store has taken, after about a minute or at the end of the service, is in the log. */
      const write = (entry: AuditEntry) =>
        store.append(entry).pipe(
          answeredWithin(StoreLimits.storeAnswer.ms),
          Effect.sandbox,
          Effect.retry(aboutAMinute),
          Effect.catch((cause) => Effect.failCause(cause)),
          Effect.onExit((exit) =>
            Exit.isSuccess(exit)
              ? Effect.void
              : Effect.logError("a row of the audit log could not be written", exit.cause).pipe(
                  Effect.andThen(Metric.update(lost, 1)),
                  Effect.annotateLogs({ ...entry })
                )
          ),
          Effect.exit
        )

      return {
        around: (endpoint, caller) => (answering) => {
          const as = Context.get(endpoint.annotations, Audited)
          if (as === null) return answering
          return Effect.gen(function* () {
            const { subject } = yield* Effect.provideService(
              clientAddress,
              ClientAddresses,
              addresses
            )
            const params = yield* HttpRouter.params
            const requestId = (yield* RequestId) ?? makeRequestId()
            const written = (exit: Ended, outcome: AuditOutcome) => {
              const target =
                as.target === null ? null : (params[as.target] ?? named(as.target, exit))
              const { action } = as
              return write({ ...caller, action, outcome, target, address: subject, requestId })
            }
            return yield* Effect.uninterruptibleMask((restore) =>
              Effect.gen(function* () {
                const exit = yield* Effect.exit(restore(answering))
                const outcome = yield* outcomeOf(exit)
                if (outcome === null) return yield* exit
                const row = yield* Effect.forkIn(written(exit, outcome), scope)
                // The answer waits for its row, but not for a store that is away.
                const wait = Effect.timeoutOption(Fiber.join(row), StoreLimits.storeAnswer.ms)
                if (outcome === "done") yield* restore(wait)
                return yield* exit
              })
            )
          })
        }
      }
    })
  )
}

type Ended = Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>

/** Refusals after which nobody knows whether it was carried out. */
const unsure: ReadonlySet<unknown> = new Set(["E_TENANT_WAKING", "E_NOT_READY"])

const outcomeOfStatus = (status: number): AuditOutcome | null =>
  status < 400 ? "done" : status < 500 ? null : "unknown"

/** `null` = it was refused: nothing has happened. */
const outcomeOf = (exit: Ended): Effect.Effect<AuditOutcome | null> => {
  if (Exit.isSuccess(exit)) return Effect.succeed(outcomeOfStatus(exit.value.status))
  const { cause } = exit
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) {
    const { value } = error
    const isUnsure =
      Predicate.hasProperty(value, "_tag") && unsure.has(value._tag) && !hasNotBegun(value)
    return Effect.succeed(isUnsure ? "unknown" : null)
  }
  if (Cause.hasInterrupts(cause)) return Effect.succeed("unknown")
  // A body that cannot be read is refused by a defect that carries its answer.
  return Effect.map(HttpServerError.causeResponse(cause), ([{ status }]) => outcomeOfStatus(status))
}

const decodeJson = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
)

/** The field of an answer that names what was made. */
const named = (field: string, exit: Ended): string | null => {
  if (Exit.isFailure(exit) || exit.value.body._tag !== "Uint8Array") return null
  const body = Option.getOrNull(decodeJson(new TextDecoder().decode(exit.value.body.body)))
  const value = body?.[field]
  return typeof value === "string" || typeof value === "number" ? String(value) : null
}
