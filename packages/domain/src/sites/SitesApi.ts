import { Schema } from "effect"
import {
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware,
  HttpApiSchema,
  OpenApi
} from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { RouteBody, usualBody } from "../http/BodyBound.ts"
import { type CallersProject, ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoFields } from "../http/NoFields.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { projectPart, siteFileParts, uploadParts } from "../http/PathParts.ts"
import {
  BadRequest,
  CapReached,
  LabelTaken,
  NotFound,
  NotReady,
  SiteFileRefused,
  SiteNotFound,
  SitePortsTaken,
  UploadIncomplete,
  UploadNotFound,
  UploadsFull
} from "../shared/Refusal.ts"
import { SiteLimits } from "./SiteLimits.ts"

/** Lets a body of an upload wait until there is memory for it, and refuses it at the storage wall. */
export class SiteBodyTurn extends HttpApiMiddleware.Service<
  SiteBodyTurn,
  { requires: CallersProject }
>()("@atrium/domain/sites/SiteBodyTurn", { error: [onWire(NotReady), onWire(CapReached)] }) {}

const siteFields = {
  label: Schema.String,
  /** Where browsers find the site, without a slash at its end. */
  url: Schema.String,
  files: Schema.Int,
  bytes: Schema.Int
}

/** The site of a project. */
const Site = Schema.Struct({ ...siteFields, deployedAt: Moment }).annotate({
  identifier: "Site",
  description: "The static site of a project, and where it is served."
})
type Site = typeof Site.Type

/** A file of an upload: its path below the site with `/` between its parts, and the SHA-256 of its content in hex. */
const UploadedFile = Schema.Struct({
  path: Schema.String,
  hash: Schema.String,
  bytes: Schema.Finite
}).annotate({
  identifier: "SiteFile",
  description: "A file of a site: its path, the SHA-256 of its content in hex, and its size."
})

/** The files of an upload, and what is to become so with them. */
export const SiteManifest = Schema.Struct({
  label: Schema.optionalKey(Schema.String),
  files: Schema.Array(UploadedFile),
  /** As PATCH of the project takes them; they are read by `readSettings`. */
  settings: Schema.optionalKey(Schema.Json)
}).annotate({
  identifier: "SiteManifest",
  description:
    "The files of an upload. `label` decides the address; left out, the site keeps its label, or gets one by the project's name. `settings` are set together with the site, as PATCH of the project takes them, without `name`."
})
export type SiteManifest = typeof SiteManifest.Type

/** An upload that has begun. */
const SiteUpload = Schema.Struct({
  upload: Schema.String,
  label: Schema.String,
  /** Hashes of the content that the project does not hold yet, each once. */
  missing: Schema.Array(Schema.String),
  expiresAt: Moment
}).annotate({
  identifier: "SiteUpload",
  description: "An upload that has begun, and the content that it waits for."
})
type SiteUpload = typeof SiteUpload.Type

/** A site that has been switched; `changed` = how many paths differ from the site before. */
const SiteSwitched = Schema.Struct({ ...siteFields, changed: Schema.Int }).annotate({
  identifier: "SiteSwitched",
  description: "The site that is served from now on."
})
type SiteSwitched = typeof SiteSwitched.Type

const project = { params: projectPart, query: NoQuery }

/** The static site of a project: the developer's own login credential. Source: D-40, C-355. */
export class SitesApi extends HttpApiGroup.make("sites")
  .annotateMerge(
    OpenApi.annotations({
      title: "Sites",
      description:
        "A project may have a static site. An upload lists its files, sends the content that is missing, and is finished: then the site is switched as a whole. These routes take the developer's login."
    })
  )
  .add(
    HttpApiEndpoint.get("read", "/v1/projects/:id/site", {
      ...project,
      success: Site,
      error: onWire(SiteNotFound)
    })
      .annotate(OpenApi.Summary, "Reads the site of a project.")
      .middleware(ProjectAccess),
    HttpApiEndpoint.delete("delete", "/v1/projects/:id/site", {
      ...project,
      success: Schema.Struct({ label: Schema.String }),
      error: onWire(SiteNotFound)
    })
      .annotate(OpenApi.Summary, "Deletes the site of a project; its label is free again.")
      .annotateMerge(audited("site.delete", "label"))
      .middleware(ProjectAccess),
    HttpApiEndpoint.post("begin", "/v1/projects/:id/site/uploads", {
      ...project,
      payload: SiteManifest,
      success: SiteUpload.pipe(HttpApiSchema.status(201)),
      error: [
        onWire(NotFound),
        onWire(BadRequest),
        onWire(LabelTaken),
        onWire(UploadsFull),
        onWire(SitePortsTaken)
      ]
    })
      .annotate(RouteBody, {
        ...usualBody,
        bytes: SiteLimits.siteManifestBytes.max,
        commas: SiteLimits.siteManifestCommas.max
      })
      .annotate(OpenApi.Summary, "Begins an upload, and says which content is missing.")
      // The list is read when the caller is known and has its turn: what is declared first comes last.
      .middleware(SiteBodyTurn)
      .middleware(ProjectAccess),
    HttpApiEndpoint.put("put", "/v1/projects/:id/site/uploads/:upload/files/:hash", {
      params: siteFileParts,
      query: NoQuery,
      payload: Schema.Uint8Array.pipe(
        HttpApiSchema.asUint8Array({ contentType: "application/octet-stream" })
      ),
      success: Schema.Struct({ hash: Schema.String, bytes: Schema.Int }),
      error: [onWire(UploadNotFound), onWire(SiteFileRefused)]
    })
      .annotate(RouteBody, { ...usualBody, bytes: SiteLimits.siteFileBytes.max })
      .annotate(OpenApi.Summary, "Sends the content of a file; `hash` is the SHA-256 of it.")
      .middleware(SiteBodyTurn)
      .middleware(ProjectAccess),
    HttpApiEndpoint.post("finish", "/v1/projects/:id/site/uploads/:upload/finish", {
      params: uploadParts,
      query: NoQuery,
      payload: NoFields,
      success: SiteSwitched.pipe(HttpApiSchema.status(201)),
      error: [
        onWire(NotFound),
        onWire(BadRequest),
        onWire(UploadNotFound),
        onWire(UploadIncomplete),
        onWire(LabelTaken),
        onWire(SitePortsTaken)
      ]
    })
      .annotate(
        OpenApi.Summary,
        "Serves the files of an upload from now on, and sets its settings with them."
      )
      .annotateMerge(audited("site.deploy", "label"))
      .middleware(ProjectAccess)
  ) {}
