import { type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { TenantWaking } from "@atrium/domain/shared/Refusal"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Cause, Deferred, Effect, type Scope, Semaphore } from "effect"

import { Machines } from "../cluster/Machines.ts"
import type { Lease } from "../cluster/ShardLeases.ts"
import { makeLifeNotes } from "../life/LifeNotes.ts"
import { RunnerFills } from "../servers/ServerFills.ts"
import { ServerActor, serverKeyText } from "../servers/ServerProtocol.ts"
import { unlessOver } from "../servers/ThisHome.ts"
import { refusedWithoutStore } from "../store/StoreFailure.ts"
import { untilBack } from "../store/StoreRetry.ts"
import { RoomFiles } from "./RoomFiles.ts"
import type { step as stepRoom } from "./RoomMachine.ts"
import { makeRoomPerformer, type RoomAnswer } from "./RoomPerformer.ts"
import type { RoomQuestions } from "./RoomQuestions.ts"
import type { RoomRow, RoomSave } from "./RoomRows.ts"
import { isKept, isReport, placeOf, RoomEvent, RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

interface Stepping {
  readonly key: RoomKey
  readonly ask: RoomQuestions
  /** While it runs, no other runner has an actor of the room. */
  readonly lease: Lease
}

/**
 * One room's steps: it loads, steps, saves, performs, in that order. A call that the store fails is
 * refused, and the next one begins with what the store holds then.
 */
export const makeRoomSteps = Effect.fnUntraced(function* ({ key, ask, lease }: Stepping) {
  const rooms = yield* RoomStore
  const row = makeRow({ key, ask, lease }, rooms)
  const perform = yield* makeRoomPerformer(key, ask)
  const life = yield* makeLifeNotes(key)
  const step = (yield* Machines).room(roomKeyText(key))
  const fills = yield* RunnerFills
  /** `null` = what the row holds has to be read: at first, and after a chain that was cut short. */
  let known: RoomState | null = null

  const run = makeChain({ step, row, perform, life, ask, lease })
  const chain = Effect.fnUntraced(function* (
    from: RoomState,
    first: RoomEvent,
    tell: (answer: RoomAnswer) => void = () => undefined
  ) {
    known = null
    const { state, answer, doubted } = yield* run(from, first, tell)
    known = doubted || !row.known ? null : state
    return { state, answer }
  })

  /**
   * The room as it is now. What was under way when it was last known is ended or asked for again.
   * `surely`: its server may have gone since, unheard, and is asked whether it still has the room.
   */
  const current = Effect.fnUntraced(function* (surely: boolean) {
    if (known !== null && !(surely && placeOf(known) !== null)) return known
    const stored = known ?? (yield* row.load)
    const held = yield* isHeld(key, stored, known !== null)
    if (!held && (yield* isUnentered(key, stored))) {
      yield* row.save({ state: RoomState.Absent(), facts: null, reported: false })
      known = RoomState.Absent()
      return known
    }
    const revived = RoomEvent.Revived({ held })
    return (yield* chain(stored, revived)).state
  })

  // A caller that gives up must not leave the room between two states: the chain goes on without
  // it, and the next one waits for it.
  const scope = yield* Effect.scope
  const oneAtATime = yield* Semaphore.make(1)
  return (
    event: (state: RoomState) => Effect.Effect<RoomEvent>,
    how: { readonly surely: boolean } = { surely: false }
  ) =>
    answeredBy(scope, (tell) => {
      let told = false
      const heard = (answer: RoomAnswer): void => {
        // The server has given the place.
        fills.forget(key)
        told = true
        tell(answer)
      }
      return Effect.gen(function* () {
        const state = yield* current(how.surely)
        return (yield* chain(state, yield* event(state), heard)).answer
      }).pipe(
        // Somebody else has changed the row since it was read, such as a deploy: what is to be done is decided anew.
        Effect.retry({ times: 1, while: (refusal) => refusal === late && !told }),
        // A chain that was cut short must not keep a place that no server has given.
        Effect.ensuring(Effect.sync(() => fills.forget(key))),
        oneAtATime.withPermits(1),
        Effect.catchCause(refusedWithoutStore(waking, "a room"))
      )
    })
})

interface Chaining extends Pick<Stepping, "ask" | "lease"> {
  readonly step: typeof stepRoom
  readonly row: ReturnType<typeof makeRow>
  readonly perform: Effect.Success<ReturnType<typeof makeRoomPerformer>>
  readonly life: Effect.Success<ReturnType<typeof makeLifeNotes>>
}

/**
 * Steps until nothing is left to perform; durable before visible. The start of a room is told before its save (C-923):
 * its epoch is stored, so the next actor finds the room on its server.
 */
const makeChain = ({ step, row, perform, life, ask, lease }: Chaining) =>
  Effect.fnUntraced(function* (
    from: RoomState,
    first: RoomEvent,
    tell: (answer: RoomAnswer) => void
  ) {
    const events: Array<RoomEvent> = [first]
    let answer: RoomAnswer | null = null
    let doubted = false
    let state = from
    for (let event = events.shift(); event !== undefined; event = events.shift()) {
      const [next, actions] = step(state, event)
      const reported = isReport(event)
      const saved =
        next !== state && isKept(next)
          ? row.save({ state: next, facts: ask.facts(), reported })
          : null
      const isUp = event._tag === "Started" && next._tag === "Awake"
      if (saved !== null && !isUp) yield* saved
      if (next !== state) life.stepped({ before: state, event, after: next })
      state = next
      for (const action of actions) {
        switch (action._tag) {
          case "Answer":
          case "AnswerDeleted":
          case "AnswerDone":
          case "Refuse":
            answer = action
            if (isUp) tell(action)
            break
          case "Doubt":
            doubted = true
            break
          default: {
            const outcome = yield* perform(action, state)
            life.performed(action)
            if (outcome !== null) events.push(outcome)
          }
        }
      }
      if (saved !== null && isUp) yield* surely(saved, lease)
    }
    return { state, answer, doubted }
  })

/** The answer of steps, as soon as they tell it or end. They go on when nobody waits any more. */
const answeredBy = Effect.fnUntraced(function* <R>(
  scope: Scope.Scope,
  steps: (tell: (answer: RoomAnswer) => void) => Effect.Effect<RoomAnswer | null, TenantWaking, R>
) {
  const answer = Deferred.makeUnsafe<RoomAnswer | null, TenantWaking>()
  const tell = (told: RoomAnswer): void => {
    Deferred.doneUnsafe(answer, Effect.succeed(told))
  }
  const fiber = yield* Effect.forkIn(steps(tell), scope)
  fiber.addObserver((exit) => Deferred.doneUnsafe(answer, exit))
  return yield* Deferred.await(answer)
})

/**
 * A room's row, and the revision that was read or written last. An actor that outlived its lease knows an old state: it
 * must not save over that of the next one. A save that its sender gave up may arrive after the row was read: then the row
 * is read again before the next step.
 */
const makeRow = ({ key, ask, lease }: Stepping, rooms: RoomStore["Service"]) => {
  /** `null` = there is no row. */
  let revision: number | null = null
  return {
    /** Settings make a row of a room that has none. */
    get known(): boolean {
      return revision !== null
    },
    load: Effect.suspend(() =>
      Effect.map(loadState(key), ({ state, row }) => {
        revision = row?.revision ?? null
        ask.learn(row, state)
        return state
      })
    ),
    save: Effect.fnUntraced(function* (save: Omit<RoomSave, "after">) {
      if (lease.over) return yield* elsewhere
      if (!(yield* rooms.save(key, { ...save, after: revision }))) return yield* late
      revision = save.state._tag === "Absent" ? null : (revision ?? 0) + 1
    })
  }
}

/** The caller has its answer already: a store that is away is asked again, for as long as the room is here. */
const surely = (save: Effect.Effect<void, TenantWaking>, lease: Lease) =>
  save.pipe(
    Effect.sandbox,
    Effect.retry({
      schedule: untilBack,
      while: (cause) => !lease.over && Cause.squash(cause) !== late
    }),
    Effect.catch((cause) => Effect.failCause(cause))
  )

const waking = new TenantWaking({ message: "the store does not answer" })
const elsewhere = new TenantWaking({ message: "the room has moved to another runner" })
const late = new TenantWaking({ message: "an earlier change of the room has only now been stored" })

/** The room as its row tells, or as its stored state does when the row is gone or pruned. */
const loadState = Effect.fnUntraced(function* (key: RoomKey) {
  const row = yield* (yield* RoomStore).load(key)
  return { state: yield* stateOf(key, row), row }
})

const stateOf = Effect.fnUntraced(function* (key: RoomKey, row: RoomRow | null) {
  const files = yield* RoomFiles
  // Its objects may be gone already: the row is what is left to remove.
  if (row?.state._tag === "Deleting") return row.state
  const first = row?.state._tag === "Starting" && !row.state.stored ? row.state : null
  if (row !== null && !row.pruned && first === null) return row.state
  const type = yield* files.storedType(key)
  // Its first start may have come far enough to store something, unheard.
  if (first !== null) return RoomState.Starting({ at: first.at, stored: type !== null })
  if (type === null) return RoomState.Absent()
  return row?.state ?? RoomState.Hibernated({ type })
})

/**
 * Whether the row is of a room that never let a client in and has nothing stored. Such a row is left when
 * the runner of a new room ends. Source: C-224.
 */
const isUnentered = Effect.fnUntraced(function* (key: RoomKey, state: RoomState) {
  // The row of a room that fell asleep says that it was entered.
  if (state._tag !== "Closed" && placeOf(state) === null) return false
  const row = yield* (yield* RoomStore).load(key)
  if (row === null || row.entered) return false
  return (yield* (yield* RoomFiles).storedType(key)) === null
})

/**
 * Asks the room's server, which may have outlived this actor, whether it still has the room.
 *
 * @param otherwise what a server that does not answer stands for
 */
const isHeld = Effect.fnUntraced(function* (key: RoomKey, state: RoomState, otherwise: boolean) {
  const at = placeOf(state)
  if (at === null) return false
  const { serverIndex, epoch } = at
  const serverOf = yield* ServerActor.client
  return yield* serverOf(serverKeyText(key.projectId, serverIndex))
    .Holds({ roomId: key.roomId, epoch })
    .pipe(
      Effect.timeout(ServiceLimits.actorCall.ms),
      unlessOver(serverIndex, Effect.succeed(false)),
      Effect.catchCause(() => Effect.succeed(otherwise))
    )
})
