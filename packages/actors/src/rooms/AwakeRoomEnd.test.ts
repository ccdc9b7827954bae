import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { isProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { defineSchema, describe } from "@atrium/wire/schema"
import { expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"

import { endless } from "../cluster/ShardLeases.ts"
import { MeterCounts } from "../meters/RunnerMeter.ts"
import { Seats } from "../presence/SeatedPlayers.ts"
import type { StartOrder } from "../servers/ServerProtocol.ts"
import type { GateCall } from "../voice/RoomCall.ts"
import { noCalls } from "../voice/VoiceCalls.ts"
import { makeAwakeRoom } from "./AwakeRoom.ts"
import type { Incarnation } from "./Incarnations.ts"
import { LatestWrite } from "./LatestWrite.ts"
import { type Lobby, RoomLobby } from "./RoomLobby.ts"
import { entrance, makeClient, makeProcess, welcome } from "./testing/FakeGate.ts"

const projectId = "p_0123456789abcdef"
const order: StartOrder = {
  roomId: "r",
  type: "arena",
  class: "standard",
  version: 1,
  epoch: 5,
  serverIndex: 0,
  fresh: false
}
const deployed: Incarnation["deployed"] = {
  type: "arena",
  class: "standard",
  schemaHash: "",
  schema: {},
  maxClients: 8,
  tickHz: 0,
  hibernateAfterMs: 1000,
  reconnectForMs: 1000,
  retention: null
}

const unwritten = new LatestWrite<Lobby>({
  store: () => Effect.succeed(true),
  run: Effect.runFork
})

/** A room that is up, in which one client is welcomed and another waits for its welcome. */
const roomUp = Effect.fnUntraced(function* (
  drain: Effect.Effect<boolean>,
  ended: Incarnation["ended"] = Effect.never
) {
  if (!isProjectId(projectId)) throw new Error("no project id")
  const { process } = makeProcess()
  const lobby = new RoomLobby({ isPublic: false, started: false, metadata: null }, unwritten)
  const relay = false
  const schema = describe(defineSchema({ type: "arena" }))
  const incarnation: Incarnation = {
    order,
    deployed,
    relay,
    isBranch: false,
    schema,
    keepsPlayers: false,
    playersSince: 0,
    process,
    lobby,
    replays: null,
    drain,
    factsStored: Effect.succeed(true),
    ended,
    stored: true,
    superseded: () => false,
    staleMs: () => 0,
    peek: (then) => then(null)
  }
  let starts: Effect.Effect<Incarnation> = Effect.succeed(incarnation)
  const scope = yield* Scope.make()
  const meter = new MeterCounts()
  /** The call of the room; `prepared` counts what was prepared for calls that come. */
  const call = { running: false, prepared: 0, continued: 0 }
  /** Called when the room's actor has seen to a death that it was told of. */
  const deaths: Array<() => void> = []
  const room = yield* makeAwakeRoom({
    key: { projectId, roomId: RoomId.make("r") },
    lease: endless,
    incarnations: { start: () => Effect.suspend(() => starts) },
    meter,
    seats: new Seats(() => 0),
    calls: {
      prepare: () => void call.prepared++,
      of: (room) => {
        const gateCall: GateCall = noCalls.of(room)
        Object.defineProperty(gateCall, "running", { get: () => call.running })
        gateCall.continued = () => void call.continued++
        return gateCall
      }
    },
    reports: {
      processExited: (_, seen) => Effect.sync(() => void deaths.push(seen)),
      emptied: () => Effect.void
    }
  }).pipe(Scope.provide(scope))
  yield* room.start(order)
  const [welcomed, joining] = [makeClient("welcomed"), makeClient("joining")]
  const ref = room.gate.enter(welcomed.sink, entrance("welcomed"))
  if (ref === null) throw new Error("the gate is closed")
  room.gate.joined(ref, welcome("s-1"))
  room.gate.enter(joining.sink, entrance("joining"))
  const closes = () =>
    [welcomed, joining].map(({ got }) => got.filter(([what]) => what === "close").flat())
  const restarts = Effect.suspend(() => {
    starts = Effect.never
    return Effect.forkChild(room.start({ ...order, epoch: 6 }), { startImmediately: true })
  })
  return { room, scope, closes, restarts, meter, deaths, call }
})

const open = [[], []]
const cameBack = ["close", 1012, "E_ROOM_RESTARTING"]
const told = [cameBack, cameBack]

it.effect("[C-200] a room that ends, in any way, closes all of its clients", () =>
  Effect.gen(function* () {
    const { room, scope, closes } = yield* roomUp(Effect.succeed(true))
    expect(closes()).toEqual(open)
    yield* Scope.close(scope, Exit.void)
    expect(closes()).toEqual(told)
    expect(room.gate.enter(makeClient("late").sink, entrance("late"))).toBe(null)
  })
)

it.effect("[C-200] a room whose server goes is stored first, and then its clients are told", () =>
  Effect.gen(function* () {
    const stored = yield* Deferred.make<boolean>()
    const { room, closes } = yield* roomUp(Deferred.await(stored))
    const lost = yield* Effect.forkChild(room.lost, { startImmediately: true })
    yield* TestClock.adjust(RoomLimits.roomLostClients.ms - 1)
    expect(closes()).toEqual(open)
    expect(room.gate.enter(makeClient("late").sink, entrance("late"))).toBe(null)
    yield* Deferred.succeed(stored, true)
    yield* Fiber.join(lost)
    expect(closes()).toEqual(told)
    expect(room.incarnation()).toBe(null)
  })
)

it.effect("[C-200] a store that is away holds up neither the clients nor the server's end", () =>
  Effect.gen(function* () {
    const { room, closes } = yield* roomUp(Effect.never)
    const lost = yield* Effect.forkChild(room.lost, { startImmediately: true })
    yield* TestClock.adjust(RoomLimits.roomLostClients.ms - 1)
    expect(closes()).toEqual(open)
    yield* TestClock.adjust(1)
    expect(closes()).toEqual(told)
    yield* TestClock.adjust(RoomLimits.roomLost.ms - RoomLimits.roomLostClients.ms - 1)
    expect(room.incarnation()).not.toBe(null)
    yield* TestClock.adjust(1)
    yield* Fiber.join(lost)
    expect(room.incarnation()).toBe(null)
  })
)

it.effect(
  "[C-200] a room that is being started again has nothing to store: all are told at once",
  () =>
    Effect.gen(function* () {
      const { room, closes, restarts } = yield* roomUp(Effect.succeed(true))
      const restart = yield* restarts
      yield* room.lost
      expect(closes()).toEqual(told)
      yield* Fiber.interrupt(restart)
    })
)

const died: Incarnation["ended"] = Effect.succeed({ cause: "code", detail: "" })

it.effect("[C-653] a dead room whose actor's order is lost closes its clients by itself", () =>
  Effect.gen(function* () {
    const { room, closes, deaths } = yield* roomUp(Effect.succeed(true), died)
    yield* Effect.yieldNow
    expect(closes()).toEqual(open)
    deaths.shift()?.()
    yield* room.endedAlone
    expect(closes()).toEqual(told)
  })
)

it.effect("[C-653] a dead room that was started again keeps its clients", () =>
  Effect.gen(function* () {
    const { room, closes, deaths, restarts } = yield* roomUp(Effect.succeed(true), died)
    yield* Effect.yieldNow
    const restart = yield* restarts
    deaths.shift()?.()
    yield* Effect.yieldNow
    expect([closes(), deaths.length, room.epoch()]).toEqual([open, 0, 6])
    yield* Fiber.interrupt(restart)
  })
)

it.effect(
  "[C-493] the room's time counts until its process or its room has ended, and between two not",
  () =>
    Effect.gen(function* () {
      const died = yield* Deferred.make<void>()
      const { room, scope, meter } = yield* roomUp(
        Effect.succeed(true),
        Effect.as(Deferred.await(died), { cause: "code", detail: "" } as const)
      )
      const countedMs = Effect.gen(function* () {
        const [sum] = meter.look(yield* Clock.currentTimeMillis)
        return sum?.amount ?? 0
      })
      yield* TestClock.adjust(1001)
      expect(yield* countedMs).toBe(1001)
      yield* TestClock.adjust(9)
      yield* Deferred.succeed(died, undefined)
      yield* TestClock.adjust(5000)
      expect(yield* countedMs).toBe(9)
      yield* room.start({ ...order, epoch: 6 })
      yield* TestClock.adjust(7)
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust(5000)
      expect(yield* countedMs).toBe(0)
    })
)

it.effect(
  "[C-896] a room tells that its call was running when it left, and prepares and continues the call when it comes",
  () =>
    Effect.gen(function* () {
      const { room, call } = yield* roomUp(Effect.succeed(true))
      yield* room.start({ ...order, epoch: 6 })
      expect([call.prepared, call.continued]).toEqual([0, 0])
      yield* room.start({ ...order, epoch: 7, called: true })
      expect([call.prepared, call.continued]).toEqual([1, 1])
      call.running = true
      expect(yield* room.drain("redeploy")).toEqual({
        clientsBack: false,
        entered: true,
        called: true
      })
    })
)

it.effect("[C-896] a room without a call tells of none", () =>
  Effect.gen(function* () {
    const { room } = yield* roomUp(Effect.succeed(true))
    expect(yield* room.drain("redeploy")).toEqual({ clientsBack: false, entered: true })
  })
)
