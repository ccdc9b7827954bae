import { mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { PgClient } from "@effect/sql-pg"
import { Effect, Logger, type Redacted, Schedule, type Scope } from "effect"
import { afterAll, expect, test } from "vitest"

import { type KeptPostgres, keepEmbeddedPostgres } from "./KeptPostgres.ts"

const parent = mkdtempSync(join(tmpdir(), "atrium-kept-"))
const dataDir = join(parent, "data")
const cluster = join(dataDir, "cluster")

afterAll(() => rmSync(parent, { recursive: true, force: true }))

const keeping = <A, E>(use: (postgres: KeptPostgres) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.runPromise(
    Effect.flatMap(keepEmbeddedPostgres({ dataDir, durable: false }), use).pipe(
      Effect.scoped,
      Effect.provide(Logger.layer([]))
    )
  )

const kill = Effect.sync(() => {
  const pid = Number.parseInt(readFileSync(join(cluster, "postmaster.pid"), "utf8"), 10)
  process.kill(pid, "SIGKILL")
  return pid
})

/** The start of the server that answers now, asked until one does. */
const startedAt = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql<{
      readonly at: string
    }>`select pg_postmaster_start_time()::text as at`
    return row?.at
  }).pipe(
    Effect.provide(PgClient.layer({ url, maxConnections: 1 })),
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.timeout("15 seconds")
  )

test("[C-46] a server that ends is started at the same address; the fifth end within a minute is the last", () =>
  keeping(({ url, lost }) =>
    Effect.gen(function* () {
      let before = yield* startedAt(url)
      for (let ends = 1; ends < StoreLimits.postgresRestarts.max; ends++) {
        yield* kill
        const after = yield* startedAt(url)
        expect(after).not.toBe(before)
        before = after
      }
      yield* kill
      const { _tag, message } = yield* Effect.flip(lost)
      expect(_tag).toBe("PostgresStartFailed")
      expect(message).toMatch(/^PostgreSQL ended 5 times within a minute; its last words .*\.$/)
    })
  ))

test("[C-46] a folder that is gone is not replaced by an empty one", () =>
  keeping(({ lost }) =>
    Effect.gen(function* () {
      renameSync(cluster, `${cluster}.aside`)
      const pid = Number.parseInt(
        readFileSync(join(`${cluster}.aside`, "postmaster.pid"), "utf8"),
        10
      )
      process.kill(pid, "SIGKILL")
      const { _tag, message } = yield* Effect.flip(lost)
      expect([_tag, message]).toEqual([
        "DataFolderDamaged",
        `The data folder ${dataDir} is damaged: cluster is missing.`
      ])
      renameSync(`${cluster}.aside`, cluster)
    })
  ))
