import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { until } from "@atrium/domain/testing/Until"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { beforeAll, describe, expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { sleep } from "../testing/load/Tasks.ts"
import { RelayClient } from "../testing/RelayClient.ts"
import { board as changed } from "../testing/rooms/boardChanged.ts"
import { board } from "../testing/rooms/boardSchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy, deployAnew } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService("controlled")
const control = controlOf(service)
let target: { readonly url: string; readonly token: string; readonly project: string }

const newProject = async (name: string) => {
  const { body } = await call(service.url, "/v1/projects", { token: service.token, body: { name } })
  return { url: service.url, token: service.token, project: String(body["id"]) }
}

beforeAll(async () => {
  target = await newProject("relay")
  await deploy(target, ["rooms/boardSchema.ts"])
})

const join = (room: string, back: { token?: string; resume?: unknown } = {}) =>
  RelayClient.join(target, { room, schema: board }, back)

const statusOf = async (room: string): Promise<unknown> =>
  (await roomsOf(target).ask(`/${room}`)).body["status"]

describe("clients write the state", () => {
  it("[D-24] a frame that is refused changes nothing, and the connection stays", async () => {
    const ann = await join("refused")
    const bob = await join("refused")
    const refusals: ReadonlyArray<readonly [string, ReadonlyArray<object>]> = [
      [
        "E_WRITE_REJECTED",
        [
          { op: "add", c: "shapes" },
          { op: "add", c: "nothing" }
        ]
      ],
      [
        "E_WRITE_REJECTED",
        [
          { op: "add", c: "shapes" },
          { op: "add", c: "shapes", v: { x: 256 } }
        ]
      ],
      ["E_WRITE_REJECTED", [{ op: "set", c: "shapes", k: 77, v: {} }]],
      ["E_WRITE_REJECTED", []],
      ["E_WRITE_REJECTED", [{ op: "add", c: "blobs", v: { data: new Uint8Array(66_000) } }]],
      ["E_WRITE_RATE", Array.from({ length: 36 }, () => ({ op: "add", c: "shapes" }))]
    ]
    for (const [code, ops] of refusals) expect((await ann.write(...ops))[1]).toBe(code)
    expect(await ann.write({ op: "add", c: "shapes" })).toMatchObject([24, refusals.length, [1]])
    expect((await bob.write({ op: "set", c: "shapes", k: 1, v: { x: 1 } }))[1]).toBe("E_NOT_OWNER")
    expect((await bob.write({ op: "remove", c: "shapes", k: 1 }))[1]).toBe("E_NOT_OWNER")
    // Frames that only rooms with code take, and a malformed own.
    await bob.raw.send([ClientFrame.msg, 0, null])
    expect(await bob.next(21)).toMatchObject({ 1: "E_BAD_MESSAGE", 3: 0 })
    await bob.raw.send([ClientFrame.rpc, 7, 0, null])
    expect(await bob.next(19)).toMatchObject([19, 7, false, ["E_BAD_MESSAGE", expect.anything()]])
    await bob.raw.send([ClientFrame.own, 5, 5])
    expect(await bob.next(21)).toMatchObject({ 1: "E_BAD_MESSAGE" })
    await bob.raw.send([ClientFrame.ping, 1])
    expect(await bob.next(ServerFrame.pong)).toEqual([22, 1])
    for (const client of [ann, bob]) client.raw.leave()
  })

  it("[D-24] a room with code takes no relay frames", async () => {
    const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
    const room = { room: "coded", schema: board }
    const { single } = await import("../testing/rooms/singleSchema.ts")
    const client = await RelayClient.join(
      service,
      { ...room, schema: single },
      { token: String(body["token"]) }
    )
    await client.raw.send([ClientFrame.write, 3, []])
    expect(await client.next(21)).toMatchObject({ 1: "E_BAD_MESSAGE", 3: 3 })
    for (const type of [ClientFrame.own, ClientFrame.ownAnswer, ClientFrame.send]) {
      await client.raw.send([type, null, null])
      expect(await client.next(21)).toMatchObject({ 1: "E_BAD_MESSAGE", 3: null })
    }
    client.raw.leave()
  })
})

describe("a relay room", () => {
  it("[D-24] a client that comes back has its session, its records and the state", async () => {
    const ann = await join("resumed")
    const bob = await join("resumed")
    await ann.write({ op: "add", c: "shapes", v: { x: 5 } })
    ann.raw.cut()
    const back = await join("resumed", { token: ann.token, resume: ann.resume })
    expect([back.id, back.state]).toMatchObject([ann.id, { shapes: [{ id: 1, x: 5 }] }])
    expect(await back.write({ op: "set", c: "shapes", k: 1, v: { x: 6 } })).toMatchObject({ 0: 24 })
    for (const client of [back, bob]) client.raw.leave()
  })

  it("[C-15] that is killed starts again from what was stored, under open connections", async () => {
    const ann = await join("killed")
    await ann.write({ op: "add", c: "shapes", v: { x: 7 } })
    ann.raw.leave()
    await until("the room sleeps", async () => (await statusOf("killed")) === "hibernated")
    const [bob, cyd] = [await join("killed"), await join("killed")]
    const { body } = await control.ask("servers/list", { project: target.project })
    const servers: ReadonlyArray<{ id: string; rooms: ReadonlyArray<string> }> = Object(
      body["servers"]
    )
    const server = servers.find(({ rooms }) => rooms.includes("killed"))?.id
    expect((await control.ask("servers/kill", { server })).status).toBe(200)
    for (const client of [bob, cyd]) {
      await client.next(ServerFrame.welcome)
      expect(client.state).toMatchObject({ shapes: [{ id: 1, x: 7 }] })
    }
    expect(await bob.write({ op: "add", c: "shapes" })).toMatchObject({ 0: 24, 2: [2] })
    await cyd.next(ServerFrame.patch)
    expect(cyd.state).toEqual(bob.state)
    for (const client of [bob, cyd]) client.raw.leave()
  })
})

describe("a redeploy", () => {
  it("[relay.same-schema-preserves] [relay.schema-change-resets] of the same schema changes nothing; another one starts rooms anew", async () => {
    target = await newProject("redeployed")
    expect(await deploy(target, ["rooms/boardSchema.ts"])).toMatchObject({
      status: 201,
      body: { version: 1, relay: true, roomTypes: [{ type: "board", maxClients: 3 }] }
    })
    const ann = await join("played")
    await ann.write({ op: "add", c: "shapes", v: { x: 8 } })
    expect((await deployAnew(target, ["rooms/boardSchema.ts"])).body).toMatchObject({ version: 2 })
    // The moves of a deployment are over after three looks: nothing has happened to the room.
    const sinceAt = performance.now()
    while (performance.now() - sinceAt < 4 * RoomLimits.moveLook.ms) {
      expect(await ann.write({ op: "set", c: "topic", k: 0, v: {} })).toMatchObject({ 0: 24 })
      await sleep(200)
    }
    expect(await deploy(target, ["rooms/boardChanged.ts"])).toMatchObject({ status: 201 })
    expect(await ann.raw.closed).toEqual({ code: 1012, reason: "E_ROOM_RESTARTING" })
    const anew = await RelayClient.join(
      target,
      { room: "played", schema: changed },
      { token: ann.token, resume: ann.resume }
    )
    expect(anew.state).toEqual({ shapes: [] })
    expect(await anew.write({ op: "add", c: "shapes", v: { x: 999 } })).toMatchObject({ 2: [1] })
    // Back to the first schema: what was stored with it is gone, though the room has not run since.
    const slept = await RelayClient.join(target, { room: "slept", schema: changed })
    await slept.write({ op: "add", c: "shapes" })
    slept.raw.leave()
    await until("the room sleeps", async () => (await statusOf("slept")) === "hibernated")
    for (const file of ["rooms/boardSchema.ts", "rooms/boardChanged.ts", "rooms/boardChanged.ts"]) {
      expect((await deployAnew(target, [file])).status).toBe(201)
    }
    expect(await anew.raw.closed).toMatchObject({ code: 1012 })
    const woken = await RelayClient.join(target, { room: "slept", schema: changed })
    expect(woken.state).toEqual({ shapes: [] })
    // A save that is asked for is taken whatever was deployed since.
    const saved = roomsOf(target)
    woken.raw.leave()
    await until("the room sleeps", async () => (await statusOf("slept")) === "hibernated")
    const saves = Object.values((await saved.ask("/slept/saves")).body)
    expect(saves).toHaveLength(2)
    const { saveId } = Object(saves.at(-1))
    expect((await saved.ask("/slept/restore", { body: { saveId } })).status).toBe(202)
    await until("the restore takes effect", async () => {
      const after = Object.values((await saved.ask("/slept/saves")).body)
      return after.some((save) => Object(save).reason === "restore")
    })
    const back = await RelayClient.join(target, { room: "slept", schema: changed })
    expect(back.state).toMatchObject({ shapes: [{ id: 1 }] })
    // Code takes nothing over from rooms without it, nor they from it.
    expect((await deploy(target, ["rooms/single.ts"])).body).toMatchObject({ relay: false })
    expect(await back.raw.closed).toMatchObject({ code: 1012 })
  })
})
