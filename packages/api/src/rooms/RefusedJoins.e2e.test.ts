import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { expect, it } from "vitest"

import { objectKeys } from "../testing/ObjectWrites.ts"
import { RawClient } from "../testing/RawClient.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest({
  env: {
    ATRIUM_TRUSTED_PROXIES: "127.0.0.1",
    SERVICE_CONNECTIONS_PER_IP_PER_MIN: "1000"
  }
})
const newClient = (): Client => new Client(service.url, { project: service.project })
/** The room's `onAuth` refuses these options. */
const refused = (roomId: string) =>
  newClient().joinOrCreate(probe, { roomId, options: "refuse me" })
const joinRefused = { code: "E_JOIN_REFUSED", reason: "the room refuses" }
const isGone = (roomId: string) =>
  until(`${roomId} is gone`, async () => (await roomsOf(service).ask(`/${roomId}`)).status === 404)

it("[C-224] a new room that refuses its first join is neither listed nor stored", async () => {
  await expect(refused("nobody")).rejects.toMatchObject(joinRefused)
  await isGone("nobody")
  expect(Object.values((await roomsOf(service).ask("")).body)).toEqual([])
  expect(await objectKeys(service.databaseUrl, "/nobody/")).toEqual([])
  // Nothing of it is left in the way of a room of this name.
  const room = await newClient().joinOrCreate(probe, { roomId: "nobody" })
  expect(room.state.counter.starts).toBe(1)
  await room.leave()
})

it("[C-224] a room that exists keeps its state and its clients when it refuses a join, awake or asleep", async () => {
  const rooms = roomsOf(service)
  await rooms.asleep("somebody", 7)
  await expect(refused("somebody")).rejects.toMatchObject(joinRefused)
  await until("it sleeps again", async () => (await rooms.status("somebody")) === "hibernated")
  const inside = await rooms.join("somebody")
  await expect(refused("somebody")).rejects.toMatchObject(joinRefused)
  expect(await inside.request("add", { by: 1 })).toEqual({ value: 8 })
  await inside.leave()
  expect(await rooms.valueOf("somebody")).toBe(8)
})

it("[C-224] a client that comes just then is in the room, and stays", async () => {
  for (let round = 0; round < 6; round++) {
    const roomId = `both-${round}`
    const drops: Array<number> = []
    const first = refused(roomId).then(
      () => null,
      (error: unknown) => error
    )
    // Later and later: beside the refused join, at its refusal, while the room is removed.
    if (round % 3 === 1) await first
    if (round % 3 === 2) await isGone(roomId)
    const room = await newClient().joinOrCreate(probe, { roomId })
    room.onDrop((code) => drops.push(code))
    expect(await first).toMatchObject(joinRefused)
    expect(await room.request("addDurably", { by: 1 })).toEqual({ value: 1 })
    expect((await roomsOf(service).ask(`/${roomId}`)).status).toBe(200)
    expect(drops).toEqual([])
    await room.leave()
  }
})

it("[C-224] refused joins do not count as new rooms of an address", async () => {
  const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
  const base = `${service.url.replace("http", "ws")}/v1/rooms/${service.project}`
  const from = { "x-forwarded-for": "198.51.100.7" }
  const refusal = async (name: string): Promise<unknown> => {
    const client = new RawClient(`${base}/${name}`, from)
    const [token, type, options] = [String(body["token"]), "probe", "refuse me"]
    await client.send([ClientFrame.hello, token, type, null, null, options])
    const frame = await client.next(([kind]) => kind === ServerFrame.error)
    await client.closed
    return frame[1]
  }
  const most = ConnectionLimits.newRooms.burst + 5
  for (let count = 0; count < most; count++) {
    expect(await refusal(`new-${count}`)).toBe("E_JOIN_REFUSED")
    await isGone(`new-${count}`)
  }
}, 120_000)
