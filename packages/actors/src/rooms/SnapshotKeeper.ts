import { type CapWall, wallText } from "@atrium/domain/meters/Caps"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { Clock, Data, Deferred, Duration, Effect, FiberHandle, Metric, Queue } from "effect"

import { sleepByRule } from "../clock/RuleTime.ts"
import { Machines } from "../cluster/Machines.ts"
import {
  type SaveReason,
  type SnapshotAction,
  type SnapshotCause,
  SnapshotEvent,
  staleMs,
  startedAt
} from "./SnapshotMachine.ts"

/** What the keeper does with a room's process and the store. */
export interface KeeperPort {
  request(requestId: number, final: boolean): void
  /** Stores the state; a failure of any kind means that nothing was acknowledged. */
  store(state: Uint8Array, generation: SaveReason | null): Effect.Effect<void, unknown>
  /** Waits until all that the room has told beside its state is stored. */
  readonly factsStored: Effect.Effect<void, unknown>
  /** The project's storage wall, which refuses new generations; `null` = there is none. */
  readonly storageWall: Effect.Effect<CapWall | null>
  answer(saveId: number, stored: boolean, wall?: string): void
  /** More is waiting than a well-behaved room can cause. */
  flooded(): void
}

/** Keeps an incarnation's state stored, as the SnapshotMachine decides. */
export interface SnapshotKeeper {
  changed(): void
  saveRequested(saveId: number, generation: boolean): void
  snapshot(requestId: number, state: Uint8Array): void
  /** The process ended: what was under way never arrives. */
  gone(): void
  /** How old the stored state is compared with the room, or with its end. */
  readonly staleMs: () => number
  /** Stores the last state; false = it could not be stored. */
  readonly drain: Effect.Effect<boolean>
}

type Input = Data.TaggedEnum<{
  Changed: {}
  SaveRequested: { readonly saveId: number; readonly generation: boolean }
  Arrived: { readonly requestId: number; readonly state: Uint8Array }
  Gone: {}
  DrainAsked: {}
  TimerFired: {}
}>
const Input = Data.taggedEnum<Input>()

/** Room for every save that may wait, every answer, and the rare rest. */
const mailboxCapacity = 4 * RuntimeLimits.savesWaiting.max

export const makeSnapshotKeeper = Effect.fnUntraced(function* (port: KeeperPort) {
  const mailbox = yield* Queue.bounded<Input>(mailboxCapacity)
  const timer = yield* FiberHandle.make()
  const drained = yield* Deferred.make<boolean>()
  const clock = yield* Clock.Clock
  const step = (yield* Machines).snapshot
  let state = startedAt(clock.currentTimeMillisUnsafe())
  let endedAtMs: number | null = null

  const offer = (input: Input): void => {
    if (!Queue.offerUnsafe(mailbox, input)) port.flooded()
  }

  const perform = (action: SnapshotAction): Effect.Effect<void> => {
    switch (action._tag) {
      case "Request":
        return Effect.sync(() => port.request(action.requestId, action.final))
      case "ArmTimer":
        return Clock.currentTimeMillis.pipe(
          Effect.flatMap((nowMs) => sleepByRule(Math.max(0, action.atMs - nowMs))),
          Effect.andThen(Effect.sync(() => offer(Input.TimerFired()))),
          FiberHandle.run(timer),
          Effect.asVoid
        )
      case "Answer":
        return Effect.sync(() => answer(port, action))
      case "DrainEnded":
        return Effect.asVoid(Deferred.succeed(drained, action.stored))
    }
  }

  /** Only what was asked for is stored: a process may send as many states as it likes. */
  const store = (bytes: Uint8Array, requestId: number): Effect.Effect<boolean> => {
    const { underWay } = state
    if (underWay?.requestId !== requestId) return Effect.succeed(false)
    const { cause, generation, final, answers } = underWay
    const storing = measured(cause, port.store(bytes, generation))
    // "Stored" covers the alarms and players' fields of a call, too. Source: C-58.
    const promised = answers.length > 0 && !final
    return isStored(promised ? Effect.andThen(storing, port.factsStored) : storing)
  }

  const take = Effect.fnUntraced(function* (input: Input) {
    if (input._tag === "Gone") return yield* Deferred.succeed(drained, false)
    const stored = input._tag === "Arrived" && (yield* store(input.state, input.requestId))
    const adds = input._tag === "SaveRequested" && input.generation
    const wall = adds ? yield* port.storageWall : null
    const nowMs = yield* Clock.currentTimeMillis
    const [next, actions] = step(state, eventOf(input, { stored, wall, nowMs }))
    state = next
    return yield* Effect.forEach(actions, perform, { discard: true })
  })

  yield* Queue.take(mailbox).pipe(Effect.flatMap(take), Effect.forever, Effect.forkScoped)

  const keeper: SnapshotKeeper = {
    changed: () => offer(Input.Changed()),
    saveRequested: (saveId, asGeneration) =>
      offer(Input.SaveRequested({ saveId, generation: asGeneration })),
    snapshot: (requestId, bytes) => offer(Input.Arrived({ requestId, state: bytes })),
    staleMs: () => staleMs(state, endedAtMs ?? clock.currentTimeMillisUnsafe()),
    gone: () => {
      endedAtMs ??= clock.currentTimeMillisUnsafe()
      // A full mailbox is no reason to let a drain wait for a process that is dead.
      if (!Queue.offerUnsafe(mailbox, Input.Gone())) {
        Deferred.doneUnsafe(drained, Effect.succeed(false))
      }
    },
    drain: Effect.andThen(
      Effect.sync(() => offer(Input.DrainAsked())),
      Deferred.await(drained)
    )
  }
  return keeper
})

