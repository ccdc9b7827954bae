import { assert, expect, layer } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import { SqlClient } from "effect/sql"

import type { DeployedType } from "../deployments/DeployedType.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject, TestStores } from "../store/testing/TestStores.ts"
import { makeServerBoot, makeServerTerms, ServiceDefaults } from "./ServerBoot.ts"
import { StoreAway } from "./ServerProtocol.ts"

const setting = Effect.fnUntraced(function* (connectionsPerIpPerMin: number | null) {
  const projects = yield* ProjectStore
  const projectId = yield* newProject
  const set = (settings: {
    readonly connectionsPerIpPerMin?: number | null
    readonly vmMemMib?: number | null
  }) => projects.set({ projectId, name: "under test" }, settings)
  const boot = yield* makeServerBoot(projectId, 0).pipe(
    Effect.provideService(ServiceDefaults, { connectionsPerIpPerMin })
  )
  return { projectId, set, boot }
})

const declaring = (roomClass: DeployedType["class"]): DeployedType => ({
  type: roomClass,
  class: roomClass,
  maxClients: 12,
  tickHz: 20,
  retention: null,
  hibernateAfterMs: 30_000,
  reconnectForMs: 20_000,
  schemaHash: "0123456789abcdef",
  schema: { type: roomClass }
})

/** What is logged while an effect runs: the message, and what is annotated. */
const logsOf = Effect.fnUntraced(function* (effect: Effect.Effect<unknown, unknown>) {
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message, fiber }) => {
    lines.push({ message, ...fiber.getRef(References.CurrentLogAnnotations) })
  })
  yield* Effect.provide(Effect.exit(effect), Logger.layer([logger]))
  return lines
})

layer(TestStores)((it) => {
  it.effect("[project.vmMem.next-start] a start keeps what it read, the next one reads anew", () =>
    Effect.gen(function* () {
      const { set, boot } = yield* setting(null)
      const running = boot()
      expect(yield* running).toEqual({ connectionsPerIpPerMin: 120, vmMemMib: 128, roomsMib: 1280 })
      yield* set({ connectionsPerIpPerMin: 10, vmMemMib: 4096 })
      expect(yield* running).toEqual({ connectionsPerIpPerMin: 120, vmMemMib: 128, roomsMib: 1280 })
      expect(yield* boot()).toEqual({ connectionsPerIpPerMin: 10, vmMemMib: 4096, roomsMib: 1280 })
      yield* set({ connectionsPerIpPerMin: null, vmMemMib: null })
      expect(yield* boot()).toEqual({ connectionsPerIpPerMin: 120, vmMemMib: 128, roomsMib: 1280 })
    })
  )

  it.effect(
    "[budget.sized-for-largest] [limits.free.awake] terms are those of the project now",
    () =>
      Effect.gen(function* () {
        const { projectId, boot } = yield* setting(null)
        const deployments = yield* DeploymentStore
        const sql = yield* SqlClient.SqlClient
        const terms = yield* makeServerTerms(projectId)
        expect(yield* terms()).toEqual({ plan: "card", roomsMib: 1280 })
        const roomTypes = [declaring("standard"), declaring("large")]
        const deployment = { bundle: new Uint8Array(1), roomTypes }
        yield* deployments.add(projectId, deployment, () => null)
        yield* Effect.orDie(sql`update projects set plan = 'free' where project_id = ${projectId}`)
        expect(yield* terms()).toEqual({ plan: "free", roomsMib: 2048 })
        expect((yield* boot()).roomsMib).toBe(2048)
        // The newest deployment counts, whatever an older one declared.
        yield* deployments.add(projectId, { ...deployment, roomTypes: [] }, () => null)
        expect(yield* terms()).toEqual({ plan: "free", roomsMib: 1280 })
      })
  )

  it.effect(
    "[project.vmMem.auto-256-physics] [project.vmMem.overrides-physics] physics needs 256 MiB, unless the project says how much",
    () =>
      Effect.gen(function* () {
        const { projectId, set, boot } = yield* setting(null)
        const deployments = yield* DeploymentStore
        const physics = { dimensions: 3, history: 60, engine: "rapier3d 0.21.0" } as const
        const roomTypes = [declaring("large"), { ...declaring("standard"), physics }]
        yield* deployments.add(projectId, { bundle: new Uint8Array(1), roomTypes }, () => null)
        expect((yield* boot()).vmMemMib).toBe(256)
        yield* set({ vmMemMib: 128 })
        expect((yield* boot()).vmMemMib).toBe(128)
      })
  )

  it.effect("[project.connections.env] the operator's value is for projects without one", () =>
    Effect.gen(function* () {
      const { set, boot } = yield* setting(30)
      expect((yield* boot()).connectionsPerIpPerMin).toBe(30)
      yield* set({ connectionsPerIpPerMin: 100_000 })
      expect((yield* boot()).connectionsPerIpPerMin).toBe(100_000)
    })
  )

  it.effect("[project.vmMem.cold-boot] rooms that come at once share one start, told once", () =>
    Effect.gen(function* () {
      const { projectId, set, boot } = yield* setting(null)
      yield* set({ connectionsPerIpPerMin: 150, vmMemMib: 256 })
      const start = boot()
      const lines = yield* logsOf(Effect.all([start, start, start], { concurrency: 3 }))
      expect(lines).toEqual([
        {
          message: ["the server starts: a cold boot"],
          project: projectId,
          server: expect.stringMatching(/^srv_[0-9a-f]{12}$/),
          SERVICE_CONNECTIONS_PER_IP_PER_MIN: 150,
          vmMemMib: 256,
          roomsMib: 1280
        }
      ])
      expect(yield* logsOf(start)).toEqual([])
    })
  )

  it.effect("[C-48] a start that the store fails is refused, and the next one asks it again", () =>
    Effect.gen(function* () {
      const { boot } = yield* setting(null)
      const sql = yield* SqlClient.SqlClient
      yield* Effect.orDie(sql`alter table projects rename to projects_away`)
      const refused = yield* Effect.flip(Effect.provide(boot(), Logger.layer([]))).pipe(
        Effect.ensuring(Effect.orDie(sql`alter table projects_away rename to projects`))
      )
      assert.instanceOf(refused, StoreAway)
      expect((yield* boot()).vmMemMib).toBe(128)
    })
  )
})
