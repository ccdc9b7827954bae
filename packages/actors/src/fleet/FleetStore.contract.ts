import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

import { FleetStore, type RunnerReport } from "./FleetStore.ts"

const report = (runner: string, startedAtMs: number, rooms = 0): RunnerReport => ({
  runner,
  startedAtMs,
  version: "1.2.3",
  rooms,
  clients: 2 * rooms,
  load: 6 * rooms,
  freeBytes: runner === "a:1" ? null : 5_000_000_000
})

/**
 * The behaviour of every layer of `FleetStore`.
 * @param name of the layer, as the report shows it
 */
export const fleetStoreContract = (name: string, stores: Layer.Layer<FleetStore, unknown>): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-432] lists the runners as they reported themselves last, with their orders", () =>
      Effect.gen(function* () {
        const fleet = yield* FleetStore
        expect(yield* fleet.report(report("b:2", 7))).toEqual({ setting: "open", others: false })
        expect(yield* fleet.report(report("a:1", 8))).toEqual({ setting: "open", others: true })
        expect(yield* fleet.order("b:2", "cordoned")).toMatchObject({ setting: "cordoned" })
        expect(yield* fleet.order("c:3", "draining")).toBeNull()
        expect(yield* fleet.report(report("b:2", 7, 3))).toEqual({
          setting: "cordoned",
          others: true
        })
        expect(yield* fleet.report(report("a:1", 8))).toEqual({ setting: "open", others: false })
        const rows = yield* fleet.list
        expect(rows).toMatchObject([
          { ...report("a:1", 8), setting: "open" },
          { ...report("b:2", 7, 3), setting: "cordoned" }
        ])
        for (const { silentMs } of rows) expect(silentMs).toBeLessThan(10_000)
        // The order is one to the process that was: its next start takes rooms.
        expect(yield* fleet.report(report("b:2", 9))).toMatchObject({ setting: "open" })
      })
    )
  })
