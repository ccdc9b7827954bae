import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { migrationsLayer, migrationsOf } from "@atrium/actors/store/Migrations"
import { buildPrograms } from "@atrium/api/testing/BuiltPrograms"
import { copyPreparedCluster, prepareCluster } from "@atrium/api/testing/PreparedCluster"
import { startEmbeddedPostgres } from "@atrium/postgres/EmbeddedPostgres"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, ManagedRuntime, Redacted, Schema, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql/SqlError"
import type { TestProject } from "vitest/node"

import { type DatabaseContent, databaseContents, ownerToken } from "./databaseContents.ts"
import { requiredHttp } from "./packages/RequiredHttp.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Where makeTestDatabase asks for a database. */
    readonly testDatabases: string
  }
}

class TestDatabaseMissing extends Schema.TaggedError<TestDatabaseMissing>()("TestDatabaseMissing", {
  message: Schema.String
}) {}

const embedded = Effect.gen(function* () {
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "atrium-test-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  copyPreparedCluster(dataDir)
  return (yield* startEmbeddedPostgres({ dataDir, durable: false })).adminUrl
})

/** The version that production runs: the tests follow docker-compose.yml without repeating it. */
const composeImage = Effect.promise(async () => {
  const compose = await readFile(new URL("../docker-compose.yml", import.meta.url), "utf8")
  return /image: *"?(postgres:[\w.-]+)/.exec(compose)?.[1] ?? "no image in docker-compose.yml"
})

const container = Effect.gen(function* () {
  const image = yield* composeImage
  const started = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { PostgreSqlContainer } = await import("@testcontainers/postgresql")
        return new PostgreSqlContainer(image).start()
      },
      catch: (cause) =>
        new TestDatabaseMissing({
          message:
            `TEST_DATABASE=container, but ${image} does not start: ` +
            `${cause instanceof Error ? cause.message : String(cause)}. ` +
            "Start a Docker engine, or unset TEST_DATABASE to use the embedded PostgreSQL."
        })
    }),
    (running) => Effect.promise(() => running.stop())
  )
  return Redacted.make(started.getConnectionUri())
})

/** The PostgreSQL of this test run, as somebody who may create databases. */
const adminUrl = Effect.gen(function* () {
  const url = process.env["DATABASE_URL"] ?? ""
  const choice = process.env["TEST_DATABASE"] ?? ""
  if (url !== "") return Redacted.make(url)
  if (choice === "container") return yield* container
  if (choice === "" || choice === "embedded") return yield* embedded
  return yield* new TestDatabaseMissing({
    message: `TEST_DATABASE=${choice} is neither "container" nor "embedded".`
  })
})

type TestDatabaseError = SqlError | TestDatabaseMissing

/** Creates the service's tables, as its first start does. */
const createTables = Effect.fnUntraced(function* (url: string) {
  // Many modules, which a run of pure tests does not need.
  const { allTables } = yield* Effect.promise(
    () => import("@atrium/actors/store/testing/AllTables")
  )
  yield* Layer.build(
    migrationsLayer(migrationsOf(allTables)).pipe(
      Layer.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
    )
  ).pipe(
    Effect.scoped,
    Effect.mapError(
      ({ message }) => new TestDatabaseMissing({ message: `No tables for the tests: ${message}` })
    )
  )
})

/** Makes the owner's account, as a service's first start does before it deploys the demo. */
const createOwner = Effect.fnUntraced(function* (url: string) {
  const { AccountStore } = yield* Effect.promise(() => import("@atrium/actors/logins/AccountStore"))
  yield* Effect.flatMap(AccountStore, (accounts) => accounts.bootstrap(ownerToken)).pipe(
    Effect.provide(
      AccountStore.layerSql.pipe(
        Layer.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
      )
    ),
    Effect.mapError(
      ({ message }) => new TestDatabaseMissing({ message: `No owner for the tests: ${message}` })
    )
  )
})

/** Creates and drops the databases of this test run. */
class TestDatabases extends Context.Service<
  TestDatabases,
  {
    /** A new database with this content; answers with its address. */
    readonly make: (content: DatabaseContent) => Effect.Effect<string, TestDatabaseError>
    readonly drop: (name: string) => Effect.Effect<void, SqlError>
  }
