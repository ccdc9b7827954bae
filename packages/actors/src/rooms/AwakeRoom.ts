import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { Clock, Deferred, Effect, Exit, Fiber, FiberHandle, Schedule, Scope } from "effect"

import { sleepByRule } from "../clock/RuleTime.ts"
import type { Lease } from "../cluster/ShardLeases.ts"
import { handOver } from "../handover/HandOver.ts"
import type { Metered, MeterCounts } from "../meters/RunnerMeter.ts"
import type { Seats } from "../presence/SeatedPlayers.ts"
import type { StartOrder } from "../servers/ServerProtocol.ts"
import type { VoiceCalls } from "../voice/VoiceCalls.ts"
import { closeFor, type GateListener } from "./GateListener.ts"
import { type EmptySince, idleSpanMs } from "./IdleSpan.ts"
import type { Incarnation, Incarnations, StartRefusal } from "./Incarnations.ts"
import { RoomGate } from "./RoomGate.ts"
import type { CloseReason, DrainReason, LeaveReason, Seat } from "./RoomState.ts"
import { isOfNeighbour } from "./StartRefusal.ts"

/**
 * A room that is awake on this runner: its clients, and the incarnation that serves them now. It
 * performs what the Room and Server actors order and tells them what happens; it decides nothing.
 */
export interface AwakeRoom {
  readonly key: RoomKey
  readonly gate: RoomGate
  /** Epoch of the incarnation that runs or ran last. */
  readonly epoch: () => number
  /** The same, with its server. */
  readonly seat: () => Seat
  /** What the room's code keeps of each player, for the router to load at a join. */
  readonly incarnation: () => Incarnation | null
  /** Starts an incarnation; the clients of the one before are seated in it. */
  start(order: StartOrder): Effect.Effect<void, StartRefusal>
  /**
   * Stores the last state and ends the room, unless it should sleep and a client has come. Nothing is
   * stored of a room that never let somebody in (`entered`). The clients of a room that moves follow it.
   */
  drain(reason: LeaveReason): Effect.Effect<RoomDrained>
  /** Ends the room without storing anything: its process has died, or its state is not wanted. */
  fail(because: CloseReason): Effect.Effect<void>
  /**
   * Ends the room because its server goes from this runner: stores the last state if the store takes
   * it in time. The clients are told to come back when it is stored, and never later than
   * `RoomLimits.roomLostClients`.
   */
  readonly lost: Effect.Effect<void>
  /**
   * Resolves when the room ends here without an order: a later incarnation has been seen elsewhere, or its actor has
   * seen its death and no order about it has come. The clients are closed, nothing is stored. Source: C-446, C-653.
   */
  readonly endedAlone: Effect.Effect<void>
  /** @returns whether the game had started: then nothing has changed */
  publish(isPublic: boolean): { readonly started: boolean }
}

export interface RoomDrained {
  readonly clientsBack: boolean
  readonly entered: boolean
  /** The room's call was running: its participants join it again where the room wakes. */
  readonly called?: boolean
}

/**
 * Reports of an awake room to the Room actor. A report does not wait for its effect, which may end the
 * very fiber that made the report; `done` is called when the actor has seen to it, or never will.
 */
export interface AwakeRoomReports {
  processExited(exited: Seat & { readonly shared?: true }, done: () => void): Effect.Effect<void>
  /** It has been empty for as long as its type allows, or it is new and let nobody in. */
  emptied(seat: Seat, reason: "empty" | "unentered"): Effect.Effect<void>
}

interface Making {
  readonly key: RoomKey
  /** While it runs, this runner may speak for the room. */
  readonly lease: Lease
  readonly incarnations: Incarnations["Service"]
  readonly meter: Pick<MeterCounts, "began" | "ended">
  readonly seats: Seats
  readonly calls: VoiceCalls["Service"]
  readonly reports: AwakeRoomReports
}

