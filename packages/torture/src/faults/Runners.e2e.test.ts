// @module-tag thorough

import { type GivenPostgres, makeGivenPostgres } from "@atrium/api/testing/GivenPostgres"
import { onDatabase } from "@atrium/api/testing/onDatabase"
import { signalAll } from "@atrium/api/testing/ProcessTree"
import { board } from "@atrium/api/testing/rooms/boardSchema"
import { probe } from "@atrium/api/testing/rooms/probeSchema"
import { figures, shareShards, startRunner } from "@atrium/api/testing/Runners"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { askHost, siteSteps } from "@atrium/api/testing/SiteSteps"
import { oneSentence, refusedStart } from "@atrium/api/testing/SpawnService"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"
import { WebSocket } from "ws"

let database: GivenPostgres
let home: ServiceHome
const runners: Array<RunningService> = []

interface PlayedRoom {
  onDrop(told: (code: number) => void): unknown
  leave(): Promise<void>
}

/** Somebody in a room who goes on acting in it, and what became of it. */
interface Player {
  readonly name: string
  readonly room: PlayedRoom
  /** One act that the room itself has to answer. */
  act(): Promise<void>
  /** Acts that were acknowledged, and how many of them the room's state has. */
  readonly tally: { acknowledged: number }
  held(): number
  readonly drops: Array<number>
}
const players: Array<Player> = []

const runner = (at: number): RunningService => {
  const found = runners[at % runners.length]
  if (found === undefined) throw new Error("no runner")
  return found
}

let next = 0
/** A load balancer in front of the runners: each connection goes to the next one. */
class Balanced extends WebSocket {
  constructor(url: string, protocols: string) {
    const { pathname } = new URL(url)
    super(`${runner(next++).url.replace("http", "ws")}${pathname}`, [protocols])
  }
}

const newProject = async (name: string, rooms: ReadonlyArray<string>): Promise<string> => {
  const { url, token } = runner(0)
  const { body } = await call(url, "/v1/projects", { token, body: { name } })
  const project = String(body["id"])
  expect((await deploy({ url, token, project }, rooms)).status).toBe(201)
  return project
}

const clientOf = (project: string): Client =>
  new Client(runner(0).url, { project, webSocket: Balanced })

const playing = (
  name: string,
  room: PlayedRoom,
  { act, held }: { act: () => Promise<unknown>; held: () => number }
): Player => {
  const tally = { acknowledged: 0 }
  const drops: Array<number> = []
  room.onDrop((code) => drops.push(code))
  const counted = async (): Promise<void> => {
    await act()
    tally.acknowledged++
  }
  return { name, room, act: counted, tally, held, drops }
}

const joinProbe = async (project: string, roomId: string): Promise<void> => {
  const room = await clientOf(project).joinOrCreate(probe, { roomId })
  const act = () => room.request("add", { by: 1 })
  const held = () => room.state.counter.value
  players.push(playing(`${project}/${roomId}`, room, { act, held }))
}

const joinBoard = async (project: string, roomId: string): Promise<void> => {
  const room = await clientOf(project).joinOrCreate(board, { roomId })
  const act = () => room.add("shapes", { x: 1 })
  players.push(playing(`${project}/${roomId}`, room, { act, held: () => room.state.shapes.size }))
}

/** Every room answers everybody in it, and has all that it has acknowledged. */
const allAreServed = async (): Promise<void> => {
  await Promise.all(
    players.map(async ({ name, act, tally, held }) => {
      const before = tally.acknowledged
      // A connection that is away, or a room that is on its way, refuses at once: the player goes on.
      await until(`${name} is served`, () =>
        act().then(
          () => tally.acknowledged > before,
          () => false
        )
      )
      await until(`${name} has what it acknowledged`, () => held() >= tally.acknowledged)
    })
  )
}

/** Shards whose locks somebody holds; there are 300. */
const lockedShards = async (): Promise<number> => {
  const [row] = await onDatabase<{ shards: number }>(
    database.url,
    (sql) => sql`select count(*)::int as shards from pg_locks
      where locktype = 'advisory' and granted and objsubid = 2`
  )
  return row?.shards ?? 0
}

/** How many rooms each runner has awake. */
const roomsAwake = (): Promise<ReadonlyArray<number>> => figures(runners, "atrium_rooms_awake")

const closedSince = (before: ReadonlyArray<number>): ReadonlyArray<number> =>
  players.flatMap(({ drops }, at) => drops.slice(before[at]))

const dropsNow = (): ReadonlyArray<number> => players.map(({ drops }) => drops.length)

