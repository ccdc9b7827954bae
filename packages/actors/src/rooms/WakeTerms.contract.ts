import { allowances, billingPeriod } from "@atrium/domain/meters/Caps"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { MeterStore } from "../meters/MeterStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { RoomStore } from "./RoomStore.ts"
import { WakeTerms } from "./WakeTerms.ts"

/**
 * The behaviour of every layer of `WakeTerms`.
 * @param name of the layer, as the report shows it
 */
export const wakeTermsContract = (
  name: string,
  stores: Layer.Layer<
    WakeTerms | RoomStore | DeploymentStore | MeterStore | ProjectStore | TestTables,
    unknown
  >
): void =>
  layer(stores)(name, (it) => {
    it.effect(
      "[C-922] the terms of a start are the plan, the version and the wall of its project",
      () =>
        Effect.gen(function* () {
          const terms = yield* WakeTerms
          const projectId = yield* newProject
          expect(yield* terms.read(projectId)).toMatchObject({
            plan: "card",
            version: null,
            wall: null
          })
          const deployment = { bundle: new Uint8Array(1), roomTypes: [] }
          yield* (yield* DeploymentStore).add(projectId, deployment, () => null)
          yield* (yield* TestTables).setPlan(projectId, "free")
          const { startMs, endMs } = billingPeriod(yield* Clock.currentTimeMillis)
          const used = allowances.free.roomHours ?? 0
          yield* (yield* MeterStore).set({ projectId, startMs }, { meter: "roomHours", used })
          expect(yield* terms.read(projectId)).toMatchObject({
            plan: "free",
            version: 1,
            wall: { meter: "roomHours", cap: used, endMs }
          })
        })
    )

    it.effect("[C-922] each start has an epoch above all that were claimed before", () =>
      Effect.gen(function* () {
        const [terms, rooms, projectId] = [yield* WakeTerms, yield* RoomStore, yield* newProject]
        const epochs = [
          yield* rooms.claimEpoch,
          (yield* terms.read(projectId))?.epoch ?? 0,
          (yield* terms.read(projectId))?.epoch ?? 0,
          yield* rooms.claimEpoch
        ]
        expect(epochs).toEqual([0, 1, 2, 3].map((more) => (epochs[0] ?? 0) + more))
      })
    )

    it.effect("[C-922] a project that is not there, or not any more, has no terms", () =>
      Effect.gen(function* () {
        const [terms, projectId] = [yield* WakeTerms, yield* newProject]
        yield* (yield* ProjectStore).delete(projectId)
        for (const gone of [projectId, ProjectId.make("p_00000000000000ff")]) {
          expect(yield* terms.read(gone)).toBe(null)
        }
      })
    )
  })
