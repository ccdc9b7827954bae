import { describe, expect, it } from "vitest"

import { objectKeys } from "../testing/ObjectWrites.ts"
import { onDatabase } from "../testing/onDatabase.ts"
import { RawClient } from "../testing/RawClient.ts"
import { codeOf, messageOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, until } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()
const rooms = () => roomsOf(service)
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const listOf = async (query = ""): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const response = await fetch(`${service.url}/v1/projects/${service.project}/rooms${query}`, {
    headers: { authorization: `Bearer ${service.token}` }
  })
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toMatch(/^application\/json/)
  return response.json()
}
const idsIn = async (query: string): Promise<ReadonlyArray<unknown>> =>
  (await listOf(query)).map((row) => row["roomId"])

describe("GET rooms", () => {
  it("[route.rooms.list] [rooms.list.active-true] [rooms.list.active-false] awake and sleeping rooms, each with its fields", async () => {
    await rooms().asleep("list-asleep", 1)
    const room = await rooms().join("list-awake")
    await until("two rooms are listed", async () =>
      (await listOf()).some((row) => row["roomId"] === "list-awake" && row["clients"] === 1)
    )
    const row = (await listOf()).find(({ roomId }) => roomId === "list-awake")
    expect(row).toEqual({
      ...{ project: service.project, roomId: "list-awake", status: "awake", slot: 0 },
      ...{ lastSeen: expect.stringMatching(iso), clients: 1, maxClients: 64, backfill: false },
      ...{ retention: null, retentionOverride: null, deletesAt: null }
    })
    expect(await idsIn("?active=true")).toEqual(["list-awake"])
    expect(await idsIn("?active=false")).toEqual(["list-asleep"])
    expect(await idsIn("?active=false&idle-longer-than=1m")).toEqual([])
    await room.leave()
  })

  it.each([
    ["?foo=1", "unknown query parameter: foo"],
    ["?active=yes", "active"],
    ["?active=", "active"],
    ["?active=true&active=true", "active"],
    ["?idle-longer-than=soon", "idle-longer-than"],
    ["?idle-longer-than=0m", "idle-longer-than"],
    ["?idle-longer-than=3651d", "idle-longer-than"],
    ["?idle-longer-than=1h30m", "idle-longer-than"]
  ])(
    "[rooms.list.unknown-param] [rooms.list.bad-duration] [rooms.list.active.bad-value] %s is refused",
    async (query, name) => {
      const answer = await rooms().ask(query)
      expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
      expect(messageOf(answer)).toContain(name)
    }
  )
})

