import { type RoomKey, roomKeyText } from "@atrium/domain/shared/Ids"
import { TenantWaking } from "@atrium/domain/shared/Refusal"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { Effect, Fiber, Semaphore } from "effect"

import { Machines } from "../cluster/Machines.ts"
import type { Lease } from "../cluster/ShardLeases.ts"
import { RunnerFills } from "../servers/ServerFills.ts"
import { ServerActor, serverKeyText } from "../servers/ServerProtocol.ts"
import { unlessOver } from "../servers/ThisHome.ts"
import { refusedWithoutStore } from "../store/StoreFailure.ts"
import { RoomFiles } from "./RoomFiles.ts"
import { makeRoomPerformer, type RoomAnswer } from "./RoomPerformer.ts"
import type { RoomQuestions } from "./RoomQuestions.ts"
import type { RoomSave } from "./RoomRows.ts"
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
  const save = savingUnder({ key, lease }, rooms)
  const perform = yield* makeRoomPerformer(key, ask)
  const step = (yield* Machines).room(roomKeyText(key))
  const fills = yield* RunnerFills
  /** `null` = what the row holds has to be read: at first, and after a chain that was cut short. */
  let known: RoomState | null = null

  /** Steps until nothing is left to perform; durable before visible. */
  const chain = Effect.fnUntraced(function* (from: RoomState, first: RoomEvent) {
    const events: Array<RoomEvent> = [first]
    let answer: RoomAnswer | null = null
    let doubted = false
    let state = from
    known = null
    for (let event = events.shift(); event !== undefined; event = events.shift()) {
      const [next, actions] = step(state, event)
      if (next !== state) {
        const reported = isReport(event)
        if (isKept(next)) yield* save({ state: next, facts: ask.facts(), reported })
        state = next
      }
      for (const action of actions) {
        switch (action._tag) {
          case "Answer":
          case "AnswerDeleted":
          case "AnswerDone":
          case "Refuse":
            answer = action
            break
          case "Doubt":
            doubted = true
            break
          default: {
            const outcome = yield* perform(action, state)
            if (outcome !== null) events.push(outcome)
          }
        }
      }
    }
    known = doubted ? null : state
    return { state, answer }
  })

  /**
   * The room as it is now. What was under way when it was last known is ended or asked for again.
   * `surely`: its server may have gone since, unheard, and is asked whether it still has the room.
   */
  const current = Effect.fnUntraced(function* (surely: boolean) {
    if (known !== null && !(surely && placeOf(known) !== null)) return known
    const stored = known ?? (yield* loadState(key))
    const held = yield* isHeld(key, stored, known !== null)
    if (!held && (yield* isUnentered(key, stored))) {
      yield* save({ state: RoomState.Absent(), facts: null, reported: false })
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
    Effect.gen(function* () {
      const state = yield* current(how.surely)
      return (yield* chain(state, yield* event(state))).answer
    }).pipe(
      // A chain that was cut short must not keep a place that no server has given.
      Effect.ensuring(Effect.sync(() => fills.forget(key))),
      oneAtATime.withPermits(1),
      Effect.catchCause(refusedWithoutStore(waking, "a room")),
      Effect.forkIn(scope),
      Effect.flatMap(Fiber.join)
    )
})

/** An actor that outlived its lease knows an old state: it must not save over that of the next one. */
const savingUnder =
  ({ key, lease }: Pick<Stepping, "key" | "lease">, rooms: RoomStore["Service"]) =>
  (row: RoomSave) =>
    lease.over ? Effect.fail(elsewhere) : rooms.save(key, row)

const waking = new TenantWaking({ message: "the store does not answer" })
const elsewhere = new TenantWaking({ message: "the room has moved to another runner" })

/** The room as its row tells, or as its stored state does when the row is gone or pruned. */
const loadState = Effect.fnUntraced(function* (key: RoomKey) {
  const rooms = yield* RoomStore
  const files = yield* RoomFiles
  const row = yield* rooms.load(key)
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
