import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

import { as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { codeOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deployAnew } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const rooms = () => roomsOf(service)
const base = (): string => `/v1/projects/${service.project}`
const files = ["rooms/probe.ts", "rooms/single.ts"]

const mint = (roomId: string) =>
  call(service.url, `${base()}/test-players`, { token: service.token, body: { roomId } })
const tester = async (roomId: string): Promise<Client> => {
  const { status, body } = await mint(roomId)
  if (status !== 201) throw new Error(`no test player: ${JSON.stringify(body)}`)
  return new Client(service.url, { project: service.project, token: String(body["token"]) })
}
const branch = (saveId: string, roomId: string, source = "origin") =>
  rooms().ask(`/${source}/saves/${saveId}/branch`, { method: "POST", body: { roomId } })

const savesOf = async (room: string): Promise<ReadonlyArray<{ saveId: string }>> => {
  const { body } = await rooms().ask(`/${room}/saves`)
  return Object.values(Object(body))
}

let saveId = ""

beforeAll(async () => {
  const room = await rooms().join("origin")
  await room.request("add", { by: 7 })
  await room.request("alarmIn", { ms: 50 })
  await until("the alarm", () => room.state.counter.alarms === 1)
  await room.request("alarmIn", { ms: 3_600_000 })
  await room.request("save", {})
  await room.request("add", { by: 1 })
  const save = await until("the save", async () => (await savesOf("origin"))[0] ?? false)
  saveId = save.saveId
  await room.leave()
})

describe("a branch", () => {
  it("[D-58] [C-778] is a sleeping room with the state of the save, for test players alone", async () => {
    const made = await branch(saveId, "copy")
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      roomId: "copy",
      type: "probe",
      status: "hibernated",
      retentionOverride: "7d"
    })
    const [first] = await until("its life is told", async () => {
      const { text } = await ask(service, `${base()}/rooms/copy/life`, as(service.token))
      const events: ReadonlyArray<unknown> = JSON.parse(text)
      return events.length > 0 && events
    })
    expect(first).toMatchObject({ kind: "restored", saveId, detail: "a branch of origin" })

    await expect(rooms().join("copy")).rejects.toMatchObject({ code: "E_BRANCH" })
    const room = await (await tester("copy")).joinOrCreate(probe, { roomId: "copy" })
    // An awake branch refuses the same players as a sleeping one.
    await expect(rooms().join("copy")).rejects.toMatchObject({ code: "E_BRANCH" })
    expect(room.playerId).toMatch(/^pl_test_/)
    expect(room.state.counter).toMatchObject({ value: 7, alarms: 1 })
    await room.request("add", { by: 100 })
    await room.request("list", {})
    await room.request("score", { by: 1 })
    const listed = await rooms().join("lobby-room")
    await listed.request("list", {})
    const lobby = await until("an ordinary room is listed", async () => {
      const { body } = await call(service.url, `/v1/lobby?project=${service.project}`)
      const text = JSON.stringify(body)
      return text.includes("lobby-room") && text
    })
    expect(lobby).not.toContain("copy")
    await listed.leave()
    const set = await rooms().ask("/copy", { method: "PATCH", body: { public: true } })
    expect([set.status, codeOf(set)]).toEqual([409, "E_BRANCH"])
    await room.leave()

    expect(await rooms().valueOf("origin")).toBe(8)
    const deleted = await rooms().ask("/copy?force=true", { method: "DELETE" })
    expect(deleted.status).toBe(200)
    expect((await rooms().ask("/copy")).status).toBe(404)
  })

  it("[D-58] stays on the version of its save, and its alarms do not ring", async () => {
    expect((await branch(saveId, "stays")).status).toBe(201)
    const room = await (await tester("stays")).joinOrCreate(probe, { roomId: "stays" })
    const { version } = await room.request("version", {})
    await room.request("alarmIn", { ms: 1 })
    const { body } = await deployAnew(service, files)
    expect(body["version"]).not.toBe(version)
    const other = await rooms().join("follows")
    expect(await other.request("version", {})).toEqual({ version: body["version"] })
    expect(await room.request("version", {})).toEqual({ version })
    await other.request("alarmIn", { ms: 50 })
    await until("the other room's alarm", () => other.state.counter.alarms === 1)
    expect(room.state.counter.alarms).toBe(1)
    await room.leave()
    await other.leave()
    await until("it sleeps", async () => (await rooms().status("stays")) === "hibernated")
    const again = await (await tester("stays")).joinOrCreate(probe, { roomId: "stays" })
    expect(await again.request("version", {})).toEqual({ version })
    expect(again.state.counter.alarms).toBe(1)
    await again.leave()
  })

  it("[D-58] needs a save, and an id that no room has", async () => {
    const { length } = await savesOf("origin")
    const taken = await branch(saveId, "origin")
    expect([taken.status, codeOf(taken)]).toEqual([409, "E_ROOM_EXISTS"])
    for (const unknown of ["sv_00000000000000ff", "x"]) {
      const none = await branch(unknown, "none")
      expect([none.status, codeOf(none)]).toEqual([404, "E_SAVE_NOT_FOUND"])
    }
    for (const unknown of ["nowhere", "a%20b"]) {
      const none = await branch(saveId, "none", unknown)
      expect([none.status, codeOf(none)]).toEqual([404, "E_ROOM_NOT_FOUND"])
    }
    expect((await branch(saveId, "not an id")).status).toBe(400)
    expect((await rooms().ask("/none")).status).toBe(404)
    expect(await savesOf("origin")).toHaveLength(length)
  })

  it("[D-58] is not made at the storage wall", async () => {
    const caps = (storageBytes: number | null) =>
      call(service.url, `${base()}/caps`, {
        token: service.token,
        method: "PATCH",
        body: { caps: { storageBytes } }
      })
    await caps(0)
    const walled = await branch(saveId, "walled")
    expect([walled.status, codeOf(walled)]).toEqual([402, "E_CAP_REACHED"])
    await caps(null)
  })

  it("[D-58] is made for a key that writes rooms, and for no other key", async () => {
    const branches = `${base()}/rooms/origin/saves/${saveId}/branch`
    const byKey = { method: "POST", body: { roomId: "by-key" } }
    const writes = await mintKey(service, ["rooms:write"])
    expect((await ask(service, branches, as(writes.secret, byKey))).status).toBe(201)
    const reads = await mintKey(service, ["rooms:read"])
    const denied = await ask(service, branches, as(reads.secret, byKey))
    expect([denied.status, errorOf(denied).code]).toEqual([403, "E_SCOPE"])
  })
})
