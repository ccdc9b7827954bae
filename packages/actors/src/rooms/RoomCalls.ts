import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { makeBucket, takeToken, type TokenBucket } from "@atrium/domain/shared/TokenBucket"
import type { CallAnswer } from "@atrium/runtime/host/HostOrders"
import type { RoomCallRequest } from "@atrium/runtime/host/RoomReports"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { type Cause, Clock, Context, Deferred, Effect, FiberSet, Layer } from "effect"

import { isStoreAway } from "../store/StoreFailure.ts"
import { type AnsweredCall, type CallingRoom, refused } from "./AnsweredCall.ts"

/** Takes one in-room call, and returns at once. `tell` hears of it at most once, perhaps within the call. */
export type TakeCall = (request: RoomCallRequest, tell: (answer: CallAnswer) => void) => void

/**
 * In-room calls: what room code asks of the service's nouns. Calls of a room run beside each other.
 * A call that has begun comes to its end although its room ends: the room may have been told to go
 * in the very turn that reported a result.
 */
export class RoomCalls extends Context.Service<
  RoomCalls,
  {
    /** Gives the answers, once; a call that comes earlier waits. @param answers by name */
    open<Needs>(
      answers: ReadonlyMap<string, AnsweredCall<Needs>>
    ): Effect.Effect<void, never, Needs>
    /** The calls of one incarnation of a room. */
    from(room: CallingRoom): TakeCall
  }
>()("@atrium/actors/rooms/RoomCalls") {
  static readonly layer = Layer.effect(
    RoomCalls,
    Effect.gen(function* () {
      const opened = yield* Deferred.make<ReadonlyMap<string, AnsweredCall<never>>>()
      const run = yield* FiberSet.makeRuntime<never>()
      const clock = yield* Clock.Clock
      const nowMs = (): number => clock.currentTimeMillisUnsafe()
      return {
        open: <Needs>(answers: ReadonlyMap<string, AnsweredCall<Needs>>) =>
          Effect.contextWith((context: Context.Context<Needs>) =>
            Effect.asVoid(Deferred.succeed(opened, withContext(answers, context)))
          ),
        from: (room) => {
          const rates = new CallRates(nowMs)
          return (request, tell) => {
            if (!rates.takes()) return tell(tooMany(request.name))
            const answer = Effect.flatMap(Deferred.await(opened), (answers) =>
              answerOf(answers.get(request.name), { room, request, rates })
            )
            run(Effect.map(inTime(answer, { room, name: request.name }), tell))
          }
        }
      }
    })
  )
}

const withContext = <Needs>(
  answers: ReadonlyMap<string, AnsweredCall<Needs>>,
  context: Context.Context<Needs>
): ReadonlyMap<string, AnsweredCall<never>> =>
  new Map(
    Array.from(answers, ([name, { rate, answer }]) => [
      name,
      {
        rate,
        answer: (room, payload) => Effect.provideContext(answer(room, payload), context)
      }
    ])
  )

/** What one incarnation may still ask. */
class CallRates {
  readonly #nowMs: () => number
  readonly #all: TokenBucket
  /** By name; only names that are answered come here. */
  readonly #own = new Map<string, TokenBucket>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#all = makeBucket(RoomProcessLimits.roomCalls, nowMs())
  }

  takes(): boolean {
    return takeToken(this.#all, RoomProcessLimits.roomCalls, this.#nowMs())
  }

  takesOwn(name: string, { rate }: AnsweredCall<never>): boolean {
    if (rate === null) return true
    const bucket = this.#own.get(name) ?? makeBucket(rate, this.#nowMs())
    this.#own.set(name, bucket)
    return takeToken(bucket, rate, this.#nowMs())
  }
}

interface Asked {
  readonly room: CallingRoom
  readonly request: RoomCallRequest
  readonly rates: CallRates
}

const answerOf = (
  call: AnsweredCall<never> | undefined,
  { room, request: { name, payload }, rates }: Asked
): Effect.Effect<CallAnswer> => {
  if (call === undefined) {
    const text = `${name}: the service has no such call; is it older than the SDK?`
    return Effect.succeed(refused(RoomRefusals.callUnknown.code, text))
  }
  return rates.takesOwn(name, call) ? call.answer(room, payload) : Effect.succeed(tooMany(name))
}

const tooMany = (name: string): CallAnswer =>
  refused(RoomRefusals.callRate.code, `${name}: the room calls too often; ask less and later`)

/** Every call gets an answer in time: the room would wait for it until it ends. */
const inTime = (
  answer: Effect.Effect<CallAnswer>,
  { room, name }: { readonly room: CallingRoom; readonly name: string }
): Effect.Effect<CallAnswer> => {
  const { ms } = RoomProcessLimits.roomCallAnswer
  const late = refused(RoomRefusals.callTimeout.code, `${name}: no answer within ${ms} ms`)
  return answer.pipe(
    Effect.timeoutOrElse({ duration: ms, orElse: () => Effect.succeed(late) }),
    Effect.catchCause((cause) => failed(name, cause)),
    Effect.annotateLogs({ project: room.projectId, room: room.roomId, call: name })
  )
}

const failed = (name: string, cause: Cause.Cause<never>): Effect.Effect<CallAnswer> => {
  const { code } = RoomRefusals.callFailed
  // An outage is told once, by the watch over the store.
  if (isStoreAway(cause)) return Effect.succeed(refused(code, `${name}: the store does not answer`))
  return Effect.as(
    Effect.logError("an in-room call failed", cause),
    refused(code, `${name}: the service failed; the operator's log says more`)
  )
}
