import { durationMs } from "@atrium/wire/time/Duration"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

import { audited } from "../audit/Audited.ts"
import { keyScope, ProjectAccess } from "../http/Credential.ts"
import { liveDescription } from "../http/LiveDescription.ts"
import { Moment } from "../http/Moment.ts"
import { NoQuery } from "../http/NoQuery.ts"
import { onWire, rateLimitedOnWire } from "../http/onWire.ts"
import { projectPart, roomParts, saveParts } from "../http/PathParts.ts"
import {
  BranchRefused,
  EvictFailed,
  RoomInUse,
  RoomNotFound,
  RoomStarted,
  SaveNotFound,
  TenantWaking
} from "../shared/Refusal.ts"

/** The public words for where a room is in its life. Source: D-14. */
export const RoomStatuses = [
  "starting",
  "awake",
  "draining",
  "hibernated",
  "restarting",
  "closed"
] as const
export const RoomStatus = Schema.Literals(RoomStatuses)
export type RoomStatus = typeof RoomStatus.Type

/**
 * The version to which the state of the room could not be led; absent = the room is not in quarantine. It is closed until
 * a version leads it on. Source: C-990.
 */
const quarantined = Schema.optionalKey(Schema.Int)

const Class = Schema.Literals(["standard", "large", "xlarge"])

/** Spec: Room list row. `deletesAt` is measured from `lastSeen`. */
export const RoomListRow = Schema.Struct({
  project: projectPart.id,
  roomId: roomParts.roomId,
  status: RoomStatus,
  slot: Schema.Int,
  lastSeen: Moment,
  clients: Schema.Int,
  maxClients: Schema.Int,
  backfill: Schema.Boolean,
  retention: Schema.NullOr(Schema.String),
  retentionOverride: Schema.NullOr(Schema.String),
  deletesAt: Schema.NullOr(Moment),
  quarantined
}).annotate({
  identifier: "RoomRow",
  description:
    "A room as it was last reported; `deletesAt` is measured from `lastSeen`. A room with `quarantined` is closed, as its state could not be led to that version."
})
export type RoomListRow = typeof RoomListRow.Type

/** Spec: Room detail. `deletesAt` is exact. */
export const RoomDetail = Schema.Struct({
  roomId: roomParts.roomId,
  status: RoomStatus,
  type: Schema.String,
  class: Class,
  retention: Schema.NullOr(Schema.String),
  retentionOverride: Schema.NullOr(Schema.String),
  deletesAt: Schema.NullOr(Moment),
  saves: Schema.Int,
  stateBytes: Schema.Int,
  lastSeen: Moment,
  quarantined
}).annotate({
  identifier: "Room",
  description:
    "A room with its stored state; `deletesAt` is exact. A room with `quarantined` is closed, as its state could not be led to that version."
})
export type RoomDetail = typeof RoomDetail.Type

/** Spec: Room delete result. */
const RoomDeleted = Schema.Struct({ roomId: roomParts.roomId, objects: Schema.Int })

/** One save generation. Source: D-11. */
export const Save = Schema.Struct({
  saveId: saveParts.saveId,
  createdAt: Moment,
  bytes: Schema.Int,
  version: Schema.Int,
  schemaHash: Schema.String,
  reason: Schema.Literals(["interval", "hibernate", "manual", "restore"])
}).annotate({ identifier: "Save", description: "A save generation of a room." })
export type Save = typeof Save.Type

/** Source: D-11. */
export const RestoreQueued = Schema.Struct({
  roomId: roomParts.roomId,
  saveId: saveParts.saveId,
  status: Schema.Literal("queued"),
  queuedAt: Moment
})

const isDuration = (text: string): boolean => durationMs(text) !== null
const durationForm = "a duration such as 10m, 36h or 30d, from 1m to 3650d"

/** Spec: Duration. */
const DurationText = Schema.String.check(
  Schema.makeFilter((text) => isDuration(text) || `must be ${durationForm}`)
)