describe("GET one room", () => {
  it("[route.rooms.get] [rooms.detail.exact-keys] the documented fields", async () => {
    await rooms().asleep("detail", 7)
    const { status, body } = await rooms().ask("/detail")
    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ roomId: "detail", status: "hibernated", type: "probe", class: "standard" },
      ...{ retention: null, retentionOverride: null, deletesAt: null, saves: 1 },
      ...{ stateBytes: expect.any(Number), lastSeen: expect.stringMatching(iso) }
    })
    expect(body["stateBytes"]).toBeGreaterThan(0)
    expect(Object.keys(body)).toEqual([
      ...["roomId", "status", "type", "class", "retention", "retentionOverride"],
      ...["deletesAt", "saves", "stateBytes", "lastSeen"]
    ])
  })

  it("[rooms.get.not-found] [rooms.patch.not-found] [rooms.delete.not-found] [rooms.saves.not-found] [rooms.restore.not-found] [error.http.E_ROOM_NOT_FOUND] a room that never was", async () => {
    const never = ["/never", `/${"x".repeat(129)}`, "/a%2Fb", "/sp%20ace", "/%00"]
    const texts = new Set<string>()
    for (const path of never) {
      for (const [suffix, request] of [
        ["", {}],
        ["", { method: "PATCH", body: { retention: "5m" } }],
        ["", { method: "DELETE" }],
        ["?force=true", { method: "DELETE" }],
        ["/saves", {}],
        ["/saves/sv_0123456789abcdef/bytes", {}],
        ["/restore", { body: { saveId: "sv_0123456789abcdef" } }]
      ] as const) {
        const answer = await rooms().ask(`${path}${suffix}`, request)
        expect([path, suffix, answer.status]).toEqual([path, suffix, 404])
        texts.add(JSON.stringify(answer.body))
      }
    }
    expect([...texts]).toEqual(['{"error":{"code":"E_ROOM_NOT_FOUND","message":"no such room"}}'])
  })

  it("[rooms.get.rowless-hibernated] stored state without a row reads, is set, and is deleted", async () => {
    await rooms().asleep("rowless", 4)
    const before = await rooms().ask("/rowless")
    await onDatabase(service.databaseUrl, (sql) => sql`delete from rooms where room_id = 'rowless'`)
    const { status, body } = await rooms().ask("/rowless")
    expect([status, body["status"], body["type"]]).toEqual([200, "hibernated", "probe"])
    expect(body["stateBytes"]).toBe(before.body["stateBytes"])
    expect(body["saves"]).toBe(1)
    expect(await idsIn("")).not.toContain("rowless")
    const set = await rooms().ask("/rowless", { method: "PATCH", body: { retention: "9h" } })
    expect([set.status, set.body["retentionOverride"]]).toEqual([200, "9h"])
    expect(await idsIn("")).not.toContain("rowless")
    expect(await rooms().valueOf("rowless")).toBe(4)
    expect((await rooms().ask("/rowless")).body["retentionOverride"]).toBe("9h")
    const deleted = await rooms().ask("/rowless?force=true", { method: "DELETE" })
    expect(deleted.status).toBe(200)
  })
})

