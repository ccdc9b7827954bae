import { typeToStart } from "@atrium/actors/rooms/RoomMachine"
import {
  isKept,
  isReport,
  placeOf,
  type RoomAction,
  RoomEvent,
  type RoomKind,
  type RoomSettings,
  RoomState,
  type Seat,
  type StopReason,
  typeOf
} from "@atrium/actors/rooms/RoomState"
import { deletesAtMs, retentionInForce } from "@atrium/domain/rooms/Retention"

import { immediate, joined } from "./Pauses.ts"
import { performRoom } from "./RoomPerformer.ts"
import type { Runner } from "./Runner.ts"
import { projectOf } from "./Store.ts"
import { newestSnapshot } from "./StoredRoom.ts"
import { Failure, Group, isFailure, Lock, type Work } from "./Work.ts"
import type { World } from "./World.ts"

export type RoomAnswer = Extract<
  RoomAction,
  { readonly _tag: "Answer" | "AnswerDeleted" | "AnswerDone" | "Refuse" }
>

/** The room's actor. See RoomEntity.ts, RoomSteps.ts and RoomQuestions.ts of actors. */
export class RoomActor {
  readonly key: string
  readonly runner: Runner
  readonly world: World
  readonly group: Group
  readonly #oneAtATime = new Lock()
  /** `null` = what the row holds has to be read. */
  #known: RoomState | null = null
  /** Calls that have not ended yet. */
  busy = 0

  constructor(world: World, runner: Runner, key: string) {
    this.world = world
    this.runner = runner
    this.key = key
    this.group = new Group(runner.group)
  }

