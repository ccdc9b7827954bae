// @module-tag thorough

import { type GivenPostgres, makeGivenPostgres } from "@atrium/api/testing/GivenPostgres"
import { as, ask } from "@atrium/api/testing/KeysUnderTest"
import { purse } from "@atrium/api/testing/rooms/purseSchema"
import { figures, shareShards, startRunner } from "@atrium/api/testing/Runners"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"
import { WebSocket } from "ws"

let database: GivenPostgres
let home: ServiceHome
let runners: ReadonlyArray<RunningService> = []
let project = ""

/** Connects to the runner that lives, whichever that is. */
const entry = { url: "" }
class Redirected extends WebSocket {
  constructor(url: string, protocols: string) {
    super(`${entry.url.replace("http", "ws")}${new URL(url).pathname}`, [protocols])
  }
}

const newProject = async ({ url, token }: RunningService): Promise<string> => {
  const made = await call(url, "/v1/projects", { token, body: { name: "purses" } })
  const id = String(made.body["id"])
  expect((await deploy({ url, token, project: id }, ["rooms/purse.ts"])).status).toBe(201)
  return id
}

beforeAll(async () => {
  database = await makeGivenPostgres()
  home = await makeHome(database)
  runners = [await startRunner(home), await startRunner(home)]
  await shareShards(runners)
  const [first] = runners
  if (first === undefined) throw new Error("no runner")
  project = await newProject(first)
  entry.url = first.url
})

afterAll(async () => {
  await home.remove()
  await database.remove()
})

const player = "hoarder"
const rooms = 4
const before = 60
const after = 60

it("[C-571] rooms of a runner that is killed lose and double nothing that was acknowledged", async () => {
  const acknowledged: Array<string> = []
  const asked = new Set<string>()
  const ends = { at: Infinity }
  const play = async (at: number): Promise<void> => {
    const client = new Client(entry.url, { project, webSocket: Redirected })
    const room = await client.joinOrCreate(purse, { roomId: `r${at}` })
    let nth = 0
    while (acknowledged.length < ends.at) {
      // A call that the end of the runner cuts off may have been carried out: no text is added again.
      await until("a text is added", () => {
        const text = `${at}.${nth++}`
        asked.add(text)
        return room.request("add", { player, text }).then(
          () => acknowledged.push(text) > 0,
          () => false
        )
      })
    }
    await room.leave()
  }
  const playing = Promise.all(Array.from({ length: rooms }, (_, at) => play(at)))
  await until("texts are added", () => acknowledged.length >= before)
  const awake = await figures(runners, "atrium_rooms_awake")
  const holder = runners[awake.indexOf(Math.max(...awake))]
  const [other] = runners.filter((each) => each !== holder)
  if (holder === undefined || other === undefined) throw new Error("no runner has the rooms")
  entry.url = other.url
  ends.at = acknowledged.length + after
  await holder.stop("SIGKILL")
  await playing
  const path = `/v1/projects/${project}/players/${player}/kv/entry?key=texts`
  const { text } = await ask(other, path, as(other.token))
  const texts: ReadonlyArray<string> = JSON.parse(text).value
  expect(new Set(texts).size).toBe(texts.length)
  expect(texts).toEqual(expect.arrayContaining(acknowledged))
  expect(texts.filter((each) => !asked.has(each))).toEqual([])
  expect(texts.length).toBeGreaterThanOrEqual(before + after)
})
