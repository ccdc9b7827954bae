/** What room code imports: `@atrium/sdk/room`. The schema is in `@atrium/sdk/schema`. */
export { defineRoom, type RoomDefinition } from "./room/DefineRoom.ts"
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
} from "./room/Room.ts"
export { RpcError } from "./room/RpcError.ts"
