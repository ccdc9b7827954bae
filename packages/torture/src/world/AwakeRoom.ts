import type { CloseReason, DrainReason, Seat } from "@atrium/actors/rooms/RoomState"
import type { Incarnation as Place } from "@atrium/actors/rooms/RoomState"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"

import { type Incarnation, startIncarnation } from "./Incarnation.ts"
import { retried, sleep, sleepByRule } from "./Pauses.ts"
import { RoomGate } from "./RoomGate.ts"
import type { Runner } from "./Runner.ts"
import { type Fiber, Group, type Work } from "./Work.ts"
import type { World } from "./World.ts"

interface Placed {
  readonly world: World
  readonly runner: Runner
  readonly key: string
  readonly group: Group
}

/** A room that is awake on a runner. See actors/room/AwakeRoom.ts and AwakeRooms.ts. */
export class AwakeRoom {
  readonly key: string
  readonly gate: RoomGate
  readonly #world: World
  readonly #runner: Runner
  readonly #group: Group
  #current: { readonly incarnation: Incarnation; readonly group: Group } | null = null
  #draining = false
  #idle: Fiber<void> | null = null
  /** Of the incarnation that runs or ran last. */
  seat: Seat = { epoch: 0, serverIndex: 0 }

  constructor({ world, runner, key, group }: Placed) {
    this.#world = world
    this.#runner = runner
    this.key = key
    this.#group = group
    this.gate = new RoomGate(({ occupied, dropped }) => {
      if (occupied) this.#idle?.cancel()
      else this.#armIdle(dropped)
    })
    runner.awake.set(key, this)
    group.onEnd(() => {
      if (runner.awake.get(key) === this) runner.awake.delete(key)
    })
  }

  get epoch(): number {
    return this.seat.epoch
  }

  get incarnation(): Incarnation | null {
    return this.#current?.incarnation ?? null
  }

  #end(): void {
    const last = this.#current
    this.#current = null
    last?.group.end()
  }

  /** Errors: Failure StoreAway, StartFailed. */
  *start(order: Place): Work<void> {
    this.#end()
    const began = this.epoch > 0
    this.seat = { epoch: order.epoch, serverIndex: order.serverIndex }
    const group = new Group(this.#group)
    const { gate, key } = this
    let incarnation: Incarnation
    try {
      incarnation = yield* startIncarnation({
        world: this.#world,
        key,
        order,
        gate,
        group,
        runnerGroup: this.#runner.group
      })
    } catch (error) {
      group.end()
      if (began) this.#world.fork(this.#runner.group, this.#reportExit(order))
      throw error
    }
    this.#current = { incarnation, group }
    gate.attach(incarnation.process)
    this.#world.fork(this.#group, this.#whenEnded(incarnation))
    if (gate.clients === 0) this.#armIdle(false)
  }

  *#whenEnded(incarnation: Incarnation): Work<void> {
    yield* incarnation.ended.wait()
    this.gate.detach(incarnation.process)
    if (!this.#draining) {
      this.#world.fork(this.#runner.group, this.#reportExit(incarnation.order))
    }
  }

  /** `told` in AwakeRooms.ts: again and again until it is taken, or the room is gone. */
  *#reportExit({ epoch, serverIndex }: Seat): Work<void> {
    const here = (): boolean => this.#runner.awake.get(this.key) === this
    const again = { times: Number.POSITIVE_INFINITY, while: here }
    yield* this.#untold(
      retried(this.#world, again, () =>
        this.#world.cluster.onRoom(this.#runner, this.key, (room) =>
          room.processExited({ epoch, serverIndex })
        )
      )
    )
  }

  *#reportEmpty(): Work<void> {
    const { seat } = this
    yield* this.#untold(
      this.#world.cluster.onRoom(this.#runner, this.key, (room) => room.putAway(seat, "empty"))
    )
  }

  *#untold(report: Work<unknown>): Work<void> {
    yield* this.#world.orFailed(report)
  }

  *drain(reason: DrainReason): Work<boolean> {
    const sleeps = reason === "empty" || reason === "pressure"
    if (sleeps && this.gate.clients > 0) return true
    this.#draining = true
    this.gate.close()
    if (this.#current !== null) yield* this.#current.incarnation.drain()
    this.gate.closeAll((reason === "dataOut" ? CloseCodes.dataOut : CloseCodes.restarting).name)
    this.#end()
    return false
  }

  fail(because: CloseReason): void {
    this.gate.close()
    this.gate.closeAll(CloseCodes[because].name)
    this.#end()
  }

  /** @returns whether the game had started: then nothing has changed */
  publish(isPublic: boolean): boolean {
    return this.#current !== null && this.#current.incarnation.publish(isPublic)
  }

  /** `makeIdleWatch` in AwakeRoom.ts. */
  #armIdle(dropped: boolean): void {
    if (this.#current === null) return
    const { hibernateAfter, reconnectFor } = SchemaLimits
    const ms = dropped ? Math.max(hibernateAfter.ms, reconnectFor.ms) : hibernateAfter.ms
    this.#idle?.cancel()
    this.#idle = this.#world.fork(this.#group, this.#emptied(ms))
  }

  *#emptied(ms: number): Work<void> {
    yield* sleepByRule(this.#world, ms)
    for (;;) {
      this.#world.fork(this.#runner.group, this.#reportEmpty())
      yield* sleep(this.#world, ServiceLimits.actorCall.ms)
    }
  }
}
