import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { keyScope, ProjectAccess } from "../http/Credential.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { limitedOnWire, onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { chunkPart, projectPart, replayPart, replayParts, roomParts } from "../http/PathParts.ts"
import {
  BadRequest,
  CapReached,
  ClipCooldown,
  ClipDisarmed,
  ClipTooLarge,
  NotFound,
  NotReady,
  OriginRefused,
  ReplayOff,
  RoomNotFound
} from "../shared/Refusal.ts"
import { ReplayTtl } from "./ReplayTtl.ts"

const kind = Schema.Literals(["clip", "recording"])

/** What is known of a replay without its chunks. Source: D-57. */
const facts = {
  roomId: roomParts.roomId,
  type: Schema.String,
  version: Schema.Int,
  startedAt: Moment,
  seconds: Schema.Number.annotate({ description: "Length of the footage." }),
  bytes: Schema.Int.annotate({ description: "Bytes that are stored." }),
  expiresAt: Moment
}

/** One chunk: five seconds, unless a chunk of them would be too large. */
const ReplayChunk = Schema.Struct({
  index: Schema.Int,
  fromTick: Schema.Int,
  toTick: Schema.Int,
  bytes: Schema.Int,
  fromMs: Schema.Int.annotate({ description: "Milliseconds after `startedAt`." }),
  toMs: Schema.Int
}).annotate({ identifier: "ReplayChunk", description: "A part of a replay that is fetched whole." })

/** Source: D-57. */
export const Replay = Schema.Struct({
  project: projectPart.id,
  ...facts,
  kind,
  descriptor: Schema.Json.annotate({
    description:
      "The descriptor of the room's public state and messages, as clients of its version have it."
  }),
  running: Schema.Boolean.annotate({ description: "Further chunks follow: a recording runs." }),
  chunks: Schema.Array(ReplayChunk)
}).annotate({ identifier: "Replay", description: "A clip or a recording, for those who watch it." })

/** Source: D-57. */
export const ReplayRow = Schema.Struct({
  replayId: replayPart.replayId,
  ...facts,
  kind,
  chunks: Schema.Int,
  createdAt: Moment,
  running: Schema.Boolean
}).annotate({ identifier: "ReplayRow", description: "A clip or a recording of a project." })
export type ReplayRow = typeof ReplayRow.Type

const Clip = Schema.Struct({
  clipId: replayPart.replayId,
  url: Schema.String,
  expiresAt: Moment,
  // A service of an earlier version says nothing of it.
  service: Schema.optionalKey(
    Schema.String.annotate({ description: "The version of Atrium that has made the clip." })
  )
}).annotate({ identifier: "Clip", description: "A clip that is stored." })

const watchErrors = [
  onWire(NotFound),
  onWire(BadRequest),
  onWire(CapReached),
  onWire(OriginRefused),
  onWire(NotReady),
  rateLimitedOnWire
] as const

/** Replays for those who watch: an open endpoint whose credential is the replay's id. Source: D-57, D-26. */
export class WatchApi extends HttpApiGroup.make("watch")
  .annotateMerge(
    OpenApi.annotations({
      title: "Watching",
      description: "Clips and recordings. The id of a replay is all that it takes to watch it."
    })
  )
  .add(
    HttpApiEndpoint.get("replay", "/v1/replays/:replayId", {
      params: replayPart,
      query: NoQuery,
      success: Replay,
      error: watchErrors
    }).annotate(OpenApi.Summary, "Reads what a replay shows, and which chunks it has."),
    HttpApiEndpoint.get("chunk", "/v1/replays/:replayId/chunks/:index", {
      params: chunkPart,
      query: NoQuery,
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      error: watchErrors
    }).annotate(
      OpenApi.Summary,
      "Reads a chunk; with `content-encoding: zstd` where the caller accepts it."
    )
  ) {}

/** The replays of a project: an API key, or the account's login. Source: D-57. */
export class ReplaysApi extends HttpApiGroup.make("replays")
  .annotateMerge(
    OpenApi.annotations({
      title: "Replays",
      description: "Clips and recordings of a project's rooms."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/replays", {
      params: projectPart,
      query: NoQuery,
      success: Schema.Array(ReplayRow)
    })
      .annotate(OpenApi.Summary, "Lists a project's replays, the newest first.")
      .annotateMerge(keyScope("rooms:read")),
    HttpApiEndpoint.delete("delete", "/v1/projects/:id/replays/:replayId", {
      params: replayParts,
      query: NoQuery,
      success: ReplayRow,
      error: onWire(NotFound)
    })
      .annotate(OpenApi.Summary, "Deletes a replay; its link stops.")
      .annotateMerge(audited("replay.delete", "roomId"))
      .annotateMerge(keyScope("rooms:write")),
    HttpApiEndpoint.post("clip", "/v1/projects/:id/rooms/:roomId/clips", {
      params: roomParts,
      query: NoQuery,
      payload: Schema.Struct({
        seconds: Schema.optionalKey(Schema.Int),
        ttl: Schema.optionalKey(ReplayTtl)
      }),
      success: Clip.pipe(HttpApiSchema.status(201)),
      error: [
        onWire(RoomNotFound),
        onWire(BadRequest),
        onWire(ReplayOff),
        onWire(ClipDisarmed),
        limitedOnWire(ClipCooldown),
        onWire(ClipTooLarge),
        onWire(CapReached),
        onWire(NotReady)
      ]
    })
      .annotate(OpenApi.Summary, "Makes a clip of the last seconds of an awake room.")
      .annotateMerge(audited("replay.clip", "roomId"))
  )
  .middleware(ProjectAccess) {}
