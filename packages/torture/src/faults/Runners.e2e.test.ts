import { type GivenPostgres, makeGivenPostgres } from "@atrium/api/testing/GivenPostgres"
import { onDatabase } from "@atrium/api/testing/onDatabase"
import { RawClient } from "@atrium/api/testing/RawClient"
import { board } from "@atrium/api/testing/rooms/boardSchema"
import { probe } from "@atrium/api/testing/rooms/probeSchema"
import { startRunner } from "@atrium/api/testing/Runners"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { oneSentence, refusedStart } from "@atrium/api/testing/SpawnService"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { ServerFrame } from "@atrium/wire/frames/Frame"
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
const allAreServed = async (withinMs: number): Promise<void> => {
  await Promise.all(
    players.map(async ({ name, act, tally, held }) => {
      const before = tally.acknowledged
      // A connection that is away, or a room that is on its way, refuses at once: the player goes on.
      await until(
        `${name} is served`,
        () =>
          act().then(
            () => tally.acknowledged > before,
            () => false
          ),
        withinMs
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

/** Each runner has its part of the shards. */
const shared = async (): Promise<void> => {
  await until("all shards are held", async () => (await lockedShards()) === 300)
  await Promise.all(
    runners.map(({ url }) =>
      until("a runner holds shards", async () =>
        /^effect_cluster_shards [1-9]/m.test(await (await fetch(`${url}/metrics`)).text())
      )
    )
  )
}

const closedSince = (before: ReadonlyArray<number>): ReadonlyArray<number> =>
  players.flatMap(({ drops }, at) => drops.slice(before[at]))

const dropsNow = (): ReadonlyArray<number> => players.map(({ drops }) => drops.length)

beforeAll(async () => {
  database = await makeGivenPostgres()
  home = await makeHome(database)
  runners.push(await startRunner(home))
  runners.push(await startRunner(home))
  await shared()
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
}, 120_000)

afterAll(async () => {
  for (const { room } of players) void room.leave()
  await home.remove()
  await database.remove()
})

it("[C-201] tells a client that another runner has the room", async () => {
  const [player] = players
  if (player === undefined) throw new Error("nobody plays")
  const [project = ""] = player.name.split("/")
  const { url } = runner(0)
  const identity = await call(url, "/v1/identity", { body: { project } })
  const answers = await Promise.all(
    runners.map(async (each) => {
      const address = each.url.replace("http", "ws")
      const client = new RawClient(`${address}/v1/rooms/${player.name}`)
      const frame = await client.hello(String(identity.body["token"]))
      client.leave()
      return frame[0] === ServerFrame.error ? frame : "in"
    })
  )
  const elsewhere = "another runner has the room: connect to that one, or to this one again later"
  expect(answers.toSorted()).toEqual([[ServerFrame.error, "E_TENANT_WAKING", elsewhere], "in"])
})

it("[C-27] a runner that knows of no others is refused beside them, in one sentence", async () => {
  const { code, errors } = await refusedStart({
    ATRIUM_DATA: home.dataDir,
    DATABASE_URL: database.url
  })
  expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
  expect(errors).toContain("Another Atrium runs on this database")
})

it("[C-200] a runner joins: clients of a room that moves get 1012, and nothing acknowledged is lost", async () => {
  await allAreServed(10_000)
  const before = dropsNow()
  runners.push(await startRunner(home))
  await shared()
  await allAreServed(15_000)
  expect(closedSince(before).filter((code) => code !== 1012)).toEqual([])
}, 60_000)

it("[D-51] a runner that stands still makes no other one unready", async () => {
  const ready = async ({ url }: RunningService): Promise<number> =>
    (await fetch(`${url}/ready`)).status
  // Whichever runner has an actor: in one of the two turns it is one that stands still.
  for (const frozen of [[0], [1, 2]]) {
    const awake = [0, 1, 2].filter((at) => !frozen.includes(at))
    for (const at of frozen) process.kill(runner(at).pid, "SIGSTOP")
    const statuses = await Promise.all(awake.map((at) => ready(runner(at))))
    for (const at of frozen) process.kill(runner(at).pid, "SIGCONT")
    expect(statuses).toEqual(awake.map(() => 200))
  }
})

it("[C-200] PostgreSQL restarts: no socket stays open that nobody serves, nothing acknowledged is lost", async () => {
  const before = dropsNow()
  const startedAt = performance.now()
  await database.kill()
  await database.start()
  const awayMs = performance.now() - startedAt
  // Its locks went with it: from here on the runners have them anew.
  await shared()
  await allAreServed(20_000)
  expect(closedSince(before).filter((code) => code !== 1012)).toEqual([])
  expect(awayMs).toBeLessThan(5_000)
}, 60_000)
