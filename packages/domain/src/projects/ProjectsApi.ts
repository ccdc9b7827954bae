import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { Boards } from "../boards/Boards.ts"
import { DeploymentLimits } from "../deployments/DeploymentLimits.ts"
import { Deployment } from "../deployments/DeploymentsApi.ts"
import { DeployTurn } from "../deployments/DeployTurn.ts"
import { RouteBody, usualBody } from "../http/BodyBound.ts"
import { LoginRequired, ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { projectPart } from "../http/PathParts.ts"
import { plainText } from "../http/PlainText.ts"
import { Queues } from "../match/Queues.ts"
import { Tiers } from "../meters/Caps.ts"
import { rehearsalFailedOnWire } from "../migrations/RehearsalFailedWire.ts"
import { schemaBreakingOnWire } from "../migrations/SchemaBreakingWire.ts"
import { ProjectId } from "../shared/Ids.ts"
import { labelText } from "../shared/LabelText.ts"
import {
  BadRequest,
  BundleInvalid,
  BundleTooLarge,
  DevHeld,
  NotFound,
  NotReady,
  SecretExists
} from "../shared/Refusal.ts"
import { wholeNumberOrNull } from "../shared/WholeNumber.ts"
import { declaredFields } from "./DeclaredSettings.ts"
import { ProjectLimits } from "./ProjectLimits.ts"

const Id = ProjectId.annotate({ examples: [ProjectId.make("p_0123456789abcdef")] })
const Name = plainText(ProjectLimits.projectNameChars.max)

/** One project; `null` = the default is in force. Source: D-13. */
export const Project = Schema.Struct({
  id: Id,
  name: Schema.String,
  plan: Schema.Literals(Tiers),
  createdAt: Moment,
  connectionsPerIpPerMin: Schema.NullOr(Schema.Int),
  vmMemMib: Schema.NullOr(Schema.Int),
  queues: Queues,
  boards: Boards,
  origins: Schema.Array(Schema.String),
  audienceRole: Schema.NullOr(Schema.String),
  preRelease: Schema.Boolean,
  /** The site that is served for it; `null` = none. */
  static: Schema.NullOr(Schema.Struct({ label: Schema.String, url: Schema.String })),
  currentVersion: Schema.NullOr(Schema.Int)
}).annotate({
  identifier: "Project",
  description: "A project and all that is set for it; `null` = the default is in force."
})
export type Project = typeof Project.Type

/** The answer to a deployment that made a version. */
const DeploymentMade = Schema.Struct({
  ...Deployment.fields,
  made: Schema.Literal(true),
  /** Room types whose physics worlds are made anew, as the bundle has another library; absent = none. Source: C-864. */
  newWorlds: Schema.optionalKey(
    Schema.Array(Schema.Struct({ type: Schema.String, was: Schema.String, is: Schema.String }))
  ),
  /** Room types whose rooms share processes; absent = none. Source: D-55. */
  sharing: Schema.optionalKey(Schema.Array(Schema.String))
}).annotate({
  identifier: "DeploymentMade",
  description: "The version that the deployment made."
})

/** The answer to a deployment of the bundle that is the current version already. Source: C-221. */
const DeploymentKept = Schema.Struct({
  ...Deployment.fields,
  made: Schema.Literal(false)
}).annotate({
  identifier: "DeploymentKept",
  description: "The current version, which has the same bundle; no new version was made."
})

/** A project's JWT signing secret; the secret itself is shown in this one answer only. */
const JwtSecret = Schema.Struct({
  secret: Schema.String,
  kid: Schema.String,
  createdAt: Moment
})

/** What PATCH takes. Spec: Project settings. */
const Settings = Schema.Struct({
  // The current name proves which project is meant, so every name that may be stored fits.
  name: labelText(ProjectLimits.projectNameChars.max),
  connectionsPerIpPerMin: Schema.optionalKey(
    wholeNumberOrNull(ProjectLimits.connectionsPerIpPerMin)
  ),
  vmMemMib: Schema.optionalKey(wholeNumberOrNull(ProjectLimits.vmMemMib)),
  ...declaredFields
}).annotate({ identifier: "ProjectSettings" })

const { max: settingsMax } = DeploymentLimits.deploySettingsBytes
const settingsBytesForm = `must be a whole number from 2 to ${settingsMax}`

/** The options of a deployment: the size of the settings in its body (C-321), and its effects on rooms (C-701, C-703, C-990). */
const deployQuery = {
  allowBreaking: Schema.optionalKey(Schema.Literals(["true", "false"])),
  strategy: Schema.optionalKey(Schema.Literals(["migrate", "drain"])),
  quarantine: Schema.optionalKey(Schema.Literals(["true", "false"])),
  settingsBytes: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(
        (text) =>
          (/^[1-9][0-9]{0,5}$/.test(text) && Number(text) >= 2 && Number(text) <= settingsMax) ||
          settingsBytesForm
      )
    )
  )
}

const project = { params: projectPart, query: NoQuery }

