import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { MeterStore } from "./MeterStore.ts"

const nothing = { roomHours: 0, voiceMinutes: 0, storageBytes: 0, dataOutBytes: 0 }

/**
 * The behaviour of every layer of `MeterStore`.
 * @param name of the layer, as the report shows it
 */
export const meterStoreContract = (
  name: string,
  stores: Layer.Layer<MeterStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect(
      "[D-10] what is used stands by project, period and meter, and the newest counts",
      () =>
        Effect.gen(function* () {
          const meters = yield* MeterStore
          const [one, other] = [yield* newProject, yield* newProject]
          const [may, june] = [1_777_593_600_000, 1_780_272_000_000]
          const period = { projectId: one, startMs: may }
          expect(yield* meters.read(period)).toEqual(nothing)
          yield* meters.set(period, { meter: "dataOutBytes", used: Number.MAX_SAFE_INTEGER })
          yield* meters.set(period, { meter: "roomHours", used: 5 })
          yield* meters.set(period, { meter: "roomHours", used: 4 })
          expect(yield* meters.read(period)).toEqual({
            ...nothing,
            dataOutBytes: Number.MAX_SAFE_INTEGER,
            roomHours: 4
          })
          expect(yield* meters.read({ projectId: one, startMs: june })).toEqual(nothing)
          expect(yield* meters.read({ projectId: other, startMs: may })).toEqual(nothing)
        })
    )
  })
