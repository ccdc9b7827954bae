import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import type { CallAnswer } from "@atrium/runtime/host/HostOrders"
import type { RoomCallRequest } from "@atrium/runtime/host/RoomReports"
import type { RateLimit } from "@atrium/wire/limits/Limit"
import { makeBucket, takeToken, type TokenBucket } from "@atrium/wire/limits/TokenBucket"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { type Cause, Clock, Context, Effect, type Fiber, FiberSet, Layer } from "effect"

import { isStoreAway } from "../store/StoreFailure.ts"
import { type AnsweredCall, type CallingRoom, refused } from "./AnsweredCall.ts"
import { CallDeadlines } from "./CallDeadlines.ts"

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
      const fibers = yield* FiberSet.make<void>()
      const clock = yield* Clock.Clock
      const deadlines = new CallDeadlines({
        ms: RoomProcessLimits.roomCallAnswer.ms,
        clock,
        run: yield* FiberSet.runtime(fibers)<never>()
      })
      /** Calls that came before there was an answer to any. */
      const early: Array<() => void> = []
      let begin: BeginAnswer | null = null
      const nowMs = (): number => clock.currentTimeMillisUnsafe()
      return {
        open: <Needs>(answers: ReadonlyMap<string, AnsweredCall<Needs>>) =>
          Effect.map(FiberSet.runtime(fibers)<Needs>(), (run) => {
            begin = beginningBy(answers, run)
            for (const start of early.splice(0)) start()
          }),
        from: (room) => {
          const rates = new CallRates(nowMs)
          return (request, tell) => {
            if (!rates.takes()) return tell(tooMany(request.name))
            if (room.inert) return tell(notFromHere(request.name))
            let told = false
            let fiber: Fiber.Fiber<void> | null = null
            const end = (answer: CallAnswer): void => {
              if (told) return
              told = true
              answered()
              tell(answer)
            }
            const answered = deadlines.begin(() => {
              end(tooLate(request.name))
              fiber?.interruptUnsafe()
            })
            const start = (): void => {
              if (!told && begin !== null) fiber = begin({ room, request, rates }, end)
            }
            if (begin === null) early.push(start)
            else start()
          }
        }
      }
    })
  )
}

/** Begins to answer a call, in the context of the handlers. */
type BeginAnswer = (asked: Asked, end: (answer: CallAnswer) => void) => Fiber.Fiber<void>

const beginningBy =
  <Needs>(
    answers: ReadonlyMap<string, AnsweredCall<Needs>>,
    run: (effect: Effect.Effect<void, never, Needs>) => Fiber.Fiber<void>
  ): BeginAnswer =>
  (asked, end) =>
    run(Effect.map(answerOf(answers.get(asked.request.name), asked), end))

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

  takesOwn(name: string, rate: RateLimit | null): boolean {
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

const answerOf = <Needs>(
  call: AnsweredCall<Needs> | undefined,
  { room, request: { name, payload }, rates }: Asked
): Effect.Effect<CallAnswer, never, Needs> => {
  if (call === undefined) {
    const text = `${name}: the service has no such call; is it older than the SDK?`
    return Effect.succeed(refused(RoomRefusals.callUnknown.code, text))
  }
  if (!rates.takesOwn(name, call.rate)) return Effect.succeed(tooMany(name))
  return call.answer(room, payload).pipe(
    Effect.catchCause((cause) => failed(name, cause)),
    Effect.annotateLogs({ project: room.projectId, room: room.roomId, call: name })
  )
}

const tooMany = (name: string): CallAnswer =>
  refused(RoomRefusals.callRate.code, `${name}: the room calls too often; ask less and later`)

const notFromHere = (name: string): CallAnswer =>
  refused("E_BRANCH", `${name}: the room is for trying, and changes nothing outside of it`)

/** Every call gets an answer in time: the room would wait for it until it ends. */
const tooLate = (name: string): CallAnswer => {
  const { ms } = RoomProcessLimits.roomCallAnswer
  return refused(RoomRefusals.callTimeout.code, `${name}: no answer within ${ms} ms`)
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
