// @module-tag thorough

import { onDatabase } from "@atrium/api/testing/onDatabase"
import { call } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Effect } from "effect"
import { expect, it } from "vitest"

const service = serviceUnderTest()

const many = 20_000

const newProject = async (): Promise<string> => {
  const { body } = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "large" }
  })
  return String(body["id"])
}

const fill = (projectId: string) =>
  onDatabase(
    service.databaseUrl,
    (sql) => sql`insert into players
      select ${projectId}, 'pl_' || n, '', 0 from generate_series(1, ${many}::int) n returning 1`
  )

const playersOf = async (projectId: string): Promise<number> => {
  const [row] = await onDatabase<{ readonly players: number }>(
    service.databaseUrl,
    (sql) => sql`select count(*)::int as players from players where project_id = ${projectId}`
  )
  return row?.players ?? -1
}

/** Every statement that removes players takes a while, so that there is a middle to be killed in. */
const slowRemovals = (databaseUrl: string) =>
  onDatabase(databaseUrl, (sql) =>
    Effect.gen(function* () {
      yield* sql`create function take_time() returns trigger language plpgsql as
        ${sql.literal("$$ begin perform pg_sleep(0.3); return null; end $$")}`
      yield* sql`create trigger take_time before delete on players
        for each statement execute function take_time()`
      return []
    })
  )

it("[C-71] a service that is killed while it removes a project goes on when it is back", async () => {
  const [gone, kept] = [await newProject(), await newProject()]
  await fill(gone)
  await fill(kept)
  await slowRemovals(service.databaseUrl)
  const deleted = await call(service.url, `/v1/projects/${gone}`, {
    token: service.token,
    method: "DELETE"
  })
  expect(deleted.status).toBe(200)
  await until("the first part to go", async () => (await playersOf(gone)) < many)
  await service.stop("SIGKILL")
  // It waits for the statement that the database still has from the dead service.
  await onDatabase(service.databaseUrl, (sql) => sql`drop trigger take_time on players`)
  const left = await playersOf(gone)
  expect(left).toBeGreaterThan(0)
  // A part is removed as a whole or not at all.
  expect(left % 1000).toBe(0)

  await service.start()
  await until("the last part to go", async () => (await playersOf(gone)) === 0)
  expect(await playersOf(kept)).toBe(many)
  const read = await call(service.url, `/v1/projects/${gone}`, { token: service.token })
  expect(read.status).toBe(404)
})