>()("atrium/scripts/TestDatabases") {
  static readonly layer = Layer.effect(
    TestDatabases,
    Effect.gen(function* () {
      const url = yield* adminUrl
      // In a scope of its own: once a scope closes, a pool in it opens no connection any more, and
      // whoever asks for one at the end (below) would wait for ever.
      const connections = yield* Scope.fork(yield* Effect.scope)
      const sql = yield* Scope.provide(PgClient.make({ url, maxConnections: 2 }), connections)
      const prefix = `atrium_test_${randomBytes(4).toString("hex")}`
      const made = new Set<string>()
      const drop = Effect.fnUntraced(function* (name: string) {
        if (!made.has(name)) return
        yield* sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`
        made.delete(name)
      })
      // What a failed test left behind goes with the run, also in a PostgreSQL that stays.
      yield* Effect.addFinalizer(() =>
        Effect.ignore(Effect.forEach([...made], drop, { discard: true }))
      )
      const create = Effect.fnUntraced(function* (template: string) {
        const name = `${prefix}_${randomBytes(4).toString("hex")}`
        made.add(name)
        yield* sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(template)}`
        const at = new URL(Redacted.value(url))
        at.pathname = `/${name}`
        return { name, url: at.href }
      })
      // Its connection is closed before the first copy: PostgreSQL copies no database that is in use.
      const withTables = yield* Effect.cached(
        Effect.tap(create("template1"), (template) => createTables(template.url))
      )
      const withOwner = yield* Effect.cached(
        withTables.pipe(
          Effect.flatMap(({ name }) => create(name)),
          Effect.tap((template) => createOwner(template.url))
        )
      )
      const templates = {
        empty: Effect.succeed({ name: "template1" }),
        tables: withTables,
        owner: withOwner
      }
      const make = Effect.fnUntraced(function* (content: DatabaseContent) {
        return (yield* create((yield* templates[content]).name)).url
      })
      return { make, drop }
    })
  ).pipe(Layer.provide(Reactivity.layer))
}

/** The innermost reason too: the outer ones say only that a query failed. */
const reasonOf = (cause: unknown): string =>
  cause instanceof Error
    ? [cause.message, ...(cause.cause === undefined ? [] : [reasonOf(cause.cause)])].join(": ")
    : String(cause)

const answer = (
  request: IncomingMessage
): Effect.Effect<string, TestDatabaseError, TestDatabases> =>
  Effect.flatMap(TestDatabases, (databases) => {
    const asked = new URL(request.url ?? "", "http://x").search.slice(1)
    return request.method === "POST"
      ? databases.make(databaseContents.find((content) => content === asked) ?? "empty")
      : Effect.as(databases.drop(asked), "")
  })

/** Services and commands load the same modules again and again: each is compiled once in a run. */
const shareCompiled = (): (() => void) => {
  // One project of the run has seen to it already, or somebody keeps theirs.
  if (process.env["NODE_COMPILE_CACHE"] !== undefined) return () => {}
  const folder = mkdtempSync(join(tmpdir(), "atrium-compiled-"))
  process.env["NODE_COMPILE_CACHE"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/** What many tests start: made once in a run. */
const makeOnce = async (): Promise<() => void> => {
  const forgetBuilt = await buildPrograms([requiredHttp])
  const forgetCluster = await prepareCluster()
  return () => {
    forgetCluster()
    forgetBuilt()
  }
}

/**
 * Serves databases to the tests. PostgreSQL starts when the first test asks, so a run of pure tests
 * does not wait for it. The path holds a secret, as other users of the machine reach the port too.
 */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const runtime = ManagedRuntime.make(TestDatabases.layer)
  const path = `/${randomBytes(16).toString("hex")}`
  const server = createServer((request, response) => {
    if (request.url?.split("?")[0] !== path) return response.writeHead(404).end()
    return runtime.runPromise(answer(request)).then(
      (text) => response.end(text),
      (cause: unknown) => response.writeHead(500).end(reasonOf(cause))
    )
  })
  const forgetCompiled = shareCompiled()
  // Tests of one module need no program, and seldom PostgreSQL.
  const forgetMade = project.name === "units" ? () => {} : await makeOnce()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  project.provide("testDatabases", `http://127.0.0.1:${port}${path}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    await runtime.dispose()
    forgetCompiled()
    forgetMade()
  }
}
