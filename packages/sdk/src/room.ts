/** What room code imports: `@atrium/sdk/room`. The schema is in `@atrium/sdk/schema`. */
export { defineRoom, type RoomDefinition } from "@atrium/runtime/room/DefineRoom"
export type {
  RoomHandlers,
  Room,
  RoomClient,
  RoomClients,
  JoinAttempt,
  BroadcastOptions,
  RoomAlarms,
  RoomLog,
  RoomRandom,
  RoomRatings,
  RatingReport,
  PlayerRating,
  PlayerKv,
  KvItem,
  KvList,
  KvListOptions
} from "@atrium/runtime/room/Room"
export { RpcError } from "@atrium/runtime/room/RpcError"
export type { JsonValue } from "@atrium/wire/kv/KvFault"
