import { createHash } from "node:crypto"

import { Limits } from "@atrium/domain/Limits"
import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { ProjectStore } from "./ProjectStore.ts"
import { makeSecret } from "./Secrets.ts"
import { TestStores } from "./testing/TestStores.ts"

const times = <A>(count: number, make: (index: number) => A) =>
  Array.from({ length: count }, (_, index) => make(index))
const tokens = times(8, () => makeSecret("loginToken"))

/** The first of eight starts at once makes the owner. */
const started = Effect.gen(function* () {
  const projects = yield* ProjectStore
  yield* Effect.all(
    tokens.map((token) => projects.bootstrap(token)),
    { concurrency: 8 }
  )
  return { projects, owner: Option.getOrThrow(yield* projects.owner) }
})

layer(TestStores)((it) => {
  it.effect("[D-50] eight first starts at once make one owner, by one of their tokens", () =>
    Effect.gen(function* () {
      const projects = yield* ProjectStore
      expect(Option.isNone(yield* projects.owner)).toBe(true)
      const starts = yield* Effect.all(
        tokens.map((token) => projects.bootstrap(token)),
        {
          concurrency: 8
        }
      )
      const winner = starts.findIndex(({ created }) => created)
      expect(starts.filter(({ created }) => created)).toHaveLength(1)
      const accounts = yield* Effect.all(tokens.map((token) => projects.accountOf(token)))
      expect(accounts.findIndex(Option.isSome)).toBe(winner)
      expect(accounts.filter(Option.isSome)).toHaveLength(1)
      expect(accounts[winner]).toEqual(yield* projects.owner)
      expect(yield* projects.bootstrap(tokens[winner] ?? "")).toEqual({ created: false })
    })
  )

  it.effect(
    "[keys.secret.only-hash-stored] of a login token only its SHA-256 is in the table",
    () =>
      Effect.gen(function* () {
        const { projects } = yield* started
        const sql = yield* SqlClient.SqlClient
        const rows = yield* sql<{ readonly token_hash: Uint8Array }>`select * from login_tokens`
        const hashes = tokens.map((token) => createHash("sha256").update(token).digest("hex"))
        expect(rows).toHaveLength(1)
        expect(hashes).toContain(Buffer.from(rows[0]?.token_hash ?? []).toString("hex"))
        const whole = yield* sql<{
          readonly row: string
        }>`select t::text as row from login_tokens t`
        for (const token of tokens) expect(whole[0]?.row).not.toContain(token.slice(3))
        for (const wrong of ["", "ct_", makeSecret("loginToken"), hashes[0] ?? ""]) {
          expect(Option.isNone(yield* projects.accountOf(wrong))).toBe(true)
        }
      })
  )

  it.effect("[project.record.shape] a project is found, and listed newest first", () =>
    Effect.gen(function* () {
      const { projects, owner } = yield* started
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
      const { projects, owner } = yield* started
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

  it.effect("[D-25] a JWT secret is minted once; another one only by rotation", () =>
    Effect.gen(function* () {
      const { projects, owner } = yield* started
      const { projectId } = yield* projects.create(owner.accountId, "jwt")
      expect(yield* projects.validKids(projectId)).toEqual([])
      const first = yield* projects.mintJwtSecret(projectId, false)
      expect(first.secret).toMatch(/^js_[A-Za-z0-9_-]{43}$/)
      expect(first.kid).toBe(1)
      const refused = yield* Effect.flip(projects.mintJwtSecret(projectId, false))
      expect(refused._tag).toBe("E_SECRET_EXISTS")
      expect(yield* projects.validKids(projectId)).toEqual([1])
      const second = yield* projects.mintJwtSecret(projectId, true)
      expect(second.kid).toBe(2)
      expect(second.secret).not.toBe(first.secret)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly row: string }>`select s::text as row from jwt_secrets s`
      for (const { row } of rows) expect(row).not.toContain(first.secret.slice(3))
    })
  )

  it.effect("[D-25] a rotated secret stays valid for 24 hours, and not a millisecond more", () =>
    Effect.gen(function* () {
      const { projects, owner } = yield* started
      const { projectId } = yield* projects.create(owner.accountId, "rotating")
      yield* projects.mintJwtSecret(projectId, true)
      yield* projects.mintJwtSecret(projectId, true)
      yield* TestClock.adjust("1 hour")
      yield* projects.mintJwtSecret(projectId, true)
      expect(yield* projects.validKids(projectId)).toEqual([3, 2, 1])
      yield* TestClock.adjust(Limits.jwtSecretOverlap.ms - 3_600_000 - 1)
      expect(yield* projects.validKids(projectId)).toEqual([3, 2, 1])
      yield* TestClock.adjust(1)
      expect(yield* projects.validKids(projectId)).toEqual([3, 2])
      yield* TestClock.adjust("1 hour")
      expect(yield* projects.validKids(projectId)).toEqual([3])
      yield* TestClock.adjust("30 hours")
      expect(yield* projects.validKids(projectId)).toEqual([3])
    })
  )

  it.effect(
    "[D-25] of eight who mint at once one gets the secret; all who rotate get their own",
    () =>
      Effect.gen(function* () {
        const { projects, owner } = yield* started
        const { projectId } = yield* projects.create(owner.accountId, "at once")
        const mints = (rotate: boolean) =>
          Effect.all(
            times(8, () => Effect.exit(projects.mintJwtSecret(projectId, rotate))),
            { concurrency: 8 }
          )
        expect((yield* mints(false)).filter(Exit.isSuccess)).toHaveLength(1)
        const kids = (yield* mints(true)).map((exit) => (Exit.isSuccess(exit) ? exit.value.kid : 0))
        expect(new Set(kids)).toEqual(new Set([2, 3, 4, 5, 6, 7, 8, 9]))
      })
  )
})