/** Projects, their deployments and their JWT secret: the developer's own login credential. */
export class ProjectsApi extends HttpApiGroup.make("projects")
  .annotateMerge(
    OpenApi.annotations({
      title: "Projects",
      description:
        "A project has its own servers, rooms and keys. These routes take the developer's own login."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects", {
      query: NoQuery,
      success: Schema.Array(Project)
    })
      .annotate(OpenApi.Summary, "Lists the account's projects, newest first.")
      .middleware(LoginRequired),
    HttpApiEndpoint.post("create", "/v1/projects", {
      query: NoQuery,
      payload: Schema.Struct({ name: Name }),
      success: Project.pipe(HttpApiSchema.status(201))
    })
      .annotate(OpenApi.Summary, "Makes a project; its id is the service's choice.")
      .annotateMerge(audited("project.make", "id"))
      .middleware(LoginRequired),
    HttpApiEndpoint.get("read", "/v1/projects/:id", {
      ...project,
      success: Project,
      error: onWire(NotFound)
    })
      .annotate(OpenApi.Summary, "Reads a project and all that is set for it.")
      .middleware(ProjectAccess),
    HttpApiEndpoint.patch("set", "/v1/projects/:id", {
      ...project,
      payload: Settings,
      success: Project,
      error: onWire(BadRequest)
    })
      .annotate(
        OpenApi.Summary,
        "Sets the given fields, all of them or none; `name` must be the current one."
      )
      .annotateMerge(audited("project.set", "id"))
      .middleware(ProjectAccess),
    HttpApiEndpoint.delete("delete", "/v1/projects/:id", {
      ...project,
      success: Schema.Struct({ id: Id }),
      error: [onWire(NotFound), onWire(BadRequest)]
    })
      .annotate(
        OpenApi.Summary,
        "Deletes a project for good: its rooms close, and its id is never used again."
      )
      .annotateMerge(audited("project.delete", "id"))
      .middleware(ProjectAccess),
    HttpApiEndpoint.put("rename", "/v1/projects/:id/name", {
      ...project,
      payload: Schema.Struct({ name: Name }),
      success: Project,
      error: onWire(NotFound)
    })
      .annotate(OpenApi.Summary, "Gives a project another name.")
      .annotateMerge(audited("project.rename", "id"))
      .middleware(ProjectAccess),
    HttpApiEndpoint.post("deploy", "/v1/projects/:id/deployments", {
      params: projectPart,
      query: deployQuery,
      payload: Schema.Uint8Array.pipe(
        HttpApiSchema.asUint8Array({ contentType: "application/javascript" })
      ),
      success: [DeploymentMade.pipe(HttpApiSchema.status(201)), DeploymentKept],
      error: [
        onWire(NotFound),
        onWire(BadRequest),
        onWire(BundleInvalid),
        onWire(BundleTooLarge),
        onWire(NotReady),
        schemaBreakingOnWire,
        rehearsalFailedOnWire
      ]
    })
      .annotate(RouteBody, {
        ...usualBody,
        bytes: BundleLimits.bundleBytes.max,
        noun: "bundle"
      })
      .annotate(
        OpenApi.Summary,
        "Makes a bundle the project's next version; the current version's bundle makes no new one (200)."
      )
      .annotate(
        OpenApi.Description,
        "With `settingsBytes` the body begins with so many bytes of JSON: settings of the project, as PATCH takes them, which are set together with the version. The bundle follows them. `allowBreaking=true` lets migrations of the bundle lead stored state on, once all of it was rehearsed and passed; with `quarantine=true` also when rooms failed: these stay on their version, closed, until a later version leads them on. `strategy=drain` leaves rooms that are up on their version until they are empty."
      )
      // The bundle is read when the caller is known and has its turn: what is declared first comes last.
      .middleware(DeployTurn)
      .annotateMerge(audited("deploy", "version"))
      .middleware(ProjectAccess),
    HttpApiEndpoint.put("holdDev", "/v1/projects/:id/dev-lease", {
      ...project,
      payload: Schema.Struct({
        holder: plainText(DeploymentLimits.devHolderChars.max),
        folder: Schema.NullOr(plainText(DeploymentLimits.devFolderChars.max)),
        takeOver: Schema.optionalKey(Schema.Boolean)
      }),
      success: Schema.Struct({ expiresAt: Schema.NullOr(Moment) }),
      error: [onWire(NotFound), onWire(DevHeld)]
    })
      .annotate(OpenApi.Summary, "Takes or renews the lease of `atrium dev` on a project.")
      .annotate(
        OpenApi.Description,
        "It ends after six seconds. A folder of `null` gives it up; `takeOver` takes it from another holder."
      )
      .middleware(ProjectAccess),
    HttpApiEndpoint.post("mintJwtSecret", "/v1/projects/:id/jwt-secret", {
      ...project,
      payload: Schema.Struct({ rotate: Schema.optionalKey(Schema.Boolean) }),
      success: JwtSecret.pipe(HttpApiSchema.status(201)),
      error: [onWire(NotFound), onWire(SecretExists)]
    })
      .annotate(
        OpenApi.Summary,
        "Mints the secret that signs join credentials, shown in this answer only."
      )
      .annotateMerge(audited("jwt-secret.mint", "kid"))
      .annotate(
        OpenApi.Description,
        "From then on an anonymous identity alone joins no room of the project. DELETE goes back."
      )
      .middleware(ProjectAccess),
    HttpApiEndpoint.delete("deleteJwtSecret", "/v1/projects/:id/jwt-secret", {
      ...project,
      success: Schema.Struct({
        /** The secrets that were valid until now, newest first; none = there was none. */
        deleted: Schema.Array(Schema.String)
      })
    })
      .annotate(
        OpenApi.Summary,
        "Ends every JWT secret of the project at once: anonymous identities join its rooms again."
      )
      .annotateMerge(audited("jwt-secret.delete"))
      .annotate(
        OpenApi.Description,
        "Credentials that they signed are refused from then on; players in rooms stay. A secret that is minted later is another one."
      )
      .middleware(ProjectAccess)
  ) {}
