import { RawClient } from "@atrium/api/testing/RawClient"
import { board } from "@atrium/api/testing/rooms/boardSchema"
import { probe } from "@atrium/api/testing/rooms/probeSchema"
import type { ProbeRoom } from "@atrium/api/testing/RoomsUnderTest"
import { figure, figures, holderFirst, shareShards, startRunner } from "@atrium/api/testing/Runners"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { afterAll, beforeAll, expect, it } from "vitest"
import { WebSocket } from "ws"

let home: ServiceHome
let runners: ReadonlyArray<RunningService> = []
/** The runner that has the rooms of the project, and the other one. */
let owner: RunningService
let entry: RunningService
/** A client of the owner whose room stays awake. */
let stays: ProbeRoom

/** A client of one runner, whose connections a test can hold up and cut. */
const clientOf = (on: RunningService, project = on.project) => {
  const sockets: Array<WebSocket> = []
  const client = new Client(on.url, {
    project,
    webSocket: class extends WebSocket {
      constructor(url: string, protocols: string) {
        super(url, protocols)
        sockets.push(this)
      }
    }
  })
  const last = (): WebSocket => {
    const socket = sockets.at(-1)
    if (socket === undefined) throw new Error("there is no connection")
    return socket
  }
  return { client, last }
}

beforeAll(async () => {
  home = await makeHome()
  const [one, other] = [await startRunner(home), await startRunner(home)]
  runners = [one, other]
  await shareShards(runners)
  const scout = await clientOf(one).client.joinOrCreate(probe, { roomId: "stays" })
  const [holder] = await holderFirst(runners)
  owner = holder
  entry = owner === one ? other : one
  // While a room is awake there, its project's server is there, too, and takes the next rooms.
  stays = await clientOf(owner).client.joinOrCreate(probe, { roomId: "stays" })
  await scout.leave()
  await until("the scout has left", async () => (await figure(owner, "atrium_clients")) === 1)
})

afterAll(async () => {
  await home.remove()
})

it("[C-410] a client joins, plays and talks through a runner that does not have the room", async () => {
  const near = await clientOf(owner).client.joinOrCreate(probe, { roomId: "play" })
  const far = await clientOf(entry).client.joinOrCreate(probe, { roomId: "play" })
  expect(await figure(entry, "atrium_forwarded_clients")).toBe(1)
  expect(await figure(owner, "atrium_clients")).toBe(3)

  expect(await far.request("add", { by: 5 })).toEqual({ value: 5 })
  expect(await far.request("addDurably", { by: 2 })).toEqual({ value: 7 })
  expect(await far.request("score", { by: 3 })).toEqual({ total: 3 })
  const heard: Array<string> = []
  near.onMessage("say", ({ text }) => heard.push(`near ${text}`))
  far.onMessage("say", ({ text }) => heard.push(`far ${text}`))
  near.onChat(({ text }) => heard.push(`near ${text}`))
  far.onChat(({ text }) => heard.push(`far ${text}`))
  far.send("say", { text: "hello" })
  far.chat("good luck")
  await until("both have heard", () => heard.length === 4)
  expect(heard.toSorted()).toEqual([
    `far ${far.sessionId}: hello`,
    "far good luck",
    `near ${far.sessionId}: hello`,
    "near good luck"
  ])
  const payload = new Uint8Array(700_000).fill(7)
  let echoed: unknown = null
  far.onMessage("anything", (value) => (echoed = value))
  far.send("anything", payload)
  await until("the echo", () => echoed !== null)
  expect(echoed).toEqual(payload)
  await until("one state", () => near.stateHash() === far.stateHash())

  await far.leave()
  await until("the room has heard", () => near.state.marks.size === 1)
  const fields = await clientOf(entry).client.joinOrCreate(probe, { roomId: "play" })
  await near.leave()
  await fields.leave()
})

it("[C-410] a relay room takes clients of every runner", async () => {
  const { body } = await call(owner.url, "/v1/projects", {
    token: owner.token,
    body: { name: "relayed" }
  })
  const project = String(body["id"])
  await deploy({ url: owner.url, token: owner.token, project }, ["rooms/boardSchema.ts"])
  const rooms = await Promise.all(
    runners.map((on) => clientOf(on, project).client.joinOrCreate(board, { roomId: "board" }))
  )
  await Promise.all(rooms.map((room, x) => room.add("shapes", { x })))
  await until("all see both", () => rooms.every(({ state }) => state.shapes.size === 2))
  await Promise.all(rooms.map((room) => room.leave()))
})

