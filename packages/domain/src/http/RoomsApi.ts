import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

import { durationMs } from "../Duration.ts"
import {
  EvictFailed,
  RoomInUse,
  RoomNotFound,
  RoomStarted,
  SaveNotFound,
  TenantWaking
} from "../Refusal.ts"
import { ProjectAccess, RequiredScope } from "./Credential.ts"
import { NoQuery } from "./NoQuery.ts"
import { onWire } from "./onWire.ts"

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

const Class = Schema.Literals(["standard", "large", "xlarge"])

/** Spec: Room list row. `deletesAt` is measured from `lastSeen`. */
export const RoomListRow = Schema.Struct({
  project: Schema.String,
  roomId: Schema.String,
  status: RoomStatus,
  slot: Schema.Int,
  lastSeen: Schema.String,
  clients: Schema.Int,
  maxClients: Schema.Int,
  backfill: Schema.Boolean,
  retention: Schema.NullOr(Schema.String),
  retentionOverride: Schema.NullOr(Schema.String),
  deletesAt: Schema.NullOr(Schema.String)
})
export type RoomListRow = typeof RoomListRow.Type

/** Spec: Room detail. `deletesAt` is exact. */
export const RoomDetail = Schema.Struct({
  roomId: Schema.String,
  status: RoomStatus,
  type: Schema.String,
  class: Class,
  retention: Schema.NullOr(Schema.String),
  retentionOverride: Schema.NullOr(Schema.String),
  deletesAt: Schema.NullOr(Schema.String),
  saves: Schema.Int,
  stateBytes: Schema.Int,
  lastSeen: Schema.String
})
export type RoomDetail = typeof RoomDetail.Type

/** Spec: Room delete result. */
export const RoomDeleted = Schema.Struct({ roomId: Schema.String, objects: Schema.Int })

/** One save generation. Source: D-11. */
export const Save = Schema.Struct({
  saveId: Schema.String,
  createdAt: Schema.String,
  bytes: Schema.Int,
  version: Schema.Int,
  schemaHash: Schema.String,
  reason: Schema.Literals(["interval", "hibernate", "manual", "restore"])
})
export type Save = typeof Save.Type

/** Source: D-11. */
export const RestoreQueued = Schema.Struct({
  roomId: Schema.String,
  saveId: Schema.String,
  status: Schema.Literal("queued"),
  queuedAt: Schema.String
})

const isDuration = (text: string): boolean => durationMs(text) !== null
const durationForm = "a duration such as 10m, 36h or 30d, from 1m to 3650d"

/** Spec: Duration. */
export const DurationText = Schema.String.check(
  Schema.makeFilter((text) => isDuration(text) || `must be ${durationForm}`)
)

/** What a room's own retention may be set to; `null` clears it. Spec: Rooms rule 4. */
const RetentionText = Schema.String.check(
  Schema.makeFilter(
    (text) => text === "forever" || isDuration(text) || `must be ${durationForm}, forever or null`
  )
)

const room = { id: Schema.String, roomId: Schema.String }

/** Rooms and their saves: a scoped API key, or the account's login. Spec: Endpoints, Rooms. */
export class RoomsApi extends HttpApiGroup.make("rooms")
  .add(
    HttpApiEndpoint.get("list", "/v1/projects/:id/rooms", {
      params: { id: Schema.String },
      query: {
        active: Schema.optionalKey(Schema.Literals(["true", "false"])),
        "idle-longer-than": Schema.optionalKey(DurationText)
      },
      success: Schema.Array(RoomListRow)
    }).annotate(RequiredScope, "rooms:read"),
    HttpApiEndpoint.get("read", "/v1/projects/:id/rooms/:roomId", {
      params: room,
      query: NoQuery,
      success: RoomDetail,
      error: onWire(RoomNotFound)
    }).annotate(RequiredScope, "rooms:read"),
    HttpApiEndpoint.patch("set", "/v1/projects/:id/rooms/:roomId", {
      params: room,
      query: NoQuery,
      payload: Schema.Struct({
        retention: Schema.optionalKey(Schema.NullOr(RetentionText)),
        public: Schema.optionalKey(Schema.Boolean)
      }),
      success: RoomDetail,
      error: [onWire(RoomNotFound), onWire(RoomStarted), onWire(TenantWaking)]
    }).annotate(RequiredScope, "rooms:write"),
    HttpApiEndpoint.delete("delete", "/v1/projects/:id/rooms/:roomId", {
      params: room,
      // Whatever else it says than `true` is no force. Source: T-03.
      query: { force: Schema.optionalKey(Schema.String) },
      success: RoomDeleted,
      error: [onWire(RoomNotFound), onWire(RoomInUse), onWire(EvictFailed), onWire(TenantWaking)]
    }).annotate(RequiredScope, "rooms:write"),
    HttpApiEndpoint.get("saves", "/v1/projects/:id/rooms/:roomId/saves", {
      params: room,
      query: NoQuery,
      success: Schema.Array(Save),
      error: onWire(RoomNotFound)
    }).annotate(RequiredScope, "rooms:read"),
    HttpApiEndpoint.get("saveBytes", "/v1/projects/:id/rooms/:roomId/saves/:saveId/bytes", {
      params: { ...room, saveId: Schema.String },
      query: NoQuery,
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      error: [onWire(RoomNotFound), onWire(SaveNotFound)]
    }).annotate(RequiredScope, "rooms:read"),
    HttpApiEndpoint.post("restore", "/v1/projects/:id/rooms/:roomId/restore", {
      params: room,
      query: NoQuery,
      payload: Schema.Struct({ saveId: Schema.String }),
      success: RestoreQueued.pipe(HttpApiSchema.status(202)),
      error: [onWire(RoomNotFound), onWire(SaveNotFound), onWire(TenantWaking)]
    }).annotate(RequiredScope, "rooms:write")
  )
  .middleware(ProjectAccess) {}
