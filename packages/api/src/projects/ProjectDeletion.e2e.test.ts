import { until } from "@atrium/domain/testing/Until"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { expect, it } from "vitest"

import { onDatabase } from "../testing/onDatabase.ts"
import { RawClient } from "../testing/RawClient.ts"
import { codeOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

const ask = (path: string, request: { method?: string; body?: unknown; token?: string } = {}) =>
  call(service.url, path, { token: service.token, ...request })

/** A project with rooms, a key, caps, and a client in a room. */
const livelyProject = async () => {
  const { body } = await ask("/v1/projects", { body: { name: "lively" } })
  const id = String(body["id"])
  const under = { url: service.url, token: service.token, project: id }
  await deploy(under, ["rooms/probe.ts"])
  const rooms = roomsOf(under)
  await rooms.asleep("asleep", 1)
  const minted = await ask(`/v1/projects/${id}/keys`, {
    body: { scopes: ["rooms:write"], label: "a key" }
  })
  await ask(`/v1/projects/${id}/caps`, { method: "PATCH", body: { caps: { roomHours: 1 } } })
  const identity = await ask("/v1/identity", { body: { project: id } })
  const token = String(identity.body["token"])
  const client = new RawClient(`${service.url.replace("http", "ws")}/v1/rooms/${id}/awake`)
  expect((await client.hello(token, "probe"))[0]).toBe(ServerFrame.welcome)
  return { id, rooms, client, token, key: String(minted.body["secret"]) }
}

/**
 * Rows that are left of a project, the project's own apart.
 * @param apart objects with this in their key are not counted: a room that is awake stores one when it likes
 */
const leftOf = async (id: string, apart = ""): Promise<number> => {
  const rows = await onDatabase<{ readonly left: number }>(
    service.databaseUrl,
    (sql) => sql`select (
      (select count(*) from rooms where project_id = ${id})
      + (select count(*) from alarms where project_id = ${id})
      + (select count(*) from players where project_id = ${id})
      + (select count(*) from deployments where project_id = ${id})
      + (select count(*) from api_keys where project_id = ${id})
      + (select count(*) from jwt_secrets where project_id = ${id})
      + (select count(*) from caps where project_id = ${id})
      + (select count(*) from objects where strpos(key, ${id}) > 0
          and (${apart} = '' or strpos(key, ${apart}) = 0)))::int as left`
  )
  return rows[0]?.left ?? -1
}

it("[C-71] a deleted project is gone at once for everybody, and soon from the store", async () => {
  const kept = await livelyProject()
  const gone = await livelyProject()
  expect(await leftOf(gone.id)).toBeGreaterThan(5)
  const keptBefore = await leftOf(kept.id, "/awake/")

  const deleted = await ask(`/v1/projects/${gone.id}`, { method: "DELETE" })
  expect([deleted.status, deleted.body]).toEqual([200, { id: gone.id }])

  // At once: no read, no key, no identity, no join, no second deletion.
  const nowhere = [404, "E_NOT_FOUND"]
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["GET", "/caps"],
    ["GET", "/rooms"],
    ["GET", "/keys"]
  ] as const) {
    const answer = await ask(`/v1/projects/${gone.id}${path}`, { method })
    expect([answer.status, codeOf(answer)]).toEqual(nowhere)
  }
  const byKey = await ask(`/v1/projects/${gone.id}/rooms`, { token: gone.key })
  expect([401, 404]).toContain(byKey.status)
  const identity = await ask("/v1/identity", { body: { project: gone.id } })
  expect([identity.status, codeOf(identity)]).toEqual(nowhere)
  const late = new RawClient(`${service.url.replace("http", "ws")}/v1/rooms/${gone.id}/awake`)
  expect((await late.hello(gone.token, "probe")).slice(0, 2)).toContain("E_UNAUTHENTICATED")
  expect((await late.closed).code).toBe(4401)
  const listed = await fetch(`${service.url}/v1/projects`, {
    headers: { authorization: `Bearer ${service.token}` }
  })
  const ids: ReadonlyArray<unknown> = (await listed.json()).map(({ id }: { id: unknown }) => id)
  expect(ids).toContain(kept.id)
  expect(ids).not.toContain(gone.id)

  // Clients in a room are told to stay away.
  expect((await gone.client.closed).code).toBe(4291)
  await until("an empty store", async () => (await leftOf(gone.id)) === 0)

  // Others play on; the row stays, as the id's end.
  expect(await leftOf(kept.id, "/awake/")).toBe(keptBefore)
  expect(await kept.rooms.status("awake")).toBe("awake")
  expect(await kept.rooms.valueOf("asleep")).toBe(1)
  const rows = await onDatabase(
    service.databaseUrl,
    (sql) => sql`select purged_at_ms from projects where project_id = ${gone.id}`
  )
  // What is under way may still write; only later is the project done with.
  expect(rows).toEqual([{ purged_at_ms: null }])
  kept.client.leave()
  await kept.client.closed
})
