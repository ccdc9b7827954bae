/**
 * How a client and a room talk over a WebSocket. The specification does not show it; the default is
 * that of D-24, and an implementation with another brings its own.
 */
export interface RoomCodec {
  /** The WebSocket subprotocol that is offered, if there is one. */
  readonly subprotocol: string | null
  /** The codes that refuse a connection: the specification says them in words only. */
  readonly closes: Readonly<Record<RoomClose, number>>
  /** The path behind the router's address. */
  path(project: string, room: string): string
  /** D-25: a join credential, signed with the project's secret. */
  credential(secret: string, claims: JoinClaims): string
  /** D-27: an assertion of a player, signed with the project's secret. */
  assertion(secret: string, claims: JoinClaims): string
  /** What one connection needs to know from frame to frame. */
  conversation(): RoomConversation
}

/** Ends of a connection for which the specification has no number. */
export type RoomClose =
  | "handshakeTimeout"
  | "roomFull"
  | "unauthenticated"
  | "projectMismatch"
  | "roomCrashed"
  | "tenantWaking"

/** What a project says of a player who may join. */
export interface JoinClaims {
  readonly project: string
  readonly player: string
  /** The only room that it opens; absent = any. */
  readonly room?: string
  /** The role of the player there; absent = one who plays. */
  readonly role?: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

export interface RoomConversation {
  hello(hello: RoomHello): Uint8Array
  /** A message or call by the name that the room's schema gives it; the value is JSON. */
  message(name: string, value: unknown): Uint8Array
  call(call: { readonly id: number; readonly name: string; readonly args: unknown }): Uint8Array
  /** Answers a call of the room. */
  result(answer: {
    readonly id: number
    readonly name: string
    readonly value: unknown
  }): Uint8Array
  chat(line: string): Uint8Array
  ping(): Uint8Array
  /** Relay rooms: all operations or none. */
  write(write: { readonly id: number; readonly ops: ReadonlyArray<RelayOp> }): Uint8Array
  own(record: RelayRecord): Uint8Array
  ownAnswer(answer: { readonly request: number; readonly granted: boolean }): Uint8Array
  /** To those clients, or to all others. */
  send(sent: { readonly to: ReadonlyArray<string> | null; readonly data: unknown }): Uint8Array
  /** Into the voice call of the room, with SDP. */
  voiceJoin(offer: string): Uint8Array
  voiceLeave(): Uint8Array
  /** Throws when the bytes are no frame of a service. */
  decode(frame: Uint8Array): RoomEvent
}

/** A record of a collection; a singleton has the key 0. */
export interface RelayRecord {
  readonly collection: string
  readonly key: number
}

/** One change of a relay room's state: fields that are not named stay, or have their default. */
export type RelayOp =
  | { readonly op: "add"; readonly collection: string; readonly fields: RelayFields }
  | ({ readonly op: "set"; readonly fields: RelayFields } & RelayRecord)
  | ({ readonly op: "remove" } & RelayRecord)

export type RelayFields = Readonly<Record<string, unknown>>

export interface RoomHello {
  readonly token: string
  readonly type: string | null
  readonly resume: string | null
}

/** The first answer of a room to a client. */
export interface Welcomed {
  readonly clientId: string
  readonly roomId: string
  readonly playerId: string
  readonly version: number
  readonly resume: string
  readonly stateBytes: number
  /** It only watches. */
  readonly audience: boolean
  /** It brought the descriptor of the room's schema. */
  readonly described: boolean
  /** It is of a relay room. */
  readonly relay: boolean
}

/** An event that came from the service. */
export type RoomEvent =
  | ({ readonly kind: "welcome" } & Welcomed)
  | { readonly kind: "patch"; readonly bytes: number }
  | { readonly kind: "message"; readonly name: string; readonly value: unknown }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | {
      readonly kind: "refusal"
      readonly id: number
      readonly code: string
      readonly message: string
    }
  | {
      readonly kind: "call"
      readonly id: number
      readonly name: string
      readonly args: unknown
    }
  | { readonly kind: "chat"; readonly from: string; readonly line: string }
  | {
      readonly kind: "error"
      readonly code: string
      readonly message: string
      /** The number of what it refuses, where that has one. */
      readonly re: number | null
    }
  | { readonly kind: "ack"; readonly id: number; readonly keys: ReadonlyArray<number> }
  | { readonly kind: "ownResult"; readonly record: RelayRecord; readonly granted: boolean }
  | {
      readonly kind: "ownAsk"
      readonly request: number
      readonly record: RelayRecord
      readonly from: string
    }
  | { readonly kind: "sent"; readonly from: string; readonly data: unknown }
  | { readonly kind: "voiceJoined"; readonly answer: string }
  | { readonly kind: "voiceRefused"; readonly code: string; readonly message: string }
  /** The service has removed the client from the call; the client may join again. */
  | { readonly kind: "voiceEnded" }
  | { readonly kind: "voiceParticipants"; readonly clientIds: ReadonlyArray<string> }
  /** Anything else of a call. */
  | { readonly kind: "voice" }
  | { readonly kind: "pong" }
  | { readonly kind: "other" }