describe("PATCH room", () => {
  const set = (body: unknown) => rooms().ask("/set", { method: "PATCH", body })

  it("[route.rooms.patch] [rooms.patch.returns-detail] [rooms.patch.retention.duration] [rooms.patch.retention.forever] [rooms.patch.retention.null] a window, forever, none", async () => {
    await rooms().asleep("set", 2)
    const minutes = await set({ retention: "90m" })
    expect(minutes.status).toBe(200)
    expect(minutes.body).toMatchObject({ retention: "90m", retentionOverride: "90m" })
    const [newest] = (await call(service.url, `/v1/projects/${service.project}/rooms/set/saves`, {
      token: service.token
    }).then(({ body }) => Object.values(body))) as ReadonlyArray<{ createdAt: string }>
    const deletesAtMs = Date.parse(newest?.createdAt ?? "") + 90 * 60_000
    expect(minutes.body["deletesAt"]).toBe(new Date(deletesAtMs).toISOString())
    expect((await set({ retention: "forever" })).body).toMatchObject({
      ...{ retention: null, retentionOverride: "forever", deletesAt: null }
    })
    expect((await set({ retention: null })).body).toMatchObject({
      ...{ retention: null, retentionOverride: null, deletesAt: null }
    })
    const unchanged = await set({})
    expect([unchanged.status, unchanged.body]).toEqual([200, (await rooms().ask("/set")).body])
  })

  it.each([
    [{ class: "large" }, "unknown field: class"],
    [{ retention: "5m", colour: "red" }, "unknown field: colour"],
    [{ retention: "5x" }, "retention"],
    [{ retention: 5 }, "retention"],
    [{ retention: "" }, "retention"],
    [{ public: "true" }, "public"],
    [{ public: null }, "public"],
    [[], "body"],
    ["5m", "body"],
    [null, "body"]
  ])(
    "[rooms.patch.unknown-field] [rooms.patch.retention.type] [rooms.patch.public.type] [error.http.E_BAD_REQUEST] %j is refused by name, and nothing changes",
    async (body, name) => {
      const before = await rooms().ask("/set")
      const answer = await set(body)
      expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
      expect(messageOf(answer)).toContain(name)
      expect((await rooms().ask("/set")).body).toEqual(before.body)
    }
  )

  const lobby = async (): Promise<ReadonlyArray<unknown>> => {
    const { body } = await call(service.url, `/v1/lobby?project=${service.project}`)
    return Object.values(body).map((row) => Object(row)["roomId"])
  }

  it("[rooms.patch.public.true] [rooms.patch.public.false] [rooms.patch.public.same-row] [error.http.E_ROOM_STARTED] code and PATCH move one row", async () => {
    const room = await rooms().join("public")
    const publish = (isPublic: boolean) =>
      rooms().ask("/public", { method: "PATCH", body: { public: isPublic } })
    expect((await publish(true)).status).toBe(200)
    expect(await lobby()).toEqual(["public"])
    expect((await publish(false)).status).toBe(200)
    expect(await lobby()).toEqual([])
    await room.request("list", {})
    await until("the registry has it", async () => (await lobby()).length === 1)
    expect((await publish(false)).status).toBe(200)
    expect(await lobby()).toEqual([])
    expect((await publish(true)).status).toBe(200)
    // What code says of the start does not undo what PATCH said.
    await room.request("begin", {})
    const late = await publish(false)
    expect([late.status, codeOf(late)]).toEqual([409, "E_ROOM_STARTED"])
    const both = await rooms().ask("/public", {
      method: "PATCH",
      body: { public: true, retention: "5m" }
    })
    expect([both.status, codeOf(both)]).toEqual([409, "E_ROOM_STARTED"])
    expect((await rooms().ask("/public")).body["retentionOverride"]).toBeNull()
    await room.leave()
    await until("it sleeps", async () => (await rooms().status("public")) === "hibernated")
    expect(codeOf(await publish(false))).toBe("E_ROOM_STARTED")
    expect(await lobby()).toEqual(["public"])
  })

  it("[route.identity.mint] [auth.open.anyone-with-id] [project.id.public] the id alone opens the open routes", async () => {
    const { project } = service
    const minted = await call(service.url, "/v1/identity", { body: { project } })
    expect(minted.status).toBe(201)
    expect(minted.body).toEqual({
      ...{ playerId: expect.stringMatching(/^pl_/), token: expect.any(String) },
      expiresAt: expect.stringMatching(iso)
    })
    expect((await call(service.url, `/v1/lobby?project=${project}`)).status).toBe(200)
    // It is no credential for anything else.
    const answer = await call(service.url, `/v1/projects/${project}/rooms`, { token: project })
    expect([answer.status, codeOf(answer)]).toEqual([401, "E_UNAUTHENTICATED"])
  })

  it("[D-21] the registry of a project that is not there", async () => {
    const answer = await call(service.url, "/v1/lobby?project=p_ffffffffffffffff")
    expect([answer.status, codeOf(answer)]).toEqual([404, "E_NOT_FOUND"])
  })
})

