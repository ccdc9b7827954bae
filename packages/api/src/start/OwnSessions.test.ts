import { expect, it } from "@effect/vitest"
import { Effect, Exit, Option, Redacted, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, Statement } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"

import { ownSessions } from "./OwnSessions.ts"

/** A database, or a pooler before it, that answers the statements of its connections from these sessions. */
const makeStore = (sessionOf: (connection: number, statement: number) => number) => {
  let connections = 0
  let statements = 0
  const acquirer = Effect.sync(() => {
    const number = connections++
    const answer = () => Effect.sync(() => [{ pid: sessionOf(number, statements++) }])
    const connection: Connection = {
      execute: answer,
      executeRaw: answer,
      executeStream: () => Stream.empty,
      executeValues: () => Effect.succeed([]),
      executeValuesUnprepared: () => Effect.succeed([]),
      executeUnprepared: answer
    }
    return connection
  })
  const compiler = Statement.makeCompilerSqlite()
  return SqlClient.make({ acquirer, compiler, driver: "fake", spanAttributes: [] }).pipe(
    Effect.provide(Reactivity.layer)
  )
}

const databaseUrl = Option.some(Redacted.make("postgres://db"))

it.effect.each([
  ["PostgreSQL itself, and a pooler that lends sessions", (connection: number) => connection, true],
  ["a pooler that lends the session used last for each statement", () => 7, false],
  [
    "a pooler that lends its sessions in turn",
    (_connection: number, statement: number) => statement,
    false
  ]
] as const)("[C-463] %s", ([_name, sessionOf, taken]) =>
  Effect.gen(function* () {
    const sql = yield* makeStore(sessionOf)
    const exit = yield* ownSessions({ databaseUrl }).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      Effect.exit
    )
    if (taken) return expect(Exit.isSuccess(exit)).toBe(true)
    expect(String(exit)).toContain("pool_mode = session")
  })
)
