import { NotFound } from "@atrium/domain/shared/Refusal"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"

import { JwtSecretStore } from "../identity/JwtSecretStore.ts"
import { firstOwner, MemoryStores, newProject, TestStores } from "../store/testing/TestStores.ts"
import { projectStoreContract } from "./ProjectStore.contract.ts"
import { ProjectStore } from "./ProjectStore.ts"

projectStoreContract("on PostgreSQL", TestStores)
projectStoreContract("in memory", MemoryStores)

layer(TestStores)("on PostgreSQL, beside other tables", (it) => {
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

  it.effect("[C-71] a deleted project mints no secrets, and its id stays taken", () =>
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      const secrets = yield* JwtSecretStore
      const sql = yield* SqlClient.SqlClient
      const projectId = yield* newProject
      expect(yield* secrets.validKids(projectId)).toEqual([])
      yield* projects.delete(projectId)
      expect(yield* Effect.flip(secrets.mint(projectId, true))).toBeInstanceOf(NotFound)
      expect(yield* secrets.validKids(projectId)).toBeNull()
      // The row keeps the id from being given again.
      const rows = yield* sql`select 1 from projects where project_id = ${projectId}`
      expect(rows).toHaveLength(1)
    })
  )
})
