import { CloseCodes } from "@atrium/domain/CloseCode"
import type { RoomKey } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { Effect, Exit, FiberHandle, Schedule, Scope } from "effect"

import type { StartFailed, StartOrder, StoreAway } from "../server/ServerProtocol.ts"
import type { Incarnation, Incarnations } from "./Incarnations.ts"
import { closeFor, RoomGate } from "./RoomGate.ts"
import type { CloseReason, DrainReason } from "./RoomMachine.ts"

/**
 * A room that is awake on this runner: its clients, and the incarnation that serves them now. It
 * performs what the Room and Server actors order and tells them what happens; it decides nothing.
 */
export interface AwakeRoom {
  readonly key: RoomKey
  readonly gate: RoomGate
  /** Epoch of the incarnation that runs or ran last. */
  readonly epoch: () => number
  /** What the room's code keeps of each player, for the router to load at a join. */
  readonly incarnation: () => Incarnation | null
  /** Starts an incarnation; the clients of the one before are seated in it. */
  start(order: StartOrder): Effect.Effect<void, StartFailed | StoreAway>
  /** Stores the last state and ends the room, unless it should sleep and a client has come. */
  drain(reason: DrainReason): Effect.Effect<{ readonly clientsBack: boolean }>
  /** Ends the room whose process has died once too often. */
  fail(because: CloseReason): Effect.Effect<void>
}

/**
 * What an awake room tells the Room actor. A report only sets out: what it leads to may end the
 * very fiber that made it.
 */
export interface AwakeRoomReports {
  processExited(epoch: number): Effect.Effect<void>
  /** It has been empty for as long as its type allows. */
  emptied(epoch: number): Effect.Effect<void>
}

interface Making {
  readonly key: RoomKey
  readonly incarnations: Incarnations["Service"]
  readonly reports: AwakeRoomReports
}

export const makeAwakeRoom = Effect.fnUntraced(function* ({ key, incarnations, reports }: Making) {
  const roomScope = yield* Effect.scope
  const idle = yield* FiberHandle.make()
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let current: { readonly incarnation: Incarnation; readonly scope: Scope.Closeable } | null = null
  let epoch = 0
  let draining = false

  /** Puts the room to sleep after its idle span, unless somebody comes before. */
  const armIdle = (dropped: boolean) =>
    Effect.suspend(() => {
      if (current === null) return Effect.void
      const emptied = Effect.suspend(() => reports.emptied(epoch))
      const spanMs = idleSpanMs(current.incarnation.deployed, dropped)
      // A report may get lost; an empty room that nobody puts away would stay up for ever.
      const again = Effect.repeat(emptied, Schedule.spaced(Limits.actorCall.ms))
      return FiberHandle.run(idle, Effect.andThen(Effect.sleep(spanMs), again))
    })

  const gate = new RoomGate({
    occupancy: ({ occupied, dropped }) => {
      run(occupied ? FiberHandle.clear(idle) : armIdle(dropped))
    }
  })

  const end = Effect.suspend(() => {
    const last = current
    current = null
    return last === null ? Effect.void : Scope.close(last.scope, Exit.void)
  })

  const start = Effect.fnUntraced(function* (order: StartOrder) {
    // What is left of the incarnation before: its process is dead, its timers are not.
    yield* end
    epoch = order.epoch
    const scope = yield* Scope.fork(roomScope)
    const incarnation = yield* incarnations.start(key, order, gate).pipe(
      Scope.provide(scope),
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void))
    )
    current = { incarnation, scope }
    gate.attach(incarnation.process)
    yield* incarnation.ended.pipe(
      Effect.andThen(
        Effect.suspend(() => {
          gate.detach(incarnation.process)
          return draining ? Effect.void : reports.processExited(order.epoch)
        })
      ),
      Effect.forkIn(roomScope)
    )
    if (gate.clients === 0) yield* armIdle(false)
  })

  const drain = Effect.fnUntraced(function* (reason: DrainReason) {
    if (reason === "empty" && gate.clients > 0) return { clientsBack: true }
    draining = true
    gate.close()
    const stored = current === null ? false : yield* current.incarnation.drain
    if (!stored) {
      yield* Effect.logWarning("the room keeps the state of its last snapshot").pipe(
        Effect.annotateLogs({ project: key.projectId, room: key.roomId })
      )
    }
    gate.closeAll(closeFor(reason))
    yield* end
    return { clientsBack: false }
  })

  const fail = (because: CloseReason) =>
    Effect.suspend(() => {
      gate.close()
      gate.closeAll({ code: CloseCodes[because].code, reason: CloseCodes[because].name })
      return end
    })

  const incarnation = () => current?.incarnation ?? null
  const room: AwakeRoom = { key, gate, epoch: () => epoch, incarnation, start, drain, fail }
  return room
})

/** A client that lost its connection may come back: its session is kept that long. */
const idleSpanMs = (
  { hibernateAfterMs, reconnectForMs }: Incarnation["deployed"],
  dropped: boolean
): number => (dropped ? Math.max(hibernateAfterMs, reconnectForMs) : hibernateAfterMs)
