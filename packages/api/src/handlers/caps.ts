import { type Ceilings, CapStore } from "@atrium/actors/store/CapStore"
import { ProjectStore } from "@atrium/actors/store/ProjectStore"
import { allowances, billingPeriod, type Meter, standingOf, type Tier } from "@atrium/domain/Caps"
import { Api } from "@atrium/domain/http/Api"
import type { Caps } from "@atrium/domain/http/CapsApi"
import { CallersProject } from "@atrium/domain/http/Credential"
import type { ProjectId } from "@atrium/domain/Ids"
import { isoOf } from "@atrium/domain/IsoText"
import { NotFound } from "@atrium/domain/Refusal"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** Nothing is metered yet. */
const used = 0

const capsOf = (tier: Tier, ceilings: Ceilings, nowMs: number): Caps => {
  const { startMs, endMs } = billingPeriod(nowMs)
  const standing = (meter: Meter) => {
    const [allowance, ceiling] = [allowances[meter], ceilings[meter]]
    return { used, allowance, ceiling, state: standingOf({ tier, used, allowance, ceiling }) }
  }
  return {
    tier,
    period: { start: isoOf(startMs), end: isoOf(endMs) },
    meters: {
      roomHours: standing("roomHours"),
      voiceMinutes: standing("voiceMinutes"),
      storageBytes: standing("storageBytes"),
      dataOutBytes: standing("dataOutBytes")
    }
  }
}

/** Usage caps of projects. */
export const CapsHandlers = HttpApiBuilder.group(
  Api,
  "caps",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const caps = yield* CapStore

    const tierOf = Effect.fnUntraced(function* (projectId: ProjectId) {
      const project = yield* projects.find(projectId)
      return Option.isNone(project) ? yield* new NotFound() : project.value.plan
    })

    return handlers.handleAll({
      read: Effect.fn("caps.read")(function* () {
        const { projectId } = yield* CallersProject
        const tier = yield* tierOf(projectId)
        return capsOf(tier, yield* caps.read(projectId), yield* Clock.currentTimeMillis)
      }),
      set: Effect.fn("caps.set")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        const tier = yield* tierOf(projectId)
        const ceilings = yield* caps.set(projectId, payload.caps)
        return capsOf(tier, ceilings, yield* Clock.currentTimeMillis)
      })
    })
  })
)
