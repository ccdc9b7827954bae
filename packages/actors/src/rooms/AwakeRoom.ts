import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { Effect, Exit, Fiber, FiberHandle, Schedule, Scope } from "effect"

import { sleepByRule } from "../clock/RuleTime.ts"
import type { StartOrder } from "../servers/ServerProtocol.ts"
import { type EmptySince, idleSpanMs } from "./IdleSpan.ts"
import type { Incarnation, Incarnations, StartRefusal } from "./Incarnations.ts"
import { closeFor, type GateListener, RoomGate } from "./RoomGate.ts"
import type { CloseReason, DrainReason, Seat } from "./RoomState.ts"

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
   * stored of a room that never let somebody in (`entered`).
   */
  drain(
    reason: DrainReason
  ): Effect.Effect<{ readonly clientsBack: boolean; readonly entered: boolean }>
  /** Ends the room without storing anything: its process has died, or its state is not wanted. */
  fail(because: CloseReason): Effect.Effect<void>
  /**
   * Ends the room because its server goes from this runner: stores the last state if the store takes
   * it in time. The clients are told to come back when it is stored, and never later than
   * `RoomLimits.roomLostClients`.
   */
  readonly lost: Effect.Effect<void>
  /** @returns whether the game had started: then nothing has changed */
  publish(isPublic: boolean): { readonly started: boolean }
}

/**
 * Reports of an awake room to the Room actor. A report does not wait for its effect, which may end the
 * very fiber that made the report.
 */
export interface AwakeRoomReports {
  processExited(seat: Seat): Effect.Effect<void>
  /** It has been empty for as long as its type allows, or it is new and let nobody in. */
  emptied(seat: Seat, reason: "empty" | "unentered"): Effect.Effect<void>
}

interface Making {
  readonly key: RoomKey
  readonly incarnations: Incarnations["Service"]
  readonly reports: AwakeRoomReports
}

export const makeAwakeRoom = Effect.fnUntraced(function* ({ key, incarnations, reports }: Making) {
  const roomScope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let current: { readonly incarnation: Incarnation; readonly scope: Scope.Closeable } | null = null
  let seat: Seat = { epoch: 0, serverIndex: 0 }
  let draining = false

  const idle = yield* makeIdleWatch({
    spanMs: (since) => current && spanOf(current.incarnation, since, gate.entered),
    emptied: Effect.suspend(() => reports.emptied(seat, gate.entered ? "empty" : "unentered"))
  })
  const gate = yield* makeGate(({ occupied, dropped }) => {
    run(occupied ? idle.clear : idle.arm(dropped ? "dropped" : "left"))
  })

  const end = Effect.suspend(() => {
    const scope = current?.scope
    current = null
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  })

  const start = Effect.fnUntraced(function* (order: StartOrder) {
    // The process of the incarnation before is dead, its timers are not.
    yield* end
    const began = seat.epoch > 0
    seat = seatOf(order)
    const scope = yield* Scope.fork(roomScope)
    const incarnation = yield* incarnations.start(key, order, gate).pipe(
      Scope.provide(scope),
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void)),
      // Clients wait in the room, and the caller that ordered the start may be gone.
      Effect.tapError(() => (began ? reports.processExited(seatOf(order)) : Effect.void))
    )
    current = { incarnation, scope }
    // A room that existed before stays one, also when it lets nobody in.
    if (!began && (!order.fresh || incarnation.stored)) gate.settle(true)
    gate.attach(incarnation.process)
    const gone = Effect.suspend(() => {
      gate.detach(incarnation.process, incarnation.staleMs())
      return draining ? Effect.void : reports.processExited(seatOf(order))
    })
    yield* Effect.forkIn(Effect.andThen(incarnation.ended, gone), roomScope)
    if (gate.connections === 0) yield* idle.arm("started")
  })

  const putAway = (reason: DrainReason) =>
    Effect.suspend(() => {
      draining = true
      gate.close()
      if (!gate.entered) return turnedAway(gate, reason)
      return current === null ? Effect.succeed(false) : current.incarnation.drain
    })

  const drain = Effect.fnUntraced(function* (reason: DrainReason) {
    if (stays(gate, reason)) return { clientsBack: true, entered: gate.entered }
    if (!(yield* putAway(reason))) yield* Effect.annotateLogs(keptLastSnapshot, logsOf(key))
    gate.closeAll(closeFor(reason))
    yield* end
    return { clientsBack: false, entered: gate.entered }
  })

  return {
    key,
    gate,
    start,
    drain,
    fail: (because) => Effect.andThen(closing(gate, because), end),
    lost: Effect.forkIn(putAway("shutdown"), roomScope).pipe(
      Effect.flatMap((storing) => storedInTime(storing, { key, gate })),
      Effect.andThen(end)
    ),
    publish: (isPublic) => ({
      started: current !== null && !current.incarnation.lobby.publish(isPublic)
    }),
    seat: () => seat,
    incarnation: () => current?.incarnation ?? null,
    epoch: () => seat.epoch
  } satisfies AwakeRoom
})

/**
 * The gate ends with its room and closes every socket. A room that ends before it let anybody in was
 * never entered.
 */
const makeGate = (occupancy: GateListener["occupancy"]) =>
  Effect.acquireRelease(
    Effect.sync(() => new RoomGate({ occupancy })),
    (gate) =>
      Effect.sync(() => {
        gate.closeAll(closeFor("shutdown"))
        gate.settle(false)
      })
  )

/** Nothing is stored of a room that let nobody in; from here on nobody gets into it either. */
const turnedAway = (gate: RoomGate, reason: DrainReason): Effect.Effect<boolean> =>
  Effect.sync(() => {
    gate.closeAll(closeFor(reason))
    return true
  })

/** Lets the clients go when the room is stored, or when they have waited long enough. */
const storedInTime = Effect.fnUntraced(function* (
  storing: Fiber.Fiber<boolean>,
  { key, gate }: Pick<AwakeRoom, "key" | "gate">
) {
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
const stays = (gate: RoomGate, reason: DrainReason): boolean => {
  switch (reason) {
    case "empty":
    case "pressure":
      return gate.connections > 0
    case "unentered":
      return gate.connections > 0 || gate.entered
    case "redeploy":
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
