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
  PlayerRating
} from "@atrium/runtime/room/Room"
export { RpcError } from "@atrium/runtime/room/RpcError"
