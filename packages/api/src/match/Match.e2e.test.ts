import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

import { board } from "../testing/rooms/boardSchema.ts"
import { squad } from "../testing/rooms/squadSchema.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest({ env: { ATRIUM_EXEMPT_ADDRESSES: "127.0.0.1" } })
let project: string
let foreign: string
/** A project whose rooms show the teams of their players. */
let teams: string

const newProject = async (name: string): Promise<string> => {
  const { url, token } = service
  const { body } = await call(url, "/v1/projects", { token, body: { name } })
  return String(body["id"])
}

beforeAll(async () => {
  project = await newProject("matched")
  foreign = await newProject("foreign")
  const { url, token } = service
  await deploy({ url, token, project }, ["rooms/boardSchema.ts"])
  const queues = { duo: { size: 2 }, trio: { teams: [{ size: 1 }, { size: 2 }] } }
  const body = { name: "matched", queues }
  await call(url, `/v1/projects/${project}`, { method: "PATCH", token, body })
  teams = await newProject("teams")
  await deploy({ url, token, project: teams }, ["rooms/squad.ts"])
  await call(url, `/v1/projects/${teams}`, {
    method: "PATCH",
    token,
    body: { name: "teams", queues: { trio: queues.trio } }
  })
})

const identity = async (of = project): Promise<string> =>
  String((await call(service.url, "/v1/identity", { body: { project: of } })).body["token"])
const queue = async (more: { readonly project?: string; readonly [field: string]: unknown } = {}) =>
  call(service.url, "/match", {
    body: { project, queue: "duo", identity: await identity(more.project), ...more }
  })
const ticketOf = async (id: unknown, of = project) =>
  call(service.url, `/match/ticket/${String(id)}?project=${of}`)
const ended = (id: unknown, of = project) =>
  until("the ticket ends", async () => {
    const { body } = await ticketOf(id, of)
    return body["status"] === "waiting" ? null : body
  })
const refusal = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  Object(body["error"]).code
]