  /** `chain` in RoomSteps.ts: load, step, save, perform; durable before visible. */
  *#chain(from: RoomState, first: RoomEvent): Work<[RoomState, RoomAnswer | null]> {
    const { world, key } = this
    const events: Array<RoomEvent> = [first]
    let answer: RoomAnswer | null = null
    let doubted = false
    let state = from
    this.#known = null
    for (let event = events.shift(); event !== undefined; event = events.shift()) {
      const [next, actions] = world.stepRoom(key, state, event)
      if (next !== state) {
        if (isKept(next)) {
          yield* world.store.save(key, { state: next, reported: isReport(event) })
        }
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
            const outcome = yield* performRoom(this, action, state)
            if (outcome !== null) events.push(outcome)
          }
        }
      }
    }
    this.#known = doubted ? null : state
    return [state, answer]
  }

  /** `current` in RoomSteps.ts. */
  *#current(surely: boolean): Work<RoomState> {
    const known = this.#known
    if (known !== null && !(surely && placeOf(known) !== null)) return known
    const stored = known ?? (yield* this.#load())
    const revived = RoomEvent.Revived({ held: yield* this.#isHeld(stored, known !== null) })
    return (yield* this.#chain(stored, revived))[0]
  }

  /** `loadState` in RoomSteps.ts. */
  *#load(): Work<RoomState> {
    const row = yield* this.world.store.load(this.key)
    if (row?.state._tag === "Deleting") return row.state
    const first = row?.state._tag === "Starting" && !row.state.stored ? row.state : null
    if (row !== null && !row.pruned && first === null) return row.state
    const type = yield* this.world.store.storedType(this.key)
    if (first !== null) return RoomState.Starting({ at: first.at, stored: type !== null })
    if (type === null) return RoomState.Absent()
    return row?.state ?? RoomState.Hibernated({ type })
  }

  /** `isHeld` in RoomSteps.ts. */
  *#isHeld(state: RoomState, otherwise: boolean): Work<boolean> {
    const at = placeOf(state)
    if (at === null) return false
    try {
      return yield* this.world.cluster.onServer(this, at, (server, call) =>
        server.holds(call, this.key, at.epoch)
      )
    } catch (error) {
      if (isFailure(error, "Timeout")) return otherwise
      throw error
    }
  }

  /** `handle` in RoomSteps.ts: the chain goes on without a caller that gives up. */
  *handle(rule: string, eventOf: (state: RoomState) => Work<RoomEvent>): Work<RoomAnswer | null> {
    this.busy++
    try {
      return yield* joined(this.world, this.group, this.#handled(rule, eventOf))
    } finally {
      this.busy--
    }
  }

  *#handled(rule: string, eventOf: (state: RoomState) => Work<RoomEvent>): Work<RoomAnswer | null> {
    yield* this.#oneAtATime.take()
    try {
      const state = yield* this.#current(rule === "Wake")
      const event = yield* eventOf(state)
      const [, answer] = yield* this.#chain(state, event)
      this.world.witness.answered({ key: this.key, rule, event }, answer)
      return answer
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      // What the real actor would die of.
      if (error.tag !== "Store") throw new Error(`a defect of the room's actor: ${error.tag}`)
      throw new Failure("E_TENANT_WAKING", "the store does not answer")
    } finally {
      this.#oneAtATime.give()
    }
  }

  *#happens(event: RoomEvent): Work<void> {
    yield* this.handle(event._tag, () => immediate(() => event))
  }

  *wake(type: string | null, create: boolean): Work<Extract<RoomAnswer, { _tag: "Answer" }>> {
    const answer = yield* this.handle("Wake", (state) => this.#wakeAsked(state, { type, create }))
    if (answer?._tag === "Answer") return answer
    throw refusalOf(answer)
  }

  *#wakeAsked(
    state: RoomState,
    asked: { readonly type: string | null; readonly create: boolean }
  ): Work<RoomEvent> {
    const kind = yield* this.#kindOf(typeToStart(state, asked.type))
    const walled = kind !== null && this.world.walled.has(projectOf(this.key))
    return RoomEvent.WakeAsked({ ...asked, kind, wall: walled ? "dataOutBytes" : null })
  }

  /** `kindOf` in RoomQuestions.ts. */
  *#kindOf(type: string | null): Work<RoomKind | null> {
    if (type === null) return null
    const deployment = yield* this.world.store.currentDeployment(projectOf(this.key))
    const found = deployment?.types.find((one) => one.type === type)
    if (deployment === null || found === undefined) return null
    return { type, class: found.class, version: deployment.version }
  }

  *processExited(seat: Seat): Work<void> {
    const { timeline } = this.world
    yield* this.handle("ProcessExited", () =>
      immediate(() => RoomEvent.ProcessExited({ ...seat, nowMs: timeline.nowMs }))
    )
  }

  *putAway(seat: Seat, reason: "empty" | "pressure" | "shutdown"): Work<void> {
    yield* this.#happens(RoomEvent.DrainAsked({ ...seat, reason }))
  }

  *makeWay(version: number): Work<void> {
    yield* this.#happens(RoomEvent.VersionDeployed({ version }))
  }

  *stop(reason: StopReason): Work<void> {
    yield* this.#happens(RoomEvent.StopAsked({ reason }))
  }

  *takeRestore(): Work<void> {
    yield* this.#happens(RoomEvent.RestoreDue())
  }

  *delete(force: boolean): Work<number> {
    const { store } = this.world
    const project = projectOf(this.key)
    const answer = yield* this.handle("Delete", function* () {
      const deployment = yield* store.currentDeployment(project)
      return RoomEvent.DeleteAsked({ force, relay: deployment?.relay === true })
    })
    if (answer?._tag === "AnswerDeleted") return answer.objects
    throw refusalOf(answer)
  }

  *set(settings: RoomSettings): Work<void> {
    const { key, world } = this
    const answer = yield* this.handle("Set", function* () {
      const row = yield* world.store.load(key)
      return RoomEvent.SetAsked({ settings, started: row?.started === true })
    })
    if (answer?._tag !== "AnswerDone") throw refusalOf(answer)
  }

  *restore(saveId: string): Work<void> {
    const { key, world } = this
    const answer = yield* this.handle("Restore", function* () {
      const found = yield* world.store.findSave(key, saveId)
      const save = found === null ? null : { version: found.version, saveId }
      return RoomEvent.RestoreAsked({ save })
    })
    if (answer?._tag !== "AnswerDone") throw refusalOf(answer)
  }

  *sweep(): Work<void> {
    yield* this.handle("Sweep", (state) => this.#sweepAsked(state))
  }

  /** `sweep` in RoomQuestions.ts. */
  *#sweepAsked(state: RoomState): Work<RoomEvent> {
    const { store, timeline } = this.world
    const row = yield* store.load(this.key)
    const type = typeOf(state)
    const deployment = yield* store.currentDeployment(projectOf(this.key))
    const declared = deployment?.types.find((one) => one.type === type)?.retention ?? null
    const retention = retentionInForce({ override: row?.override ?? null, declared })
    const listed = yield* store.list(this.key)
    const newest = newestSnapshot(listed.map(([, object]) => object))
    const activeAtMs = newest?.storedAtMs ?? row?.lastSeenMs ?? null
    return RoomEvent.SweepAsked({
      nowMs: timeline.nowMs,
      deletesAtMs: activeAtMs === null ? null : deletesAtMs(retention, activeAtMs)
    })
  }
}

/** `refusing` and `noAnswer` in RoomEntity.ts. */
const refusalOf = (answer: RoomAnswer | null): Failure =>
  answer?._tag === "Refuse"
    ? new Failure(answer.code, answer.message)
    : new Failure("E_TENANT_WAKING", "the room's actor has no answer")
