import { randomBytes } from "node:crypto"

import { type S3Stub, startS3Stub } from "@atrium/actors/objects/testing/S3Stub"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom, RequestError } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"

import { bulky } from "../testing/rooms/bulkySchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { figures, shareShards, startRunner } from "../testing/Runners.ts"
import {
  call,
  deploy,
  makeHome,
  type RunningService,
  type ServiceHome
} from "../testing/RunningService.ts"
import { oneSentence, refusedStart } from "../testing/SpawnService.ts"

let stub: S3Stub
let home: ServiceHome
let service: RunningService

const settings = () => ({
  ATRIUM_OBJECTS_URL: stub.url,
  ATRIUM_OBJECTS_KEY_ID: stub.keyId,
  ATRIUM_OBJECTS_SECRET_KEY: stub.secretKey
})

/** Names of the bytes of objects, without the mark of the database. */
const held = (): ReadonlyArray<string> =>
  [...stub.objects.keys()].filter((name) => name !== "x-atrium")

const join = (roomId: string): Promise<ClientRoom<typeof bulky>> =>
  new Client(service.url, { project: service.project, reconnectForMs: 0 }).joinOrCreate(bulky, {
    roomId
  })

/** Everything that was acknowledged as stored, by its text. */
const promised = new Set<string>()

const addTo = async (room: ClientRoom<typeof bulky>, stored = promised): Promise<void> => {
  const bytes = randomBytes(4000)
  await room.request("add", { bytes })
  stored.add(bytes.toString("hex"))
}

/** A client that has just joined finds all that was acknowledged as stored. */
const expectAllIn = async (room: ClientRoom<typeof bulky>, stored: ReadonlySet<string>) => {
  const found = new Set(
    [...room.state.blocks].map(({ bytes }) => Buffer.from(bytes).toString("hex"))
  )
  await room.leave()
  expect([...stored].filter((bytes) => !found.has(bytes))).toEqual([])
}

const expectAll = async (): Promise<void> => expectAllIn(await join("kept"), promised)

const asleep = () =>
  until("the room sleeps", async () => {
    const { body } = await roomsOf(service).ask("/kept")
    return body["status"] === "hibernated"
  })

const objects = async (move?: string): Promise<Record<string, unknown>> => {
  const request = move === undefined ? {} : { method: "PATCH", body: { move } }
  const answer = await call(service.url, "/v1/objects", { token: service.token, ...request })
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
  return answer.body
}

const moved = async (order: string): Promise<Record<string, unknown>> => {
  await objects(order)
  await until(
    "the move is done",
    async () => Object((await objects())["move"])["status"] === "done"
  )
  return objects()
}

beforeAll(async () => {
  stub = await startS3Stub()
  home = await makeHome()
  service = await home.start({ env: settings() })
  const files = ["rooms/probe.ts", "rooms/single.ts", "rooms/bulky.ts"]
  const { status } = await deploy(service, files)
  if (status !== 201) throw new Error(`not deployed: ${status}`)
})

afterAll(async () => {
  await home?.remove()
  await stub?.close()
})

it("[C-466] bundles and rooms are in the S3: a room sleeps there, wakes from it, and lives through a kill", async () => {
  expect(held().length).toBeGreaterThanOrEqual(2)
  const room = await join("kept")
  for (let times = 0; times < 4; times++) await addTo(room)
  await room.leave()
  await asleep()
  expect(held().length).toBeGreaterThan(2)
  await expectAll()
  const again = await join("kept")
  await addTo(again)
  await service.stop("SIGKILL")
  service = await home.start({ env: settings() })
  await expectAll()
  expect(await objects()).toMatchObject({ place: "s3", s3Url: stub.url, move: null })
})

it("[C-467] while the S3 is away nothing is acknowledged as stored, and the service says so", async () => {
  const room = await join("kept")
  stub.fault = () => ({ _tag: "Status", status: 503, code: "SlowDown" })
  const refused = await addTo(room).catch((error: unknown) => error)
  expect(refused instanceof RequestError ? refused.code : refused).toBe("E_NOT_STORED")
  await until("not ready", async () => (await call(service.url, "/ready")).status === 503)
  expect(await call(service.url, "/ready")).toMatchObject({
    body: { error: { code: "E_NOT_READY", message: "the S3 of objects does not answer" } }
  })
  expect((await call(service.url, "/health")).status).toBe(200)
  stub.fault = () => null
  await until("ready", async () => (await call(service.url, "/ready")).status === 200)
  await addTo(room)
  await room.leave()
  await asleep()
  await expectAll()
  expect(service.output()).toContain("the S3 of objects is away")
  expect(service.output()).toContain("the S3 of objects answers again")
  expect(service.output()).not.toContain(stub.secretKey)
})

it(
  "[C-469] all bytes move to PostgreSQL, and the service starts without an S3; then they move back",
  { tags: ["thorough"] },
  async () => {
    expect(await moved("to-postgres")).toMatchObject({ place: "postgres", s3: { objects: 0 } })
    await expectAll()
    await asleep()
    expect(await service.stop()).toBe(0)
    service = await home.start()
    await expectAll()
    expect(await objects()).toMatchObject({ place: "postgres", s3Url: null })
    const request = { token: service.token, method: "PATCH", body: { move: "to-s3" } }
    expect((await call(service.url, "/v1/objects", request)).status).toBe(400)
    expect(await service.stop()).toBe(0)

    service = await home.start({ env: settings() })
    await objects("to-s3")
    await service.stop("SIGKILL")
    service = await home.start({ env: settings() })
    await until(
      "the move is done",
      async () => Object((await objects())["move"])["status"] === "done"
    )
    const { s3, postgres } = await objects()
    expect(Object(s3)["objects"]).toBeGreaterThan(2)
    // PostgreSQL keeps each object of at most 8 KiB.
    const { objects: left, bytes } = Object(postgres)
    expect(bytes).toBeLessThanOrEqual(left * 8192)
    await expectAll()
  }
)

