import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { SignJWT } from "jose"
import { beforeAll, describe, expect, it } from "vitest"

import { RelayClient } from "../testing/RelayClient.ts"
import { board } from "../testing/rooms/boardSchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const exempt = { ATRIUM_EXEMPT_ADDRESSES: "127.0.0.1" }
const service = serviceUnderTest({ env: exempt })

interface Target {
  readonly url: string
  readonly token: string
  readonly project: string
}
let target: Target

const newProject = async (name: string, files = ["rooms/boardSchema.ts"]): Promise<Target> => {
  const { body } = await call(service.url, "/v1/projects", { token: service.token, body: { name } })
  const made = { url: service.url, token: service.token, project: String(body["id"]) }
  await deploy(made, files)
  return made
}

const setRole = async ({ url, token, project }: Target, name: string, role: string | null) => {
  const set = { token, method: "PATCH", body: { name, audienceRole: role } }
  expect((await call(url, `/v1/projects/${project}`, set)).status).toBe(200)
}

const mint = (roomId: string, { url, project } = target) =>
  call(url, "/v1/audience", { body: { project, roomId } })
const credential = async (roomId: string, of = target): Promise<string> => {
  const { status, body } = await mint(roomId, of)
  expect(status).toBe(201)
  return String(body["token"])
}

const join = (room: string, token?: string, of = target) =>
  RelayClient.join(of, { room, schema: board }, token === undefined ? {} : { token })
const statusOf = async (room: string): Promise<unknown> =>
  (await roomsOf(target).ask(`/${room}`)).body["status"]

const isRefused = async ({ welcome, raw }: RelayClient, code: number): Promise<void> => {
  expect(welcome[0]).toBe(ServerFrame.error)
  expect((await raw.closed).code).toBe(code)
}

beforeAll(async () => {
  target = await newProject("watched")
  await setRole(target, "watched", "fan:1")
})

