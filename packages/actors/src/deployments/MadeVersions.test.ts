import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { MemoryStores, newProject, TestStores } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { DeploymentStore } from "./DeploymentStore.ts"

const madeVersions = (
  name: string,
  stores: Layer.Layer<DeploymentStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(`the versions that were made ${name}`, (it) => {
    it.effect("[C-772] since a moment are told with the newest first", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projectId = yield* newProject
        const made = { bundle: new Uint8Array(1), roomTypes: [] }
        const first = yield* deployments.add(projectId, made, () => null)
        yield* TestClock.adjust(10)
        const { createdAtMs } = yield* deployments.addAgain(first, () => null)
        const again = { version: 2, createdAtMs, rollbackOf: 1 }
        const before = { version: 1, createdAtMs: createdAtMs - 10, rollbackOf: null }
        const since = (sinceMs: number, atMost = 2) =>
          deployments.since(projectId, { sinceMs, atMost })
        expect(yield* since(before.createdAtMs)).toEqual([again, before])
        expect(yield* since(before.createdAtMs, 1)).toEqual([again])
        expect(yield* since(before.createdAtMs + 1)).toEqual([again])
        expect(yield* since(createdAtMs + 1)).toEqual([])
      })
    )
  })

madeVersions("on PostgreSQL", TestStores)
madeVersions("in memory", MemoryStores)
