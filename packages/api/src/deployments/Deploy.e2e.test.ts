import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { schemaHash } from "@atrium/sdk/schema"
import { ServerFrame } from "@atrium/wire/frames/Frame"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import {
  growingFolder,
  growingPlayer,
  growingSchema,
  growingState
} from "../testing/GrowingGame.ts"
import { objectKeys } from "../testing/ObjectWrites.ts"
import { RawClient } from "../testing/RawClient.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { call, deploy, deployAnew } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const unknownFate = expect.stringMatching(/^E_(?:DISCONNECTED|NOT_STORED)$/)

const versions = 20
const newest = growingSchema(versions)
const everyVersion = Array.from({ length: versions }, (_, index) => index + 1)

const service = serviceUnderTest()
let game: Awaited<ReturnType<typeof growingFolder>>
let project: string
/** The player who made the room of a version: what is stored of it is as old as the room. */
const tokens: Array<string> = []

beforeAll(async () => {
  game = await growingFolder()
  const { body } = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "growing" }
  })
  project = String(body["id"])
})

afterAll(() => game.remove())

const deployVersion = async (version: number) =>
  deploy({ ...service, project }, [await game.write(version)], game.folder)

const keysOf = async (roomId: string): Promise<ReadonlyArray<string>> => {
  const keys = await objectKeys(service.databaseUrl, `/${roomId}/`)
  return keys.map((key) => key.split(`/${roomId}/`)[1]?.replace(/sv_.*/, "") ?? "")
}

describe(
  "a game that grew for twenty versions, and the rooms that fell asleep on the way",
  { tags: ["thorough"] },
  () => {
    it("[version.deployments] twenty versions are deployed in a row, each with more than the one before", async () => {
      for (const version of everyVersion) {
        expect(await deployVersion(version)).toMatchObject({ status: 201, body: { version } })
        const identity = await call(service.url, "/v1/identity", { body: { project } })
        const token = String(identity.body["token"])
        tokens.push(token)
        const player = new Client(service.url, { project, token })
        const room = await player.joinOrCreate(growingSchema(version), {
          roomId: `made-${version}`
        })
        expect(await room.request("win", {})).toMatchObject({ version, wins: 4 + version })
        await room.leave()
      }
      const { body } = await call(service.url, `/v1/projects/${project}/deployments`, {
        token: service.token
      })
      expect(Object.values(body)).toMatchObject(
        everyVersion.toReversed().map((version) => ({
          version,
          roomTypes: [{ type: "growing", schemaHash: schemaHash(growingSchema(version)) }]
        }))
      )
    })

    it("[version.breaking] an older version cannot be deployed again: the first loss is named", async () => {
      expect(await deployVersion(versions - 1)).toEqual({
        status: 409,
        body: {
          error: {
            code: "E_SCHEMA_BREAKING",
            message: "growing: entities.units.i820 was removed",
            type: "growing",
            difference: "entities.units.i820 was removed",
            rooms: expect.any(Number),
            saves: expect.any(Number)
          }
        }
      })
    })

    it("[version.old-snapshots-decode] after a restart each room wakes on the newest version, old values and new defaults", async () => {
      // Each room that was still awake is stored by the version that it ran.
      expect(await service.stop()).toBe(0)
      await service.start()
      for (const made of everyVersion) {
        expect(await keysOf(`made-${made}`)).toEqual([
          `saves/${String(made).padStart(10, "0")}/`,
          `snapshot/${String(made).padStart(10, "0")}`
        ])
      }
      const wake = async (made: number): Promise<void> => {
        const player = new Client(service.url, { project, token: tokens[made - 1] ?? "" })
        const room = await player.joinById(`made-${made}`, newest)
        expect(JSON.parse(JSON.stringify(room.state))).toEqual(growingState(made, versions))
        expect(await room.request("win", {})).toEqual({
          version: versions,
          ...growingPlayer(made, versions)
        })
        await room.leave()
      }
      for (let at = 0; at < versions; at += 5) {
        await Promise.all(everyVersion.slice(at, at + 5).map(wake))
      }
    })

    it("[version.snapshot-across-versions] a room keeps what each version saved beside the other's", async () => {
      await until("the room of the first version sleeps again", async () => {
        const keys = await keysOf("made-1")
        return keys.includes("saves/0000000020/")
      })
      expect(await keysOf("made-1")).toEqual([
        "saves/0000000001/",
        "saves/0000000020/",
        "snapshot/0000000001",
        "snapshot/0000000020"
      ])
    })
  }
)

