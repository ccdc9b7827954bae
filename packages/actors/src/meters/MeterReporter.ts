import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { Clock, Effect, Layer } from "effect"

import { lookEvery } from "../clock/RuleTime.ts"
import { RandomHex } from "../store/Secrets.ts"
import { logFailure } from "../store/StoreFailure.ts"
import { MeterEvent, newRun, step } from "./MeterMachine.ts"
import type { MeterReport } from "./MeterReport.ts"
import { MeterStore } from "./MeterStore.ts"
import { RunnerMeter } from "./RunnerMeter.ts"

/**
 * Reports every few seconds what this runner has counted, and once more at its end. A runner that is
 * killed loses what it counted since its last report. Source: C-491, C-492.
 */
export const MeterReporter = Layer.effectDiscard(
  Effect.gen(function* () {
    const meter = yield* RunnerMeter
    const store = yield* MeterStore
    let state = newRun((yield* RandomHex)(16))

    const happened = (event: MeterEvent): MeterReport | null => {
      const [next, report] = step(state, event)
      state = next
      return report
    }
    const look = Effect.gen(function* () {
      happened(MeterEvent.Counted({ sums: meter.look(yield* Clock.currentTimeMillis) }))
      for (;;) {
        const report = happened(MeterEvent.ReportDue())
        if (report === null) return
        yield* store.take(report)
        happened(MeterEvent.ReportTaken(report))
      }
    })
    const logged = look.pipe(logFailure("use could not be reported", Effect.logWarning))
    yield* Effect.addFinalizer(() => Effect.timeoutOption(logged, MeterLimits.lastReport.ms))
    yield* logged.pipe(lookEvery(MeterLimits.report.ms), Effect.forkScoped)
  })
)
