import type { CapWall } from "@atrium/domain/meters/Caps"
import type { ProjectId, RoomKey } from "@atrium/domain/shared/Ids"
import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"
import { Clock, Context, Effect, Layer } from "effect"

import { sleepByRule } from "../clock/RuleTime.ts"
import { CapWalls } from "../meters/CapWalls.ts"
import { type Metered, RunnerMeter } from "../meters/RunnerMeter.ts"
import { RecentlyRead } from "../store/RecentlyRead.ts"
import { RoomCall, type CallSurroundings, type GateCall } from "./RoomCall.ts"
import { RunnerMedia } from "./RunnerMedia.ts"

const { voiceContinued } = VoiceMediaLimits

/** What a call needs of its room. */
export interface CalledRoom extends Pick<CallSurroundings, "capacity" | "write"> {
  readonly key: RoomKey
  /** Another runner may have the room by now. */
  readonly lapsed: () => boolean
}

/** The calls of the rooms of this runner. */
export class VoiceCalls extends Context.Service<
  VoiceCalls,
  {
    of(room: CalledRoom): GateCall
    /** A room comes to this runner whose call was running: its participants join again at once. */
    prepare(): void
  }
>()("@atrium/actors/voice/VoiceCalls") {
  /** No room has a call. */
  static readonly layerOff = Layer.sync(VoiceCalls, () => noCalls)

  static readonly layer = Layer.effect(
    VoiceCalls,
    Effect.gen(function* () {
      const media = yield* RunnerMedia
      const meter = yield* RunnerMeter
      const clock = yield* Clock.Clock
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const wallOf = lastKnown(yield* CapWalls)
      let calls = 0
      let participants = 0
      return {
        prepare: () => media.prepare(),
        of: ({ key: { projectId }, lapsed, ...room }) =>
          new RoomCall({
            ...room,
            number: ++calls,
            media,
            nextParticipant: () => ++participants,
            afterContinued: (over) =>
              void run(Effect.andThen(sleepByRule(voiceContinued.ms), Effect.sync(over))),
            askWall: (answered) => void run(Effect.map(wallOf(projectId), answered)),
            beginMeter: () => {
              const metered: Metered = { projectId, meter: "voiceMinutes", lapsed }
              meter.began(metered, clock.currentTimeMillisUnsafe())
              return () => meter.ended(metered, clock.currentTimeMillisUnsafe())
            }
          })
      }
    })
  )
}

const nothing = (): void => undefined
const noMedia = {
  prepare: nothing,
  join: nothing,
  answer: nothing,
  leave: nothing,
  setGroups: nothing
}

/** Calls that nobody gets into. */
export const noCalls: VoiceCalls["Service"] = {
  prepare: nothing,
  of: ({ write }) =>
    new RoomCall({
      number: 0,
      media: noMedia,
      nextParticipant: () => 0,
      capacity: () => null,
      afterContinued: (over) => over(),
      askWall: nothing,
      beginMeter: () => nothing,
      write
    })
}

/** While the store does not answer, the last answer holds. Spec: Usage caps. */
const lastKnown = (walls: CapWalls["Service"]) => {
  const known = new RecentlyRead<CapWall | null>({
    weightMax: VoiceMediaLimits.voiceWallsKept.max,
    weightOf: () => 1
  })
  return (projectId: ProjectId): Effect.Effect<CapWall | null> =>
    walls.of(projectId, ["voiceMinutes"]).pipe(
      Effect.tap((wall) => Effect.sync(() => known.set(projectId, wall))),
      Effect.catchCause(() => Effect.succeed(known.get(projectId) ?? null))
    )
}
