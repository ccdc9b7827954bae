import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { bundleKey } from "../rooms/RoomObjects.ts"
import { newProject } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import type { DeployedType } from "./DeployedType.ts"
import { DeploymentRefused } from "./DeploymentRow.ts"
import { DeploymentStore } from "./DeploymentStore.ts"

const arena: DeployedType = {
  type: "arena",
  class: "large",
  maxClients: 12,
  tickHz: 20,
  retention: "30d",
  hibernateAfterMs: 30_000,
  reconnectForMs: 20_000,
  schemaHash: "0123456789abcdef",
  schema: { type: "arena", nested: [1, null, { deep: true }] }
}
const chess: DeployedType = {
  ...arena,
  type: "chess",
  class: "standard",
  retention: null,
  hidden: { singletons: [{ name: "clock" }], entities: [], schemaHash: "fedcba9876543210" }
}

const anything = () => null
const refusing = (because: string) => () => ({ _tag: "Refused", because }) as const
const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)

type Needed = DeploymentStore | ObjectStore | ProjectStore | TestTables

/**
 * The behaviour of every layer of `DeploymentStore`.
 * @param name of the layer, as the report shows it
 * @param anew the layer of the store alone, as a service that starts makes it
 */
export const deploymentStoreContract = <R>(
  name: string,
  stores: Layer.Layer<Needed | R, unknown>,
  anew: Layer.Layer<DeploymentStore, never, ObjectStore | R>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[D-40] a deployment is found as it was added", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projectId = yield* newProject
        yield* TestClock.adjust("1 second")
        const made = { bundle: bytes(1, 2, 3), roomTypes: [arena, chess] }
        const added = yield* deployments.add(projectId, made, anything)
        expect(added).toEqual({
          projectId,
          version: 1,
          bytes: 3,
          createdAtMs: 1000,
          roomTypes: [arena, chess],
          relay: false,
          rollbackOf: null,
          migrations: [],
          step: null
        })
        expect(yield* deployments.find(projectId, 1)).toEqual(Option.some(added))
        expect(yield* deployments.current(projectId)).toEqual(Option.some(added))
        expect(yield* deployments.list(projectId)).toEqual([added])
        expect(yield* deployments.bundle(projectId, 1)).toEqual(bytes(1, 2, 3))
        yield* deployments.add(projectId, { ...made, relay: true }, anything)
        const relays = (yield* deployments.list(projectId)).map(({ relay }) => relay)
        expect(relays).toEqual([true, false])
      })
    )

    it.effect(
      "[D-40] versions grow by one, even when eight are added at once; the newest is current",
      () =>
        Effect.gen(function* () {
          const deployments = yield* DeploymentStore
          const [projectId, other] = [yield* newProject, yield* newProject]
          const adds = Array.from({ length: 8 }, (_, index) =>
            deployments.add(projectId, { bundle: bytes(index), roomTypes: [arena] }, anything)
          )
          const rows = yield* Effect.all(adds, { concurrency: 8 })
          expect(rows.map(({ version }) => version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
          const current = Option.getOrThrow(yield* deployments.current(projectId))
          expect(current.version).toBe(8)
          const versions = (yield* deployments.list(projectId)).map(({ version }) => version)
          expect(versions).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
          for (const [index, { version }] of rows.entries()) {
            expect(yield* deployments.bundle(projectId, version)).toEqual(bytes(index))
          }
          expect(
            (yield* deployments.add(other, { bundle: bytes(), roomTypes: [] }, anything)).version
          ).toBe(1)
          expect(Option.getOrThrow(yield* deployments.current(projectId)).version).toBe(8)
        })
    )

    it.effect("[C-314] the current versions of many projects are read at once", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projects = yield* ProjectStore
        const [one, two, none, gone] = [
          yield* newProject,
          yield* newProject,
          yield* newProject,
          yield* newProject
        ]
        for (const projectId of [one, two, two, gone]) {
          yield* deployments.add(projectId, { bundle: bytes(1), roomTypes: [arena] }, anything)
        }
        yield* projects.delete(gone)
        const asked = [one, two, none, gone]
        const versions = yield* deployments.currentVersions(asked)
        expect(versions).toEqual(
          new Map([
            [one, 1],
            [two, 2]
          ])
        )
        expect((yield* deployments.currentVersions([])).size).toBe(0)
      })
    )

    it.effect("[C-57] of eight that arrive at once each is judged by the one before it", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projectId = yield* newProject
        const judged: Array<number | null> = []
        const adds = Array.from({ length: 8 }, (_, index) =>
          deployments.add(
            projectId,
            { bundle: bytes(index), roomTypes: [arena] },
            ({ current }) => {
              judged.push(current?.version ?? null)
              return null
            }
          )
        )
        yield* Effect.all(adds, { concurrency: 8 })
        expect(judged).toEqual([null, 1, 2, 3, 4, 5, 6, 7])
      })
    )

    it.effect("[C-701] a deployment is judged by the setting that it brings itself, too", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projectId = yield* newProject
        const judged: Array<unknown> = []
        for (const settings of [{}, { preRelease: true }, {}, { preRelease: false }]) {
          const made = { bundle: bytes(1), roomTypes: [arena], settings }
          yield* deployments.add(projectId, made, ({ next, preRelease }) => {
            judged.push([next, preRelease])
            return null
          })
        }
        expect(judged).toEqual([
          [1, false],
          [2, true],
          [3, true],
          [4, false]
        ])
      })
    )

    it.effect("[C-57] a refused deployment leaves nothing, and the current one stays", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const objects = yield* ObjectStore
        const projectId = yield* newProject
        const first = yield* deployments.add(
          projectId,
          { bundle: bytes(1), roomTypes: [arena, chess] },
          anything
        )
        const seen: Array<unknown> = []
        const refused = deployments.add(
          projectId,
          { bundle: bytes(2), roomTypes: [arena] },
          ({ current }) => {
            seen.push(current)
            return refusing("chess is gone")()
          }
        )
        expect(yield* Effect.flip(refused)).toEqual(
          new DeploymentRefused({ because: "chess is gone" })
        )
        expect(seen).toEqual([first])
        expect(yield* deployments.list(projectId)).toEqual([first])
        expect(yield* deployments.current(projectId)).toEqual(Option.some(first))
        expect(Option.isNone(yield* objects.get(bundleKey(projectId, 2)))).toBe(true)
      })
    )

    it.effect("[C-321] settings become so together with the version, or not at all", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projects = yield* ProjectStore
        const projectId = yield* newProject
        const before = Option.getOrThrow(yield* projects.find(projectId))
        const settings = {
          queues: { duel: { size: 2 } },
          boards: { kills: { direction: "higher" as const } },
          origins: ["https://game.example"],
          audienceRole: "viewer",
          preRelease: true
        }
        const made = { bundle: bytes(1), roomTypes: [arena], settings }
        yield* Effect.flip(deployments.add(projectId, made, refusing("no")))
        expect(yield* projects.find(projectId)).toEqual(Option.some(before))
        yield* deployments.add(projectId, made, anything)
        const after = Option.some({ ...before, ...settings, currentVersion: 1 })
        expect(yield* projects.find(projectId)).toEqual(after)
        yield* deployments.add(projectId, { bundle: bytes(2), roomTypes: [arena] }, anything)
        expect(yield* projects.find(projectId)).toEqual(
          Option.some({ ...before, ...settings, currentVersion: 2 })
        )
        const cleared = { queues: {}, boards: {}, origins: [], audienceRole: null }
        yield* deployments.add(projectId, { ...made, settings: cleared }, anything)
        expect(yield* projects.find(projectId)).toEqual(
          Option.some({ ...before, ...cleared, preRelease: true, currentVersion: 3 })
        )
      })
    )

    it.effect(
      "[C-350] a version is added again: its bundle is copied, its first upload is named",
      () =>
        Effect.gen(function* () {
          const deployments = yield* DeploymentStore
          const objects = yield* ObjectStore
          const projectId = yield* newProject
          const code = { bundle: bytes(1, 2), roomTypes: [arena, chess], relay: true }
          const first = yield* deployments.add(projectId, code, anything)
          const later = { bundle: bytes(3), roomTypes: [arena] }
          const second = yield* deployments.add(projectId, later, anything)
          yield* TestClock.adjust("1 second")
          const judged: Array<unknown> = []
          const third = yield* deployments.addAgain(first, ({ current }) => {
            judged.push(current)
            return null
          })
          expect(judged).toEqual([second])
          const createdAtMs = first.createdAtMs + 1000
          expect(third).toEqual({ ...first, version: 3, rollbackOf: 1, createdAtMs })
          expect(yield* deployments.current(projectId)).toEqual(Option.some(third))
          expect(yield* deployments.bundle(projectId, 3)).toEqual(bytes(1, 2))
          // Neither is a part of the other: the copy stays when the original goes.
          yield* objects.delete([bundleKey(projectId, 1)])
          const copied = Option.getOrThrow(yield* objects.get(bundleKey(projectId, 3)))
          expect(Buffer.compare(copied, bytes(1, 2))).toBe(0)
          const fourth = yield* deployments.addAgain(third, anything)
          expect(fourth).toMatchObject({ version: 4, rollbackOf: 1 })
          const refused = deployments.addAgain(second, refusing("chess is gone"))
          expect(yield* Effect.flip(refused)).toEqual(
            new DeploymentRefused({ because: "chess is gone" })
          )
          expect(yield* deployments.list(projectId)).toEqual([fourth, third, second, first])
          expect(Option.isNone(yield* objects.get(bundleKey(projectId, 5)))).toBe(true)
        })
    )

    it.effect("[retention.deployments] a service that starts anew reads versions of long ago", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projectId = yield* newProject
        const first = yield* deployments.add(
          projectId,
          { bundle: bytes(1), roomTypes: [arena] },
          anything
        )
        for (let version = 2; version <= 5; version++) {
          const made = { bundle: bytes(version), roomTypes: [arena, chess] }
          yield* deployments.add(projectId, made, anything)
        }
        const later = yield* DeploymentStore.pipe(Effect.provide(Layer.fresh(anew)))
        expect(yield* later.find(projectId, 1)).toEqual(Option.some(first))
        expect(yield* later.bundle(projectId, 1)).toEqual(bytes(1))
        expect(yield* later.list(projectId)).toHaveLength(5)
      })
    )

    it.effect("[deployments.read-once] those who ask for a bundle at once get the same bytes", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projectId = yield* newProject
        yield* deployments.add(projectId, { bundle: bytes(1), roomTypes: [arena] }, anything)
        const reads = Array.from({ length: 4 }, () => deployments.bundle(projectId, 1))
        const read = yield* Effect.all(reads, { concurrency: 4 })
        expect(read[0]).toEqual(bytes(1))
        for (const bundle of read) expect(bundle).toBe(read[0])
      })
    )

    it.effect("[D-40] does not find a version that was never deployed", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projectId = yield* newProject
        const nobody = ProjectId.make("p_0000000000000000")
        expect(Option.isNone(yield* deployments.current(projectId))).toBe(true)
        expect(Option.isNone(yield* deployments.current(nobody))).toBe(true)
        expect(Option.isNone(yield* deployments.find(projectId, 1))).toBe(true)
        expect(yield* deployments.list(projectId)).toEqual([])
        expect(Exit.isFailure(yield* Effect.exit(deployments.bundle(projectId, 1)))).toBe(true)
        yield* deployments.add(projectId, { bundle: bytes(1), roomTypes: [arena] }, anything)
        expect(Option.isSome(yield* deployments.find(projectId, 1))).toBe(true)
      })
    )

    it.effect("[D-40] a deployment of no project leaves neither row nor bundle", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const objects = yield* ObjectStore
        const nobody = ProjectId.make("p_0000000000000001")
        const exit = yield* Effect.exit(
          deployments.add(nobody, { bundle: bytes(1), roomTypes: [] }, anything)
        )
        expect(Exit.isFailure(exit)).toBe(true)
        expect(Option.isNone(yield* objects.get(bundleKey(nobody, 1)))).toBe(true)
      })
    )

    it.effect("[D-40] reads a deployment once, as it never changes", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const objects = yield* ObjectStore
        const projectId = yield* newProject
        yield* deployments.add(projectId, { bundle: bytes(1), roomTypes: [arena] }, anything)
        const row = yield* deployments.find(projectId, 1)
        const bundle = yield* deployments.bundle(projectId, 1)
        yield* (yield* TestTables).removeDeployments(projectId)
        yield* objects.delete([bundleKey(projectId, 1)])
        expect(yield* deployments.find(projectId, 1)).toEqual(row)
        expect(yield* deployments.bundle(projectId, 1)).toBe(bundle)
      })
    )

    it.effect(
      "[D-40] bundles that are read stay up to 64 MiB; one byte past, the first is gone",
      () =>
        Effect.gen(function* () {
          const half = DeploymentLimits.bundlesReadBytes.max / 2
          const read: Array<string> = []
          const objects = ObjectStore.of({
            ...(yield* ObjectStore),
            get: (key) =>
              Effect.sync(() => {
                read.push(key)
                return Option.some(new Uint8Array(key.endsWith("3") ? 1 : half))
              })
          })
          const deployments = yield* DeploymentStore.pipe(
            Effect.provide(Layer.fresh(anew)),
            Effect.provideService(ObjectStore, objects)
          )
          const projectId = yield* newProject
          for (const version of [1, 2, 1, 2]) yield* deployments.bundle(projectId, version)
          const keys = [1, 2, 3].map((version) => bundleKey(projectId, version))
          expect(read).toEqual([keys[0], keys[1]])
          for (const version of [3, 2, 3, 1]) yield* deployments.bundle(projectId, version)
          expect(read).toEqual([keys[0], keys[1], keys[2], keys[0]])
        })
    )
  })
