/** What room code imports: `@atrium/sdk/room`. The schema is in `@atrium/sdk/schema`. */
export { defineRoom, type RoomDefinition } from "@atrium/runtime/room/DefineRoom"
export type {
  RoomHandlers,
  Room,
  RoomClient,
  RoomClients,
  JoinAttempt,
  MatchPlace,
  BroadcastOptions,
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
export { RpcError } from "@atrium/runtime/room/RpcError"
export type { JsonValue } from "@atrium/wire/kv/KvFault"
