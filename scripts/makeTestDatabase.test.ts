import { hashSecret } from "@atrium/actors/store/Secrets"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { expect, test } from "vitest"

import { ownerToken } from "./databaseContents.ts"
import { makeOwnedTables, makeTestDatabase, makeTestTables } from "./makeTestDatabase.ts"

const query = (url: string, statement: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return yield* sql.unsafe(statement)
  }).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
    Effect.runPromise
  )

test("[test.database] two databases share no tables, and a dropped one is gone", async () => {
  const [one, two] = await Promise.all([makeTestDatabase(), makeTestDatabase()])
  await query(one.url, "CREATE TABLE rooms (id int)")
  await query(two.url, "CREATE TABLE rooms (id int)")
  await query(one.url, "INSERT INTO rooms VALUES (1)")
  expect(await query(two.url, "SELECT count(*)::int AS rooms FROM rooms")).toEqual([{ rooms: 0 }])
  await one.drop()
  await expect(query(one.url, "SELECT 1")).rejects.toThrow()
  await two.drop()
})

test("[test.database] copies of the service's tables are apart, and hold nothing", async () => {
  const [one, two, empty] = await Promise.all([
    makeTestTables(),
    makeTestTables(),
    makeTestDatabase()
  ])
  await query(
    one.url,
    "INSERT INTO accounts (account_id, name, created_at_ms) VALUES ('a_1', 'one', 0)"
  )
  const counted = "SELECT count(*)::int AS accounts FROM accounts"
  expect(await query(one.url, counted)).toEqual([{ accounts: 1 }])
  expect(await query(two.url, counted)).toEqual([{ accounts: 0 }])
  await expect(query(empty.url, counted)).rejects.toThrow()
  await Promise.all([one.drop(), two.drop(), empty.drop()])
})

test("[test.database] tables with an owner hold the account of the token, and no project", async () => {
  const owned = await makeOwnedTables()
  const logins = await query(owned.url, "SELECT token_hash, label FROM login_tokens")
  expect(logins).toEqual([{ token_hash: hashSecret(ownerToken), label: "bootstrap" }])
  expect(await query(owned.url, "SELECT name FROM accounts")).toEqual([{ name: "owner" }])
  expect(await query(owned.url, "SELECT project_id FROM projects")).toEqual([])
  await owned.drop()
})
