import { AccountStore } from "@atrium/actors/logins/AccountStore"
import type { ProjectMetrics } from "@atrium/domain/metrics/MetricsApi"
import { RoomStatuses } from "@atrium/domain/rooms/RoomsApi"
import { Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"

import { errorResponse } from "../http/ErrorResponse.ts"
import { page } from "../http/Page.ts"
import { makeLoginCredential } from "../logins/LoginCredential.ts"
import { RunnerMetrics } from "./RunnerMetrics.ts"
import { ServiceMetrics } from "./ServiceMetrics.ts"

/**
 * Metrics for operators, in Prometheus' text format. Metrics of projects need a login of the account that
 * the first start made; any other credential is refused. Source: D-51.
 */
export const MetricsPage = page(
  "/metrics",
  Effect.gen(function* () {
    const metrics = yield* ServiceMetrics
    const projects = yield* RunnerMetrics
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const given = headers["authorization"]
    if (given !== undefined && !(yield* isOperator(given))) {
      return errorResponse(new Unauthenticated(), 401)
    }
    yield* metrics.measure
    const text = yield* PrometheusMetrics.format()
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

const gauges = {
  sockets: "atrium_project_sockets",
  rss: "atrium_project_resident_bytes"
} as const

const counters = {
  ingressBytes: "atrium_project_ingress_bytes_total",
  egressBytes: "atrium_project_egress_bytes_total"
} as const

const roomsName = "atrium_project_rooms"

/**
 * The metrics of projects in Prometheus' text format. A project's id is made by the service and has
 * nothing in it that would end a label. Source: D-51.
 */
const projectLabels = (projects: ReadonlyMap<string, ProjectMetrics>): string => {
  const all = [...projects]
  const family = (name: string, type: "gauge" | "counter", lines: ReadonlyArray<string>) =>
    [`# TYPE ${name} ${type}`, ...lines].join("\n")
  const values = (name: string, value: (metrics: ProjectMetrics) => number) =>
    all.map(([projectId, metrics]) => `${name}{project="${projectId}"} ${value(metrics)}`)
  const rooms = all.flatMap(([projectId, { roomsByState }]) =>
    RoomStatuses.map(
      (status) => `${roomsName}{project="${projectId}",status="${status}"} ${roomsByState[status]}`
    )
  )
  const families = [
    family(
      gauges.sockets,
      "gauge",
      values(gauges.sockets, ({ sockets }) => sockets)
    ),
    family(roomsName, "gauge", rooms),
    family(
      counters.ingressBytes,
      "counter",
      values(counters.ingressBytes, ({ ingressBytes }) => ingressBytes)
    ),
    family(
      counters.egressBytes,
      "counter",
      values(counters.egressBytes, ({ egressBytes }) => egressBytes)
    ),
    family(
      gauges.rss,
      "gauge",
      values(gauges.rss, ({ rss }) => rss)
    )
  ]
  return `${families.join("\n")}\n`
}
