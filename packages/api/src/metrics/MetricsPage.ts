import { AccountStore } from "@atrium/actors/logins/AccountStore"
import { Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"

import { errorResponse } from "../http/ErrorResponse.ts"
import { page } from "../http/Page.ts"
import { makeLoginCredential } from "../logins/LoginCredential.ts"
import { EventLoopTurns } from "./EventLoopTurns.ts"
import { projectLabels } from "./ProjectLabels.ts"
import { RunnerMetrics } from "./RunnerMetrics.ts"
import { ServiceMetrics } from "./ServiceMetrics.ts"

/**
 * What operators watch, in Prometheus' text format. What it says by project is for who bears a login
 * of the account that the first start made; any other credential is refused. Source: D-51.
 */
export const MetricsPage = page(
  "/metrics",
  Effect.gen(function* () {
    const metrics = yield* ServiceMetrics
    const turns = yield* EventLoopTurns
    const projects = yield* RunnerMetrics
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const given = headers["authorization"]
    if (given !== undefined && !(yield* isOperator(given))) {
      return errorResponse(new Unauthenticated(), 401)
    }
    yield* metrics.measure
    const text = (yield* PrometheusMetrics.format()) + (yield* turns.format)
    const labelled = given === undefined ? "" : projectLabels(yield* projects.ofAwake)
    return HttpServerResponse.text(text + labelled, {
      contentType: "text/plain; version=0.0.4; charset=utf-8"
    })
  })
)

const isOperator = Effect.fnUntraced(function* (authorization: string) {
  const logins = yield* makeLoginCredential
  const accounts = yield* AccountStore
  const [, secret = ""] = /^bearer +(.*)/i.exec(authorization) ?? []
  const account = yield* logins.accountOf(Redacted.make(secret))
  const owner = yield* accounts.owner
  return (
    Option.isSome(account) &&
    Option.isSome(owner) &&
    account.value.accountId === owner.value.accountId
  )
})
