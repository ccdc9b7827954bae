import type { Queues } from "@atrium/domain/match/Queues"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { ProjectStore } from "./ProjectStore.ts"

const nothingSet = {
  connectionsPerIpPerMin: null,
  vmMemMib: null,
  queues: {},
  boards: {},
  origins: ["*"],
  audienceRole: null,
  preRelease: false
}

const accountOf = Effect.gen(function* () {
  return { accountId: yield* (yield* TestTables).account }
})

/**
 * The behaviour of every layer of `ProjectStore`.
 * @param name of the layer, as the report shows it
 */
export const projectStoreContract = (
  name: string,
  stores: Layer.Layer<ProjectStore | DeploymentStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[project.record.shape] a project is found, and listed newest first", () =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const owner = yield* accountOf
        const one = yield* projects.create(owner.accountId, "one")
        yield* TestClock.adjust("1 second")
        const two = yield* projects.create(owner.accountId, "zwei 😀")
        expect(one.projectId).toMatch(/^p_[0-9a-f]{16}$/)
        expect(one.projectId).not.toBe(two.projectId)
        expect(yield* projects.find(two.projectId)).toEqual(
          Option.some({
            projectId: two.projectId,
            accountId: owner.accountId,
            name: "zwei 😀",
            plan: "card" as const,
            createdAtMs: one.createdAtMs + 1000,
            currentVersion: null,
            ...nothingSet
          })
        )
        expect(yield* projects.list(owner.accountId)).toEqual([two, one])
        expect(yield* projects.list("acc_0")).toEqual([])
        for (const unknown of ["p_0000000000000000", "", "' or 1=1 --", "p_\0"]) {
          expect(Option.isNone(yield* projects.find(unknown))).toBe(true)
        }
      })
    )

    it.effect("[C-507] the operator sets the plan of a project, and of no other", () =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { accountId } = yield* accountOf
        const one = yield* projects.create(accountId, "one")
        const other = yield* projects.create(accountId, "other")
        expect(yield* projects.setPlan(one.projectId, "free")).toBe(true)
        expect(yield* projects.find(one.projectId)).toEqual(Option.some({ ...one, plan: "free" }))
        expect(yield* projects.find(other.projectId)).toEqual(Option.some(other))
        yield* projects.delete(one.projectId)
        for (const gone of [one.projectId, "p_0000000000000000", "p_\0"]) {
          expect(yield* projects.setPlan(gone, "card")).toBe(false)
        }
      })
    )

    it.effect("[project.patch.response] sets the named fields and no others", () =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const owner = yield* accountOf
        const { projectId, ...made } = yield* projects.create(owner.accountId, "set")
        const project = { projectId, name: "set" }
        const queues: Queues = JSON.parse('{"__proto__":{"size":3},"a.b":{"teams":[{"count":2}]}}')
        const boards = { kills: { direction: "higher" as const, period: "season:1", keep: 3 } }
        const first = yield* projects.set(project, { vmMemMib: 256, queues })
        expect(first).toEqual(Option.some({ ...made, projectId, vmMemMib: 256, queues }))
        const second = yield* projects.set(project, { connectionsPerIpPerMin: 10, boards })
        const all = { vmMemMib: 256, queues, connectionsPerIpPerMin: 10, boards }
        expect(second).toEqual(Option.some({ ...made, projectId, ...all }))
        expect(yield* projects.find(projectId)).toEqual(second)
        const third = yield* projects.set(project, { audienceRole: "viewer" })
        expect(third).toEqual(Option.some({ ...made, projectId, ...all, audienceRole: "viewer" }))
        const cleared = { vmMemMib: null, queues: {}, audienceRole: null }
        const last = yield* projects.set(project, cleared)
        expect(last).toEqual(Option.some({ ...made, projectId, ...all, ...cleared }))
        expect(yield* projects.set(project, {})).toEqual(last)
      })
    )

    it.effect("[C-320] origins are declared, read alone, and gone with their project", () =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const owner = yield* accountOf
        const { projectId, ...made } = yield* projects.create(owner.accountId, "listed")
        expect(yield* projects.origins(projectId)).toEqual(Option.some(["*"]))
        const settings = { origins: ["https://game.example"], preRelease: true }
        expect(yield* projects.declare(projectId, settings)).toBe(true)
        expect(yield* projects.origins(projectId)).toEqual(Option.some(settings.origins))
        expect(yield* projects.find(projectId)).toEqual(
          Option.some({ ...made, projectId, ...settings })
        )
        for (const unknown of ["p_0000000000000000", "", "p_\0"]) {
          expect(yield* projects.origins(unknown)).toEqual(Option.none())
        }
        yield* projects.delete(projectId)
        expect(yield* projects.declare(projectId, { origins: [] })).toBe(false)
        expect(yield* projects.origins(projectId)).toEqual(Option.none())
      })
    )

    it.effect.each(["Set", "set ", " set", "se\u0301t", ""])(
      "[project.patch.name.must-match] another name, such as %j, sets nothing",
      (name) =>
        Effect.gen(function* () {
          const projects = yield* ProjectStore
          const owner = yield* accountOf
          const made = yield* projects.create(owner.accountId, "set")
          const other = yield* projects.create(owner.accountId, "set")
          const { projectId } = made
          expect(yield* projects.set({ projectId, name }, { vmMemMib: 512 })).toEqual(Option.none())
          expect(yield* projects.find(projectId)).toEqual(Option.some(made))
          yield* projects.set({ projectId, name: "set" }, { vmMemMib: 512 })
          expect(yield* projects.find(other.projectId)).toEqual(Option.some(other))
        })
    )

    it.effect("[T-26] a rename is the way to another name; two projects may share one", () =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const owner = yield* accountOf
        const [one, two] = [
          yield* projects.create(owner.accountId, "before"),
          yield* projects.create(owner.accountId, "after")
        ]
        const renamed = Option.some({ ...one, name: "after" })
        expect(yield* projects.rename(one.projectId, "after")).toEqual(renamed)
        expect(yield* projects.find(one.projectId)).toEqual(renamed)
        expect(yield* projects.find(two.projectId)).toEqual(Option.some(two))
      })
    )

    it.effect("[C-71] no method finds a deleted project", () =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const deployments = yield* DeploymentStore
        const owner = yield* accountOf
        const [kept, gone] = [
          yield* projects.create(owner.accountId, "kept"),
          yield* projects.create(owner.accountId, "gone")
        ]
        const { projectId } = gone
        const bundle = { bundle: new Uint8Array([1]), roomTypes: [] }
        yield* deployments.add(projectId, bundle, () => null)
        expect(yield* projects.delete(projectId)).toBe(true)
        expect(yield* projects.delete(projectId)).toBe(false)
        expect(yield* projects.find(projectId)).toEqual(Option.none())
        const listed = (yield* projects.list(owner.accountId)).map((project) => project.projectId)
        expect(listed).toContain(kept.projectId)
        expect(listed).not.toContain(projectId)
        expect(yield* projects.rename(projectId, "back")).toEqual(Option.none())
        expect(yield* projects.set({ projectId, name: "gone" }, {})).toEqual(Option.none())
        // Nothing is deployed to it any more.
        expect(yield* deployments.current(projectId)).toEqual(Option.none())
        const deployed = yield* Effect.flip(deployments.add(projectId, bundle, () => null))
        expect(deployed).toBeInstanceOf(NotFound)
      })
    )

    it.effect("[C-22] an account that has deleted all its projects has had some", () =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const tables = yield* TestTables
        const owner = yield* accountOf
        yield* tables.addAccount("acc_new")
        expect(yield* projects.hadAny("acc_new")).toBe(false)
        const { projectId } = yield* projects.create("acc_new", "one")
        yield* projects.delete(projectId)
        expect(yield* projects.hadAny("acc_new")).toBe(true)
        // The project that makes itself counts for nobody.
        yield* tables.addAccount("acc_dev")
        yield* projects.ensureDev(owner.accountId)
        expect(yield* projects.hadAny("acc_dev")).toBe(false)
      })
    )

    it.effect("[D-05] the project dev is made once, and nobody deletes it", () =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const { accountId } = yield* accountOf
        const made = yield* projects.ensureDev(accountId)
        expect(made).toMatchObject({ projectId: "dev", accountId, name: "dev", plan: "card" })
        expect(yield* projects.ensureDev(accountId)).toEqual(made)
        const refused = yield* Effect.flip(projects.delete(made.projectId))
        expect(refused.message).toBe("id: the project dev makes itself, and stays")
        expect(yield* projects.find("dev")).toEqual(Option.some(made))
      })
    )
  })
