import { roomCall } from "@atrium/domain/rooms/RoomCall"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { NotFound } from "@atrium/domain/shared/Refusal"
import type { CallAnswer } from "@atrium/runtime/host/HostOrders"
import { rate, SecondMs } from "@atrium/wire/limits/Limit"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"

import { answerCall, type CallingRoom } from "./AnsweredCall.ts"
import { RoomCalls } from "./RoomCalls.ts"

const room: CallingRoom = {
  projectId: ProjectId.make("p_0123456789abcdef"),
  roomId: RoomId.make("lobby"),
  type: "arena",
  version: 3,
  inert: false,
  epoch: 7
}

/** What a handler of these tests needs: the scores, and what they waited for. */
class Scores extends Context.Service<
  Scores,
  { readonly of: Map<string, number>; readonly gate: Deferred.Deferred<void> }
>()("@atrium/actors/rooms/RoomCallsTest/Scores") {}

const Points = Schema.Struct({ points: Schema.Int })
const twice = rate("Test calls", {
  burst: 2,
  tokens: 1,
  everyMs: SecondMs,
  per: "room",
  past: "E_CALL_RATE"
})

/** An answer of this many bytes as msgpack: the head of a binary takes five. */
const large = roomCall({ payload: Schema.Int, answer: Schema.Uint8Array })

const calls = new Map(
  Object.entries({
    "scores.add": answerCall(
      roomCall({ payload: Points, answer: Points }),
      Effect.fnUntraced(function* ({ projectId, roomId }, { points }) {
        const { of } = yield* Scores
        const key = `${projectId}/${roomId}`
        of.set(key, (of.get(key) ?? 0) + points)
        return { points: of.get(key) ?? 0 }
      })
    ),
    "scores.who": answerCall(roomCall({ payload: Schema.Null, answer: Schema.Unknown }), (caller) =>
      Effect.succeed({ ...caller })
    ),
    "scores.rated": answerCall(
      roomCall({ payload: Schema.Null, answer: Schema.Null, rate: twice }),
      () => Effect.succeed(null)
    ),
    "scores.refused": answerCall(roomCall({ payload: Schema.Null, answer: Schema.Null }), () =>
      Effect.fail(new NotFound())
    ),
    "scores.broken": answerCall(roomCall({ payload: Schema.Null, answer: Schema.Null }), () =>
      Effect.die(new Error("a secret of the service"))
    ),
    "scores.large": answerCall(large, (_, bytes) => Effect.succeed(new Uint8Array(bytes - 5))),
    "scores.waits": answerCall(
      roomCall({ payload: Schema.Null, answer: Schema.Null }),
      Effect.fnUntraced(function* () {
        const { of, gate } = yield* Scores
        yield* Deferred.await(gate)
        of.set("waited", 1)
        return null
      })
    )
  })
)

const scores = Layer.effect(
  Scores,
  Effect.map(Deferred.make<void>(), (gate) => ({ of: new Map<string, number>(), gate }))
)
const running = RoomCalls.layer.pipe(
  Layer.provideMerge(scores),
  Layer.provideMerge(Logger.layer([]))
)

/** A room that calls, and all that it was told. */
const callerOf = Effect.fnUntraced(function* (from: CallingRoom) {
  const take = (yield* RoomCalls).from(from)
  const told: Array<unknown> = []
  const call = (name: string, payload: unknown = null): void =>
    take({ name, payload: packValue(payload) }, (answer) => told.push(shown(answer)))
  return { take, told, call }
})
const caller = callerOf(room)

const shown = (answer: CallAnswer): unknown =>
  answer._tag === "Answered" ? unpackValue(answer.value) : [answer.code, answer.message]

/** Turns of the fibers, while no time passes. */
const turns = Effect.gen(function* () {
  for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
})

const open = Effect.flatMap(RoomCalls, (roomCalls) => roomCalls.open(calls))

it.effect("[C-309] a handler gets a payload that fits, and the room as the service knows it", () =>
  Effect.gen(function* () {
    yield* open
    const { told, call } = yield* caller
    call("scores.add", { points: 2 })
    call("scores.add", { points: 3 })
    call("scores.who")
    yield* turns
    expect(told).toEqual([{ points: 2 }, { points: 5 }, room])
    expect([...(yield* Scores).of]).toEqual([["p_0123456789abcdef/lobby", 5]])
  }).pipe(Effect.provide(running))
)

it.effect.each([
  ["a field of another type", packValue({ points: "2" }), /^points: /],
  ["an unknown field", packValue({ points: 2, roomId: "another" }), /^roomId: /],
  ["no payload", packValue(null), /^the payload does not fit: /],
  ["bytes that are not msgpack", new Uint8Array([0xc1]), /^the payload is not msgpack$/],
  ["no bytes", new Uint8Array(0), /^the payload is not msgpack$/]
] as const)("[C-309] a payload that does not fit is refused: %s", ([, payload, says]) =>
  Effect.gen(function* () {
    yield* open
    const { take, told } = yield* caller
    take({ name: "scores.add", payload }, (answer) => told.push(shown(answer)))
    yield* turns
    expect(told).toEqual([["E_CALL_INVALID", expect.stringMatching(says)]])
    expect((yield* Scores).of.size).toBe(0)
  }).pipe(Effect.provide(running))
)

