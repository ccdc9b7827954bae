import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { CapStore } from "./CapStore.ts"

const none = { roomHours: null, voiceMinutes: null, storageBytes: null, dataOutBytes: null }

/**
 * The behaviour of every layer of `CapStore`.
 * @param name of the layer, as the report shows it
 */
export const capStoreContract = (
  name: string,
  stores: Layer.Layer<CapStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[caps.set-per-project-and-meter] other meters and projects stay as they are", () =>
      Effect.gen(function* () {
        const caps = yield* CapStore
        const [one, other] = [yield* newProject, yield* newProject]
        expect(yield* caps.read(one)).toEqual(none)
        const set = { ...none, storageBytes: 5, roomHours: 0 }
        expect(yield* caps.set(one, { storageBytes: 5, roomHours: 0 })).toEqual(set)
        expect(yield* caps.read(one)).toEqual(set)
        expect(yield* caps.read(other)).toEqual(none)
        expect(yield* caps.set(one, {})).toEqual(set)
        expect(yield* caps.set(one, { storageBytes: 6 })).toEqual({ ...set, storageBytes: 6 })
      })
    )

    it.effect("[caps.null-clears] null clears, also what was never set", () =>
      Effect.gen(function* () {
        const caps = yield* CapStore
        const project = yield* newProject
        yield* caps.set(project, { voiceMinutes: 7, dataOutBytes: Number.MAX_SAFE_INTEGER })
        const cleared = yield* caps.set(project, { voiceMinutes: null, roomHours: null })
        expect(cleared).toEqual({ ...none, dataOutBytes: Number.MAX_SAFE_INTEGER })
        expect(yield* caps.read(project)).toEqual(cleared)
      })
    )

    it.effect("[caps.body-shape] of two who set all at once one wins as a whole", () =>
      Effect.gen(function* () {
        const caps = yield* CapStore
        const project = yield* newProject
        const all = (ceiling: number) => ({
          roomHours: ceiling,
          voiceMinutes: ceiling,
          storageBytes: ceiling,
          dataOutBytes: ceiling
        })
        const answers = yield* Effect.forEach(
          [1, 2, 3, 4],
          (ceiling) => caps.set(project, all(ceiling)),
          { concurrency: 4 }
        )
        expect(answers).toEqual([all(1), all(2), all(3), all(4)])
        expect(answers).toContainEqual(yield* caps.read(project))
      })
    )
  })