describe("a viewer", () => {
  it("[D-29] watches by the client library: sees, chats and sends, and writes nothing", async () => {
    const project = { project: target.project }
    const player = await new Client(service.url, project).joinOrCreate(board, { roomId: "seen" })
    const viewer = await new Client(service.url, project).watch("seen", board)
    expect([player.audience, viewer.audience]).toEqual([false, true])
    const ann = await join("seen")
    await ann.write({ op: "add", c: "shapes", v: { x: 4 } })
    await until("the shape", () => viewer.state.shapes.get(1)?.x === 4)
    const raw = await join("seen", await credential("seen"))
    expect(raw.welcome[6]).toBe(true)
    expect(await raw.write({ op: "add", c: "shapes" })).toMatchObject({ 1: "E_WRITE_REJECTED" })
    await raw.raw.send([ClientFrame.own, "shapes", 1])
    expect(await raw.next(ServerFrame.error)).toMatchObject({ 1: "E_WRITE_REJECTED" })
    await raw.raw.send([ClientFrame.send, null, "hi"])
    expect(await ann.next(ServerFrame.sent)).toEqual([ServerFrame.sent, raw.id, "hi"])
    await raw.raw.send([ClientFrame.chat, "gg"])
    expect(await ann.next(ServerFrame.chat)).toEqual([ServerFrame.chat, raw.id, "gg"])
    for (const client of [ann, raw]) client.raw.leave()
    await Promise.all([player.leave(), viewer.leave()])
  })

  it("[rooms.row.clients] [limits.audience.seats] [C-230] is not counted among the clients of a room, which the list shows within half a second", async () => {
    const shown = async (path: string, query = "") => {
      const { body } = await call(service.url, path + query, { token: service.token })
      const rooms: ReadonlyArray<Record<string, unknown>> = Array.isArray(body) ? body : []
      return rooms.find(({ roomId }) => roomId === "counted")?.["clients"]
    }
    const listed = () => shown(`/v1/projects/${target.project}/rooms`)
    const first = await join("counted")
    const viewers = await Promise.all(
      Array.from({ length: 3 }, async () => join("counted", await credential("counted")))
    )
    await until("one client is listed", async () => (await listed()) === 1)
    const waits: Array<number> = []
    for (let change = 0; change < 9; change++) {
      const since = performance.now()
      const second = await join("counted")
      await until("two clients are listed", async () => (await listed()) === 2)
      waits.push(performance.now() - since)
      second.raw.leave()
      await until("one client is listed", async () => (await listed()) === 1)
    }
    // The middle one: a machine with other work is late at times.
    expect(waits.toSorted((one, other) => one - other)[4]).toBeLessThan(500)
    const set = { token: service.token, method: "PATCH", body: { public: true } }
    await call(service.url, `/v1/projects/${target.project}/rooms/counted`, set)
    expect(await shown("/v1/lobby", `?project=${target.project}`)).toBe(1)
    const metrics = `/v1/projects/${target.project}/metrics`
    expect((await call(service.url, metrics, { token: service.token })).body["sockets"]).toBe(4)
    for (const client of [first, ...viewers]) client.raw.leave()
  })

  it("[C-121] wakes no room by asking for a credential, and has the room's state when it joins", async () => {
    const ann = await join("asleep")
    await ann.write({ op: "add", c: "shapes", v: { x: 7 } })
    ann.raw.leave()
    await until("the room sleeps", async () => (await statusOf("asleep")) === "hibernated")
    const token = await credential("asleep")
    expect(await statusOf("asleep")).toBe("hibernated")
    const viewer = await join("asleep", token)
    expect(viewer.state).toMatchObject({ shapes: [{ id: 1, x: 7 }] })
    viewer.raw.leave()
    await until("it sleeps again", async () => (await statusOf("asleep")) === "hibernated")
  })

  it("[C-121] a viewer makes no room, with any credential", async () => {
    expect(await mint("never")).toMatchObject({
      status: 404,
      body: { error: { code: "E_ROOM_NOT_FOUND" } }
    })
    expect(await mint("never", { ...target, project: "p_0000000000000000" })).toMatchObject({
      status: 404,
      body: { error: { code: "E_NOT_FOUND" } }
    })
    const signing = await newProject("signing")
    await setRole(signing, "signing", "viewer")
    const path = `/v1/projects/${signing.project}/jwt-secret`
    const { body } = await call(service.url, path, { token: service.token, body: {} })
    const token = await new SignJWT({ room: "never", role: "viewer" })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(signing.project)
      .setAudience("rooms")
      .setSubject("eve")
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode(String(body["secret"])))
    await isRefused(await join("never", token, signing), 4404)
    expect((await roomsOf(signing).ask("")).body).toEqual([])
  })

  it("[audienceRole.null-disables] [C-121] stays when the audience ends, and no other comes", async () => {
    const ending = await newProject("ending")
    await setRole(ending, "ending", "viewer")
    const player = await join("seen", undefined, ending)
    const token = await credential("seen", ending)
    const viewer = await join("seen", token, ending)
    await setRole(ending, "ending", null)
    await isRefused(await join("seen", token, ending), 4401)
    const refusal = { status: 403, body: { error: { code: "E_AUDIENCE_DISABLED" } } }
    expect(await mint("seen", ending)).toMatchObject(refusal)
    await viewer.raw.send([ClientFrame.ping, 1])
    expect(await viewer.next(ServerFrame.pong)).toEqual([ServerFrame.pong, 1])
    // The same role is the same audience; rooms with code have none.
    await setRole(ending, "ending", "viewer")
    const again = await join("seen", token, ending)
    expect(again.welcome[6]).toBe(true)
    for (const client of [player, viewer, again]) client.raw.leave()
    await deploy(ending, ["rooms/single.ts"])
    expect(await mint("seen", ending)).toMatchObject(refusal)
    await isRefused(await join("seen", token, ending), 4401)
  })
})