describe("quick match", () => {
  it("[D-25] [route.match.join] two who queue get tokens that join one room, and no other", async () => {
    const one = await queue()
    expect(one).toMatchObject({ status: 200, body: { queue: "duo", status: "waiting" } })
    expect(one.body["why"]).toBe("the queue has 1 of 2; no room with a free seat")
    const depth = await call(service.url, `/match/status?project=${project}&queue=duo`)
    expect(depth.body).toMatchObject({ queue: "duo", depth: 1, oldestMs: expect.any(Number) })
    const other = await queue()
    const matched = await Promise.all([ended(one.body["ticket"]), ended(other.body["ticket"])])
    const [first, second] = matched
    expect(first).toMatchObject({ status: "matched", roomId: second?.["roomId"], team: 0 })
    const join = (body: Record<string, unknown> | undefined, roomId = String(body?.["roomId"])) =>
      new Client(service.url, { project, token: String(body?.["token"]) }).joinOrCreate(board, {
        roomId
      })
    const rooms = await Promise.all(matched.map((body) => join(body)))
    expect(new Set(rooms.map(({ playerId }) => playerId)).size).toBe(2)
    expect(new Set(rooms.map(({ id }) => id)).size).toBe(1)
    await expect(join(first, "elsewhere")).rejects.toMatchObject({ code: "E_PROJECT_MISMATCH" })
    await Promise.all(rooms.map((room) => room.leave()))
  })

  it("[C-603] a foreign project's player is nobody, and its tickets are not there", async () => {
    expect(refusal(await queue({ identity: await identity(foreign) }))).toEqual([
      401,
      "E_UNAUTHENTICATED"
    ])
    expect(refusal(await queue({ identity: "x" }))).toEqual([401, "E_UNAUTHENTICATED"])
    const { body } = await queue()
    expect(refusal(await ticketOf(body["ticket"], foreign))).toEqual([404, "E_NOT_FOUND"])
    for (const id of ["mt_none", "%00"]) {
      expect(refusal(await ticketOf(id))).toEqual([404, "E_NOT_FOUND"])
    }
    expect(refusal(await queue({ queue: "none" }))).toEqual([400, "E_BAD_REQUEST"])
    const missing = { project: foreign, queue: undefined, identity: await identity(foreign) }
    expect(refusal(await queue(missing))).toEqual([409, "E_QUEUE_NO_TYPE"])
  })

  it("[match.party.size] a party is as large as a team at most, and is matched into one", async () => {
    const party = (size: number) =>
      call(service.url, "/match/party", { body: { project, queue: "trio", size } })
    expect(refusal(await party(3))).toEqual([400, "E_BAD_REQUEST"])
    const { status, body } = await party(2)
    expect(status).toBe(201)
    const join = (more: object) => queue({ queue: "trio", ...more })
    const ann = await join({ party: body["code"] })
    expect(ann.body["why"]).toBe("the party has 1 of 2")
    const eve = await join({})
    const path = `/v1/projects/${project}/tickets`
    const waiting = await call(service.url, `${path}?queue=trio`, { token: service.token })
    const [first, second] = Object.values(waiting.body)
    expect([waiting.status, first]).toMatchObject([
      200,
      { party: true, rating: 1500, why: "the party has 1 of 2" }
    ])
    expect(second).toMatchObject({
      party: false,
      why: expect.stringMatching(/^the queue has 1 of 3/)
    })
    expect(JSON.stringify(waiting.body)).not.toContain(String(ann.body["ticket"]))
    const one = await call(service.url, `${path}?queue=trio&limit=1`, { token: service.token })
    expect(Object.values(one.body)).toHaveLength(1)
    for (const query of ["", "?queue=none", "?queue=trio&limit=21"]) {
      expect(refusal(await call(service.url, path + query, { token: service.token }))).toEqual([
        400,
        "E_BAD_REQUEST"
      ])
    }
    for (const party of ["0000-0000", "\0"]) {
      expect(refusal(await join({ party }))).toEqual([404, "E_PARTY_CODE"])
    }
    const bob = await join({ party: body["code"] })
    const stands = await Promise.all([ann, bob, eve].map((each) => ended(each.body["ticket"])))
    expect(stands.map((each) => each?.["team"])).toEqual([1, 1, 0])
  })

  it("[C-630] [C-631] a room knows the teams of its match, and keeps the seats of its players", async () => {
    const minted = await call(service.url, "/match/party", {
      body: { project: teams, queue: "trio", size: 2 }
    })
    const party = String(minted.body["code"])
    const queued = await Promise.all(
      [{ party }, { party }, {}].map((more) => queue({ project: teams, queue: "trio", ...more }))
    )
    const stands = await Promise.all(queued.map(({ body }) => ended(body["ticket"], teams)))
    const roomId = String(stands[0]?.["roomId"])
    const enter = (body: Record<string, unknown> | undefined) =>
      new Client(service.url, {
        project: teams,
        token: String(body?.["token"])
      }).joinOrCreate(squad, { roomId })
    const rooms = [await enter(stands[0]), await enter(stands[1])]
    // The third seat is free, and not for whoever knows the room's id.
    await expect(enter({ token: await identity(teams) })).rejects.toMatchObject({
      code: "E_ROOM_FULL"
    })
    rooms.push(await enter(stands[2]))
    const [last] = rooms.slice(-1)
    const shown = Array.from(last?.state.players ?? [], (player) => [player.team, player.party])
    const label = shown[0]?.[1]
    expect(shown).toEqual([
      [1, label],
      [1, label],
      [0, ""]
    ])
    expect(label).toMatch(/^[A-Za-z0-9_-]{16}$/)
    await Promise.all(rooms.map((room) => room.leave()))
    const token = await identity(teams)
    const direct = await new Client(service.url, { project: teams, token }).create(squad)
    expect([...direct.state.players].map(({ team }) => team)).toEqual([-2])
    await direct.leave()
  })

  it("[D-30] [version.match-unprefixed] pages may ask, and the paths have no prefix", async () => {
    const asked = await fetch(`${service.url}/match/ticket/mt_x?project=${project}`, {
      headers: { origin: "https://game.example" }
    })
    expect(asked.headers.get("access-control-allow-origin")).toBe("https://game.example")
    const prefixed = await call(service.url, `/v1/match/status?project=${project}`)
    expect(prefixed.status).toBe(404)
  })
})
