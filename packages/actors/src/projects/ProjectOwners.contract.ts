import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { ProjectOwners } from "./ProjectOwners.ts"
import { ProjectStore } from "./ProjectStore.ts"

/**
 * The behaviour of every layer of `ProjectOwners`.
 * @param name of the layer, as the report shows it
 */
export const projectOwnersContract = (
  name: string,
  stores: Layer.Layer<ProjectOwners | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-71] an account owns its projects until they are deleted, and no other", () =>
      Effect.gen(function* () {
        const owners = yield* ProjectOwners
        const accountId = yield* (yield* TestTables).account
        const projectId = yield* newProject
        expect(yield* owners.owns({ accountId, projectId })).toBe(true)
        expect(yield* owners.owns({ accountId: "acc_other", projectId })).toBe(false)
        for (const unknown of ["p_00000000000000ff", "", "p_\0"]) {
          expect(yield* owners.owns({ accountId, projectId: unknown })).toBe(false)
        }
        yield* (yield* ProjectStore).delete(projectId)
        expect(yield* owners.owns({ accountId, projectId })).toBe(false)
      })
    )
  })
