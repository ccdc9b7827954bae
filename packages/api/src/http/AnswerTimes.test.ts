import { timed, untimed } from "@atrium/actors/store/AnswerTime"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"

import { withAnswerTime } from "./AnswerTimes.ts"

const { ms } = HttpLimits.httpAnswer
const ok = HttpServerResponse.empty({ status: 204 })
const begun = (app: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
  // The server runs requests so: only what says otherwise can be interrupted.
  Effect.forkChild(Effect.uninterruptible(Effect.map(withAnswerTime(app), ({ status }) => status)))

it.effect("[C-213] a request is answered within five seconds, or with 503 after them", () =>
  Effect.gen(function* () {
    const inTime = yield* begun(Effect.delay(Effect.succeed(ok), ms - 1))
    const never = yield* begun(Effect.never)
    yield* TestClock.adjust(ms - 1)
    expect([inTime.pollUnsafe()?._tag, never.pollUnsafe()]).toEqual(["Success", undefined])
    yield* TestClock.adjust(1)
    expect([yield* Fiber.join(inTime), yield* Fiber.join(never)]).toEqual([204, 503])
  })
)

it.effect(
  "[C-213] a query that nothing can interrupt holds up no answer; all else is interrupted",
  () =>
    Effect.gen(function* () {
      const stuck = yield* Deferred.make<typeof ok>()
      const ended: Array<string> = []
      const query = Effect.uninterruptible(Deferred.await(stuck)).pipe(
        Effect.tap(() => Effect.sync(() => ended.push("query")))
      )
      const requests = yield* Effect.all([
        begun(query),
        begun(Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push("wait"))))
      ])
      yield* TestClock.adjust(ms)
      expect(yield* Effect.forEach(requests, Fiber.join)).toEqual([503, 503])
      yield* TestClock.adjust(0)
      expect(ended).toEqual(["wait"])
      yield* Deferred.succeed(stuck, ok)
      yield* TestClock.adjust(0)
      // It is interrupted at the next step, so that nothing follows the query that came late.
      expect(ended).toEqual(["wait"])
    })
)

/** A request that may be interrupted: what it was answered is told apart from its end. */
const interruptible = Effect.fnUntraced(function* (
  app: Effect.Effect<HttpServerResponse.HttpServerResponse>
) {
  const statuses: Array<number> = []
  const answered = Effect.map(withAnswerTime(app), ({ status }) => void statuses.push(status))
  // The server runs requests so: only what says otherwise can be interrupted.
  const fiber = yield* Effect.forkChild(Effect.uninterruptible(answered))
  yield* TestClock.adjust(0)
  return { statuses, fiber }
})

it.effect("[C-189] when the service goes down a request has a second left, then it is 503", () =>
  Effect.gen(function* () {
    const last = HttpLimits.lastAnswer.ms
    const inTime = yield* interruptible(Effect.delay(Effect.succeed(ok), last - 1))
    const endless = yield* interruptible(untimed(Effect.never))
    for (const { fiber } of [inTime, endless]) fiber.interruptUnsafe()
    yield* TestClock.adjust(last - 1)
    expect([inTime.statuses, endless.statuses]).toEqual([[204], []])
    yield* TestClock.adjust(1)
    expect(endless.statuses).toEqual([503])
  })
)

it.effect("[C-213] a request whose caller has left goes on until its time is over", () =>
  Effect.gen(function* () {
    const left = yield* interruptible(Effect.delay(Effect.succeed(ok), ms - 1))
    left.fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
    yield* TestClock.adjust(ms - 1)
    expect(left.statuses).toEqual([204])
  })
)

it.effect(
  "[C-213] a wait with a bound of its own does not count; what is timed within it does",
  () =>
    Effect.gen(function* () {
      const half = Effect.sleep(ms / 2)
      const waits = yield* begun(
        untimed(Effect.sleep(ms * 10)).pipe(Effect.andThen(half), Effect.as(ok))
      )
      const within = yield* begun(
        untimed(Effect.andThen(Effect.sleep(ms * 10), timed(Effect.never)))
      )
      yield* TestClock.adjust(ms * 10.5)
      expect(yield* Fiber.join(waits)).toBe(204)
      expect(within.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(ms / 2)
      expect(yield* Fiber.join(within)).toBe(503)
    })
)
