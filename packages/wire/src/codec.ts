/** Bytes of states, deltas, messages and persisted player fields. Layout: docs/protocol.md. */
export { CodecError } from "./codec/CodecError.ts"
export { packPlayer, unpackPlayer } from "./codec/PlayerCodec.ts"
export { packRecord, unpackRecord } from "./codec/RecordCodec.ts"
export { makeRoomState } from "./codec/RoomState.ts"
export type { RoomState } from "./codec/RoomState.ts"
export { stateHash } from "./codec/StateHash.ts"
export { makeStateView } from "./codec/StateView.ts"
export type { StateView } from "./codec/StateView.ts"
