import { MatchPlace } from "@atrium/domain/match/MatchPlace"
import { MsgpackError, unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { Schema } from "effect"

import { LinkFault } from "./LinkFrames.ts"

/** The frames of a link that are rare: msgpack maps, so that another version may add a field. */
const message = <Type, Encoded>(schema: Schema.Codec<Type, Encoded>) => {
  const decode = Schema.decodeUnknownSync(schema)
  return {
    pack: (value: Type): Uint8Array => packValue(value),
    /** Errors: {@link LinkFault}. */
    unpack: (bytes: Uint8Array): Type => {
      try {
        return decode(unpackValue(bytes))
      } catch (error) {
        if (error instanceof MsgpackError || Schema.isSchemaError(error)) {
          throw new LinkFault(error.message)
        }
        throw error
      }
    }
  }
}

/** A client of the entry runner asks for a seat in a room. */
const EnterRequest = Schema.Struct({
  project: Schema.String,
  room: Schema.String,
  /** The type that the client names; a room of another type is not the one that it wants. */
  type: Schema.NullOr(Schema.String),
  /** The hash of the schema that the client has. */
  schemaHash: Schema.NullOr(Schema.String),
  playerId: Schema.String,
  name: Schema.NullOr(Schema.String),
  role: Schema.String,
  /** Absent = the player has no ticket of a match, or the entry runner knows of none. */
  match: Schema.optionalKey(MatchPlace),
  options: Schema.Unknown,
  sessionId: Schema.String,
  resumeHash: Schema.NullOr(Schema.String),
  /** Hashes of the resume tokens of the coming welcomes, oldest first. The tokens stay with the entry runner. */
  resumeHashes: Schema.Array(Schema.String),
  /** The entry runner asks to be told whether the room has let a client in. */
  tellsSettled: Schema.Boolean,
  /** The credential is that of a test player. */
  test: Schema.optionalKey(Schema.Boolean),
  /** When the player came into the room, which has moved since then. */
  sinceMs: Schema.optionalKey(Schema.Number)
})
export type EnterRequest = typeof EnterRequest.Type
export const enterRequest = message(EnterRequest)

/** Facts of the room for the client's welcome. */
const RoomEntered = Schema.Struct({
  version: Schema.Int,
  relay: Schema.Boolean,
  /** The room's descriptor, when the client does not have it. */
  schema: Schema.Unknown
})
export type RoomEntered = typeof RoomEntered.Type
export const roomEntered = message(RoomEntered)

export const remoteWelcome = message(
  Schema.Struct({
    sessionId: Schema.String,
    resumed: Schema.Boolean,
    tick: Schema.Int,
    staleMs: Schema.NullOr(Schema.Number),
    sinceMs: Schema.optionalKey(Schema.Number),
    state: Schema.Uint8Array
  })
)

export const remoteRefusal = message(Schema.Struct({ code: Schema.String, message: Schema.String }))

export const remoteClose = message(Schema.Struct({ code: Schema.Int, reason: Schema.String }))

/** A question to another runner: its name, and its input as far as msgpack carries it. */
const LinkQuestion = Schema.Struct({ name: Schema.String, input: Schema.Unknown })
export type LinkQuestion = typeof LinkQuestion.Type
export const linkQuestion = message(LinkQuestion)

/** One part of an answer, which the runner that asked decodes. */
export const linkAnswer = message(Schema.Unknown)

/** Bytes of one seat since the last time, as the entry runner counts them. */
export interface SeatCounts {
  /** Frames of the room that the client's connection took: that much more may be sent. */
  readonly taken: number
  /** Frames of the client that the entry runner read by itself, such as a ping. */
  readonly received: number
  /** Frames that the entry runner wrote by itself: welcomes, pongs, errors. */
  readonly sent: number
}

export const packCounts = ({ taken, received, sent }: SeatCounts): Uint8Array => {
  const bytes = Buffer.allocUnsafe(12)
  bytes.writeUInt32LE(taken, 0)
  bytes.writeUInt32LE(received, 4)
  bytes.writeUInt32LE(sent, 8)
  return bytes
}

/** Errors: {@link LinkFault}. */
export const unpackCounts = (bytes: Buffer): SeatCounts => {
  if (bytes.length !== 12) throw new LinkFault("counts have 12 bytes")
  return {
    taken: bytes.readUInt32LE(0),
    received: bytes.readUInt32LE(4),
    sent: bytes.readUInt32LE(8)
  }
}