describe("a redeploy while people play", () => {
  const newClient = (): Client => new Client(service.url, { project: service.project })
  const files = ["rooms/probe.ts", "rooms/single.ts"]

  it("[C-10] clients are told 1012 and come back; nothing acknowledged is lost or counted twice", async () => {
    const rooms = await Promise.all(
      Array.from({ length: 3 }, () => newClient().joinOrCreate(probe, { roomId: "busy" }))
    )
    const back = rooms.map(() => 0)
    rooms.forEach((room, index) => room.onReconnect(() => (back[index] = (back[index] ?? 0) + 1)))
    const acknowledged: Array<number> = []
    let calls = 0
    let playing = true
    const play = async (room: (typeof rooms)[number]): Promise<void> => {
      while (playing) {
        calls++
        await room.request("addDurably", { by: 1 }).then(
          ({ value }) => acknowledged.push(value),
          // Nobody knows what became of a call whose connection ended, or whose store was late.
          (error: unknown) => expect(error).toMatchObject({ code: unknownFate })
        )
      }
    }
    const played = rooms.map(play)
    for (let round = 1; round <= 3; round++) {
      const before = acknowledged.length
      await until("some play", () => acknowledged.length > before + 5)
      const { body } = await deployAnew(service, files)
      await until("everybody is back", () => back.every((times) => times >= round))
      await until("the new version", async () => {
        const [room] = rooms
        const answer = await room?.request("version", {}).catch(() => null)
        return answer?.version === body["version"]
      })
    }
    playing = false
    await Promise.all(played)
    const last = await rooms[0]?.request("add", { by: 0 })
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
    expect(last?.value).toBeGreaterThanOrEqual(Math.max(...acknowledged))
    expect(last?.value).toBeLessThanOrEqual(calls)
    expect(rooms.map((room) => room.state.counter.starts)).toEqual([1, 1, 1])
    for (const room of rooms) room.leave()
  })

  it("[C-12] a client of the bare protocol sees 1012 E_ROOM_RESTARTING", async () => {
    const { body } = await call(service.url, "/v1/identity", { body: { project: service.project } })
    const address = `${service.url.replace("http", "ws")}/v1/rooms/${service.project}/bare`
    const client = new RawClient(address)
    expect(await client.hello(String(body["token"]), "probe")).toMatchObject({
      0: ServerFrame.welcome
    })
    expect((await deployAnew(service, files)).status).toBe(201)
    expect(await client.closed).toEqual({ code: 1012, reason: "E_ROOM_RESTARTING" })
  })

  it("[C-221] the bundle of the current version makes none, and moves no room", async () => {
    const { body } = await call(service.url, "/v1/projects", {
      token: service.token,
      body: { name: "unchanged" }
    })
    const target = { ...service, project: String(body["id"]) }
    const made = await deploy(target, ["rooms/single.ts"])
    expect(made).toMatchObject({ status: 201, body: { version: 1, made: true } })
    // Two at once find the same version current.
    const kept = await Promise.all([1, 2].map(() => deploy(target, ["rooms/single.ts"])))
    for (const answer of kept) {
      expect(answer).toEqual({ status: 200, body: { ...made.body, made: false } })
    }
    // Only the current version counts: an older bundle is deployed as it always was.
    expect(await deployAnew(target, ["rooms/single.ts"])).toMatchObject({ body: { version: 2 } })
    expect(await deploy(target, ["rooms/single.ts"])).toMatchObject({
      status: 201,
      body: { version: 3, made: true }
    })
  })

  it("[C-57] of two deployments at once the second is judged by the first", async () => {
    const { body } = await call(service.url, "/v1/projects", {
      token: service.token,
      body: { name: "at once" }
    })
    const target = { ...service, project: String(body["id"]) }
    expect((await deploy(target, ["rooms/single.ts"])).status).toBe(201)
    // Each of both adds a room type to what is there; together they would take one away.
    const answers = await Promise.all([
      deploy(target, ["rooms/single.ts", "rooms/probe.ts"]),
      deploy(target, ["rooms/single.ts", "rooms/broken.ts"])
    ])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({
      error: {
        code: "E_SCHEMA_BREAKING",
        message: expect.stringMatching(/^(?:probe|broken): the room type is gone$/)
      }
    })
  })
})