export const makeAwakeRoom = Effect.fnUntraced(function* (making: Making) {
  const { key, reports } = making
  const roomScope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let current: Started | null = null
  let seat: Seat = { epoch: 0, serverIndex: 0 }
  let draining = false

  const idle = yield* makeIdleWatch({
    spanMs: (since) => current && spanOf(current.incarnation, since, gate.entered),
    emptied: Effect.suspend(() => reports.emptied(seat, gate.entered ? "empty" : "unentered"))
  })
  const gate = yield* makeGate({ ...making, current: () => current }, ({ occupied, dropped }) =>
    run(occupied ? idle.clear : idle.arm(dropped ? "dropped" : "left"))
  )

  /** The process of the incarnation may be dead already; its timers are not. */
  const end = Effect.suspend(() => {
    const ended = current
    current = null
    return ended === null ? Effect.void : Scope.close(ended.scope, Exit.void)
  })

  const alone = yield* makeEndAlone(gate)
  const exited = tellDeaths(making, { gate, seat: () => seat, end: () => run(alone.end) })

  const startNow = Effect.fnUntraced(function* (order: StartOrder) {
    const began = seat.epoch > 0
    seat = seatOf(order)
    yield* end
    current = yield* startScoped({ ...making, gate, roomScope }, order).pipe(
      // Clients wait in the room, and the caller that ordered the start may be gone.
      Effect.tapError((refusal) => (began ? exited(order, isOfNeighbour(refusal)) : Effect.void))
    )
    const { incarnation } = current
    // A room that existed before stays one, also when it lets nobody in.
    if (!began && (!order.fresh || incarnation.stored)) gate.settle(true)
    gate.attach(incarnation.process)
    const gone = Effect.suspend(() => {
      gate.detach(incarnation.process, incarnation.staleMs())
      if (incarnation.superseded()) return alone.end
      return draining
        ? Effect.void
        : Effect.flatMap(incarnation.ended, ({ cause }) => exited(order, cause === "neighbour"))
    })
    yield* Effect.forkIn(Effect.andThen(current.ended, gone), roomScope)
    if (gate.connections === 0) yield* idle.arm("started")
  })

  const start = (order: StartOrder) =>
    Effect.suspend(() => Effect.ensuring(startNow(order), Effect.sync(gate.expect())))

  const putAway = (reason: LeaveReason) =>
    Effect.suspend(() => {
      draining = true
      return leaving(gate, current, reason)
    })

  const drain = Effect.fnUntraced(function* (reason: LeaveReason) {
    if (stays(gate, reason)) return { clientsBack: true, entered: gate.entered }
    const called = callOf(gate)
    if (!(yield* putAway(reason))) yield* Effect.annotateLogs(keptLastSnapshot, logsOf(key))
    gate.closeAll(closeFor(reason))
    yield* end
    return { clientsBack: false, entered: gate.entered, ...called }
  })

  return {
    key,
    gate,
    start,
    endedAlone: alone.ended,
    drain,
    fail: (because) => Effect.andThen(closing(gate, because), end),
    lost: Effect.andThen(lostInTime(putAway("shutdown"), { key, gate, roomScope }), end),
    publish: (isPublic) => ({ started: current?.incarnation.lobby.publish(isPublic) === false }),
    seat: () => seat,
    incarnation: () => current?.incarnation ?? null,
    epoch: () => seat.epoch
  } satisfies AwakeRoom
})

const callOf = ({ call }: RoomGate): Pick<RoomDrained, "called"> =>
  call?.running === true ? { called: true } : {}

interface Started {
  readonly incarnation: Incarnation
  readonly scope: Scope.Closeable
  /** Resolves when its process has ended, and no more of its time is metered. */
  readonly ended: Effect.Effect<void>
}

interface Surroundings extends Making {
  readonly gate: RoomGate
  readonly roomScope: Scope.Scope
}

