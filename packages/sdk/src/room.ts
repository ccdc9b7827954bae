/** What room code imports: `@atrium/sdk/room`. The schema is in `@atrium/sdk/schema`. */
export { defineRoom, type RoomDefinition } from "@atrium/runtime/room/DefineRoom"
export type {
  BroadcastOptions,
  JoinAttempt,
  Room,
  RoomAlarms,
  RoomClient,
  RoomClients,
  RoomHandlers,
  RoomLog,
  RoomRandom
} from "@atrium/runtime/room/Room"
export { RpcError } from "@atrium/runtime/room/RpcError"
