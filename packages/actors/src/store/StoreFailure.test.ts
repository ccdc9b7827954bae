import { Cause, Effect, Exit, Logger } from "effect"
import { ConnectionError, SqlError, SqlSyntaxError, UnknownError } from "effect/sql/SqlError"
import { expect, test } from "vitest"

import { ObjectsFailure } from "../objects/ObjectsFailure.ts"
import { isStoreAway, isStoreFailure, refusedWithoutStore } from "./StoreFailure.ts"

const props = (code: string) => ({
  cause: Object.assign(new Error(code), { code }),
  message: code,
  operation: "query"
})
const unknown = (code: string) => new SqlError({ reason: new UnknownError(props(code)) })

test.each([
  ["a connection that is gone", new SqlError({ reason: new ConnectionError(props("08006")) })],
  ["a server that goes down", unknown("57P01")],
  ["a server that has crashed", unknown("57P02")],
  ["a server that comes up", unknown("57P03")],
  ["too many connections", unknown("53300")],
  ["a full disk", unknown("53100")],
  ["a disk that fails", unknown("58030")],
  ["a copy that only reads", unknown("25006")],
  ["an S3 that is away", new ObjectsFailure({ away: true, message: "no answer" })]
])("[C-45] %s is a store that is away", (_what, error) => {
  for (const cause of [Cause.die(error), Cause.fail(error)]) {
    expect([isStoreFailure(cause), isStoreAway(cause)]).toEqual([true, true])
  }
})

test.each([
  ["a table that is missing", new SqlError({ reason: new SqlSyntaxError(props("42P01")) })],
  ["a database that was dropped", unknown("57P04")],
  ["a failure without a code", unknown("")],
  ["an object that the S3 has lost", new ObjectsFailure({ away: false, message: "lost" })]
])("[C-45] %s is a failure that waiting does not mend", (_what, error) => {
  const cause = Cause.die(error)
  expect([isStoreFailure(cause), isStoreAway(cause)]).toEqual([true, false])
})

test("[C-45] an error that is not the database's is no failure of the store", () => {
  const cause = Cause.die(new Error("57P03"))
  expect([isStoreFailure(cause), isStoreAway(cause)]).toEqual([false, false])
})

test("[C-45] an actor refuses what the store failed; other defects stay what they are", async () => {
  const said: Array<unknown> = []
  const logged = Logger.layer([Logger.make(({ message }) => void said.push(message))])
  const exitOf = (defect: unknown) =>
    Effect.runPromiseExit(
      Effect.die(defect).pipe(
        Effect.catchCause(refusedWithoutStore("refused", "a room")),
        Effect.provide(logged)
      )
    )
  expect(await exitOf(unknown("57P03"))).toEqual(Exit.fail("refused"))
  expect(said).toEqual([])
  expect(await exitOf(unknown("42P01"))).toEqual(Exit.fail("refused"))
  expect(JSON.stringify(said)).toContain("the store failed a room")
  const defect = new Error("a bug")
  expect(await exitOf(defect)).toEqual(Exit.die(defect))
})
