import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { ProjectStore } from "./ProjectStore.ts"
import { firstOwner, TestStores } from "./testing/TestStores.ts"

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
          ...{ plan: "card", createdAtMs: one.createdAtMs + 1000, currentVersion: null }
        })
      )
      expect(yield* projects.list(owner.accountId)).toEqual([two, one])
      expect(yield* projects.list("acc_0")).toEqual([])
      for (const unknown of ["p_0000000000000000", "", "' or 1=1 --"]) {
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
})