it.effect("[C-309] a handler's refusal reaches the room; a defect reaches the log alone", () =>
  Effect.gen(function* () {
    yield* open
    const { told, call } = yield* caller
    call("scores.refused")
    call("scores.broken")
    call("scores.add.more")
    call("toString")
    yield* turns
    expect(told).toEqual([
      ["E_NOT_FOUND", "not found"],
      ["E_CALL_FAILED", "scores.broken: the service failed; the operator's log says more"],
      ["E_CALL_UNKNOWN", expect.stringContaining("scores.add.more: the service has no such call")],
      ["E_CALL_UNKNOWN", expect.stringContaining("toString: ")]
    ])
  }).pipe(Effect.provide(running))
)

it.effect("[C-309] an answer at its bound is sent, one byte past it the call fails", () =>
  Effect.gen(function* () {
    yield* open
    const { take, told } = yield* caller
    const { max } = RoomProcessLimits.roomCallAnswerBytes
    for (const bytes of [max, max + 1]) {
      take({ name: "scores.large", payload: packValue(bytes) }, (answer) =>
        told.push(answer._tag === "Answered" ? answer.value.length : answer.code)
      )
    }
    yield* turns
    expect(told).toEqual([max, "E_CALL_FAILED"])
  }).pipe(Effect.provide(running))
)

it.effect("[C-309] a room calls as often as it may, and once more is refused", () =>
  Effect.gen(function* () {
    yield* open
    const { told, call } = yield* caller
    const { burst, tokens, everyMs } = RoomProcessLimits.roomCalls
    const refusals = (): number => told.filter((each) => Array.isArray(each)).length
    for (let count = 0; count <= burst; count++) call("scores.who")
    yield* turns
    expect([told.length, refusals()]).toEqual([burst + 1, 1])
    expect(told).toContainEqual(["E_CALL_RATE", expect.stringContaining("scores.who: ")])
    yield* TestClock.adjust(everyMs)
    for (let count = 0; count <= tokens; count++) call("scores.who")
    yield* turns
    expect([told.length, refusals()]).toEqual([burst + tokens + 2, 2])
    const other = yield* caller
    other.call("scores.who")
    yield* turns
    expect(other.told).toEqual([room])
  }).pipe(Effect.provide(running))
)

it.effect("[C-309] a call with a rate of its own is refused past it, other calls are not", () =>
  Effect.gen(function* () {
    yield* open
    const { told, call } = yield* caller
    for (let count = 0; count <= twice.burst; count++) call("scores.rated")
    call("scores.add", { points: 1 })
    yield* turns
    const late = ["E_CALL_RATE", expect.stringContaining("scores.rated: ")]
    expect(told).toEqual([null, null, late, { points: 1 }])
    yield* TestClock.adjust(twice.everyMs)
    call("scores.rated")
    call("scores.rated")
    yield* turns
    expect(told.slice(4)).toEqual([null, late])
  }).pipe(Effect.provide(running))
)

it.effect("[C-309] a call is refused when its time is over, not before, and is told once", () =>
  Effect.gen(function* () {
    yield* open
    const { told, call } = yield* caller
    const { ms } = RoomProcessLimits.roomCallAnswer
    call("scores.waits")
    yield* TestClock.adjust(ms - 1)
    expect(told).toEqual([])
    yield* TestClock.adjust(1)
    expect(told).toEqual([["E_CALL_TIMEOUT", `scores.waits: no answer within ${ms} ms`]])
    yield* Deferred.succeed((yield* Scores).gate, undefined)
    yield* turns
    expect(told).toHaveLength(1)
    expect((yield* Scores).of.size).toBe(0)
  }).pipe(Effect.provide(running))
)

it.effect("[C-309] a call that comes before the answers are there waits for them", () =>
  Effect.gen(function* () {
    const { told, call } = yield* caller
    call("scores.add", { points: 4 })
    yield* turns
    expect(told).toEqual([])
    yield* open
    yield* turns
    expect(told).toEqual([{ points: 4 }])
  }).pipe(Effect.provide(running))
)

it.effect("[D-58] [D-60] each call of a branch, or of a room of the playground, is refused", () =>
  Effect.gen(function* () {
    yield* open
    const { told, call } = yield* callerOf({ ...room, inert: true })
    const names = [...calls.keys(), "scores.unknown"]
    for (const name of names) call(name, { points: 5 })
    yield* turns
    const why = "the room is for trying, and changes nothing outside of it"
    expect(told).toEqual(names.map((name) => ["E_BRANCH", `${name}: ${why}`]))
    expect([...(yield* Scores).of]).toEqual([])
  }).pipe(Effect.provide(running))
)
