import { defineSchema, s } from "@atrium/sdk/schema"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"

import type { VersionStep } from "../migrations/VersionStep.ts"
import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { DeploymentStore } from "./DeploymentStore.ts"
import { deployedOf } from "./testing/DeploymentFixtures.ts"

const typeOf = (type: string) =>
  deployedOf(defineSchema({ type, singletons: { it: { a: s.u8() } } }))
const [arena, chess, go] = [typeOf("arena"), typeOf("chess"), typeOf("go")]
const bundle = new Uint8Array([1])

/**
 * The contract of `DeploymentStore` about migrations: the steps of versions, and the last declarations of room types.
 * @param name of the layer, as the report shows it
 */
export const deploymentStepsContract = (
  name: string,
  stores: Layer.Layer<DeploymentStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-702] the steps of versions are kept, and read up to a version", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const [projectId, other] = [yield* newProject, yield* newProject]
        const stepped = (step: VersionStep | null) => () =>
          step === null ? null : ({ _tag: "Taken", step } as const)
        const drain: VersionStep = { strategy: "drain", discards: false, rooms: {}, players: [] }
        const led: VersionStep = {
          strategy: "migrate",
          discards: true,
          rooms: { arena: [{ from: 2, to: 3 }] },
          players: [{ from: 2, to: 3 }]
        }
        for (const step of [null, drain, led, null]) {
          const made = { bundle, roomTypes: [arena] }
          const row = yield* deployments.add(projectId, made, stepped(step))
          expect(row.step).toEqual(step)
          expect(yield* deployments.find(projectId, row.version)).toEqual(Option.some(row))
        }
        const [second, third] = [
          { version: 2, step: drain },
          { version: 3, step: led }
        ]
        // In this order: what was read of the newer version holds that of the older ones.
        expect(yield* deployments.steps(projectId, 2)).toEqual([second])
        expect(yield* deployments.steps(projectId, 4)).toEqual([second, third])
        expect(yield* deployments.steps(projectId, 2)).toEqual([second])
        expect(yield* deployments.steps(projectId, 1)).toEqual([])
        expect(yield* deployments.steps(other, 9)).toEqual([])
        const first = Option.getOrThrow(yield* deployments.find(projectId, 1))
        const again = yield* deployments.addAgain(first, stepped(drain))
        expect(again).toMatchObject({ version: 5, rollbackOf: 1, step: drain })
        expect(yield* deployments.steps(projectId, 5)).toHaveLength(3)
      })
    )

    it.effect("[C-704] tells how each room type was declared last", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const [projectId, other] = [yield* newProject, yield* newProject]
        const larger = { ...arena, maxClients: 99 }
        for (const roomTypes of [[arena, chess], [larger, chess], [arena], [larger]]) {
          yield* deployments.add(projectId, { bundle, roomTypes }, () => null)
        }
        yield* deployments.add(other, { bundle, roomTypes: [arena, go] }, () => null)
        expect(yield* deployments.declared(projectId, ["chess", "arena", "go"])).toEqual(
          new Map([
            ["arena", { version: 4, deployed: larger }],
            ["chess", { version: 2, deployed: chess }]
          ])
        )
        expect(yield* deployments.declared(projectId, ["chess"])).toEqual(
          new Map([["chess", { version: 2, deployed: chess }]])
        )
        expect(yield* deployments.declared(projectId, [])).toEqual(new Map())
        expect(yield* deployments.declared(other, ["chess"])).toEqual(new Map())
      })
    )
  })