it(
  "[C-470] a start without the S3 of the database, or with another one: one sentence without a secret",
  { tags: ["thorough"] },
  async () => {
    await service.stop()
    const database = { DATABASE_URL: service.databaseUrl, ATRIUM_DATA: home.dataDir, PORT: "0" }
    const none = await refusedStart(database)
    expect([none.code, none.errors]).toEqual([1, expect.stringMatching(oneSentence)])
    expect(none.errors).toContain("Objects of this database are in an S3: set ATRIUM_OBJECTS_URL")
    const gone = await startS3Stub()
    await gone.close()
    const faults = [
      { ATRIUM_OBJECTS_URL: `${stub.url}/empty` },
      { ATRIUM_OBJECTS_SECRET_KEY: "hush" },
      { ATRIUM_OBJECTS_URL: gone.url }
    ]
    const said: Array<string> = []
    for (const fault of faults) {
      const { code, errors } = await refusedStart({ ...database, ...settings(), ...fault })
      expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
      expect(errors).not.toMatch(/hush|AKID|the\+secret/)
      said.push(errors)
    }
    expect(said[0]).toContain(`${stub.url}/empty is not where this database has its objects`)
    expect(said[1]).toContain(
      `${stub.url} cannot be used: the S3 answered GET: 403 SignatureDoesNotMatch`
    )
    expect(said[2]).toContain("cannot be used: the S3 answered GET: ECONNREFUSED")
  }
)

interface PlayedRoom {
  readonly room: ClientRoom<typeof bulky>
  readonly stored: Set<string>
  /** Another client in it, who comes through this runner. */
  joinAt(runner: RunningService): Promise<ClientRoom<typeof bulky>>
}

/** A room of a project of its own, whose state is too large for a row. */
const playOn = async (runner: RunningService): Promise<PlayedRoom> => {
  const { url, token } = runner
  const made = await call(url, "/v1/projects", { token, body: { name: "spread" } })
  const project = String(made.body["id"])
  expect((await deploy({ url, token, project }, ["rooms/bulky.ts"])).status).toBe(201)
  const joinAt = (at: RunningService) =>
    new Client(at.url, { project }).joinOrCreate(bulky, { roomId: "shared" })
  const room = await joinAt(runner)
  const stored = new Set<string>()
  for (let times = 0; times < 3; times++) await addTo(room, stored)
  return { room, stored, joinAt }
}

const projectsMax = 12

it(
  "[C-466] three runners share an S3: the rooms of a killed one come back elsewhere, with all that was acknowledged",
  { tags: ["thorough"] },
  async () => {
    const start = () => startRunner(home, { env: settings() })
    const runners = await Promise.all([start(), start(), start()])
    const [entry, other, killed] = runners
    await shareShards(runners)
    const awake = () => figures(runners, "atrium_rooms_awake")
    const played: Array<PlayedRoom> = []
    while (played.length < projectsMax && (await awake()).includes(0)) {
      played.push(await playOn(played.length % 2 === 0 ? entry : other))
    }
    expect(await awake()).not.toContain(0)

    // Some of these are on their way when the runner ends.
    const underWay = played.map(({ room, stored }) => addTo(room, stored).catch(() => null))
    await killed.stop("SIGKILL")
    await Promise.all(underWay)
    const asked = stub.asked.length
    await Promise.all(
      played.map(({ room, stored }) =>
        until("the room stores again", () =>
          addTo(room, stored).then(
            () => true,
            () => false
          )
        )
      )
    )
    const reads = stub.asked
      .slice(asked)
      .filter(({ method, name }) => method === "GET" && name !== "")
    expect(reads.length).toBeGreaterThan(0)
    await until("each room is awake on one of the runners that are left", async () => {
      const left = await figures([entry, other], "atrium_rooms_awake")
      return left.reduce((sum, rooms) => sum + rooms, 0) === played.length
    })
    for (const { room, stored, joinAt } of played) {
      expect(stored.size).toBeGreaterThan(3)
      await expectAllIn(await joinAt(other), stored)
      await room.leave()
    }

    const { code, errors } = await refusedStart({
      DATABASE_URL: entry.databaseUrl,
      ATRIUM_DATA: home.dataDir,
      ATRIUM_RUNNER_ADDRESS: "127.0.0.1:9"
    })
    expect([code, errors]).toEqual([1, expect.stringMatching(oneSentence)])
    expect(errors).toContain(`has ${stub.url} for its objects, this one no ATRIUM_OBJECTS_URL: `)
    service = entry
    expect(await other.stop()).toBe(0)
  }
)

it("[C-469] the objects are the operator's alone", async () => {
  expect((await call(service.url, "/v1/objects")).status).toBe(401)
  const token = { token: service.token }
  const invited = await call(service.url, "/v1/me/invitations", { ...token, body: { name: "Ada" } })
  const accepted = await call(service.url, "/v1/login/invitation", {
    body: { code: invited.body["code"], name: "Ada" }
  })
  const other = { token: String(accepted.body["token"]) }
  expect((await call(service.url, "/v1/me", other)).status).toBe(200)
  expect((await call(service.url, "/v1/objects", other)).status).toBe(404)
  const order = { ...other, method: "PATCH", body: { move: "stop" } }
  expect((await call(service.url, "/v1/objects", order)).status).toBe(404)
  expect(await service.stop()).toBe(0)
})