beforeAll(async () => {
  database = await makeGivenPostgres()
  home = await makeHome(database)
  runners.push(await startRunner(home))
  runners.push(await startRunner(home))
  await shareShards(runners)
  const coded = await Promise.all(
    [1, 2, 3].map((each) => newProject(`coded ${each}`, ["rooms/probe.ts"]))
  )
  const relayed = await Promise.all(
    [1, 2, 3].map((each) => newProject(`relayed ${each}`, ["rooms/boardSchema.ts"]))
  )
  await Promise.all([
    ...coded.flatMap((project) => ["a", "b"].map((roomId) => joinProbe(project, roomId))),
    ...relayed.flatMap((project) => ["a", "b"].map((roomId) => joinBoard(project, roomId)))
  ])
})

afterAll(async () => {
  for (const { room } of players) void room.leave()
  await home.remove()
  await database.remove()
})

it("[C-359] a site is the same on every runner from the next request on, though two of them took its files", async () => {
  const { token } = runner(0)
  const made = await call(runner(0).url, "/v1/projects", { token, body: { name: "site" } })
  const project = String(made.body["id"])
  const [one, other] = [0, 1].map((at) => siteSteps({ url: runner(at).url, token }, () => project))
  if (one === undefined || other === undefined) throw new Error("no runner")
  const label = "on-every-runner"
  const served = () =>
    Promise.all(
      runners.map(async ({ url }) => {
        const page = await askHost(url, { host: `${label}.localhost`, path: "/" })
        return page.status === 200 ? page.body.toString() : page.status
      })
    )
  expect(await served()).toEqual([404, 404])
  const begun = await one.begin({ "index.html": "first", "a.js": "script" }, { label })
  const upload = String(begun.body["upload"])
  expect((await one.put(upload, "first")).status).toBe(200)
  expect((await other.put(upload, "script")).status).toBe(200)
  expect((await other.finish(upload)).status).toBe(201)
  expect(await served()).toEqual(["first", "first"])
  await one.deploy({ "index.html": "second" })
  expect(await served()).toEqual(["second", "second"])
  expect((await other.ask("", undefined, "DELETE")).status).toBe(200)
  expect(await served()).toEqual([404, 404])
})

it("[C-27] a runner that knows of no others is refused beside them, in one sentence", async () => {
  const { code, errors } = await refusedStart({
    ATRIUM_DATA: home.dataDir,
    DATABASE_URL: database.url
  })
  expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
  expect(errors).toContain("Another Atrium runs on this database")
})

it("[C-433] a runner joins: no room moves, no client is closed, and nothing acknowledged is lost", async () => {
  await allAreServed()
  const before = dropsNow()
  const awake = await roomsAwake()
  runners.push(await startRunner(home))
  await shareShards(runners)
  await allAreServed()
  expect(closedSince(before)).toEqual([])
  expect(await roomsAwake()).toEqual([...awake, 0])
})

it("[C-434] the next servers start on the runner that has the least load: the one that joined", async () => {
  const before = await roomsAwake()
  const projects = await Promise.all(
    [1, 2].map((each) => newProject(`late ${each}`, ["rooms/probe.ts"]))
  )
  // One after the other, and each through another runner.
  for (const project of projects) await joinProbe(project, "a")
  expect(await roomsAwake()).toEqual([before[0], before[1], projects.length])
  await allAreServed()
})

it("[D-51] a runner that stands still makes no other one unready", async () => {
  const ready = async ({ url }: RunningService): Promise<number> =>
    (await fetch(`${url}/ready`)).status
  // In one of the two turns the runner that has a given actor stands still.
  for (const frozen of [[0], [1, 2]]) {
    const awake = [0, 1, 2].filter((at) => !frozen.includes(at))
    const pids = frozen.map((at) => runner(at).pid)
    signalAll(pids, "SIGSTOP")
    try {
      const statuses = await Promise.all(awake.map((at) => ready(runner(at))))
      expect(statuses).toEqual(awake.map(() => 200))
    } finally {
      signalAll(pids, "SIGCONT")
    }
  }
})

it("[C-447] PostgreSQL restarts: no client is closed, and nothing acknowledged is lost", async () => {
  const before = dropsNow()
  const startedAt = performance.now()
  await database.kill()
  await database.start()
  const awayMs = performance.now() - startedAt
  // Its locks went with it.
  await until("all shards are locked anew", async () => (await lockedShards()) === 300)
  await shareShards(runners)
  await allAreServed()
  expect(closedSince(before)).toEqual([])
  expect(awayMs).toBeLessThan(5_000)
})