/** What a room's own retention may be set to; `null` clears it. Spec: Rooms rule 4. */
const RetentionText = Schema.String.check(
  Schema.makeFilter(
    (text) => text === "forever" || isDuration(text) || `must be ${durationForm}, forever or null`
  )
)

/** Rooms and their saves: a scoped API key, or the account's login. Spec: Endpoints, Rooms. */
export class RoomsApi extends HttpApiGroup.make("rooms")
  .annotateMerge(
    OpenApi.annotations({
      title: "Rooms",
      description:
        "Rooms and their saves: an API key with the scope of the route, or the developer's own login."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/rooms", {
      params: projectPart,
      query: {
        active: Schema.optionalKey(Schema.Literals(["true", "false"])),
        "idle-longer-than": Schema.optionalKey(DurationText)
      },
      success: Schema.Array(RoomListRow),
      error: rateLimitedOnWire
    })
      .annotate(OpenApi.Summary, "Lists a project's rooms, the one last reported first.")
      .annotateMerge(keyScope("rooms:read", liveDescription("roomId"))),
    HttpApiEndpoint.get("read", "/v1/projects/:id/rooms/:roomId", {
      params: roomParts,
      query: NoQuery,
      success: RoomDetail,
      error: onWire(RoomNotFound)
    })
      .annotate(OpenApi.Summary, "Reads a room, awake or not.")
      .annotateMerge(keyScope("rooms:read")),
    HttpApiEndpoint.patch("set", "/v1/projects/:id/rooms/:roomId", {
      params: roomParts,
      query: NoQuery,
      payload: Schema.Struct({
        retention: Schema.optionalKey(Schema.NullOr(RetentionText)),
        public: Schema.optionalKey(Schema.Boolean)
      }),
      success: RoomDetail,
      error: [
        onWire(RoomNotFound),
        onWire(RoomStarted),
        onWire(BranchRefused),
        onWire(TenantWaking)
      ]
    })
      .annotate(OpenApi.Summary, "Sets how long a room is kept, and whether players find it.")
      .annotateMerge(audited("room.set", "roomId"))
      .annotateMerge(keyScope("rooms:write")),
    HttpApiEndpoint.delete("delete", "/v1/projects/:id/rooms/:roomId", {
      params: roomParts,
      // Any value other than `true` does not force. Source: T-03.
      query: { force: Schema.optionalKey(Schema.String) },
      success: RoomDeleted,
      error: [onWire(RoomNotFound), onWire(RoomInUse), onWire(EvictFailed), onWire(TenantWaking)]
    })
      .annotate(OpenApi.Summary, "Deletes a room and all that is stored of it.")
      .annotateMerge(audited("room.delete", "roomId"))
      .annotateMerge(keyScope("rooms:write")),
    HttpApiEndpoint.get("saves", "/v1/projects/:id/rooms/:roomId/saves", {
      params: roomParts,
      query: NoQuery,
      success: Schema.Array(Save),
      error: onWire(RoomNotFound)
    })
      .annotate(OpenApi.Summary, "Lists a room's save generations, newest first.")
      .annotateMerge(keyScope("rooms:read")),
    HttpApiEndpoint.get("saveBytes", "/v1/projects/:id/rooms/:roomId/saves/:saveId/bytes", {
      params: saveParts,
      query: NoQuery,
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      error: [onWire(RoomNotFound), onWire(SaveNotFound)]
    })
      .annotate(OpenApi.Summary, "Reads the raw bytes of a save generation.")
      .annotateMerge(keyScope("rooms:read")),
    HttpApiEndpoint.post("restore", "/v1/projects/:id/rooms/:roomId/restore", {
      params: roomParts,
      query: NoQuery,
      payload: Schema.Struct({ saveId: saveParts.saveId }),
      success: RestoreQueued.pipe(HttpApiSchema.status(202)),
      error: [onWire(RoomNotFound), onWire(SaveNotFound), onWire(TenantWaking)]
    })
      .annotate(OpenApi.Summary, "Queues a save generation to take the place of the room's state.")
      .annotateMerge(audited("room.restore", "roomId"))
      .annotateMerge(keyScope("rooms:write"))
  )
  .middleware(ProjectAccess) {}
