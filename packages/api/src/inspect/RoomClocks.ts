import { makeEveryRunner } from "@atrium/actors/link/EveryRunner"
import { RunnerAnswers } from "@atrium/actors/link/RunnerAnswers"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { InspectLimits } from "@atrium/domain/inspect/InspectLimits"
import { isProjectId, isRoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { NotReady } from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer, Schema } from "effect"

const decodeStep = Schema.decodeUnknownEffect(
  Schema.Struct({ project: Schema.String, room: Schema.String, stepMs: Schema.Int })
)
const decodeStepped = Schema.decodeUnknownEffect(Schema.NullOr(Schema.Number))

/** A room whose clock is stepped. */
interface Step extends RoomKey {
  readonly stepMs: number
}

/** The clocks of awake rooms, wherever the rooms are awake. Source: C-811. */
export class RoomClocks extends Context.Service<
  RoomClocks,
  {
    /**
     * Moves the clock of an awake room forward, until the room sleeps.
     *
     * @returns the room's time; `null` = it is not awake, or is a branch, whose clock stands
     */
    step(step: Step): Effect.Effect<number | null, NotReady>
  }
>()("@atrium/api/inspect/RoomClocks") {
  static readonly layer = Layer.effect(
    RoomClocks,
    Effect.gen(function* () {
      const awake = yield* AwakeRooms
      const answers = yield* RunnerAnswers
      const askEvery = yield* makeEveryRunner
      /** How far the clock of each process is ahead of the service's. */
      const aheadMs = new WeakMap<object, number>()

      const stepHere = Effect.fnUntraced(function* ({ stepMs, ...key }: Step) {
        const incarnation = awake.find(key)?.incarnation() ?? null
        if (incarnation === null || incarnation.isBranch) return null
        const { process } = incarnation
        const wantedMs = (aheadMs.get(process) ?? 0) + stepMs
        const ahead = Math.min(wantedMs, InspectLimits.clockAhead.ms)
        aheadMs.set(process, ahead)
        const atMs = (yield* Clock.currentTimeMillis) + ahead
        process.clockMoved(atMs, true)
        return atMs
      })

      yield* answers.add("inspect.clock", (input) =>
        Effect.map(Effect.orDie(decodeStep(input)), ({ project, room, stepMs }) =>
          isProjectId(project) && isRoomId(room)
            ? stepHere({ projectId: project, roomId: room, stepMs })
            : Effect.succeed(null)
        )
      )

      return {
        step: Effect.fn("RoomClocks.step")(function* (step: Step) {
          const here = yield* stepHere(step)
          if (here !== null) return here
          const { projectId, roomId, stepMs } = step
          const input = { project: projectId, room: roomId, stepMs }
          const others = yield* askEvery({ name: "inspect.clock", input }, decodeStepped).pipe(
            Effect.mapError(() => incomplete)
          )
          return others.find((atMs) => atMs !== null) ?? null
        })
      }
    })
  )
}

const incomplete = new NotReady({
  message: "clock: a runner of the service does not answer; try again"
})
