/**
 * Codes that exist inside a room connection or between a room and its code, and never as an answer
 * of the HTTP API (those are classes in `Refusal.ts`). Codes that end a connection are in
 * `CloseCode.ts`. docs/protocol.md explains those that travel.
 */
export interface RoomRefusal {
  readonly code: string
  readonly says: string
  /** The reader of the refusal: a client by a frame, or the room's own code by an error or a log line. */
  readonly reaches: "client" | "room code"
}

const toClient = <const Code extends string>(code: Code, says: string) =>
  ({ code, says, reaches: "client" }) as const
const toRoomCode = <const Code extends string>(code: Code, says: string) =>
  ({ code, says, reaches: "room code" }) as const

export const RoomRefusals = {
  badMessage: toClient("E_BAD_MESSAGE", "a message or a call that does not fit the room's schema"),
  chatTooLong: toClient("E_CHAT_TOO_LONG", "a chat line of more than 512 bytes; it is not sent"),
  chatRate: toClient("E_CHAT_RATE", "more chat lines than one a second; told once per episode"),
  rpcBusy: toClient("E_RPC_BUSY", "more calls at once than the room or the client takes"),
  rpcFailed: toClient("E_RPC_FAILED", "the handler of the call failed; its log says why"),
  rpcUnknown: toClient("E_RPC_UNKNOWN", "the other side has no handler for the call"),
  notStored: toClient("E_NOT_STORED", "the state could not be stored, so nothing is promised"),
  writeRejected: toClient(
    "E_WRITE_REJECTED",
    "a relay frame of more than 64 KB, or a write that does not fit the schema"
  ),
  notOwner: toClient("E_NOT_OWNER", "a write to a record that another client owns"),
  writeRate: toClient(
    "E_WRITE_RATE",
    "more than 35 write operations a second; the whole frame was refused"
  ),
  recordCap: toClient("E_RECORD_CAP", "a collection of a relay room has all records that it takes"),
  stateCap: toClient("E_STATE_CAP", "the state of a relay room would be over 512 KB"),
  voiceOff: toClient(
    "E_VOICE_OFF",
    "a join to a voice call of a room, or by a viewer, that has none"
  ),
  voiceFull: toClient(
    "E_VOICE_FULL",
    "the voice call has all its participants, or the service no port for one more"
  ),
  rpcTimeout: toRoomCode("E_RPC_TIMEOUT", "the other side did not answer the call in time"),
  clientGone: toRoomCode("E_CLIENT_GONE", "the client left before it answered the call"),
  saveBusy: toRoomCode("E_SAVE_BUSY", "more calls of room.save() wait than may"),
  callBusy: toRoomCode("E_CALL_BUSY", "more in-room calls wait for their answer than may"),
  callRate: toRoomCode("E_CALL_RATE", "more in-room calls than the room, or that call, may make"),
  callInvalid: toRoomCode("E_CALL_INVALID", "the payload is too large, or not what the call takes"),
  callUnknown: toRoomCode("E_CALL_UNKNOWN", "the service has no in-room call of that name"),
  callTimeout: toRoomCode(
    "E_CALL_TIMEOUT",
    "the service did not answer in time; it may have acted"
  ),
  callFailed: toRoomCode("E_CALL_FAILED", "the service failed at the call; it may have acted"),
  roomImport: toRoomCode("E_ROOM_IMPORT", "room code asked for a module that rooms do not have"),
  playersFull: toRoomCode("E_PLAYERS_FULL", "the project has all the players that it may keep"),
  ratingQueue: toRoomCode("E_RATING_QUEUE", "the project declares no queue of that name"),
  ratingsFull: toRoomCode("E_RATINGS_FULL", "the project has all the ratings that it may have"),
  boardFull: toRoomCode("E_BOARD_FULL", "the project has all the scores that it may keep"),
  scoreInvalid: toRoomCode("E_SCORE_INVALID", "a score that is no whole number in the safe range"),
  recording: toRoomCode("E_RECORDING", "a recording of the room runs already"),
  excerptTooLong: toRoomCode(
    "E_EXCERPT_TOO_LONG",
    "an excerpt of a window of more than 30 seconds"
  ),
  excerptCooldown: toRoomCode(
    "E_EXCERPT_COOLDOWN",
    "more excerpts than four at once and one more each second"
  ),
  excerptTooLarge: toRoomCode("E_EXCERPT_TOO_LARGE", "an excerpt of more than 4 MiB of frames")
} as const satisfies Record<string, RoomRefusal>
