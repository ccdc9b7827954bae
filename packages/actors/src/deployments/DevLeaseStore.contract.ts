import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { TestClock } from "effect/testing"

import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { DevLeaseStore } from "./DevLeaseStore.ts"

/**
 * The behaviour of every layer of `DevLeaseStore`.
 * @param name of the layer, as the report shows it
 */
export const devLeaseStoreContract = (
  name: string,
  stores: Layer.Layer<DevLeaseStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-227] one holder has the lease; another one is told the folder", () =>
      Effect.gen(function* () {
        const leases = yield* DevLeaseStore
        const projectId = yield* newProject
        const one = { projectId, holder: "1", folder: "/games/arena" }
        const two = { projectId, holder: "2", folder: "/games/chess" }
        yield* leases.take(one, false)
        yield* TestClock.adjust(DeploymentLimits.devLease.ms - 1)
        const refused = yield* Effect.flip(leases.take(two, false))
        expect(refused.message).toBe("atrium dev of another folder has the project: /games/arena")
        // Renewed, it lasts as long again; not renewed, it is free to the millisecond.
        yield* leases.take(one, false)
        yield* TestClock.adjust(DeploymentLimits.devLease.ms - 1)
        yield* Effect.flip(leases.take(two, false))
        yield* TestClock.adjust(1)
        yield* leases.take(two, false)
        expect((yield* Effect.flip(leases.take(one, false))).message).toMatch(/chess$/)
        yield* leases.take(one, true)
        expect((yield* Effect.flip(leases.take(two, false))).message).toMatch(/arena$/)
        // A holder that lost the lease gives nothing up.
        yield* leases.release(two)
        yield* Effect.flip(leases.take(two, false))
        yield* leases.release(one)
        yield* leases.take(two, false)
      })
    )

    it.effect("[C-227] of eight who come at once one has the lease; projects have their own", () =>
      Effect.gen(function* () {
        const leases = yield* DevLeaseStore
        const [projectId, other] = [yield* newProject, yield* newProject]
        const exits = yield* Effect.all(
          Array.from({ length: 8 }, (_, at) =>
            Effect.exit(leases.take({ projectId, holder: String(at), folder: "/f" }, false))
          ),
          { concurrency: 8 }
        )
        expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
        yield* leases.take({ projectId: other, holder: "x", folder: "/g" }, false)
      })
    )
  })
