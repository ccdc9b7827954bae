// @module-tag thorough

import { readdir, rename } from "node:fs/promises"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"

import { onDatabase } from "../testing/onDatabase.ts"
import { stillRunning } from "../testing/ProcessTree.ts"
import { RawClient } from "../testing/RawClient.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { call, makeHome, type RunningService, type ServiceHome } from "../testing/RunningService.ts"
import { oneSentence, refusedStart } from "../testing/SpawnService.ts"

/** Writes the rows that a newer program leaves in a database after its migrations. */
const migratedByNewer = (databaseUrl: string, oldest: number) =>
  onDatabase(databaseUrl, (sql) =>
    sql.withTransaction(
      Effect.andThen(
        sql`insert into effect_sql_migrations (migration_id, name) values (9000, 'later')
          on conflict do nothing`,
        sql`insert into migration_requirements (migration_id, oldest, made_by)
          values (9000, ${oldest}, '9.0.0')
          on conflict (migration_id) do update set oldest = excluded.oldest`
      )
    )
  )

/** Answers `welcome`, or the code of the refusal. */
const helloIn = async ({ url, project }: RunningService, token: string): Promise<unknown> => {
  const client = new RawClient(`${url.replace(/^http/, "ws")}/v1/rooms/${project}/keyed`)
  const [frame, code] = await client.hello(token, "probe")
  client.cut()
  return frame === ServerFrame.welcome ? "welcome" : code
}

let home: ServiceHome

beforeAll(async () => {
  home = await makeHome()
})

afterAll(async () => {
  await home.remove()
})

it("[C-210] a newer program's tables: an older one runs on them or ends by its own look, and does not start", async () => {
  const service = await home.start()
  const { databaseUrl } = service
  await migratedByNewer(databaseUrl, 1)
  expect(await service.stop()).toBe(0)
  const again = await home.start()
  const client = new Client(again.url, { project: again.project, reconnectForMs: 0 })
  const room = await client.joinOrCreate(probe, { roomId: "older" })
  expect(await room.request("add", { by: 5 })).toEqual({ value: 5 })

  await migratedByNewer(databaseUrl, 9000)
  await until("the end", () => stillRunning([again.pid]).length === 0)
  expect(await again.stop()).toBe(1)
  const sentence =
    /^atrium: Atrium 9\.0\.0 brought this database to migration 9000, .* knows \d+: start a newer Atrium\.$/
  expect(again.output().split("\n").at(-2)).toMatch(sentence)
  // Rows that the newer program may hold by now are not touched.
  const rows = await onDatabase(
    databaseUrl,
    (sql) => sql`select status from rooms where room_id = 'older'`
  )
  expect(rows).toEqual([{ status: "awake" }])

  const env = { ATRIUM_DATA: home.dataDir, DATABASE_URL: databaseUrl }
  const { code, errors } = await refusedStart(env)
  expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
  expect(errors.trimEnd()).toMatch(sentence)
  await migratedByNewer(databaseUrl, 1)
  const back = await home.start()
  expect(await back.stop()).toBe(0)
})

it("[C-211] another master key, or none: one sentence, exit 1, until somebody says that it shall be the new one", async () => {
  const service = await home.start()
  const { databaseUrl, project, token } = service
  const identity = await call(service.url, "/v1/identity", { body: { project } })
  const enters = (on: RunningService) => helloIn(on, String(identity.body["token"]))
  expect(await enters(service)).toBe("welcome")
  expect(await service.stop()).toBe(0)
  const env = { ATRIUM_DATA: home.dataDir, DATABASE_URL: databaseUrl }
  const other = await refusedStart({ ...env, ATRIUM_MASTER_KEY: "ab".repeat(32) })
  expect([other.code, other.errors]).toEqual([1, expect.stringMatching(oneSentence)])
  expect(other.errors).toContain("ATRIUM_MASTER_KEY is not the master key")
  expect(other.errors).not.toContain("abab")

  const kept = join(home.dataDir, "kept.key")
  await rename(join(home.dataDir, "master.key"), kept)
  const none = await refusedStart(env)
  expect([none.code, none.errors]).toEqual([1, expect.stringMatching(oneSentence)])
  expect(none.errors).toContain("master.key is missing")
  // A key that nobody asked for would look like the one that is missing.
  expect(await readdir(home.dataDir)).not.toContain("master.key")

  const accepted = await home.start({ args: ["--new-master-key"] })
  expect(await accepted.stop()).toBe(0)
  const on = await home.start()
  expect((await call(on.url, "/v1/projects", { token })).status).toBe(200)
  expect(await enters(on)).toBe("E_UNAUTHENTICATED")
  expect(await on.stop()).toBe(0)
  await rename(kept, join(home.dataDir, "master.key"))
  const old = await refusedStart(env)
  expect(old.errors).toContain("master.key is not the master key")
  const restored = await home.start({ args: ["--new-master-key"] })
  expect(await enters(restored)).toBe("welcome")
  expect(await restored.stop()).toBe(0)
})
