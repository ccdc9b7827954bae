import type { StopReason } from "@atrium/actors/rooms/RoomState"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { durationMs } from "@atrium/wire/time/Duration"

import { sleep, sleepByRule } from "./Pauses.ts"
import type { RoomActor } from "./RoomActor.ts"
import { lookAtMemory, type Runner } from "./Runner.ts"
import { projectOf } from "./Store.ts"
import { Failure, isFailure, type Group, type Work } from "./Work.ts"
import type { World } from "./World.ts"

/** Looks in a row that find nothing to move. See actors/deploy/RoomMover.ts. */
const quietLooks = 3

/** What the cluster does by itself, again and again. */
export class Jobs {
  readonly #world: World
  readonly #group: Group
  /** Servers that are taken for ones near their memory limit, as the control of a test has it. */
  readonly pressed = new Set<string>()
  machine: "calm" | "between" | "near" = "calm"

  constructor(world: World, group: Group) {
    this.#world = world
    this.#group = group
    this.#every(RoomLimits.restoreLook.ms, () => this.#restore())
    this.#every(RoomLimits.alarmLook.ms, () => this.#ring())
    this.#every(RoomLimits.sweepEvery.ms, () => this.#sweep())
    this.#every(RoomLimits.reportEvery.ms, () => this.#report())
    world.fork(group, this.#lookAtMemory())
  }

  /** `lookEvery` in actors/clock/RuleTime.ts. */
  #every(ms: number, look: () => Work<void>): void {
    const world = this.#world
    function* again(): Work<void> {
      for (;;) {
        yield* world.orFailed(look())
        yield* sleepByRule(world, ms)
      }
    }
    world.fork(this.#group, again())
  }

  get #runner(): Runner | null {
    return this.#world.cluster.runners[0] ?? null
  }

  *#told(key: string, call: (room: RoomActor) => Work<unknown>): Work<void> {
    yield* this.#world.orFailed(this.#world.cluster.onRoom(this.#runner, key, call))
  }

  /** See actors/room/Restorer.ts. A look that finds nothing does not ask, as it would change nothing. */
  *#restore(): Work<void> {
    const { store } = this.#world
    if (store.rows.restoring().length === 0) return
    const queued = yield* store.statement((rows) => rows.restoring())
    for (const project of new Set(queued.map(projectOf))) {
      const keys = queued.filter((key) => projectOf(key) === project)
      yield* this.stopRooms(project, "restore", keys)
      for (const key of keys) yield* this.#told(key, (room) => room.takeRestore())
    }
  }

  /** See actors/room/StopRooms.ts. */
  *stopRooms(project: string, reason: StopReason, but: ReadonlyArray<string>): Work<void> {
    const up = yield* this.#world.store.statement((rows) => rows.up(project))
    for (const key of up.filter((one) => !but.includes(one))) {
      yield* this.#told(key, (room) => room.stop(reason))
    }
  }

  /** See actors/room/AlarmClock.ts. */
  *#ring(): Work<void> {
    const { store, timeline } = this.#world
    if (store.objects.due(timeline.nowMs).length === 0) return
    const { nowMs } = timeline
    const due = yield* store.statement((_, objects) => objects.due(nowMs))
    for (const key of due) {
      const untilMs = nowMs + RoomLimits.alarmRetry.ms
      yield* store.statement((_, objects) => objects.postpone(key, { nowMs, untilMs }))
      try {
        yield* this.#world.cluster.onRoom(this.#runner, key, (room) => room.wake(null, false))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        if (error.tag === "E_ROOM_NOT_FOUND") yield* store.setNextAlarm(key, null)
      }
    }
  }

  /** See actors/room/RetentionSweep.ts. */
  *#sweep(): Work<void> {
    const { store, timeline } = this.#world
    const { nowMs } = timeline
    const windowOf = (key: string, type: string): number | null => {
      const types = store.deployed(projectOf(key))?.types ?? []
      const declared = types.find((one) => one.type === type)?.retention ?? null
      return declared === null ? null : durationMs(declared)
    }
    const lapsed = yield* store.statement((rows) => rows.lapsed(nowMs, windowOf))
    for (const key of lapsed) yield* this.#told(key, (room) => room.sweep())
    const pruned = yield* store.statement((rows) => rows.prune(nowMs))
    const empty: Array<string> = []
    for (const key of pruned) if ((yield* store.list(key)).length === 0) empty.push(key)
    yield* store.statement((rows) => rows.forget(empty))
  }

  /** See actors/room/RoomReporter.ts. */
  *#report(): Work<void> {
    const { cluster, store, timeline } = this.#world
    const reports = cluster.runners.flatMap(({ awake }) => [...awake.values()])
    if (reports.length === 0) return
    const epochs = reports.map(({ key, epoch }) => ({ key, epoch }))
    yield* store.statement((rows) => {
      for (const { key, epoch } of epochs) rows.report(key, epoch, timeline.nowMs)
    })
  }

  /** See actors/server/MemoryLook.ts. */
  *#lookAtMemory(): Work<void> {
    const { cluster, timeline } = this.#world
    const isPressed = (id: string): boolean => this.pressed.has(id)
    for (;;) {
      yield* sleep(this.#world, ServerLimits.memoryLook.ms)
      for (const { servers } of cluster.runners) {
        lookAtMemory(servers, { level: this.machine, isPressed, nowMs: timeline.nowMs })
      }
    }
  }

  /** See actors/deploy/RoomMover.ts. */
  moveRooms(project: string, version: number): void {
    this.#world.fork(this.#group, this.#move(project, version))
  }

  *#move(project: string, version: number): Work<void> {
    const { store } = this.#world
    let quiet = 0
    for (let looks = 0; quiet < quietLooks && looks < RoomLimits.moveLooks.max; looks++) {
      let older: ReadonlyArray<string> | null = null
      try {
        older = yield* store.statement((rows) => rows.upOnOlder(project, version))
      } catch (error) {
        if (!isFailure(error, "Store")) throw error
      }
      quiet = older?.length === 0 ? quiet + 1 : 0
      for (const key of older ?? []) yield* this.#told(key, (room) => room.makeWay(version))
      yield* sleep(this.#world, RoomLimits.moveLook.ms)
    }
  }
}