/** Starts an incarnation in a scope of its own, which a start that fails closes. */
const startScoped = Effect.fnUntraced(function* (around: Surroundings, order: StartOrder) {
  const { key, gate, incarnations, roomScope, calls } = around
  // Its participants join again as soon as it is up.
  if (order.called === true) {
    calls.prepare()
    gate.call?.continued()
  }
  const scope = yield* Scope.fork(roomScope)
  const incarnation = yield* incarnations.start(key, order, gate).pipe(
    Scope.provide(scope),
    Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void))
  )
  const timeEnded = yield* Scope.provide(meterTime(around), scope)
  const started: Started = {
    incarnation,
    scope,
    ended: Effect.andThen(incarnation.ended, timeEnded)
  }
  return started
})

/**
 * Counts the time from now until the process of the room has ended. Another runner starts the room only
 * after the lease of this one, so no time counts twice. Source: C-493.
 *
 * @returns to be run when the process has ended
 */
const meterTime = Effect.fnUntraced(function* ({ key: { projectId }, meter, gate }: Surroundings) {
  const metered: Metered = { projectId, meter: "roomHours", lapsed: () => gate.lapsed }
  const ended = Effect.map(Clock.currentTimeMillis, (nowMs) => meter.ended(metered, nowMs))
  meter.began(metered, yield* Clock.currentTimeMillis)
  yield* Effect.addFinalizer(() => ended)
  return ended
})

/** Nobody comes in any more, and the last state is stored. */
const leaving = (
  gate: RoomGate,
  current: Started | null,
  reason: LeaveReason
): Effect.Effect<boolean> => {
  gate.close()
  if (reason === "move") return handedOver(gate, current)
  if (!gate.entered) return turnedAway(gate, reason)
  return current === null ? Effect.succeed(false) : current.incarnation.drain
}

/** Its clients follow the room to where it wakes next. Nothing is stored of a room that let nobody in. */
const handedOver = (gate: RoomGate, current: Started | null): Effect.Effect<boolean> => {
  if (current === null) return Effect.succeed(false)
  const { process, drain, factsStored } = current.incarnation
  const store = gate.entered ? drain : Effect.succeed(true)
  return handOver({ gate, process, store, factsStored })
}

interface Telling {
  readonly gate: RoomGate
  readonly seat: () => Seat
  readonly end: () => void
}

/** Tells the actor that the process of a start has died, or that a start has failed. What the actor orders is done before its answer comes. */
const tellDeaths =
  ({ reports }: Pick<Making, "reports">, { gate, seat, end }: Telling) =>
  (order: StartOrder, isShared: boolean) => {
    const seen = gate.expect()
    const exited = { ...seatOf(order), ...(isShared && { shared: true as const }) }
    return reports.processExited(exited, () => {
      seen()
      if (seat().epoch === order.epoch) end()
    })
  }

/** The room ends without an order: its clients are sent to where it wakes next, and nothing is stored. */
const makeEndAlone = (gate: RoomGate) =>
  Effect.map(Deferred.make<void>(), (ended) => ({
    end: Effect.suspend(() => {
      gate.closeAll(closeFor("shutdown"))
      return Effect.asVoid(Deferred.succeed(ended, undefined))
    }),
    ended: Deferred.await(ended)
  }))

interface GateParts extends Pick<Making, "key" | "lease" | "seats" | "calls"> {
  readonly current: () => Started | null
}

/**
 * The gate ends with its room and closes every socket. A room that ends before it let anybody in was
 * never entered.
 */
const makeGate = (
  { key, lease, seats, calls, current }: GateParts,
  occupancy: GateListener["occupancy"]
) =>
  Effect.acquireRelease(
    Effect.map(Clock.Clock, (clock) => {
      const players = seats.room(key, () => lease.over)
      const nowMs = (): number => clock.currentTimeMillisUnsafe()
      const gate = new RoomGate({ occupancy, nowMs, seats: players }, lease)
      gate.call = calls.of({
        key,
        lapsed: () => gate.lapsed,
        capacity: capacityOf(current),
        write: (ref, frame) => gate.tell(ref, frame)
      })
      return gate
    }),
    (gate) =>
      Effect.sync(() => {
        gate.closeAll(closeFor("shutdown"))
        gate.settle(false)
      })
  )

