// @module-tag thorough

import { sourceOf } from "@atrium/api/testing/BuiltPrograms"
import { makeOlderTables } from "@atrium/api/testing/OlderTables"
import { type ProbeRoom, roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { figure, figures, shareShards, startRunner } from "@atrium/api/testing/Runners"
import {
  makeHome,
  makeProject,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

import { makeTestDatabase, type TestDatabase } from "../../../../scripts/makeTestDatabase.ts"

let database: TestDatabase
let home: ServiceHome
let older: RunningService
let newer: RunningService

const hook = new URL("../../../../scripts/otherProgram.ts", import.meta.url).href

/** The service of this commit as a program of another version: see `otherProgram.ts`. */
const otherProgram = (versions: number) => ({
  program: sourceOf("service"),
  by: ["--import", `${hook}?versions=${versions}`]
})

/** A room with a client of each runner. */
interface PlayedRoom {
  readonly clients: ReadonlyArray<{ readonly room: ProbeRoom; readonly on: RunningService }>
  acknowledged: number
}
const played: Array<PlayedRoom> = []

const act = async (of: PlayedRoom, on: RunningService): Promise<number> => {
  const client = of.clients.find((each) => each.on === on)
  if (client === undefined) throw new Error("the runner has no client in the room")
  const { value } = await client.room.request("addDurably", { by: 1 })
  of.acknowledged++
  return value
}

const metricsOf = async (on: RunningService): Promise<number> => {
  const response = await fetch(`${on.url}/v1/projects/${on.project}/metrics`, {
    headers: { authorization: `Bearer ${on.token}` }
  })
  await response.arrayBuffer()
  return response.status
}

beforeAll(async () => {
  database = await makeTestDatabase()
  await makeOlderTables(database.url)
  home = await makeHome(database)
  newer = await startRunner(home)
  older = await startRunner(home, otherProgram(-1))
  await shareShards([newer, older])
})

afterAll(async () => {
  await home.remove()
  await database.drop()
})

it("[C-425] a program of the version before serves the same rooms beside this one", async () => {
  const awake = () => figures([newer, older], "atrium_rooms_awake")
  // The rooms of one project are on one runner.
  for (let at = 0; (await awake()).some((rooms) => rooms === 0); at++) {
    expect(at).toBeLessThan(30)
    const project = await makeProject(newer.url, newer.token)
    const clients = [newer, older].map(async (on) => {
      return { on, room: await roomsOf({ ...on, project }).join("played") }
    })
    played.push({ clients: await Promise.all(clients), acknowledged: 0 })
  }
  for (const room of played) for (const on of [newer, older]) await act(room, on)
  for (const on of [newer, older]) {
    expect(await figure(on, "atrium_forwarded_clients")).toBeGreaterThan(0)
    expect(await figure(on, "atrium_links_lost_total")).toBe(0)
    expect(await metricsOf(on)).toBe(200)
  }
})

it("[C-425] a program two versions on is refused with one sentence", async () => {
  await expect(startRunner(home, otherProgram(2))).rejects.toThrow(
    /^the service ended with 1:\natrium: The runner \S+ speaks versions? [^\n]+ one version of Atrium at a time, or stop every runner first\.\n$/
  )
})

it("[C-425] the older program ends, and nothing acknowledged is lost", async () => {
  expect(await older.stop()).toBe(0)
  for (const room of played) {
    const before = room.acknowledged
    const value = await until("the room answers", () =>
      act(room, newer).catch(() => false as const)
    )
    // A call that got no answer may have been carried out, too.
    expect(value).toBeGreaterThan(before)
  }
})
