import { type RoomKey, roomKeyOf } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { RoomCrashed, RoomNotFound, TenantWaking } from "@atrium/domain/Refusal"
import { serviceMessage } from "@atrium/domain/ServiceMessage"
import { type Cause, Clock, Effect, Fiber, Option, Semaphore } from "effect"
import { Entity } from "effect/cluster"

import { ServerActor, serverKeyText } from "../server/ServerProtocol.ts"
import { DeploymentStore } from "../store/DeploymentStore.ts"
import { type RoomFacts, RoomStore } from "../store/RoomStore.ts"
import { isStoreAway, isStoreFailure } from "../store/StoreFailure.ts"
import { RoomFiles } from "./RoomFiles.ts"
import { isKept, RoomEvent, type RoomRefusal, RoomState, step, typeToStart } from "./RoomMachine.ts"
import { makeRoomPerformer, type RoomAnswer } from "./RoomPerformer.ts"
import { RoomActor } from "./RoomProtocol.ts"

/**
 * The room's shell: loads, steps, saves, performs, in that order, and holds no rule. Calls run one
 * at a time, so a wake waits for the drain before it. A call that the store fails is refused, and the
 * next one begins with what the store holds then.
 */
export const RoomEntity = RoomActor.toLayer(
  Effect.gen(function* () {
    const key = roomKeyOf((yield* Entity.CurrentAddress).entityId)
    const deployments = yield* DeploymentStore
    let facts: RoomFacts | null = null
    const handle = yield* makeSteps(key, () => facts)

    /** What the current deployment makes of a type. */
    const kindOf = Effect.fnUntraced(function* (type: string | null) {
      if (type === null) return null
      const deployment = Option.getOrNull(yield* deployments.current(key.projectId))
      const found = deployment?.roomTypes.find((candidate) => candidate.type === type)
      if (deployment === null || found === undefined) return null
      facts = found
      return { type: found.type, class: found.class, version: deployment.version }
    })

    return RoomActor.of({
      Wake: Effect.fnUntraced(function* ({ payload: { type, create } }) {
        // What there is to start is asked when the chain before has ended, not now.
        const answer = yield* handle((state) =>
          Effect.map(kindOf(typeToStart(state, type)), (kind) =>
            RoomEvent.WakeAsked({ type, kind, create })
          )
        )
        if (answer?._tag === "Answer") return answer.at
        return yield* refusal(answer?.code ?? "E_TENANT_WAKING", answer?.message ?? "no answer")
      }),
      ProcessExited: ({ payload: { epoch } }) =>
        Effect.asVoid(
          handle(() =>
            Effect.map(Clock.currentTimeMillis, (nowMs) =>
              RoomEvent.ProcessExited({ epoch, nowMs })
            )
          )
        ),
      PutAway: ({ payload: { epoch, reason } }) =>
        Effect.asVoid(handle(() => Effect.succeed(RoomEvent.DrainAsked({ epoch, reason })))),
      MakeWay: ({ payload: { version } }) =>
        Effect.asVoid(handle(() => Effect.succeed(RoomEvent.VersionDeployed({ version }))))
    })
  }),
  { concurrency: 1, mailboxCapacity: 1024, maxIdleTime: "1 minute" }
)

/** One room's steps: what events do to its row, its server and its caller. */
const makeSteps = Effect.fnUntraced(function* (key: RoomKey, facts: () => RoomFacts | null) {
  const rooms = yield* RoomStore
  const perform = yield* makeRoomPerformer(key)
  /** `null` = what the row holds has to be read: at first, and after a chain that was cut short. */
  let known: RoomState | null = null

  /** Steps until nothing is left to perform; durable before visible. */
  const chain = Effect.fnUntraced(function* (from: RoomState, first: RoomEvent) {
    const events: Array<RoomEvent> = [first]
    let answer: RoomAnswer | null = null
    let state = from
    known = null
    for (let event = events.shift(); event !== undefined; event = events.shift()) {
      const [next, actions] = step(state, event)
      if (next !== state) {
        if (isKept(next)) yield* rooms.save(key, next, facts())
        state = next
      }
      for (const action of actions) {
        if (action._tag === "Answer" || action._tag === "Refuse") answer = action
        else {
          const outcome = yield* perform(action)
          if (outcome !== null) events.push(outcome)
        }
      }
    }
    known = state
    return { state, answer }
  })

  /** The room as it is now. What was under way when it was last known is ended or asked for again. */
  const current = Effect.gen(function* () {
    if (known !== null) return known
    const stored = yield* loadState(key)
    const revived = RoomEvent.Revived({ held: yield* isHeld(key, stored) })
    return (yield* chain(stored, revived)).state
  })

  // A caller that gives up must not leave the room between two states: the chain goes on without
  // it, and the next one waits for it.
  const scope = yield* Effect.scope
  const oneAtATime = yield* Semaphore.make(1)
  const handle = (event: (state: RoomState) => Effect.Effect<RoomEvent>) =>
    Effect.gen(function* () {
      const state = yield* current
      return (yield* chain(state, yield* event(state))).answer
    }).pipe(
      oneAtATime.withPermits(1),
      Effect.catchCause(refuseWithoutStore),
      Effect.forkIn(scope),
      Effect.flatMap(Fiber.join)
    )
  return handle
})

/**
 * A store that fails is nobody's defect here: an actor that died of it would be started again ever
 * more slowly, and keep its callers waiting meanwhile.
 */
const refuseWithoutStore = (cause: Cause.Cause<never>): Effect.Effect<never, TenantWaking> => {
  if (!isStoreFailure(cause)) return Effect.failCause(cause)
  const refused = Effect.fail(new TenantWaking({ message: "the store does not answer" }))
  // An outage is told once, by whoever watches the store.
  return isStoreAway(cause)
    ? refused
    : Effect.andThen(Effect.logError("the store failed a room", cause), refused)
}

/** The room as its row tells, or as its stored state does when the row is gone. */
const loadState = Effect.fnUntraced(function* (key: RoomKey) {
  const rooms = yield* RoomStore
  const files = yield* RoomFiles
  const row = yield* rooms.load(key)
  if (row !== null) return row.state
  const type = yield* files.storedType(key)
  return type === null ? RoomState.Absent() : RoomState.Hibernated({ type })
})

/** Asks the room's server, which may have outlived this actor, whether it still has the room. */
const isHeld = Effect.fnUntraced(function* (key: RoomKey, state: RoomState) {
  if (!("at" in state)) return false
  const { serverIndex, epoch } = state.at
  const serverOf = yield* ServerActor.client
  return yield* serverOf(serverKeyText(key.projectId, serverIndex))
    .Holds({ roomId: key.roomId, epoch })
    .pipe(
      Effect.timeout(Limits.actorCall.ms),
      Effect.catchCause(() => Effect.succeed(false))
    )
})

const refusal = (code: RoomRefusal, message: string) => {
  const fields = { message: serviceMessage(message) }
  switch (code) {
    case "E_ROOM_NOT_FOUND":
      return new RoomNotFound(fields)
    case "E_TENANT_WAKING":
      return new TenantWaking(fields)
    case "E_ROOM_CRASHED":
      return new RoomCrashed(fields)
  }
}
