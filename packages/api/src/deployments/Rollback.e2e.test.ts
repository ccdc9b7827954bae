import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

import { single } from "../testing/rooms/singleSchema.ts"
import { bundleOfRooms, call, deploy, uploadBundle } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
let project: string

const target = () => ({ ...service, project })
const ask = (path: string, body?: unknown) =>
  call(service.url, `/v1/projects/${project}${path}`, { token: service.token, body })
const rollback = (body: unknown = {}) => ask("/rollback", body)

/** The versions with what changes about them, newest first. */
const versions = async () =>
  Object.values((await ask("/deployments")).body).map((row) => {
    const { version, current, rollbackOf, rooms } = Object(row)
    return { version, current, rollbackOf, rooms }
  })

/** The code of `single.ts` with a fault in its one call; the schema is the same. */
const faulty = async (): Promise<Uint8Array> => {
  const text = Buffer.from(await bundleOfRooms(["rooms/single.ts"])).toString()
  const broken = text.replace("room.state.door.knocks += 1", 'throw new Error("a fault")')
  expect(broken).not.toBe(text)
  return Buffer.from(broken)
}

beforeAll(async () => {
  const made = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "rollback" }
  })
  project = String(made.body["id"])
})

describe("a rollback", () => {
  it("[C-350] a project without a version, or with one, has nothing to go back to", async () => {
    const refused = (message: string) => ({
      status: 409,
      body: { error: { code: "E_NO_ROLLBACK", message } }
    })
    expect(await rollback()).toEqual(refused("the project has no version yet"))
    expect((await deploy(target(), ["rooms/single.ts"])).status).toBe(201)
    expect(await rollback()).toEqual(refused("no version is before version 1"))
    expect(await rollback({ version: 1 })).toEqual(refused("version 1 is the current one"))
  })

  it("[D-40] after a faulty deploy the rooms are on the old code again, with their state", async () => {
    const room = await new Client(service.url, { project }).joinOrCreate(single, { roomId: "door" })
    expect(await room.request("knock", {})).toEqual({ knocks: 1 })
    expect(await room.request("knock", {})).toEqual({ knocks: 2 })
    expect(await uploadBundle(target(), await faulty())).toMatchObject({ body: { version: 2 } })
    await until("the fault is there", async () => {
      const failure = await room.request("knock", {}).then(
        () => null,
        (error: unknown) => error
      )
      return Object(failure)["code"] === "E_RPC_FAILED"
    })
    const made = await rollback()
    expect(made).toMatchObject({
      status: 201,
      body: { version: 3, rollbackOf: 1, roomTypes: [{ type: "single" }], relay: false }
    })
    const knocks = await until("the old code answers", () =>
      room.request("knock", {}).then(
        (answer) => answer.knocks,
        () => null
      )
    )
    // As many as were acknowledged, and those of calls that were answered by nobody.
    expect(knocks).toBeGreaterThanOrEqual(3)
    expect(room.state.door.knocks).toBe(knocks)
    await until("the room is listed on the version of the rollback", async () => {
      const [newest] = await versions()
      return newest?.rooms === 1
    })
    expect(await versions()).toEqual([
      { version: 3, current: true, rollbackOf: 1, rooms: 1 },
      { version: 2, current: false, rollbackOf: null, rooms: 0 },
      { version: 1, current: false, rollbackOf: null, rooms: 0 }
    ])
    await room.leave()
  })

  it("[C-233] is in the audit log, with the version that it made", async () => {
    const { body } = await ask("/audit")
    const rows = Object.values(body).map(Object)
    expect(rows.filter(({ action }) => action === "rollback")).toMatchObject([
      { target: "3", outcome: "done" }
    ])
  })

  it("[C-221] the bundle of the version that came back makes no new version", async () => {
    expect(await deploy(target(), ["rooms/single.ts"])).toMatchObject({
      status: 200,
      body: { version: 3, made: false }
    })
  })

  it("[C-350] is refused like a deploy where the rooms could not follow; nothing is made", async () => {
    const both = await deploy(target(), ["rooms/single.ts", "rooms/probe.ts"])
    expect(both).toMatchObject({ status: 201, body: { version: 4 } })
    // Not how many rooms each has: the room of the test before goes to sleep meanwhile.
    const made = async () => (await versions()).map(({ version, current }) => [version, current])
    const before = await made()
    for (const body of [{}, { version: 1 }, { version: 2 }]) {
      const difference = "the room type is gone"
      expect(await rollback(body)).toEqual({
        status: 409,
        body: {
          error: {
            code: "E_SCHEMA_BREAKING",
            message: `probe: ${difference}`,
            type: "probe",
            difference,
            rooms: expect.any(Number),
            saves: expect.any(Number)
          }
        }
      })
    }
    expect(await rollback({ version: 5 })).toEqual({
      status: 404,
      body: {
        error: { code: "E_VERSION_NOT_FOUND", message: "version: the project has no version 5" }
      }
    })
    for (const version of [0, -1, 1.5, "1", null]) {
      const answer = await rollback({ version })
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "E_BAD_REQUEST" } } })
    }
    expect(await made()).toEqual(before)
  })
})
