import type { RoomCall } from "@atrium/domain/rooms/RoomCall"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { type RoomKey, withoutSecrets } from "@atrium/domain/shared/Ids"
import type { CallAnswer } from "@atrium/runtime/host/HostOrders"
import type { RateLimit } from "@atrium/wire/limits/Limit"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Data, Effect, Schema, SchemaIssue } from "effect"

/** The room that calls, as the service knows it: nothing of this is the word of its process. */
export interface CallingRoom extends RoomKey {
  readonly type: string
  readonly version: number
  /** The room is for trying: nothing outside of it may change. */
  readonly inert: boolean
  /** Of the incarnation: a store that must not hear an older one compares. */
  readonly epoch: number
}

/** Why a call is refused: an instance of a class of `Refusal.ts`. */
export interface CallRefusal {
  readonly _tag: `E_${string}`
  readonly message: string
}

/** An in-room call and what answers it. */
export interface AnsweredCall<Needs> {
  readonly rate: RateLimit | null
  /** @param payload msgpack, within its bound; anything may be in it */
  answer(room: CallingRoom, payload: Uint8Array): Effect.Effect<CallAnswer, never, Needs>
}

/**
 * Joins the contract of a call and its handler. The handler gets a payload that fits the contract. It
 * may be ended after `RoomProcessLimits.roomCallAnswer`; the end of the room does not end it.
 */
export const answerCall = <Payload, Answer, Needs>(
  call: RoomCall<Payload, Answer>,
  handler: (room: CallingRoom, payload: Payload) => Effect.Effect<Answer, CallRefusal, Needs>
): AnsweredCall<Needs> => {
  const encode = Schema.encodeEffect(call.answer)
  const decode = Schema.decodeUnknownEffect(call.payload, { onExcessProperty: "error" })
  return {
    rate: call.rate ?? null,
    answer: (room, bytes) =>
      payloadOf(decode, bytes).pipe(
        Effect.flatMap((read) => handler(room, read)),
        Effect.flatMap((answer) => Effect.orDie(encode(answer))),
        Effect.flatMap(answered),
        Effect.catch((refusal) => Effect.succeed(refused(refusal._tag, refusal.message)))
      )
  }
}

/** @param message is cut at 96 bytes */
export const refused = (code: string, message: string): CallAnswer => ({
  _tag: "Refused",
  code,
  message: serviceMessage(message)
})

class CallInvalid extends Data.TaggedError(RoomRefusals.callInvalid.code)<{
  readonly message: string
}> {}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const payloadOf = <Payload>(
  decode: (value: unknown) => Effect.Effect<Payload, Schema.SchemaError>,
  bytes: Uint8Array
): Effect.Effect<Payload, CallInvalid> =>
  Effect.try({
    try: () => unpackValue(bytes),
    catch: () => new CallInvalid({ message: "the payload is not msgpack" })
  }).pipe(
    Effect.flatMap((value) =>
      Effect.mapError(
        decode(value),
        ({ issue }) => new CallInvalid({ message: withoutSecrets(faultOf(issue)) })
      )
    )
  )

const faultOf = (issue: SchemaIssue.Issue): string => {
  const [first] = format(issue).issues
  const path = (first?.path ?? [])
    .map((part) => String(typeof part === "object" ? part.key : part))
    .join(".")
  const fault = first?.message ?? "not valid"
  return path === "" ? `the payload does not fit: ${fault}` : `${path}: ${fault}`
}

const answered = (value: unknown): Effect.Effect<CallAnswer> => {
  const packed = packValue(value)
  const { max } = RoomProcessLimits.roomCallAnswerBytes
  return packed.length > max
    ? Effect.die(new Error(`an answer of ${packed.length} bytes is over ${max}`))
    : Effect.succeed({ _tag: "Answered", value: packed })
}
