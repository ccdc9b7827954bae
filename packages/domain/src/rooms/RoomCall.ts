import type { RateLimit } from "@atrium/wire/limits/Limit"
import type { Schema } from "effect"

/**
 * The contract of an in-room call: what room code sends, and what it gets. The key of the call in its
 * feature is its name: `<noun>.<call>`. Spec: `room.ratings.report` is one.
 */
export interface RoomCall<Payload, Answer> {
  /** Of plain values, as msgpack has them. An unknown field is refused. */
  readonly payload: Schema.Codec<Payload, unknown>
  /** As the payload. */
  readonly answer: Schema.Codec<Answer, unknown>
  /** What one room may ask of this call; absent = `RoomProcessLimits.roomCalls` alone bounds it. */
  readonly rate?: RateLimit
}

/** Infers the types of a {@link RoomCall}. */
export const roomCall = <Payload, Answer>(
  call: RoomCall<Payload, Answer>
): RoomCall<Payload, Answer> => call
