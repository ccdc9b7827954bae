import { readSave } from "@atrium/sdk/saves"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { describe, expect, it } from "vitest"

import { RawClient } from "../testing/RawClient.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { codeOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, until } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()
const rooms = () => roomsOf(service)

interface SaveRow {
  readonly saveId: string
  readonly createdAt: string
  readonly bytes: number
  readonly version: number
  readonly schemaHash: string
  readonly reason: string
}

const savesOf = async (roomId: string): Promise<ReadonlyArray<SaveRow>> => {
  const response = await fetch(
    `${service.url}/v1/projects/${service.project}/rooms/${roomId}/saves`,
    { headers: { authorization: `Bearer ${service.token}` } }
  )
  expect(response.status).toBe(200)
  return response.json()
}

const bytesOf = (roomId: string, saveId: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/v1/projects/${service.project}/rooms/${roomId}/saves/${saveId}/bytes`, {
    headers: { authorization: `Bearer ${service.token}`, ...headers }
  })

describe("saves", () => {
  it("[route.saves.list] [saves.newest-first] [saves.item-fields] [rooms.row.lastSeen.clock] generations with their fields, newest first", async () => {
    const room = await rooms().join("saved")
    await room.request("add", { by: 5 })
    await room.request("save", {})
    await room.request("add", { by: 6 })
    await room.leave()
    await until("it sleeps", async () => (await rooms().status("saved")) === "hibernated")
    const saves = await savesOf("saved")
    expect(saves.map(({ reason }) => reason)).toEqual(["hibernate", "manual"])
    for (const save of saves) {
      expect(Object.keys(save)).toEqual([
        ...["saveId", "createdAt", "bytes", "version", "schemaHash", "reason"]
      ])
      expect(save).toEqual({
        ...{ saveId: expect.stringMatching(/^sv_[0-9a-f]{16}$/), version: 1 },
        ...{ createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), bytes: expect.any(Number) },
        ...{ schemaHash: expect.stringMatching(/^[0-9a-f]{16}$/), reason: expect.any(String) }
      })
    }
    const [newest, oldest] = saves
    expect(Date.parse(newest?.createdAt ?? "")).toBeGreaterThan(Date.parse(oldest?.createdAt ?? ""))
    const { body } = await rooms().ask("/saved")
    expect(body["saves"]).toBe(2)
    // Both by the service's own clock, the report behind the storage.
    const behindMs = Date.parse(String(body["lastSeen"])) - Date.parse(newest?.createdAt ?? "")
    expect(behindMs).toBeGreaterThanOrEqual(0)
    expect(behindMs).toBeLessThan(5000)
  })

  it("[route.saves.bytes] [saves.bytes-raw] the bytes decode, and carry a strong etag", async () => {
    const [newest, oldest] = await savesOf("saved")
    if (newest === undefined || oldest === undefined) throw new Error("no saves")
    const answer = await bytesOf("saved", newest.saveId)
    expect(answer.status).toBe(200)
    expect(answer.headers.get("content-type")).toBe("application/octet-stream")
    const etag = answer.headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[^"]+"$/)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    expect(bytes.length).toBe(newest.bytes)
    expect(readSave(probe, bytes).state.counter.value).toBe(11)
    const known = await bytesOf("saved", newest.saveId, { "if-none-match": `"x", ${etag}` })
    expect([known.status, await known.text()]).toEqual([304, ""])
    const other = await bytesOf("saved", oldest.saveId, { "if-none-match": etag })
    expect([other.status, other.headers.get("etag") === etag]).toEqual([200, false])
    const older = readSave(probe, new Uint8Array(await other.arrayBuffer()))
    expect(older.state.counter.value).toBe(5)
  })

  it("[saves.identified-by-saveId] [saves.restore.body] a generation that is not there, on both routes", async () => {
    for (const saveId of ["sv_0123456789abcdef", "sv_", "..", "%2e%2e%2falarm"]) {
      const bytes = await rooms().ask(`/saved/saves/${saveId}/bytes`)
      expect([saveId, bytes.status]).toEqual([saveId, 404])
      const restore = await rooms().ask("/saved/restore", { body: { saveId } })
      expect([restore.status, codeOf(restore)]).toEqual([404, "E_SAVE_NOT_FOUND"])
    }
    for (const body of [{}, { saveId: 1 }, { saveId: "sv_1", now: true }, []]) {
      const answer = await rooms().ask("/saved/restore", { body })
      expect([answer.status, codeOf(answer)]).toEqual([400, "E_BAD_REQUEST"])
    }
  })
})

describe("a restore", () => {
  const restored = (roomId: string) =>
    until("the restore takes effect", async () =>
      (await savesOf(roomId)).some(({ reason }) => reason === "restore")
    )

  it("[route.saves.restore] [saves.restore.queued] [saves.restore.response] [state.room.restore.discards-current] the save takes the place of the state", async () => {
    const room = await rooms().join("back")
    await room.request("add", { by: 5 })
    await room.request("save", {})
    await room.request("addDurably", { by: 70 })
    const [save] = await savesOf("back")
    const asked = await rooms().ask("/back/restore", { body: { saveId: save?.saveId } })
    expect(asked).toEqual({
      status: 202,
      body: {
        ...{ roomId: "back", saveId: save?.saveId, status: "queued" },
        queuedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/)
      }
    })
    await restored("back")
    // The client comes back by itself, into the state of the save.
    await until("the client is back", () => room.state.counter.value === 5)
    await room.leave()
    await until("it sleeps", async () => (await rooms().status("back")) === "hibernated")
    expect(await rooms().valueOf("back")).toBe(5)
    const bytes = await bytesOf("back", save?.saveId ?? "")
    expect(bytes.status).toBe(200)
    await bytes.arrayBuffer()
  })

  it("[state.room.restore.server-stopped] [state.room.restore.others-unchanged] the others return as they were", async () => {
    await rooms().asleep("again", 1)
    const other = await rooms().join("other")
    await other.request("add", { by: 33 })
    const identity = await call(service.url, "/v1/identity", { body: { project: service.project } })
    const raw = new RawClient(
      `${service.url.replace("http", "ws")}/v1/rooms/${service.project}/other`
    )
    await raw.hello(String(identity.body["token"]))
    const [save] = await savesOf("again")
    const later = await rooms().join("again")
    await later.request("addDurably", { by: 50 })
    await later.leave()
    await until("it sleeps", async () => (await rooms().status("again")) === "hibernated")
    const asked = await rooms().ask("/again/restore", { body: { saveId: save?.saveId } })
    expect(asked.status).toBe(202)
    expect(await raw.closed).toEqual({ code: 1012, reason: "E_ROOM_RESTARTING" })
    expect(raw.frames.every((frame) => frame[0] !== ServerFrame.error)).toBe(true)
    await restored("again")
    await until("the other room's client is back", async () => {
      const answer = await other.request("add", { by: 0 }).catch(() => null)
      return answer?.value === 33
    })
    await other.leave()
    expect(await rooms().valueOf("again")).toBe(1)
  })
})
