import { allowances, billingPeriod, type Meter, type Tier } from "@atrium/domain/meters/Caps"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { MailStore } from "../mail/MailStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { AlertStore } from "./AlertStore.ts"
import { CapStore } from "./CapStore.ts"
import { MeterStore } from "./MeterStore.ts"

const projectOf = Effect.fnUntraced(function* (tier: Tier) {
  const projectId = yield* newProject
  yield* (yield* TestTables).setPlan(projectId, tier)
  return projectId
})

/** Uses so much of a meter, and lets the alerts follow. */
const use = Effect.fnUntraced(function* (projectId: ProjectId, meter: Meter, used: number) {
  const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
  yield* (yield* MeterStore).set({ projectId, startMs }, { meter, used })
  return yield* (yield* AlertStore).raise
})

const shown = Effect.fnUntraced(function* (projectId: ProjectId) {
  const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
  const alerts = yield* (yield* AlertStore).list([projectId], startMs)
  return alerts.map(({ meter, cap, percent, bound }) => `${meter} ${cap} ${percent} of ${bound}`)
})

const mailsOf = Effect.fnUntraced(function* (projectId: ProjectId) {
  return (yield* (yield* MailStore).list(projectId)).map(({ subject }) => subject)
})

/**
 * The behaviour of every layer of `AlertStore`.
 * @param name of the layer, as the report shows it
 */
export const alertStoreContract = (
  name: string,
  stores: Layer.Layer<
    AlertStore | CapStore | MailStore | MeterStore | ProjectStore | TestTables,
    unknown
  >
): void =>
  layer(stores)(name, (it) => {
    it.effect.each(["free", "card"] as const)(
      "[C-503] [events.cap.email] on %s an alert comes at 80 and at 100 percent, and one mail at 100",
      (tier) =>
        Effect.gen(function* () {
          const projectId = yield* projectOf(tier)
          const { roomHours } = allowances[tier]
          expect(yield* use(projectId, "roomHours", (roomHours * 8) / 10 - 1)).toBe(0)
          expect(yield* use(projectId, "roomHours", (roomHours * 8) / 10)).toBe(1)
          expect(yield* shown(projectId)).toEqual([`roomHours allowance 80 of ${roomHours}`])
          expect(yield* use(projectId, "roomHours", roomHours - 1)).toBe(0)
          expect(yield* mailsOf(projectId)).toEqual([])
          expect(yield* use(projectId, "roomHours", roomHours)).toBe(1)
          const both = [80, 100].map((percent) => `roomHours allowance ${percent} of ${roomHours}`)
          expect(yield* shown(projectId)).toEqual(both)
          const mail = "Atrium: under test has reached its cap of roomHours"
          expect(yield* mailsOf(projectId)).toEqual([mail])
          expect(yield* use(projectId, "roomHours", 10 * roomHours)).toBe(0)
          expect(yield* use(projectId, "roomHours", 0)).toBe(0)
          expect(yield* use(projectId, "roomHours", roomHours)).toBe(0)
          expect(yield* mailsOf(projectId)).toEqual([mail])
        })
    )

    it.effect("[C-503] a ceiling has alerts of its own, also when it is set below the use", () =>
      Effect.gen(function* () {
        const projectId = yield* projectOf("card")
        expect(yield* use(projectId, "dataOutBytes", 79)).toBe(0)
        yield* (yield* CapStore).set(projectId, { dataOutBytes: 100 })
        expect(yield* use(projectId, "dataOutBytes", 80)).toBe(1)
        yield* (yield* CapStore).set(projectId, { dataOutBytes: 50 })
        expect(yield* use(projectId, "dataOutBytes", 81)).toBe(1)
        expect(yield* shown(projectId)).toEqual([
          "dataOutBytes ceiling 80 of 100",
          "dataOutBytes ceiling 100 of 50"
        ])
        expect(yield* mailsOf(projectId)).toHaveLength(1)
      })
    )

    it.effect("[C-503] of several who look at once one raises an alert and its mail", () =>
      Effect.gen(function* () {
        const projectId = yield* projectOf("free")
        const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
        const used = allowances.free.storageBytes
        yield* (yield* MeterStore).set({ projectId, startMs }, { meter: "storageBytes", used })
        const { raise } = yield* AlertStore
        const raised = yield* Effect.all([raise, raise, raise, raise], { concurrency: 4 })
        expect(raised.reduce((sum, count) => sum + count)).toBe(2)
        expect(yield* mailsOf(projectId)).toHaveLength(1)
      })
    )

    it.effect("[C-503] a new month begins without alerts; a deleted project has none", () =>
      Effect.gen(function* () {
        const [kept, gone] = [yield* projectOf("free"), yield* projectOf("free")]
        expect(yield* use(kept, "voiceMinutes", allowances.free.voiceMinutes)).toBe(2)
        const { endMs } = billingPeriod(yield* Clock.currentTimeMillis)
        yield* TestClock.setTime(endMs)
        expect(yield* shown(kept)).toEqual([])
        expect(yield* (yield* AlertStore).raise).toBe(0)
        expect(yield* use(kept, "voiceMinutes", allowances.free.voiceMinutes)).toBe(2)
        expect(yield* mailsOf(kept)).toHaveLength(2)
        yield* (yield* ProjectStore).delete(gone)
        expect(yield* use(gone, "voiceMinutes", allowances.free.voiceMinutes)).toBe(0)
      })
    )
  })
