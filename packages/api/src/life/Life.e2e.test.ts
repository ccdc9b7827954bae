import type { LifeEvent } from "@atrium/domain/life/LifeEvent"
import { until } from "@atrium/domain/testing/Until"
import { expect, it } from "vitest"

import { as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { followList } from "../testing/LiveReader.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { deployAnew } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const path = (room = "lived") => `/v1/projects/${service.project}/rooms/${room}/life`

const life = async (): Promise<ReadonlyArray<LifeEvent>> => {
  const answer = await ask(service, path(), as(service.token))
  expect(answer.status, answer.text).toBe(200)
  return JSON.parse(answer.text)
}
const told = (kind: LifeEvent["kind"]): Promise<LifeEvent> =>
  until(kind, async () => (await life()).find((event) => event.kind === kind) ?? false)

it("[C-772] one line of time tells what happened to a room, the newest first, and as it comes", async () => {
  const rooms = roomsOf(service)
  const room = await rooms.join("lived")
  const live = await followList<LifeEvent>(service, { path: path(), keyOf: ({ id }) => id })
  const created = await told("created")
  expect(created).toMatchObject({ version: 1, server: expect.stringMatching(/^srv_[0-9a-f]{12}$/) })
  await room.request("save", {})
  const saved = await told("saved")
  expect(saved).toMatchObject({ reason: "manual", version: 1, saveId: saved.id })
  await room.request("crash", {}).catch(() => undefined)
  const crashed = await told("crashed")
  expect(crashed).toMatchObject({ reason: "crashed", detail: "Error: crashed on purpose" })
  expect(crashed.staleMs).toBeGreaterThanOrEqual(0)
  await told("restarted")
  await rooms.ask("/lived", { method: "PATCH", body: { retention: "3d", public: true } })
  expect((await told("set")).detail).toBe("retention 3d, public")
  await room.leave()
  expect((await told("slept")).reason).toBe("empty")
  await deployAnew(service, ["rooms/probe.ts", "rooms/single.ts"])
  await (await rooms.join("lived")).leave()
  expect(await told("woken")).toMatchObject({ version: 2 })
  expect(await told("deployed")).toMatchObject({ version: 2, id: "v2" })
  await until("it sleeps", async () => (await rooms.status("lived")) === "hibernated")
  await rooms.ask("/lived/restore", { method: "POST", body: { saveId: saved.saveId } })
  expect((await told("restored")).saveId).toBe(saved.saveId)

  const all = await life()
  const moments = all.map(({ at }) => at)
  expect(moments).toEqual(moments.toSorted().toReversed())
  const order = all.map(({ kind }) => kind).toReversed()
  const wanted = [
    "created",
    "crashed",
    "restarted",
    "set",
    "slept",
    "deployed",
    "woken",
    "restored"
  ]
  expect(order.filter((kind) => wanted.includes(kind)).join()).toMatch(
    /^created,crashed,restarted,set,slept,deployed,woken,(?:slept,)?restored$/
  )
  await until("the live reader has all of it", () => all.every(({ id }) => live.rows.has(id)))
  live.close()
  await live.ended

  await rooms.ask("/lived", { method: "DELETE" })
  expect((await ask(service, path(), as(service.token))).status).toBe(404)
  // A room of the same id has a life of its own.
  await (await rooms.join("lived")).leave()
  expect((await told("created")).at > created.at).toBe(true)
  expect((await life()).filter(({ kind }) => kind === "crashed")).toEqual([])
})

it("[D-03] a room's life is told to a login of its project", async () => {
  const { secret } = await mintKey(service, ["rooms:read", "rooms:write"])
  expect((await ask(service, path())).status).toBe(401)
  expect((await ask(service, path(), as(secret))).status).toBe(401)
  for (const room of ["nowhere", "a%20b"]) {
    const missing = await ask(service, path(room), as(service.token))
    expect([missing.status, errorOf(missing).code]).toEqual([404, "E_ROOM_NOT_FOUND"])
  }
  const foreign = path().replace(service.project, "p_00000000000000ee")
  const answer = await ask(service, foreign, as(service.token))
  expect([answer.status, errorOf(answer).code]).toEqual([404, "E_NOT_FOUND"])
})
