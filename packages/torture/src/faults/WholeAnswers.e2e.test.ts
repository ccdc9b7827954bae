// @module-tag thorough

import { Api } from "@atrium/api/http/Api"
import { controlOf } from "@atrium/api/testing/ControlUnderTest"
import { signalAll } from "@atrium/api/testing/ProcessTree"
import { RawClient } from "@atrium/api/testing/RawClient"
import { recorded } from "@atrium/api/testing/rooms/recordedSchema"
import { type ProbeRoom, roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { holderFirst, shareShards, startRunner } from "@atrium/api/testing/Runners"
import {
  beginRehearsal,
  bundleOfRooms,
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { followLog, type Tail, textsOf } from "@atrium/api/testing/TailReader"
import { until } from "@atrium/domain/testing/Until"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

let home: ServiceHome
/** The runner that has the rooms of the project, and the other one, which is asked. */
let owner: RunningService
let entry: RunningService
let room: ProbeRoom
let saveId: string
let userCode: string
/** The token of a player's identity. */
let player: string
/** A project with a queue, and a ticket of it whose wait is over. */
let queued: { readonly project: string; readonly ticket: string }
let rehearsalId: string
let clipped: { readonly project: string; readonly replayId: string }

const get = async (on: RunningService, path: string) => {
  const bearer = path.startsWith("/v1/account") ? player : owner.token
  const response = await fetch(`${on.url}${path}`, {
    headers: { authorization: `Bearer ${bearer}` }
  })
  return { status: response.status, text: await response.text() }
}

const ticketIn = async ({ url, token }: RunningService) => {
  const made = await call(url, "/v1/projects", { token, body: { name: "queued" } })
  const project = String(made.body["id"])
  expect((await deploy({ url, token, project }, ["rooms/boardSchema.ts"])).status).toBe(201)
  const identity = (await call(url, "/v1/identity", { body: { project } })).body["token"]
  const { body } = await call(url, "/match", { body: { project, identity, waitMs: 0 } })
  return { project, ticket: String(body["ticket"]) }
}

/** A project with a clip. */
const clipIn = async ({ url, token }: RunningService) => {
  const made = await call(url, "/v1/projects", { token, body: { name: "recorded" } })
  const own = { url, token, project: String(made.body["id"]) }
  expect((await deploy(own, ["rooms/recorded.ts"])).status).toBe(201)
  const room = await (await roomsOf(own).player()).joinOrCreate(recorded, { roomId: "clipped" })
  await room.request("show", { text: "seen" })
  const clip: object = Object(await room.request("clip", {}))
  await room.leave()
  return { project: own.project, replayId: String(Reflect.get(clip, "clipId")) }
}

const say = (text: string) => room.request("log", { text, level: "info", count: 1 })

beforeAll(async () => {
  home = await makeHome()
  const options = {
    env: { ATRIUM_PRIVATE_ADDRESS: "127.0.0.1:0" },
    args: ["--control-port", "0"]
  }
  const runners = [await startRunner(home, options), await startRunner(home, options)] as const
  await shareShards(runners)
  room = await roomsOf(runners[0]).join("here")
  const [holder] = await holderFirst(runners)
  owner = holder
  entry = holder === runners[0] ? runners[1] : runners[0]
  await room.request("save", {})
  await call(owner.url, `/v1/projects/${owner.project}/players/ann/kv/entry`, {
    token: owner.token,
    method: "PUT",
    body: { key: "k", value: 1 }
  })
  await call(owner.url, `/v1/projects/${owner.project}`, {
    token: owner.token,
    method: "PATCH",
    body: { name: "e2e", boards: { kills: { direction: "higher" } } }
  })
  await say("before")
  const rooms = roomsOf(entry)
  saveId = await until("the save", async () => {
    const saves: ReadonlyArray<unknown> = Object((await rooms.ask("/here/saves")).body)
    return Object(saves[0])["saveId"]
  })
  const started = await call(owner.url, "/v1/login/device", { body: {} })
  userCode = String(started.body["userCode"])
  const identity = await call(owner.url, "/v1/identity", { body: { project: owner.project } })
  player = String(identity.body["token"])
  queued = await ticketIn(owner)
  clipped = await clipIn(owner)
  const rehearsal = await beginRehearsal(
    owner,
    await bundleOfRooms(["rooms/probe.ts", "rooms/single.ts"])
  )
  rehearsalId = String(rehearsal.body["rehearsalId"])
})

afterAll(() => home.remove())

/**
 * Every route that reads, as it is asked here; the two that others of these tests ask are `null`, and so is the state
 * of a room, which is of another moment each time: InspectOnRunners.e2e.test.ts asks for it.
 */
const asked = (): Readonly<Record<string, string | null>> => {
  const project = `/v1/projects/${owner.project}`
  return {
    "/v1/login/device/:userCode": `/v1/login/device/${userCode}`,
    "/v1/me": "/v1/me",
    "/v1/me/tokens": "/v1/me/tokens",
    "/v1/me/invitations": "/v1/me/invitations",
    "/v1/me/audit": "/v1/me/audit",
    "/v1/projects": "/v1/projects",
    "/v1/projects/:id": project,
    "/v1/projects/:id/rooms": `${project}/rooms`,
    "/v1/projects/:id/rooms/:roomId": `${project}/rooms/here`,
    "/v1/projects/:id/rooms/:roomId/saves": `${project}/rooms/here/saves`,
    "/v1/projects/:id/rooms/:roomId/saves/:saveId/bytes": `${project}/rooms/here/saves/${saveId}/bytes`,
    "/v1/projects/:id/rooms/:roomId/state": null,
    "/v1/projects/:id/rooms/:roomId/clients": `${project}/rooms/here/clients`,
    "/v1/projects/:id/rooms/:roomId/life": `${project}/rooms/here/life`,
    "/v1/projects/:id/metrics/series": `${project}/metrics/series`,
    "/v1/projects/:id/deployments": `${project}/deployments`,
    "/v1/projects/:id/deployments/:version": `${project}/deployments/1`,
    "/v1/projects/:id/rehearsals": `${project}/rehearsals`,
    "/v1/projects/:id/rehearsals/:rehearsalId": `${project}/rehearsals/${rehearsalId}`,
    "/v1/projects/:id/site": `${project}/site`,
    "/v1/projects/:id/caps": `${project}/caps`,
    "/v1/projects/:id/usage": `${project}/usage`,
    "/v1/billing": "/v1/billing",
    "/v1/projects/:id/keys": `${project}/keys`,
    "/v1/projects/:id/players/:playerId": `${project}/players/ann`,
    "/v1/projects/:id/players/:playerId/export": `${project}/players/ann/export`,
    "/v1/projects/:id/players/:playerId/kv": `${project}/players/ann/kv`,
    "/v1/projects/:id/players/:playerId/kv/entry": `${project}/players/ann/kv/entry?key=k`,
    "/v1/projects/:id/replays": `/v1/projects/${clipped.project}/replays`,
    "/v1/replays/:replayId": `/v1/replays/${clipped.replayId}`,
    "/v1/replays/:replayId/chunks/:index": `/v1/replays/${clipped.replayId}/chunks/0`,
    "/v1/projects/:id/audit": `${project}/audit`,
    "/v1/projects/:id/logs": `${project}/logs`,
    "/v1/projects/:id/identity": `${project}/identity`,
    "/v1/account": `/v1/account?project=${owner.project}`,
    "/v1/account/devices": `/v1/account/devices?project=${owner.project}`,
    "/v1/account/export": `/v1/account/export?project=${owner.project}`,
    "/match/status": `/match/status?project=${queued.project}`,
    "/match/ticket/:ticket": `/match/ticket/${queued.ticket}?project=${queued.project}`,
    "/v1/projects/:id/tickets": `/v1/projects/${queued.project}/tickets`,
    "/v1/lobby": `/v1/lobby?project=${owner.project}`,
    "/v1/leaderboard/:board/top": `/v1/leaderboard/kills/top?project=${owner.project}`,
    "/v1/leaderboard/:board/around/:playerId": `/v1/leaderboard/kills/around/ann?project=${owner.project}`,
    "/v1/presence": `/v1/presence?project=${owner.project}&players=${room.playerId}`,
    "/v1/fleet": "/v1/fleet",
    "/v1/objects": "/v1/objects",
    "/v1/projects/:id/metrics": null,
    "/v1/projects/:id/logs/tail": null
  }
}

describe("a runner that does not have the rooms", () => {
  it("[C-423] every route that reads answers as the runner of the rooms does", async () => {
    const reading = Object.values(Api.groups).flatMap((group) =>
      Object.values(group.endpoints).flatMap(({ method, path }) => (method === "GET" ? [path] : []))
    )
    const paths = asked()
    // A new route has a line above, or this fails.
    expect(Object.keys(paths).toSorted()).toEqual(reading.toSorted())
    for (const path of Object.values(paths)) {
      if (path === null) continue
      const answers = () => Promise.all([get(owner, path), get(entry, path)])
      // Rooms and runners are reported every few seconds: an answer may be of before the last report.
      await until(`one answer for ${path}`, async () => {
        const [one, other] = await answers()
        expect(other.status, `${path} ${other.text}`).toBe(path.endsWith("/site") ? 404 : 200)
        return one.text === other.text
      })
    }
  })

  it("[C-423] tells the metrics of rooms on all runners, or none", async () => {
    const path = `/v1/projects/${owner.project}/metrics`
    const further = await roomsOf(entry).join("here")
    const [near, far] = (await Promise.all([get(owner, path), get(entry, path)])).map(({ text }) =>
      JSON.parse(text)
    )
    const { rss: nearRss, ...nearMetrics } = near
    const { rss: farRss, ...farMetrics } = far
    expect(farMetrics).toEqual(nearMetrics)
    expect(farMetrics).toMatchObject({ sockets: 2, roomsByState: { awake: 1 } })
    expect(farMetrics.ingressBytes).toBeGreaterThan(0)
    expect(Math.abs(farRss - nearRss)).toBeLessThan(nearRss / 2)
    await further.leave()
    signalAll([owner.pid], "SIGSTOP")
    try {
      const refused = await get(entry, path)
      expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([503, "E_NOT_READY"])
    } finally {
      signalAll([owner.pid], "SIGCONT")
    }
    await until("the metrics are whole", async () => (await get(entry, path)).status === 200)
  })

  it("[C-424] tells the log of rooms on all runners as it comes, and resumes", async () => {
    const tails: Array<Tail> = []
    const follow = async (lastId?: string): Promise<Tail> => {
      const tail = await followLog(entry, { query: "?room=here", lastId })
      tails.push(tail)
      return tail
    }
    const tail = await follow()
    await until("the line before", () => textsOf(tail).includes("before"))
    await say("now")
    await until("the line now", () => textsOf(tail).at(-1) === "now")
    const last = tail.events.findLast(({ event }) => event === "line")
    await say("later")
    await until("the later line", () => textsOf(tail).at(-1) === "later")
    expect(textsOf(tail)).toEqual(["before", "now", "later"])
    const resumed = await follow(last?.id)
    await until("the later line again", () => textsOf(resumed).at(-1) === "later")
    expect(tails.flatMap(({ events }) => events.filter(({ event }) => event === "missed"))).toEqual(
      []
    )
    for (const each of tails) each.close()
  })

  it("[C-423] changes rooms of the other runner", async () => {
    // Its client would come back after the restore, and make the deleted room anew.
    await room.leave()
    const rooms = roomsOf(entry)
    const change = (path: string, method: string, body?: unknown) =>
      rooms.ask(path, { method, ...(body === undefined ? {} : { body }) })
    expect((await change("/here", "PATCH", { retention: "30d" })).body).toMatchObject({
      retentionOverride: "30d"
    })
    expect(await roomsOf(owner).ask("/here")).toMatchObject({
      body: { retentionOverride: "30d" }
    })
    expect((await change("/here/restore", "POST", { saveId })).status).toBe(202)
    // A room on its way refuses.
    const deleted = await until("the room is deleted", async () => {
      const answer = await change("/here?force=true", "DELETE")
      return answer.status !== 503 && answer
    })
    expect([deleted.status, deleted.body]).toEqual([
      200,
      { roomId: "here", objects: expect.any(Number) }
    ])
    expect((await roomsOf(owner).ask("/here")).status).toBe(404)
  })
})

it("[C-426] every address of a runner but the router's refuses a client of a room", async () => {
  await roomsOf(owner).join("guarded")
  const { body } = await call(owner.url, "/v1/identity", { body: { project: owner.project } })
  const token = String(body["token"])
  const { body: listed } = await controlOf(owner).ask("listeners/list")
  const listeners: ReadonlyArray<{ readonly address: string; readonly router: boolean }> = Object(
    listed["listeners"]
  )
  const path = `/v1/rooms/${owner.project}/guarded`
  const router = listeners.filter((each) => each.router)
  expect(router).toHaveLength(1)
  const [kind] = await new RawClient(`ws://${router[0]?.address}${path}`).hello(token)
  expect(kind).toBe(ServerFrame.welcome)
  const others = listeners.filter((each) => !each.router)
  // Those of operators, of test mode, of links and of the cluster.
  expect(others).toHaveLength(4)
  for (const { address } of others) {
    const client = new RawClient(`ws://${address}${path}`)
    const opened = client.opened.then(() => "opened")
    expect([address, await Promise.race([opened, client.closed])]).toEqual([
      address,
      { code: 1006, reason: "" }
    ])
  }
})

it("[C-544] a player who is deleted at one runner is out of its room at the other", async () => {
  const { url, project } = owner
  const minted = await call(url, "/v1/identity", { body: { project } })
  const token = String(minted.body["token"])
  const address = `${entry.url.replace("http", "ws")}/v1/rooms/${project}/left`
  const client = new RawClient(address)
  expect((await client.hello(token, "probe"))[0]).toBe(ServerFrame.welcome)
  const deleted = await call(url, `/v1/account?project=${project}`, { method: "DELETE", token })
  expect(deleted.status).toBe(200)
  expect((await client.closed).code).toBe(4401)
  expect((await new RawClient(address).hello(token, "probe"))[1]).toBe("E_UNAUTHENTICATED")
})
