import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { aloneName, runnerIntake } from "@atrium/domain/fleet/RunnerStatus"
import { handoversAtOnce } from "@atrium/domain/handover/HandoversAtOnce"
import { RoomClasses } from "@atrium/wire/rooms/RoomClass"
import { Clock, Context, Effect, Layer, Schedule, Semaphore } from "effect"

import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { roomLeaving } from "../rooms/LeaveRunner.ts"
import { MemoryFigures } from "../servers/MemoryLook.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { ThisIntake } from "./FleetIntake.ts"
import { FleetStore } from "./FleetStore.ts"

/** The name and the program of this runner. */
export const ThisRunner = Context.Reference<{ readonly name: string; readonly version: string }>(
  "@atrium/actors/fleet/ThisRunner",
  { defaultValue: () => ({ name: aloneName, version: "0.0.0" }) }
)

/**
 * Reports this runner to the fleet, and carries out what an operator has ordered of it. A runner that
 * drains hands its rooms over to others. Source: C-431, C-432.
 */
export const FleetReporter = Layer.effectDiscard(
  Effect.gen(function* () {
    const fleet = yield* FleetStore
    const awake = yield* AwakeRooms
    const intake = yield* ThisIntake
    const figures = yield* MemoryFigures
    const { name, version } = yield* ThisRunner
    const startedAtMs = yield* Clock.currentTimeMillis
    const drainOnce = yield* makeDrain

    const report = Effect.gen(function* () {
      const rooms = awake.all()
      const reported = yield* fleet.report({
        runner: name,
        startedAtMs,
        version,
        rooms: rooms.length,
        clients: rooms.reduce((sum, { gate }) => sum + gate.players, 0),
        load: rooms.reduce((sum, room) => sum + costOf(room), 0),
        freeBytes: figures.machine()?.availableBytes ?? null
      })
      intake.reported(runnerIntake(reported), reported.others)
      // A runner that ends drains by itself.
      if (reported.setting === "draining" && !awake.closing()) yield* drainOnce
    })
    yield* report.pipe(
      logFailure("the runner could not be reported", Effect.logWarning),
      Effect.repeat(Schedule.spaced(FleetLimits.runnerReport.ms)),
      Effect.forkScoped
    )
  })
)

const costOf = (room: AwakeRoom): number => {
  const order = room.incarnation()?.order
  return order === undefined ? 0 : RoomClasses[order.class].cost
}

/** Hands every room over, unless the drain before is still under way. A slow room delays no report. */
const makeDrain = Effect.gen(function* () {
  const awake = yield* AwakeRooms
  const intake = yield* ThisIntake
  const leaveRunner = yield* roomLeaving
  const scope = yield* Effect.scope
  const one = yield* Semaphore.make(1)
  const drain = Effect.suspend(() => {
    const rooms = awake.all()
    return Effect.forEach(
      rooms,
      (room) =>
        leaveRunner(room, intake.current === "elsewhere").pipe(
          Effect.catchCause((cause) => Effect.logWarning("a room was not drained", cause))
        ),
      { concurrency: handoversAtOnce(rooms.length), discard: true }
    )
  })
  return Effect.forkIn(one.withPermitsIfAvailable(1)(drain), scope)
})
