import { AlertStore } from "@atrium/actors/meters/AlertStore"
import { CapWalls } from "@atrium/actors/meters/CapWalls"
import { MeterStore } from "@atrium/actors/meters/MeterStore"
import { type Metered, RunnerMeter } from "@atrium/actors/meters/RunnerMeter"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import type { RoomStore } from "@atrium/actors/rooms/RoomStore"
import { stopRooms } from "@atrium/actors/rooms/StopRooms"
import { billingPeriod, Meters, Tiers } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Clock, Effect, Option, Schema } from "effect"
import type { Sharding } from "effect/cluster"

import { HookRefused, type Hooks, verb } from "../control/Hook.ts"

const Use = Schema.Struct({
  project: Schema.NonEmptyString,
  meter: Schema.Literals(Meters),
  used: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
})

/** How many are in calls of the project from now on. */
const Voice = Schema.Struct({
  project: Schema.NonEmptyString,
  participants: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 32 }))
})

/** Hooks that set use and plan of a project, with rows like those of metering and billing. */
export const hooks = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const meters = yield* MeterStore
  const walls = yield* CapWalls
  const meter = yield* RunnerMeter
  const inCalls = new Map<ProjectId, Array<Metered>>()
  const alerts = yield* AlertStore
  const actors = yield* Effect.context<RoomStore | Sharding.Sharding>()

  const known = Effect.fnUntraced(function* (project: string) {
    const row = Option.getOrNull(yield* projects.find(project))
    return row ?? (yield* new HookRefused({ message: "project: no project has that id" }))
  })

  /** At once what `CapWatch` and `WallWatch` do a little later. */
  const follow = Effect.fnUntraced(function* (projectId: ProjectId) {
    yield* alerts.raise
    if ((yield* walls.atDataOut([projectId])).length === 0) return
    yield* Effect.provideContext(stopRooms(projectId, { reason: "dataOut" }), actors)
  })

  /** Participants begin and end as a call would tell it. */
  const setParticipants = (projectId: ProjectId, participants: number, nowMs: number): void => {
    const present = inCalls.get(projectId) ?? []
    inCalls.set(projectId, present)
    for (const gone of present.splice(participants)) meter.ended(gone, nowMs)
    while (present.length < participants) {
      const metered: Metered = { projectId, meter: "voiceMinutes", lapsed: () => false }
      present.push(metered)
      meter.began(metered, nowMs)
    }
  }

  const verbs: Hooks = {
    "meters/set": verb(Use, ({ project, meter, used }) =>
      Effect.gen(function* () {
        const { projectId } = yield* known(project)
        const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
        yield* meters.set({ projectId, startMs }, { meter, used })
        yield* follow(projectId)
        return { meter, used }
      })
    ),
    "meters/voice": verb(Voice, ({ project, participants }) =>
      Effect.gen(function* () {
        const { projectId } = yield* known(project)
        setParticipants(projectId, participants, yield* Clock.currentTimeMillis)
        return { participants }
      })
    ),
    "plan/set": verb(
      Schema.Struct({ project: Schema.NonEmptyString, tier: Schema.Literals(Tiers) }),
      ({ project, tier }) =>
        Effect.gen(function* () {
          const { projectId } = yield* known(project)
          yield* projects.setPlan(projectId, tier)
          return { tier }
        })
    )
  }
  return verbs
})
