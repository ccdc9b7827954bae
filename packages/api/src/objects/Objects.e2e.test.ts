import { randomBytes } from "node:crypto"

import { type S3Stub, startS3Stub } from "@atrium/actors/objects/testing/S3Stub"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom, RequestError } from "@atrium/sdk/client"
import { afterAll, beforeAll, expect, it } from "vitest"

import { bulky } from "../testing/rooms/bulkySchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
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

const addTo = async (room: ClientRoom<typeof bulky>): Promise<void> => {
  const bytes = randomBytes(4000)
  await room.request("add", { bytes })
  promised.add(bytes.toString("hex"))
}

/** Somebody new finds all that was promised. */
const expectAll = async (): Promise<void> => {
  const room = await join("kept")
  const found = new Set(
    [...room.state.blocks].map(({ bytes }) => Buffer.from(bytes).toString("hex"))
  )
  await room.leave()
  expect([...promised].filter((bytes) => !found.has(bytes))).toEqual([])
}

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
}, 60_000)

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
}, 60_000)

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
}, 60_000)

it("[C-469] all bytes move to PostgreSQL, and the service starts without an S3; then they move back", async () => {
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
  // What is small stays.
  const { objects: left, bytes } = Object(postgres)
  expect(bytes).toBeLessThanOrEqual(left * 8192)
  await expectAll()
}, 90_000)

it("[C-470] a start without the S3 of the database, or with another one: one sentence without a secret", async () => {
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
}, 60_000)

it("[C-469] the objects are the operator's alone", async () => {
  service = await home.start({ env: settings() })
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
