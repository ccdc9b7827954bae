import { type Ceilings, CapStore } from "@atrium/actors/meters/CapStore"
import { MeterStore, type Uses } from "@atrium/actors/meters/MeterStore"
import { PlanAllowances } from "@atrium/actors/meters/PlanAllowances"
import { ProjectStore } from "@atrium/actors/projects/ProjectStore"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import {
  type Allowances,
  billingPeriod,
  type Meter,
  standingOf,
  type Tier
} from "@atrium/domain/meters/Caps"
import { CapsApi, type Caps } from "@atrium/domain/meters/CapsApi"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { Clock, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"

interface Counted {
  readonly tier: Tier
  readonly ceilings: Ceilings
  readonly uses: Uses
  readonly allowances: Allowances
  readonly period: ReturnType<typeof billingPeriod>
}

const capsOf = ({ tier, ceilings, uses, allowances, period }: Counted): Caps => {
  const standing = (meter: Meter) => {
    const [allowance, ceiling, used] = [allowances[meter], ceilings[meter], uses[meter]]
    return { used, allowance, ceiling, state: standingOf({ tier, used, allowance, ceiling }) }
  }
  return {
    tier,
    period: { start: isoOf(period.startMs), end: isoOf(period.endMs) },
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
  apiOf(CapsApi),
  "caps",
  Effect.fnUntraced(function* (handlers) {
    const projects = yield* ProjectStore
    const caps = yield* CapStore
    const meters = yield* MeterStore
    const plans = yield* PlanAllowances

    const tierOf = Effect.fnUntraced(function* (projectId: ProjectId) {
      const project = yield* projects.find(projectId)
      return Option.isNone(project) ? yield* new NotFound() : project.value.plan
    })

    const shown = Effect.fnUntraced(function* (
      projectId: ProjectId,
      tier: Tier,
      ceilings: Ceilings
    ) {
      const period = billingPeriod(yield* Clock.currentTimeMillis)
      const uses = yield* meters.read({ projectId, startMs: period.startMs })
      return capsOf({ tier, ceilings, uses, allowances: plans[tier], period })
    })

    return handlers.handleAll({
      read: Effect.fn("caps.read")(function* () {
        const { projectId } = yield* CallersProject
        const tier = yield* tierOf(projectId)
        return yield* shown(projectId, tier, yield* caps.read(projectId))
      }),
      set: Effect.fn("caps.set")(function* ({ payload }) {
        const { projectId } = yield* CallersProject
        const tier = yield* tierOf(projectId)
        const ceilings = yield* caps.set(projectId, payload.caps)
        return yield* shown(projectId, tier, ceilings)
      })
    })
  })
)
