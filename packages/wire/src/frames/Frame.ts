/**
 * Types of the frames between a client and a room: the first element of every msgpack array.
 * One WebSocket message holds one frame `[type, ...fields]`. Source: D-24, docs/protocol.md.
 */

/** Frames that a client sends. */
export const ClientFrame = {
  /** `[1, token, type|nil, schemaHash|nil, resume|nil, options|nil]` */
  hello: 1,
  /** `[2, messageIndex, payload]` */
  msg: 2,
  /** `[3, id, rpcIndex, args]` */
  rpc: 3,
  /** `[4, text]` */
  chat: 4,
  /** `[5, anything]` */
  ping: 5,
  /** `[6, id, ok, value | [code, message]]` */
  rpcResult: 6,
  /** Relay rooms: `[7, id, ops]`, ops of `{op:"set"|"add"|"remove", c, k, v}` */
  write: 7,
  /** Relay rooms: `[8, collection, key]` asks for the ownership of a record. */
  own: 8,
  /** Relay rooms: `[9, request, granted]`, the owner's answer to `ownAsk`. */
  ownAnswer: 9,
  /** Relay rooms: `[10, [clientId…]|nil, data]` to those clients, or to all others. */
  send: 10,
  /** `[11, op, …]`, see `VoiceFrames.ts`. */
  voice: 11
} as const

/** Frames that the service sends. */
export const ServerFrame = {
  /** `[16, clientId, roomId, version, tick, state, audience, resume, schema|nil, playerId]` */
  welcome: 16,
  /** `[17, tick, delta]` */
  patch: 17,
  /** `[18, messageIndex, payload]` */
  msg: 18,
  /** `[19, id, ok, value | [code, message]]` */
  rpcResult: 19,
  /** `[20, fromClientId, text]` */
  chat: 20,
  /** `[21, code, message, re|nil]` */
  error: 21,
  /** `[22, anything]` */
  pong: 22,
  /** `[23, id, rpcIndex, args]` */
  rpc: 23,
  /** Relay rooms: `[24, id, [key…]]`, keys of the records that were added, in order. */
  ack: 24,
  /** Relay rooms: `[25, collection, key, granted]` */
  ownResult: 25,
  /** Relay rooms: `[26, request, collection, key, fromClientId]`, to the owner of the record. */
  ownAsk: 26,
  /** Relay rooms: `[27, fromClientId, data]`, what a client sent. */
  sent: 27,
  /** `[28, op, …]`, see `VoiceFrames.ts`. */
  voice: 28
} as const

/** The WebSocket subprotocol that both sides name. */
export const Subprotocol = "rooms.v1"
