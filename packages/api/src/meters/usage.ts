import { MeterStore } from "@atrium/actors/meters/MeterStore"
import { apiOf } from "@atrium/domain/http/Api"
import { CallersProject } from "@atrium/domain/http/Credential"
import { usageCsv, usageSpan, usedDay, wantsCsv } from "@atrium/domain/meters/Usage"
import { UsageApi } from "@atrium/domain/meters/UsageApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** What projects have used, by day. */
export const UsageHandlers = HttpApiBuilder.group(
  apiOf(UsageApi),
  "usage",
  Effect.fnUntraced(function* (handlers) {
    const meters = yield* MeterStore
    return handlers.handleAll({
      read: Effect.fn("usage.read")(function* ({ headers }) {
        const { projectId } = yield* CallersProject
        const { fromMs, toMs } = usageSpan(yield* Clock.currentTimeMillis)
        const rows = yield* meters.days({ projectId, fromMs, toMs })
        const days = rows.map(({ dayStartsAtMs, uses }) => usedDay(dayStartsAtMs, uses))
        if (wantsCsv(headers.accept)) return usageCsv(days)
        return { from: isoOf(fromMs), to: isoOf(toMs), days }
      })
    })
  })
)