const answer = (
  port: KeeperPort,
  { saveId, stored: isIn, wall }: Extract<SnapshotAction, { readonly _tag: "Answer" }>
): void => (wall === null ? port.answer(saveId, isIn) : port.answer(saveId, isIn, wallText(wall)))

const isStored = (storing: Effect.Effect<void, unknown>): Effect.Effect<boolean> =>
  storing.pipe(
    Effect.as(true),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError("a snapshot could not be stored", cause), false)
    )
  )

const eventOf = (
  input: Exclude<Input, { readonly _tag: "Gone" }>,
  {
    stored,
    wall,
    nowMs
  }: { readonly stored: boolean; readonly wall: CapWall | null; readonly nowMs: number }
): SnapshotEvent => {
  switch (input._tag) {
    case "Changed":
      return SnapshotEvent.Changed({ nowMs })
    case "SaveRequested":
      return SnapshotEvent.SaveRequested({
        saveId: input.saveId,
        generation: input.generation,
        wall,
        nowMs
      })
    case "Arrived":
      return stored
        ? SnapshotEvent.Stored({ requestId: input.requestId, nowMs })
        : SnapshotEvent.StoreFailed({ requestId: input.requestId, nowMs })
    case "DrainAsked":
      return SnapshotEvent.DrainAsked({ nowMs })
    case "TimerFired":
      return SnapshotEvent.TimerFired({ nowMs })
  }
}

const stored = Metric.counter("atrium_snapshots_stored_total", {
  description: "Snapshots that were stored, by what asked for them",
  incremental: true
})
const failed = Metric.counter("atrium_snapshots_failed_total", {
  description: "Snapshots that could not be stored, by what asked for them",
  incremental: true
})
const seconds = Metric.histogram("atrium_snapshot_store_seconds", {
  description: "Time from a snapshot's arrival until it is stored",
  boundaries: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Counts what becomes of a snapshot, and how long its storage takes. */
const measured = <E, R>(
  cause: SnapshotCause,
  storing: Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.timed(storing).pipe(
    Effect.tap(([took]) =>
      Effect.andThen(
        Metric.update(Metric.withAttributes(stored, { cause }), 1),
        Metric.update(seconds, Duration.toSeconds(took))
      )
    ),
    Effect.tapCause(() => Metric.update(Metric.withAttributes(failed, { cause }), 1)),
    Effect.asVoid
  )