it("[C-412] a connection that is lost comes back into its session through the same runner", async () => {
  const { client, last } = clientOf(entry)
  const far = await client.joinOrCreate(probe, { roomId: "resume" })
  const { sessionId } = far
  let back = 0
  far.onReconnect(() => back++)
  for (let round = 1; round <= 3; round++) {
    last().terminate()
    await until("it is back", () => back === round)
    expect(far.sessionId).toBe(sessionId)
    expect(await far.request("add", { by: 1 })).toEqual({ value: round })
  }
  await far.leave()
})

it("[C-414] a client that does not read is closed at its entry runner, and others play on", async () => {
  const near = await clientOf(owner).client.joinOrCreate(probe, { roomId: "slow" })
  const far = await clientOf(entry).client.joinOrCreate(probe, { roomId: "slow" })
  const { client, last } = clientOf(entry)
  const slow = await client.joinOrCreate(probe, { roomId: "slow" })
  const drops: Array<number> = []
  slow.onDrop((code) => drops.push(code))
  const socket = last()
  socket.pause()
  const payload = new Uint8Array(500_000)
  await until("the room has let the slow client go", async () => {
    if (near.state.marks.size === 3) slow.send("anything", payload)
    expect(await far.request("add", { by: 1 })).toBeTruthy()
    return (await figure(entry, "atrium_forwarded_clients")) === 1
  })
  socket.resume()
  await until("it is told", () => drops.length > 0)
  expect(drops[0]).toBe(1008)
  expect(await figure(entry, "atrium_links_lost_total")).toBe(0)
  expect(await near.request("add", { by: 1 })).toBeTruthy()
  await Promise.all([near.leave(), far.leave(), slow.leave()])
})

it("[C-410] joins through any runner, awake and asleep rooms alike: every one comes in", async () => {
  const rooms = await Promise.all(
    Array.from({ length: 20 }, (_, at) => {
      const [one = owner, other = entry] = at % 2 === 0 ? runners : runners.toReversed()
      const first = clientOf(one).client.joinOrCreate(probe, { roomId: `any-${at}` })
      return first.then(async (room) => [
        room,
        await clientOf(other).client.joinOrCreate(probe, { roomId: `any-${at}` })
      ])
    })
  )
  for (const each of rooms) {
    for (const [at, room] of each.entries()) {
      expect(await room.request("add", { by: 1 })).toEqual({ value: at + 1 })
    }
  }
  await Promise.all(rooms.flat().map((room) => room.leave()))
})

it("[C-410] a room that is not there is refused alike", async () => {
  const { body } = await call(entry.url, "/v1/identity", { body: { project: entry.project } })
  const answers = await Promise.all(
    runners.map(({ url, project }) => {
      const address = url.replace("http", "ws")
      return new RawClient(`${address}/v1/rooms/${project}/nowhere`).hello(String(body["token"]))
    })
  )
  expect(answers.map(([kind, code]) => [kind, code])).toEqual([
    [ServerFrame.error, "E_ROOM_NOT_FOUND"],
    [ServerFrame.error, "E_ROOM_NOT_FOUND"]
  ])
})

it("[C-413] the runner of the room is killed: its client elsewhere gets 1012 within a second, and plays on", async () => {
  await stays.leave()
  await until("all rooms are asleep", async () => {
    const awake = await figures(runners, "atrium_rooms_awake")
    return awake.every((count) => count === 0)
  })
  const scout = await clientOf(owner).client.joinOrCreate(probe, { roomId: "killed" })
  const [holder, other] = await holderFirst(runners)
  if (other === undefined) throw new Error("there is one runner")
  const far = await clientOf(other).client.joinOrCreate(probe, { roomId: "killed" })
  await scout.leave()
  expect(await figure(other, "atrium_forwarded_clients")).toBe(1)
  expect(await far.request("addDurably", { by: 4 })).toEqual({ value: 4 })
  const drops: Array<readonly [number, number]> = []
  const killedAt = performance.now()
  far.onDrop((code) => drops.push([code, performance.now() - killedAt]))
  await holder.stop("SIGKILL")
  await until("the client is told", () => drops.length > 0)
  const [[code, ms] = [0, 0]] = drops
  expect(code).toBe(1012)
  expect(ms).toBeLessThan(1000)
  let value = 0
  await until("it plays on", () =>
    far.request("addDurably", { by: 1 }).then(
      (answer) => (value = answer.value) > 4,
      () => false
    )
  )
  expect(value).toBeGreaterThan(4)
  await far.leave()
})
