import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

import { ProjectId } from "../Ids.ts"
import { Limits } from "../Limits.ts"
import {
  BundleInvalid,
  BundleTooLarge,
  NotFound,
  SchemaBreaking,
  SecretExists
} from "../Refusal.ts"
import { LoginRequired } from "./Credential.ts"
import { NoQuery } from "./NoQuery.ts"
import { onWire } from "./onWire.ts"

/** One project. The other fields of D-13 come with the settings. */
export const Project = Schema.Struct({
  id: ProjectId,
  name: Schema.String,
  plan: Schema.Literals(["free", "card"]),
  createdAt: Schema.String,
  currentVersion: Schema.NullOr(Schema.Int)
})
export type Project = typeof Project.Type

/** A room type of a deployment, as its schema declares it. */
const RoomType = Schema.Struct({
  type: Schema.String,
  class: Schema.Literals(["standard", "large", "xlarge"]),
  maxClients: Schema.Int,
  schemaHash: Schema.String
})

/** A version of a project's room code, kept for ever. Spec: Versioning. */
export const Deployment = Schema.Struct({
  version: Schema.Int,
  bytes: Schema.Int,
  createdAt: Schema.String,
  roomTypes: Schema.Array(RoomType)
})
export type Deployment = typeof Deployment.Type

/** A project's JWT signing secret; the secret itself is shown in this one answer only. */
const JwtSecret = Schema.Struct({
  secret: Schema.String,
  kid: Schema.String,
  createdAt: Schema.String
})

const ProjectName = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(Limits.projectNameChars.max)
)

/** Projects, their deployments and their JWT secret: the developer's own login credential. */
export class ProjectsApi extends HttpApiGroup.make("projects")
  .add(
    HttpApiEndpoint.get("list", "/v1/projects", {
      query: NoQuery,
      success: Schema.Array(Project)
    }),
    HttpApiEndpoint.post("create", "/v1/projects", {
      query: NoQuery,
      payload: Schema.Struct({ name: ProjectName }),
      success: Project.pipe(HttpApiSchema.status(201))
    }),
    HttpApiEndpoint.get("read", "/v1/projects/:id", {
      params: { id: Schema.String },
      query: NoQuery,
      success: Project,
      error: onWire(NotFound)
    }),
    HttpApiEndpoint.get("deployments", "/v1/projects/:id/deployments", {
      params: { id: Schema.String },
      query: NoQuery,
      success: Schema.Array(Deployment),
      error: onWire(NotFound)
    }),
    HttpApiEndpoint.post("deploy", "/v1/projects/:id/deployments", {
      params: { id: Schema.String },
      query: NoQuery,
      payload: Schema.Uint8Array.pipe(
        HttpApiSchema.asUint8Array({ contentType: "application/javascript" })
      ),
      success: Deployment.pipe(HttpApiSchema.status(201)),
      error: [
        onWire(NotFound),
        onWire(BundleInvalid),
        onWire(BundleTooLarge),
        onWire(SchemaBreaking)
      ]
    }),
    HttpApiEndpoint.post("mintJwtSecret", "/v1/projects/:id/jwt-secret", {
      params: { id: Schema.String },
      query: NoQuery,
      payload: Schema.Struct({ rotate: Schema.optionalKey(Schema.Boolean) }),
      success: JwtSecret.pipe(HttpApiSchema.status(201)),
      error: [onWire(NotFound), onWire(SecretExists)]
    })
  )
  .middleware(LoginRequired) {}
