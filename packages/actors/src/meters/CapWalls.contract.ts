import {
  allowances,
  billingPeriod,
  type Meter,
  Meters,
  type Tier,
  WakeMeters
} from "@atrium/domain/meters/Caps"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { CapStore } from "./CapStore.ts"
import { CapWalls } from "./CapWalls.ts"
import { MeterStore } from "./MeterStore.ts"

interface Use {
  readonly tier: Tier
  readonly meter: Meter
  readonly used: number
  readonly ceiling: number | null
}

const projectWith = Effect.fnUntraced(function* ({ tier, meter, used, ceiling }: Use) {
  const projectId = yield* newProject
  yield* (yield* TestTables).setPlan(projectId, tier)
  const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
  yield* (yield* MeterStore).set({ projectId, startMs }, { meter, used })
  yield* (yield* CapStore).set(projectId, { [meter]: ceiling })
  return projectId
})

const free = allowances.free.dataOutBytes
const card = allowances.card.dataOutBytes
const hours = allowances.free.roomHours
const stored = allowances.free.storageBytes

const wakeWall = Effect.fnUntraced(function* (projectId: ProjectId) {
  return (yield* (yield* CapWalls).of(projectId, WakeMeters))?.meter ?? null
})

/**
 * The behaviour of every layer of `CapWalls`.
 * @param name of the layer, as the report shows it
 */
export const capWallsContract = (
  name: string,
  stores: Layer.Layer<CapWalls | CapStore | MeterStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    const table: ReadonlyArray<readonly [Tier, Meter, number, number | null, Meter | null]> = [
      ["free", "dataOutBytes", free - 1, null, null],
      ["free", "dataOutBytes", free, null, "dataOutBytes"],
      ["card", "dataOutBytes", card, null, null],
      ["card", "dataOutBytes", 999, 1000, null],
      ["card", "dataOutBytes", 1000, 1000, "dataOutBytes"],
      ["free", "roomHours", hours - 1, null, null],
      ["free", "roomHours", hours, null, "roomHours"],
      ["free", "storageBytes", stored - 1, null, null],
      ["free", "storageBytes", stored, null, "storageBytes"],
      ["card", "storageBytes", 7, 7, "storageBytes"],
      ["free", "voiceMinutes", allowances.free.voiceMinutes, null, "voiceMinutes"]
    ]
    it.effect.each(table)("[D-45] %s %s %d of %s: %s", ([tier, meter, used, ceiling, wall]) =>
      Effect.gen(function* () {
        const walls = yield* CapWalls
        const projectId = yield* projectWith({ tier, meter, used, ceiling })
        const { endMs } = billingPeriod(yield* Clock.currentTimeMillis)
        const cap = ceiling ?? allowances[tier][meter]
        expect(yield* walls.of(projectId, Meters)).toEqual(wall && { meter, cap, endMs })
        const others = Meters.filter((each) => each !== meter)
        expect(yield* walls.of(projectId, others)).toBe(null)
        expect(yield* walls.atDataOut([projectId])).toEqual(
          wall === "dataOutBytes" ? [projectId] : []
        )
      })
    )

    it.effect(
      "[D-45] an unused meter is walled by a ceiling of 0 alone; an unknown project by nothing",
      () =>
        Effect.gen(function* () {
          const walls = yield* CapWalls
          const unused = yield* newProject
          expect(yield* wakeWall(unused)).toBe(null)
          yield* (yield* CapStore).set(unused, { roomHours: 0, dataOutBytes: 0 })
          expect(yield* wakeWall(unused)).toBe("dataOutBytes")
          const unknown = ProjectId.make("p_00000000000000ff")
          expect(yield* wakeWall(unknown)).toBe(null)
          expect(yield* walls.atDataOut([unknown, unused])).toEqual([unused])
          expect(yield* walls.atDataOut([])).toEqual([])
        })
    )

    it.effect("[D-45] a wall is gone with its month, and when its ceiling is raised", () =>
      Effect.gen(function* () {
        const used = { tier: "card", meter: "dataOutBytes", used: 1000, ceiling: 1000 } as const
        const projectId = yield* projectWith(used)
        expect(yield* wakeWall(projectId)).toBe("dataOutBytes")
        yield* (yield* CapStore).set(projectId, { dataOutBytes: 1001 })
        expect(yield* wakeWall(projectId)).toBe(null)
        const old = yield* newProject
        const { startMs } = billingPeriod(yield* Clock.currentTimeMillis)
        const before = billingPeriod(startMs - 1)
        const full = { meter: "dataOutBytes", used: free } as const
        yield* (yield* MeterStore).set({ projectId: old, startMs: before.startMs }, full)
        expect(yield* wakeWall(old)).toBe(null)
      })
    )
  })
