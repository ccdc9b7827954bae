import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

import { ProjectAccess } from "../http/Credential.ts"
import { NoQuery } from "../http/NoQuery.ts"
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
      )
  )
  .middleware(ProjectAccess) {}
