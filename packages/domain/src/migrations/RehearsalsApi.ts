import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { DeployTurn } from "../deployments/DeployTurn.ts"
import { RouteBody, usualBody } from "../http/BodyBound.ts"
import { ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire } from "../http/onWire.ts"
import { projectPart, rehearsalParts, roomParts, saveParts } from "../http/PathParts.ts"
import { BadRequest, BundleInvalid, BundleTooLarge, NotFound, NotReady } from "../shared/Refusal.ts"
import { MigrationLimits } from "./MigrationLimits.ts"
import { RehearsalState } from "./RehearsalState.ts"
import { schemaBreakingOnWire } from "./SchemaBreakingWire.ts"

/** Failures that are alike: of one place of the code, else of one text. */
const Failure = Schema.Struct({
  message: Schema.String,
  /** Lines of the migration's file; empty = the failure names none. */
  stack: Schema.String,
  /** The first room that shows it. */
  roomId: roomParts.roomId,
  /** The save generation of the room that shows it; `null` = its snapshot. */
  saveId: Schema.NullOr(saveParts.saveId),
  /** The version that stored the state. */
  version: Schema.Int,
  /** Rooms whose first failure is of this kind. */
  rooms: Schema.Int
})

/** Source: C-710, C-712. */
export const Rehearsal = Schema.Struct({
  rehearsalId: rehearsalParts.rehearsalId,
  state: RehearsalState,
  createdAt: Moment,
  /** The number that the version would get. */
  version: Schema.Int,
  /** Rooms that were drawn; `null` = all rooms are rehearsed. */
  sample: Schema.NullOr(Schema.Int),
  rooms: Schema.Struct({
    total: Schema.Int,
    done: Schema.Int,
    failed: Schema.Int,
    /** Rooms that changed meanwhile, and were rehearsed once more. */
    again: Schema.Int
  }),
  states: Schema.Struct({
    /** Snapshots and saves that were led on, or failed. A save that was made with the snapshot counts with it. */
    done: Schema.Int,
    /** Those that no migration leads on: their room type goes, or they are given up. */
    skipped: Schema.Int
  }),
  /** Time that it will probably take from now on, in milliseconds; 0 = it is over. */
  estimateMs: Schema.Int,
  bytes: Schema.Struct({ before: Schema.Int, after: Schema.Int }),
  /** What the migrations add to a wake, in milliseconds. */
  wakeMs: Schema.Struct({
    mean: Schema.Number,
    max: Schema.Number,
    /** The room that took longest; `null` = none. */
    roomId: Schema.NullOr(roomParts.roomId)
  }),
  failures: Schema.Array(Failure),
  failedRooms: Schema.Array(roomParts.roomId),
  /** Changes of the state of at most three rooms. */
  diffs: Schema.Array(
    Schema.Struct({
      roomId: roomParts.roomId,
      type: Schema.String,
      version: Schema.Int,
      /** `- path: value` before, `+ path: value` after. */
      lines: Schema.Array(Schema.String)
    })
  )
}).annotate({
  identifier: "Rehearsal",
  description:
    "A run of a bundle's migrations over what is stored of a project. It changes nothing."
})
export type Rehearsal = typeof Rehearsal.Type

const { max } = MigrationLimits.rehearsalSample
const sampleForm = `must be a whole number from 1 to ${max}`

const sample = Schema.optionalKey(
  Schema.String.check(
    Schema.makeFilter(
      (text) => (/^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= max) || sampleForm
    )
  ).annotate({ description: "Rooms to draw by chance; all rooms are rehearsed without it." })
)

/** The rehearsals of a project: the developer's own login credential. Source: C-710. */
export class RehearsalsApi extends HttpApiGroup.make("rehearsals")
  .annotateMerge(
    OpenApi.annotations({
      title: "Rehearsals",
      description: "Migrations that are tried on everything that is stored of a project."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/rehearsals", {
      params: projectPart,
      query: NoQuery,
      success: Schema.Array(Rehearsal)
    })
      .annotate(OpenApi.Summary, "Lists a project's latest rehearsals, the newest first.")
      .middleware(ProjectAccess),
    HttpApiEndpoint.post("begin", "/v1/projects/:id/rehearsals", {
      params: projectPart,
      query: { sample },
      payload: Schema.Uint8Array.pipe(
        HttpApiSchema.asUint8Array({ contentType: "application/javascript" })
      ),
      success: Rehearsal.pipe(HttpApiSchema.status(201)),
      error: [
        onWire(NotFound),
        onWire(BadRequest),
        onWire(BundleInvalid),
        onWire(BundleTooLarge),
        onWire(NotReady),
        schemaBreakingOnWire
      ]
    })
      .annotate(RouteBody, { ...usualBody, bytes: BundleLimits.bundleBytes.max, noun: "bundle" })
      .annotate(
        OpenApi.Summary,
        "Begins to rehearse the migrations of a bundle, or goes on with a rehearsal of this bundle."
      )
      .annotate(
        OpenApi.Description,
        "Another rehearsal of the project that is under way stops. Nothing that is stored changes."
      )
      .middleware(DeployTurn)
      .annotateMerge(audited("rehearsal.begin", "rehearsalId"))
      .middleware(ProjectAccess),
    HttpApiEndpoint.get("read", "/v1/projects/:id/rehearsals/:rehearsalId", {
      params: rehearsalParts,
      query: NoQuery,
      success: Rehearsal,
      error: onWire(NotFound)
    })
      .annotate(OpenApi.Summary, "Reads how far a rehearsal is, and what it has found.")
      .middleware(ProjectAccess),
    HttpApiEndpoint.post("stop", "/v1/projects/:id/rehearsals/:rehearsalId/stop", {
      params: rehearsalParts,
      query: NoQuery,
      success: Rehearsal,
      error: onWire(NotFound)
    })
      .annotate(
        OpenApi.Summary,
        "Stops a rehearsal; it can go on later. One that is over stays so."
      )
      .annotateMerge(audited("rehearsal.stop", "rehearsalId"))
      .middleware(ProjectAccess),
    HttpApiEndpoint.post("resume", "/v1/projects/:id/rehearsals/:rehearsalId/resume", {
      params: rehearsalParts,
      query: NoQuery,
      success: Rehearsal,
      error: onWire(NotFound)
    })
      .annotate(OpenApi.Summary, "Lets a rehearsal that was stopped go on where it was.")
      .annotateMerge(audited("rehearsal.resume", "rehearsalId"))
      .middleware(ProjectAccess)
  ) {}
