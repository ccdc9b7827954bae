import type { RoomClient, RoomStateLook } from "@atrium/domain/inspect/InspectApi"
import { until } from "@atrium/domain/testing/Until"
import { expect, it } from "vitest"

import { devOf } from "../testing/DevProject.ts"
import { as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { followList } from "../testing/LiveReader.ts"
import { loginSteps, refusal } from "../testing/LoginSteps.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"
import { counterIn, followState } from "../testing/StateReader.ts"

const service = sharedService()
const pathOf = (room: string, end: string) => `/v1/projects/${service.project}/rooms/${room}/${end}`

const stateOf = async (room: string): Promise<RoomStateLook> => {
  const answer = await ask(service, pathOf(room, "state"), as(service.token))
  expect(answer.status, answer.text).toBe(200)
  return JSON.parse(answer.text)
}

it("[C-770] a look at a room tells its state as it changes, and is nobody in the room", async () => {
  const rooms = roomsOf(service)
  const room = await rooms.join("seen")
  const reader = await followState(service, "seen")
  await until("the first look", () => reader.looks.length > 0)
  const [first] = reader.looks
  expect(first).toMatchObject({ roomId: "seen", live: true, type: "probe", version: 1 })
  expect(first?.hidden).toEqual([])
  expect(Object(first?.schema)).toMatchObject({ type: "probe" })
  await room.request("add", { by: 7 })
  await until("the change", () => reader.looks.some((look) => counterIn(look) === 7))
  expect(reader.looks.at(-1)?.schema).toBe(null)
  expect(reader.looks.at(-1)?.schemaHash).toBe(first?.schemaHash)
  const { body } = await rooms.ask("")
  expect(JSON.stringify(body)).toContain('"clients":1')

  await room.leave()
  // It falls asleep although somebody looks, and nobody's look wakes it.
  await until("the stored state", () => reader.looks.at(-1)?.live === false)
  expect(counterIn(reader.looks.at(-1) ?? { state: null })).toBe(7)
  const stored = await stateOf("seen")
  expect([stored.live, counterIn(stored), await rooms.status("seen")]).toEqual([
    false,
    7,
    "hibernated"
  ])
  expect(stored.schema).toEqual(first?.schema)
  reader.close()
  await reader.ended
})

it("[D-60] [C-771] the clients of a room are listed as they come, and one that is kicked stays away", async () => {
  const rooms = roomsOf(service)
  const room = await rooms.join("kicked")
  const stays = await rooms.join("kicked")
  const reader = await followList<RoomClient>(service, {
    path: pathOf("kicked", "clients"),
    keyOf: ({ clientId }) => clientId
  })
  await until("both clients", () => reader.rows.size === 2)
  const row = reader.rows.get(room.sessionId)
  expect(row).toMatchObject({ clientId: room.sessionId, role: "player", status: "joined" })
  expect(row?.egressBytes).toBeGreaterThan(20)
  expect(Date.parse(row?.since ?? "")).toBeGreaterThan(Date.now() - 60_000)
  room.send("say", { text: "x".repeat(190) })
  await until("its bytes", () => {
    const { ingressBytes = 0 } = reader.rows.get(room.sessionId) ?? {}
    return ingressBytes > 190
  })
  const ends: Array<number> = []
  room.onLeave((code) => ends.push(code))
  const kick = (clientId: string) =>
    ask(
      service,
      pathOf("kicked", `clients/${clientId}/kick`),
      as(service.token, { method: "POST" })
    )
  // A page of another origin that has the visitor's session kicks nobody.
  const { ask: askAs, startSession } = loginSteps(service)
  const cookie = `atrium_session=${(await startSession()).secret}`
  const foreign = await askAs(pathOf("kicked", `clients/${room.sessionId}/kick`), {
    method: "POST",
    headers: { cookie, origin: "https://evil.example", "sec-fetch-site": "cross-site" }
  })
  expect([refusal(foreign), reader.rows.size, ends]).toEqual([[403, "E_ORIGIN"], 2, []])
  const kicked = await kick(room.sessionId)
  expect([kicked.status, JSON.parse(kicked.text)]).toEqual([200, { clientId: room.sessionId }])
  await until("the client is told", () => ends.length > 0)
  expect(ends).toEqual([4410])
  await until("the list is without it", () => reader.rows.size === 1)
  expect(reader.rows.has(stays.sessionId)).toBe(true)
  const again = await kick(room.sessionId)
  expect([again.status, errorOf(again).code]).toEqual([404, "E_CLIENT_NOT_FOUND"])
  const audit = await ask(service, `/v1/projects/${service.project}/audit`, as(service.token))
  const done = { action: "client.kick", target: room.sessionId, outcome: "done" }
  expect(JSON.parse(audit.text)).toContainEqual(expect.objectContaining(done))
  await stays.leave()
  reader.close()
  await reader.ended
})

it("[C-811] the clock of an awake room of dev is stepped, and its alarms go off", async () => {
  const dev = await devOf(service)
  // Another file may have deployed the same before.
  expect([200, 201]).toContain((await deploy(dev, ["rooms/probe.ts"])).status)
  const room = await roomsOf(dev).join("stepped")
  await room.request("alarmIn", { ms: 3_600_000 })
  const step = (stepMs: number, project = "dev", id = "stepped") =>
    call(service.url, `/v1/projects/${project}/rooms/${id}/clock`, {
      token: service.token,
      body: { stepMs }
    })
  const stepped = await step(3_590_000)
  expect([stepped.status, room.state.counter.alarms]).toEqual([200, 0])
  const atMs = Date.parse(String(stepped.body["at"]))
  expect(atMs - Date.now()).toBeGreaterThan(3_580_000)
  // A second step goes on from the first.
  const again = await step(20_000)
  expect(Date.parse(String(again.body["at"])) - atMs).toBeGreaterThanOrEqual(20_000)
  await until("the alarm has rung", () => room.state.counter.alarms === 1)
  for (const wrong of [0, 1.5, 30 * 86_400_000 + 1]) {
    expect((await step(wrong)).status).toBe(400)
  }
  await room.leave()
  await until("it sleeps", async () => (await roomsOf(dev).status("stepped")) === "hibernated")
  expect(refused(await step(1))).toMatch(/^400 E_BAD_REQUEST clock: the room is not awake/)
  const other = await roomsOf(service).join("unstepped")
  expect(refused(await step(1, service.project, "unstepped"))).toBe(
    "400 E_BAD_REQUEST clock: only that of a room of project dev can be stepped"
  )
  await other.leave()
})

const refused = ({ status, body }: Awaited<ReturnType<typeof call>>): string => {
  const { code, message } = Object(body["error"])
  return `${status} ${code} ${message}`
}

it("[D-03] [D-05] looks and kicks want a login, a project of the caller's and a room that is there", async () => {
  const { secret } = await mintKey(service, ["rooms:read", "rooms:write"])
  const routes = [
    ["GET", "state"],
    ["GET", "clients"],
    ["POST", "clients/x/kick"],
    ["POST", "clock"]
  ] as const
  for (const [method, end] of routes) {
    const path = pathOf("nowhere", end)
    const body = end === "clock" ? { body: { stepMs: 1 } } : {}
    expect((await ask(service, path, { method })).status).toBe(401)
    expect((await ask(service, path, as(secret, { method }))).status).toBe(401)
    const missing = await ask(service, path, as(service.token, { method, ...body }))
    expect([missing.status, errorOf(missing).code]).toEqual([404, "E_ROOM_NOT_FOUND"])
    const malformed = await ask(
      service,
      pathOf("a%20b", end),
      as(service.token, { method, ...body })
    )
    expect(malformed.text).toBe(missing.text)
    const foreign = `/v1/projects/p_00000000000000ee/rooms/nowhere/${end}`
    const answer = await call(service.url, foreign, { token: service.token, method, ...body })
    expect([answer.status, Object(answer.body["error"]).code]).toEqual([404, "E_NOT_FOUND"])
  }
})
