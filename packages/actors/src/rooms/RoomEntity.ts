import { roomKeyOf } from "@atrium/domain/shared/Ids"
import {
  BranchRefused,
  CapReached,
  EvictFailed,
  RoomCrashed,
  RoomInUse,
  RoomNotFound,
  RoomStarted,
  SaveNotFound,
  TenantWaking
} from "@atrium/domain/shared/Refusal"
import { serviceMessage } from "@atrium/wire/text/ServiceMessage"
import { Clock, Effect } from "effect"
import { Entity } from "effect/cluster"

import { LeaseOfShard } from "../cluster/ShardLeases.ts"
import type { RoomAnswer } from "./RoomPerformer.ts"
import { RoomActor } from "./RoomProtocol.ts"
import { makeRoomQuestions } from "./RoomQuestions.ts"
import { RoomEvent, type RoomRefusal } from "./RoomState.ts"
import { makeRoomSteps } from "./RoomSteps.ts"

/**
 * The room's shell: what is asked of the actor becomes an event of its machine, and what the machine
 * answers goes back. It holds no rule. Calls run one at a time, so a wake waits for the drain before
 * it.
 */
export const RoomEntity = RoomActor.toLayer(
  Effect.gen(function* () {
    const { entityId, shardId } = yield* Entity.CurrentAddress
    const key = roomKeyOf(entityId)
    const ask = yield* makeRoomQuestions(key)
    const lease = (yield* LeaseOfShard)(String(shardId))
    const handle = yield* makeRoomSteps({ key, ask, lease })

    /** One event that asks nothing beforehand. */
    const happens = (event: RoomEvent) => handle(() => Effect.succeed(event))

    return RoomActor.of({
      // Look up the room type after the previous call has finished, which may have created the room.
      // The caller has not found the room awake, so its server is asked, too.
      Wake: ({ payload }) =>
        handle((state) => ask.wake(state, payload), { surely: true }).pipe(
          refusing(wakeRefusals),
          Effect.flatMap((answer) =>
            answer?._tag === "Answer" ? Effect.succeed(answer.at) : noAnswer
          )
        ),
      ProcessExited: ({ payload }) =>
        Effect.asVoid(
          handle(() =>
            Effect.map(Clock.currentTimeMillis, (nowMs) =>
              RoomEvent.ProcessExited({ ...payload, nowMs })
            )
          )
        ),
      PutAway: ({ payload }) => Effect.asVoid(happens(RoomEvent.DrainAsked(payload))),
      // A client that comes between the two steps wakes the room just as well.
      Move: Effect.fnUntraced(function* ({ payload: { from, wake } }) {
        const reason = "move" as const
        yield* happens(
          from === null
            ? RoomEvent.StopAsked({ reason })
            : RoomEvent.DrainAsked({ ...from, reason })
        )
        if (wake)
          yield* handle((state) => ask.wake(state, { type: null, create: false }), { surely: true })
      }),
      MakeWay: ({ payload: { version } }) =>
        Effect.asVoid(happens(RoomEvent.VersionDeployed({ version }))),
      Stop: ({ payload: { reason } }) => Effect.asVoid(happens(RoomEvent.StopAsked({ reason }))),
      Delete: ({ payload: { force } }) =>
        handle(() =>
          Effect.map(ask.relay, (relay) => RoomEvent.DeleteAsked({ force, relay }))
        ).pipe(
          refusing(deleteRefusals),
          Effect.flatMap((answer) =>
            answer?._tag === "AnswerDeleted"
              ? Effect.succeed({ objects: answer.objects })
              : noAnswer
          )
        ),
      Sweep: () => Effect.asVoid(handle((state) => ask.sweep(state))),
      Set: ({ payload: settings }) =>
        handle(() =>
          Effect.map(ask.started, (started) =>
            RoomEvent.SetAsked({ settings, started, inert: ask.inert() })
          )
        ).pipe(refusing(setRefusals), Effect.asVoid),
      Restore: ({ payload: { saveId } }) =>
        handle(() => Effect.map(ask.save(saveId), (save) => RoomEvent.RestoreAsked({ save }))).pipe(
          refusing(restoreRefusals),
          Effect.asVoid
        ),
      TakeRestore: () => Effect.asVoid(happens(RoomEvent.RestoreDue()))
    })
  }),
  { concurrency: 1, mailboxCapacity: 1024, maxIdleTime: "1 minute" }
)

const noAnswer = Effect.fail(new TenantWaking({ message: "the room's actor has no answer" }))

interface RefusalFields {
  readonly message: string
}
type Refusals<E> = Partial<Record<RoomRefusal, (fields: RefusalFields) => E>>

const waking = (fields: RefusalFields) => new TenantWaking(fields)
const notFound = (fields: RefusalFields) => new RoomNotFound(fields)

const branch = (fields: RefusalFields) => new BranchRefused(fields)

const wakeRefusals: Refusals<RoomNotFound | RoomCrashed | CapReached | BranchRefused> = {
  E_BRANCH: branch,
  E_CAP_REACHED: (fields) => new CapReached(fields),
  E_ROOM_NOT_FOUND: notFound,
  E_ROOM_CRASHED: (fields) => new RoomCrashed(fields)
}
const deleteRefusals: Refusals<RoomNotFound | RoomInUse | EvictFailed> = {
  E_ROOM_NOT_FOUND: notFound,
  E_ROOM_IN_USE: (fields) => new RoomInUse(fields),
  E_EVICT_FAILED: (fields) => new EvictFailed(fields)
}
const setRefusals: Refusals<RoomNotFound | RoomStarted | BranchRefused> = {
  E_BRANCH: branch,
  E_ROOM_NOT_FOUND: notFound,
  E_ROOM_STARTED: (fields) => new RoomStarted(fields)
}
const restoreRefusals: Refusals<RoomNotFound | SaveNotFound> = {
  E_ROOM_NOT_FOUND: notFound,
  E_SAVE_NOT_FOUND: (fields) => new SaveNotFound(fields)
}

/** Turns the machine's refusal into its class; what a call has no class for is tried again later. */
const refusing =
  <E>(refusals: Refusals<E>) =>
  <R>(answering: Effect.Effect<RoomAnswer | null, TenantWaking, R>) =>
    Effect.flatMap(answering, (answer): Effect.Effect<RoomAnswer | null, E | TenantWaking> => {
      if (answer?._tag !== "Refuse") return Effect.succeed(answer)
      const make: (fields: RefusalFields) => E | TenantWaking = refusals[answer.code] ?? waking
      return Effect.fail(make({ message: serviceMessage(answer.message) }))
    })
