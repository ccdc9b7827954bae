export { Client, type ClientOptions, type JoinOptions } from "./client/Client.ts"
export type { ClientRoom } from "./client/ClientRoom.ts"
export { JoinError, RequestError, SendError } from "./client/ClientErrors.ts"
export type { WebSocketConstructor, WebSocketLike } from "./client/ClientPort.ts"
export type { RoomRestart } from "./client/ClientWire.ts"
export type {
  FieldName,
  RecordListeners,
  RecordOf,
  SingletonListeners
} from "./client/RecordEvents.ts"
export type { OwnAsk, Sent } from "./client/RelayCalls.ts"
export type { RelayOp } from "./client/RelayOp.ts"
export type { Unsubscribe } from "./client/Listeners.ts"
export { unknownChoice } from "@atrium/wire/schema/UnknownChoice"
export { ClientClose } from "./client/SessionMachine.ts"