describe("DELETE room", () => {
  const remove = (roomId: string, query = "") =>
    rooms().ask(`/${roomId}${query}`, { method: "DELETE" })

  it("[route.rooms.delete] [state.room.delete-asleep] [state.room.delete-asleep.all-versions] [state.room.delete-asleep.saves] [state.room.delete-asleep.alarms] [rooms.delete.result.roomId] [rooms.delete.result.objects] [rooms.delete.player-data-kept] all of it goes; a second time 404", async () => {
    const room = await rooms().join("gone")
    await room.request("alarmIn", { ms: 3_600_000 })
    await room.request("save", {})
    await room.request("score", { by: 5 })
    await room.leave()
    await until("it sleeps", async () => (await rooms().status("gone")) === "hibernated")
    // A snapshot of another version, as a deployment leaves it behind.
    await onDatabase(
      service.databaseUrl,
      (sql) => sql`
        insert into objects (key, bytes, manifest, stored_at_ms)
        select replace(key, 'snapshot/0000000001', 'snapshot/0000000007'), bytes, manifest, 1
        from objects where key like '%/gone/snapshot/%'`
    )
    const keys = await objectKeys(service.databaseUrl, "/gone/")
    expect(keys.filter((key) => key.includes("/snapshot/"))).toHaveLength(2)
    expect(keys.length).toBeGreaterThanOrEqual(4)
    expect(keys.some((key) => key.endsWith("/alarm"))).toBe(true)
    const players = await onDatabase(service.databaseUrl, (sql) => sql`select * from players`)
    const answer = await remove("gone")
    expect(answer).toEqual({ status: 200, body: { roomId: "gone", objects: keys.length } })
    expect(await objectKeys(service.databaseUrl, "/gone/")).toEqual([])
    const alarms = await onDatabase(
      service.databaseUrl,
      (sql) => sql`select * from alarms where room_id = 'gone'`
    )
    expect(alarms).toEqual([])
    expect(await idsIn("")).not.toContain("gone")
    expect(await onDatabase(service.databaseUrl, (sql) => sql`select * from players`)).toEqual(
      players
    )
    expect(codeOf(await remove("gone"))).toBe("E_ROOM_NOT_FOUND")
    // The same id is a fresh room.
    expect(await rooms().valueOf("gone")).toBe(0)
  })

  it("[state.room.delete-awake-noforce] [rooms.delete.force.value] [error.http.E_ROOM_IN_USE] an awake room stays, and so does all of it", async () => {
    const room = await rooms().join("busy")
    await room.request("addDurably", { by: 3 })
    const keys = await objectKeys(service.databaseUrl, "/busy/")
    for (const query of ["", "?force=false", "?force=1", "?force="]) {
      const answer = await remove("busy", query)
      expect([answer.status, codeOf(answer)]).toEqual([409, "E_ROOM_IN_USE"])
    }
    const unknown = await remove("busy", "?force=true&now=1")
    expect([unknown.status, codeOf(unknown)]).toEqual([400, "E_BAD_REQUEST"])
    expect(await objectKeys(service.databaseUrl, "/busy/")).toEqual(keys)
    expect(await room.request("add", { by: 1 })).toEqual({ value: 4 })
    await room.leave()
  })

  it("[state.room.force-delete] [state.room.force-delete.clients-stop] clients are closed with 4291 first, and stop; then all is gone", async () => {
    const room = await rooms().join("forced")
    await room.request("addDurably", { by: 3 })
    const left = new Promise<unknown>((resolve) => room.onLeave((code) => resolve(code)))
    const identity = await call(service.url, "/v1/identity", { body: { project: service.project } })
    const raw = new RawClient(
      `${service.url.replace("http", "ws")}/v1/rooms/${service.project}/forced`
    )
    await raw.hello(String(identity.body["token"]))
    const answer = await remove("forced", "?force=true")
    expect(answer.status).toBe(200)
    expect(answer.body["objects"]).toBeGreaterThan(0)
    expect(await raw.closed).toEqual({ code: 4291, reason: "E_ROOM_DELETED" })
    expect(await left).toBe(4291)
    expect(await objectKeys(service.databaseUrl, "/forced/")).toEqual([])
    expect(codeOf(await rooms().ask("/forced"))).toBe("E_ROOM_NOT_FOUND")
  })

  it("[state.room.delete-race-fresh-room] who comes back meanwhile has a fresh room that stays", async () => {
    for (let round = 0; round < 5; round++) {
      const room = await rooms().join("race")
      await room.request("addDurably", { by: 10 })
      const joins = [rooms().join("race"), rooms().join("race")].map(settled)
      const deletes = [remove("race", "?force=true"), remove("race", "?force=true")]
      const [back, answers] = await Promise.all([Promise.all(joins), Promise.all(deletes)])
      for (const { status } of answers) expect([200, 404]).toContain(status)
      expect(answers.some(({ status }) => status === 200)).toBe(true)
      const fresh = await rooms().join("race")
      const value = fresh.state.counter.value
      expect(value).toBe(0)
      expect(await fresh.request("addDurably", { by: 1 })).toEqual({ value: 1 })
      for (const one of back) await one?.leave()
      await fresh.leave()
      await until("it sleeps", async () => (await rooms().status("race")) === "hibernated")
      expect(await rooms().valueOf("race")).toBe(1)
      expect((await remove("race", "?force=true")).status).toBe(200)
    }
  }, 60_000)
})

/** A join that may be refused, as the room is on its way out. */
const settled = async <T>(join: Promise<T>): Promise<T | null> => join.catch(() => null)