/** Participants of the room's call, which outlives the process, as the gate does. */
const capacityOf = (current: GateParts["current"]) => {
  let last: number | null = null
  return (): number | null => {
    last = current()?.incarnation.schema.voice?.participants ?? last
    return last
  }
}

/** Nothing is stored of a room that let nobody in; from here on nobody gets into it either. */
const turnedAway = (gate: RoomGate, reason: DrainReason): Effect.Effect<boolean> =>
  Effect.sync(() => {
    gate.closeAll(closeFor(reason))
    return true
  })

/** Lets the clients go when the room is stored, or when they have waited long enough. */
const lostInTime = Effect.fnUntraced(function* (
  store: Effect.Effect<boolean>,
  { key, gate, roomScope }: Pick<AwakeRoom, "key" | "gate"> & { readonly roomScope: Scope.Scope }
) {
  const storing = yield* Effect.forkIn(store, roomScope)
  const { ms } = RoomLimits.roomLostClients
  yield* endsWithin(storing, ms)
  gate.closeAll(closeFor("shutdown"))
  const stored = yield* endsWithin(storing, RoomLimits.roomLost.ms - ms)
  if (!stored) yield* Effect.annotateLogs(keptLastSnapshot, logsOf(key))
})

const closing = (gate: RoomGate, because: CloseReason): Effect.Effect<void> => {
  const { code, name } = CloseCodes[because]
  return Effect.sync(() => gate.closeAll({ code, reason: name }))
}

/** @returns whether the room is stored by then */
const endsWithin = (storing: Fiber.Fiber<boolean>, ms: number): Effect.Effect<boolean> =>
  Fiber.await(storing).pipe(
    Effect.map((exit) => Exit.isSuccess(exit) && exit.value),
    Effect.timeoutOrElse({ duration: ms, orElse: () => Effect.succeed(false) })
  )

const seatOf = ({ epoch, serverIndex }: StartOrder): Seat => ({ epoch, serverIndex })

/** A client that has come meanwhile keeps a room awake that is put away because nobody is in it. */
const stays = (gate: RoomGate, reason: LeaveReason): boolean => {
  switch (reason) {
    case "empty":
    case "pressure":
      return gate.connections > 0
    case "unentered":
      return gate.connections > 0 || gate.entered
    case "redeploy":
    case "move":
    case "shutdown":
    case "restore":
    case "dataOut":
      return false
  }
}

interface Idling {
  /** How long an empty room stays up; `null` = it is down. */
  spanMs(since: EmptySince): number | null
  readonly emptied: Effect.Effect<void>
}

/** Tells that a room has been empty for its idle span, unless somebody comes before. */
const makeIdleWatch = Effect.fnUntraced(function* ({ spanMs, emptied }: Idling) {
  const idle = yield* FiberHandle.make()
  // A report may get lost; an empty room that nobody puts away would stay up for ever.
  const again = Effect.repeat(emptied, Schedule.spaced(ServiceLimits.actorCall.ms))
  const arm = (since: EmptySince) =>
    Effect.suspend(() => {
      const ms = spanMs(since)
      if (ms === null) return Effect.void
      return FiberHandle.run(idle, Effect.andThen(sleepByRule(ms), again))
    })
  return { arm, clear: FiberHandle.clear(idle) }
})

const keptLastSnapshot = Effect.logWarning("the room goes back to what was stored before")
const logsOf = ({ projectId, roomId }: RoomKey) => ({ project: projectId, room: roomId })

const spanOf = ({ deployed, relay }: Incarnation, since: EmptySince, entered: boolean): number =>
  idleSpanMs(deployed, { since, relay, entered })
