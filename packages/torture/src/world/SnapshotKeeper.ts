import {
  type SaveReason,
  type SnapshotAction,
  SnapshotEvent,
  startedAt
} from "@atrium/actors/rooms/SnapshotMachine"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import { sleepByRule } from "./Pauses.ts"
import type { PlayState } from "./StoredRoom.ts"
import { type Fiber, type Group, Later, Failure, done, type Work } from "./Work.ts"
import type { World } from "./World.ts"

/** See KeeperPort in actors/room/SnapshotKeeper.ts. */
export interface KeeperPort {
  request(requestId: number, final: boolean): void
  store(state: PlayState, generation: SaveReason | null): Work<void>
  factsStored(): Work<void>
  answer(saveId: number, stored: boolean): void
  flooded(): void
}

type Input =
  | { readonly is: "changed" | "gone" | "drain" | "timer" }
  | { readonly is: "save"; readonly saveId: number; readonly generation: boolean }
  | { readonly is: "arrived"; readonly requestId: number; readonly state: PlayState }

const mailboxCapacity = 4 * RuntimeLimits.savesWaiting.max

/** See actors/room/SnapshotKeeper.ts: one input after the other, its storage included. */
export class SnapshotKeeper {
  readonly #world: World
  readonly #group: Group
  readonly #port: KeeperPort
  readonly #mailbox: Array<Input> = []
  readonly #drained = new Later<boolean>()
  #state
  #timer: Fiber<void> | null = null
  #idle: Later<void> | null = null

  constructor(world: World, group: Group, port: KeeperPort) {
    this.#world = world
    this.#group = group
    this.#port = port
    this.#state = startedAt(world.timeline.nowMs)
    world.fork(group, this.#takeAll())
  }

  #offer(input: Input): boolean {
    if (this.#mailbox.length >= mailboxCapacity) return false
    this.#mailbox.push(input)
    this.#idle?.tell(done(undefined))
    return true
  }

  #orFlooded(input: Input): void {
    if (!this.#offer(input)) this.#port.flooded()
  }

  changed(): void {
    this.#orFlooded({ is: "changed" })
  }

  saveRequested(saveId: number, generation: boolean): void {
    this.#orFlooded({ is: "save", saveId, generation })
  }

  snapshot(requestId: number, state: PlayState): void {
    this.#orFlooded({ is: "arrived", requestId, state })
  }

  gone(): void {
    if (!this.#offer({ is: "gone" })) this.#drained.tell(done(false))
  }

  *drain(): Work<boolean> {
    this.#orFlooded({ is: "drain" })
    return yield* this.#drained.wait()
  }

  *#takeAll(): Work<void> {
    for (;;) {
      const input = this.#mailbox.shift()
      if (input === undefined) {
        this.#idle = new Later<void>()
        yield* this.#idle.wait()
        this.#idle = null
      } else yield* this.#take(input)
    }
  }

  *#take(input: Input): Work<void> {
    if (input.is === "gone") return this.#drained.tell(done(false))
    const stored = input.is === "arrived" && (yield* this.#store(input.state, input.requestId))
    const event = eventOf(input, stored, this.#world.timeline.nowMs)
    const [next, actions] = this.#world.stepSnapshot(this.#state, event)
    this.#state = next
    for (const action of actions) this.#perform(action)
  }

  *#store(state: PlayState, requestId: number): Work<boolean> {
    const { underWay } = this.#state
    if (underWay?.requestId !== requestId) return false
    const { generation, final, answers } = underWay
    try {
      yield* this.#port.store(state, generation)
      if (answers.length > 0 && !final) yield* this.#port.factsStored()
      return true
    } catch (error) {
      if (error instanceof Failure) return false
      throw error
    }
  }

  #perform(action: SnapshotAction): void {
    switch (action._tag) {
      case "Request":
        return this.#port.request(action.requestId, action.final)
      case "ArmTimer": {
        this.#timer?.cancel()
        this.#timer = this.#world.fork(this.#group, this.#ring(action.atMs))
        return
      }
      case "Answer":
        return this.#port.answer(action.saveId, action.stored)
      case "DrainEnded":
        return this.#drained.tell(done(action.stored))
    }
  }

  *#ring(atMs: number): Work<void> {
    yield* sleepByRule(this.#world, Math.max(0, atMs - this.#world.timeline.nowMs))
    this.#orFlooded({ is: "timer" })
  }
}

const eventOf = (
  input: Exclude<Input, { readonly is: "gone" }>,
  stored: boolean,
  nowMs: number
): SnapshotEvent => {
  if (input.is === "save") {
    const { saveId, generation } = input
    return SnapshotEvent.SaveRequested({ saveId, generation, nowMs })
  }
  if (input.is === "arrived") {
    const { requestId } = input
    const event = { requestId, nowMs }
    return stored ? SnapshotEvent.Stored(event) : SnapshotEvent.StoreFailed(event)
  }
  if (input.is === "changed") return SnapshotEvent.Changed({ nowMs })
  if (input.is === "drain") return SnapshotEvent.DrainAsked({ nowMs })
  return SnapshotEvent.TimerFired({ nowMs })
}
