/** What room code imports: `@atrium/sdk/room`. The schema is in `@atrium/sdk/schema`. */
export { defineRoom, type RoomDefinition } from "@atrium/runtime/room/DefineRoom"
export type {
  RoomHandlers,
  Room,
  RoomClients,
  JoinAttempt,
  BroadcastOptions,
  ClientViews,
  RoomAlarms,
  RoomLeaderboard,
  RoomLog,
  RoomRandom,
  RoomRatings,
  RatingReport,
  PlayerRating,
  PlayerKv,
  KvItem,
  KvList,
  KvListOptions,
  SubmitResult
} from "@atrium/runtime/room/Room"
export type { MatchPlace, RoomClient } from "@atrium/runtime/room/RoomClient"
export type {
  ShapeVisibility,
  Visibility,
  VisibleRoom,
  VisibleState
} from "@atrium/runtime/room/Visibility"
export type {
  RoomReplay,
  ReplayClip,
  ReplayFrame,
  ReplayStart,
  ReplayStop
} from "@atrium/runtime/room/RoomReplay"
export type {
  BodyRef,
  PastBody,
  PastWorld,
  PhysicsHistory,
  PhysicsPoint,
  PhysicsQuaternion,
  PhysicsVector,
  RayHit,
  RayOptions,
  RoomPhysics
} from "@atrium/runtime/physics/RoomPhysics"
export { RpcError } from "@atrium/runtime/room/RpcError"
export type { HiddenDefinition, HiddenOf, ReadonlyHiddenOf } from "@atrium/wire/schema/HiddenState"
export type { JsonValue } from "@atrium/wire/kv/KvFault"
