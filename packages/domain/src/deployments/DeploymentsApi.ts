import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { projectPart, versionParts } from "../http/PathParts.ts"
import { schemaBreakingOnWire } from "../migrations/SchemaBreakingWire.ts"
import { NoRollback, NotFound, NotReady, VersionNotFound } from "../shared/Refusal.ts"

/** A room type of a deployment, as its schema declares it. */
const RoomType = Schema.Struct({
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  maxClients: Schema.Int,
  schemaHash: Schema.String
})

/** A version of a project's room code. It stays as long as its project. Spec: Versioning. */
export const Deployment = Schema.Struct({
  version: Schema.Int,
  bytes: Schema.Int,
  createdAt: Moment,
  roomTypes: Schema.Array(RoomType),
  /** It is schemas alone: its rooms run no code. */
  relay: Schema.Boolean,
  /** The version that was uploaded with this code and schema, if a rollback made this one. */
  rollbackOf: Schema.NullOr(Schema.Int),
  /** Absent = rooms that were up moved at once. */
  strategy: Schema.optionalKey(Schema.Literal("drain")),
  /** Every room of an older version starts anew; absent = it keeps its state. */
  discards: Schema.optionalKey(Schema.Literal(true)),
  /** A room whose state this version cannot lead on is closed; absent = such a room plays on with its old code. */
  quarantine: Schema.optionalKey(Schema.Literal(true))
}).annotate({
  identifier: "Deployment",
  description: "A version of a project's room code. It stays as long as its project."
})
export type Deployment = typeof Deployment.Type

/** A version in the list of its project. */
export const DeploymentListed = Schema.Struct({
  ...Deployment.fields,
  /** Rooms start and wake on it. */
  current: Schema.Boolean,
  /** Rooms that are up on it, or on their way. */
  rooms: Schema.Int
}).annotate({
  identifier: "DeploymentListed",
  description: "A version of a project's room code, and how many rooms are up on it."
})
export type DeploymentListed = typeof DeploymentListed.Type

/** A version with the schemas by which its rooms and players are stored. */
export const DeploymentRead = Schema.Struct({
  ...Deployment.fields,
  schemas: Schema.Array(
    Schema.Struct({ type: Schema.String, hash: Schema.String, schema: Schema.Json })
  ),
  /** The persisted fields of players, of all room types together. */
  players: Schema.Struct({ hash: Schema.String, fields: Schema.Array(Schema.Json) })
}).annotate({
  identifier: "DeploymentRead",
  description: "A version, with the schemas by which its rooms and players are stored."
})
export type DeploymentRead = typeof DeploymentRead.Type

const project = { params: projectPart, query: NoQuery }

/** The versions of a project's room code: the developer's own login credential. Source: D-40. */
export class DeploymentsApi extends HttpApiGroup.make("deployments")
  .annotateMerge(
    OpenApi.annotations({
      title: "Deployments",
      description: "The versions of a project's room code. These routes take the developer's login."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/deployments", {
      ...project,
      success: Schema.Array(DeploymentListed)
    })
      .annotate(OpenApi.Summary, "Lists the versions of a project's room code, newest first.")
      .middleware(ProjectAccess),
    HttpApiEndpoint.get("read", "/v1/projects/:id/deployments/:version", {
      params: versionParts,
      query: NoQuery,
      success: DeploymentRead,
      error: onWire(VersionNotFound)
    })
      .annotate(
        OpenApi.Summary,
        "Reads a version, with the schemas by which its rooms and players are stored."
      )
      .middleware(ProjectAccess),
    HttpApiEndpoint.post("rollback", "/v1/projects/:id/rollback", {
      ...project,
      payload: Schema.Struct({
        version: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))
      }),
      success: Deployment.pipe(HttpApiSchema.status(201)),
      error: [
        onWire(NotFound),
        onWire(VersionNotFound),
        onWire(NoRollback),
        onWire(NotReady),
        schemaBreakingOnWire
      ]
    })
      .annotate(
        OpenApi.Summary,
        "Makes the code and the schema of an older version the next version."
      )
      .annotate(
        OpenApi.Description,
        "Without `version`: of the one before the version whose code is current. Rooms move to it as they do at a deployment."
      )
      .annotateMerge(audited("rollback", "version"))
      .middleware(ProjectAccess)
  ) {}
