import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { ProjectAccess } from "../http/Credential.ts"
import { liveDescription } from "../http/LiveDescription.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { rateLimitedOnWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import { RoomStatuses } from "../rooms/RoomsApi.ts"

/** The operational metrics of one project. Spec: Observability; D-37. */
export const ProjectMetrics = Schema.Struct({
  sockets: Schema.Int,
  roomsByState: Schema.Record(Schema.Literals(RoomStatuses), Schema.Int),
  ingressBytes: Schema.Int,
  egressBytes: Schema.Int,
  rss: Schema.Int
}).annotate({
  identifier: "ProjectMetrics",
  description:
    "Connections in the project's rooms, its rooms by status, bytes from and to clients since the start of each runner, memory of its rooms."
})
/** One point of a project's last hour. Source: C-768. */
export const SeriesPoint = Schema.Struct({
  at: Moment,
  roomsByState: Schema.Record(Schema.Literals(RoomStatuses), Schema.Int),
  players: Schema.Int,
  sockets: Schema.Int,
  joins: Schema.Int,
  refused: Schema.Record(Schema.String, Schema.Int),
  errors: Schema.Int,
  exits: Schema.Int,
  ingressBytes: Schema.Int,
  egressBytes: Schema.Int,
  memoryBytes: Schema.Int
}).annotate({
  identifier: "SeriesPoint",
  description:
    "What a project did in the ten seconds before `at`: rooms, players, connections and memory at their end; joins, refusals by limit or code, lines of level `error`, rooms' processes that ended by themselves and bytes within them."
})
export type SeriesPoint = typeof SeriesPoint.Type
export type ProjectMetrics = typeof ProjectMetrics.Type

/** Operational metrics of a project: the developer's own login credential. Source: D-37. */
export class MetricsApi extends HttpApiGroup.make("metrics")
  .annotateMerge(
    OpenApi.annotations({
      title: "Metrics",
      description: "What a project's rooms are doing, on all runners of the service."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/metrics", {
      params: projectPart,
      query: NoQuery,
      success: ProjectMetrics
    })
      .annotate(OpenApi.Summary, "Reads the operational metrics of a project.")
      .annotate(
        OpenApi.Description,
        "503 when a runner of the service does not tell its part: an answer is whole, or there is none."
      ),
    HttpApiEndpoint.get("series", "/v1/projects/:id/metrics/series", {
      params: projectPart,
      query: NoQuery,
      success: Schema.Array(SeriesPoint),
      error: rateLimitedOnWire
    })
      .annotate(OpenApi.Summary, "Reads the last hour of a project, a point for every ten seconds.")
      .annotate(
        OpenApi.Description,
        `A span without a point was not measured: nobody used the project, or the service was down. ${liveDescription("at")}`
      )
  )
  .middleware(ProjectAccess) {}
