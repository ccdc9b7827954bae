import type { Queues } from "@atrium/domain/match/Queues"
import { NotFound } from "@atrium/domain/shared/Refusal"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { JwtSecretStore } from "../identity/JwtSecretStore.ts"
import { firstOwner, TestStores } from "../store/testing/TestStores.ts"
import { ProjectStore } from "./ProjectStore.ts"

const nothingSet = {
  ...{ connectionsPerIpPerMin: null, vmMemMib: null, queues: {}, boards: {} },
  ...{ origins: ["*"], audienceRole: null, preRelease: false }
}

layer(TestStores)((it) => {
  it.effect("[project.record.shape] a project is found, and listed newest first", () =>
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const owner = yield* firstOwner
      const one = yield* projects.create(owner.accountId, "one")
      yield* TestClock.adjust("1 second")
      const two = yield* projects.create(owner.accountId, "zwei 😀")
      expect(one.projectId).toMatch(/^p_[0-9a-f]{16}$/)
      expect(one.projectId).not.toBe(two.projectId)
      expect(yield* projects.find(two.projectId)).toEqual(
        Option.some({
          ...{ projectId: two.projectId, accountId: owner.accountId, name: "zwei 😀" },
          ...{ plan: "card" as const, createdAtMs: one.createdAtMs + 1000, currentVersion: null },
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

  it.effect("[D-05] two starts that make the project dev at once both get it", () =>
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const owner = yield* firstOwner
      const sql = yield* SqlClient.SqlClient
      const made = yield* Deferred.make<void>()
      const mayCommit = yield* Deferred.make<void>()
      const first = yield* projects
        .ensureDev(owner.accountId)
        .pipe(
          Effect.tap(Deferred.succeed(made, undefined)),
          Effect.tap(Deferred.await(mayCommit)),
          sql.withTransaction,
          Effect.forkChild
        )
      yield* Deferred.await(made)
      const second = yield* Effect.forkChild(projects.ensureDev(owner.accountId))
      const waits = sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      // Until the second one has either its project or to wait for the first.
      yield* Effect.repeat(waits, {
        until: (rows) => rows.length > 0 || second.pollUnsafe() !== undefined
      })
      yield* Deferred.succeed(mayCommit, undefined)
      const [one, other] = [yield* Fiber.join(first), yield* Fiber.join(second)]
      expect(one.projectId).toBe("dev")
      expect(other).toEqual(one)
      expect(yield* projects.ensureDev(owner.accountId)).toEqual(one)
    })
  )

  it.effect("[project.patch.response] what is named is set, and nothing else", () =>
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const owner = yield* firstOwner
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

  it.effect.each(["Set", "set ", " set", "se\u0301t", ""])(
    "[project.patch.name.must-match] another name, such as %j, sets nothing",
    (name) =>
      Effect.gen(function* () {
        const projects = yield* ProjectStore
        const owner = yield* firstOwner
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
      const owner = yield* firstOwner
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

  it.effect("[C-71] a deleted project is found by nothing, and its id stays taken", () =>
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const deployments = yield* DeploymentStore
      const secrets = yield* JwtSecretStore
      const sql = yield* SqlClient.SqlClient
      const owner = yield* firstOwner
      const [kept, gone] = [
        yield* projects.create(owner.accountId, "kept"),
        yield* projects.create(owner.accountId, "gone")
      ]
      const { projectId } = gone
      const bundle = { bundle: new Uint8Array([1]), roomTypes: [] }
      yield* deployments.add(projectId, bundle, () => null)
      expect(yield* secrets.validKids(projectId)).toEqual([])
      expect(yield* projects.delete(projectId)).toBe(true)
      expect(yield* projects.delete(projectId)).toBe(false)
      expect(yield* projects.find(projectId)).toEqual(Option.none())
      const listed = (yield* projects.list(owner.accountId)).map((project) => project.projectId)
      expect(listed).toContain(kept.projectId)
      expect(listed).not.toContain(projectId)
      expect(yield* projects.rename(projectId, "back")).toEqual(Option.none())
      expect(yield* projects.set({ projectId, name: "gone" }, {})).toEqual(Option.none())
      // Nothing deploys, mints or joins any more.
      expect(yield* deployments.current(projectId)).toEqual(Option.none())
      const deployed = yield* Effect.flip(deployments.add(projectId, bundle, () => null))
      expect(deployed).toBeInstanceOf(NotFound)
      expect(yield* Effect.flip(secrets.mint(projectId, true))).toBeInstanceOf(NotFound)
      expect(yield* secrets.validKids(projectId)).toBeNull()
      // Its row is what keeps the id from being given again.
      const rows = yield* sql`select 1 from projects where project_id = ${projectId}`
      expect(rows).toHaveLength(1)
    })
  )

  it.effect("[C-22] an account that has deleted all its projects has had some", () =>
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const sql = yield* SqlClient.SqlClient
      const owner = yield* firstOwner
      yield* sql`insert into accounts (account_id, name, created_at_ms) values ('acc_new', 'new', 0)`
      expect(yield* projects.hadAny("acc_new")).toBe(false)
      const { projectId } = yield* projects.create("acc_new", "one")
      yield* projects.delete(projectId)
      expect(yield* projects.hadAny("acc_new")).toBe(true)
      // The project that makes itself counts for nobody.
      yield* sql`insert into accounts (account_id, name, created_at_ms) values ('acc_dev', 'dev', 0)`
      yield* projects.ensureDev(owner.accountId)
      expect(yield* projects.hadAny("acc_dev")).toBe(false)
    })
  )
})
