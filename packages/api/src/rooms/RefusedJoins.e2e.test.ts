import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { objectKeys } from "../testing/ObjectWrites.ts"
import { RawClient } from "../testing/RawClient.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy, deployAnew } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest({
  args: ["--control-port", "0"],
  env: { ATRIUM_TRUSTED_PROXIES: "127.0.0.1" }
})
const control = controlOf(service)
const newClient = (): Client => new Client(service.url, { project: service.project })
/** The room's `onAuth` refuses these options. */
const refused = (roomId: string) =>
  newClient().joinOrCreate(probe, { roomId, options: "refuse me" })
const joinRefused = { code: "E_JOIN_REFUSED", reason: "the room refuses", closeCode: 4420 }
const isGone = (roomId: string, of: Parameters<typeof roomsOf>[0] = service) =>
  until(`${roomId} is gone`, async () => (await roomsOf(of).ask(`/${roomId}`)).status === 404)

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
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "full" } })
  const full = { url, token, project: String(made.body["id"]) }
  const { body } = await call(url, "/v1/identity", { body: { project: full.project } })
  const identity = String(body["token"])
  /** Greets a room of the project from one address: the code of the refusal, or `null`. */
  const join = async (name: string, type: string, options: string | null) => {
    const from = { "x-forwarded-for": "198.51.100.7" }
    const address = `${url.replace("http", "ws")}/v1/rooms/${full.project}/${name}`
    const client = new RawClient(address, from)
    await client.send([ClientFrame.hello, identity, type, null, null, options])
    const frame = await client.next(
      ([kind]) => kind === ServerFrame.error || kind === ServerFrame.welcome
    )
    client.leave()
    await client.closed
    return frame[0] === ServerFrame.error ? frame[1] : null
  }

  // Relay rooms have no process, and spend the address's allowance but for one room.
  expect((await deploy(full, ["rooms/boardSchema.ts"])).status).toBe(201)
  await control.ask("clock/hold", { held: true })
  for (let count = 1; count < ConnectionLimits.newRooms.burst; count++) {
    expect(await join(`relay-${count}`, "board", null)).toBe(null)
  }
  expect((await deploy(full, ["rooms/probe.ts"])).status).toBe(201)
  for (const name of ["one", "two", "three"]) {
    expect(await join(name, "probe", "refuse me")).toBe("E_JOIN_REFUSED")
    // A room is reported gone within 250 ms. The address gets no room back in all three of them.
    await control.ask("clock/advance", { ms: 300 })
    await isGone(name, full)
  }
  expect(await join("last", "probe", null)).toBe(null)
  expect(await join("past", "probe", null)).toBe("E_RATE_LIMITED")
  await control.ask("clock/hold", { held: false })
})

const isNowhere = async (roomId: string): Promise<void> => {
  await isGone(roomId)
  const listed = Object.values((await roomsOf(service).ask("")).body)
  expect(listed.map((row) => Object(row).roomId)).not.toContain(roomId)
  expect(await objectKeys(service.databaseUrl, `/${roomId}/`)).toEqual([])
}

/** A client of a new room whose `onAuth` neither takes nor refuses it. */
const held = async (roomId: string): Promise<RawClient> => {
  const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
  const base = `${service.url.replace("http", "ws")}/v1/rooms/${service.project}`
  const client = new RawClient(`${base}/${roomId}`)
  const [token, type, options] = [String(body["token"]), "probe", "hold me"]
  await client.send([ClientFrame.hello, token, type, null, null, options])
  await until(`${roomId} is up`, async () => (await roomsOf(service).status(roomId)) === "awake")
  return client
}

it(
  "[C-224] a new room that let nobody in is gone after a redeploy, a shutdown and the loss of its runner",
  { tags: ["thorough"] },
  async () => {
    const redeployed = await held("redeployed")
    expect((await deployAnew(service, ["rooms/probe.ts", "rooms/single.ts"])).status).toBe(201)
    expect(await redeployed.closed).toMatchObject({ code: 1012 })
    await isNowhere("redeployed")

    const shutDown = await held("shut-down")
    expect(await service.stop()).toBe(0)
    expect(await shutDown.closed).toMatchObject({ code: 1012 })
    await service.start()
    expect((await roomsOf(service).ask("/shut-down")).status).toBe(404)
    await isNowhere("shut-down")

    await held("lost")
    await service.stop("SIGKILL")
    await service.start()
    await isNowhere("lost")
    // The id is free: a join that names no type finds no room, one that names a type makes it.
    const player = await roomsOf(service).player()
    await expect(player.joinById("lost", probe)).rejects.toMatchObject({ code: "E_ROOM_NOT_FOUND" })
    const room = await roomsOf(service).join("lost")
    expect(room.state.counter.starts).toBe(1)
    await room.leave()
  }
)
