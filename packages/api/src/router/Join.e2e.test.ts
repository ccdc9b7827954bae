import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { SignJWT } from "jose"
import { beforeAll, describe, expect, it } from "vitest"

import { RawClient } from "../testing/RawClient.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
let identity: string

beforeAll(async () => {
  identity = await identityOf(service.project)
})

const identityOf = async (project: string): Promise<string> => {
  const { body } = await call(service.url, "/v1/identity", { body: { project } })
  return String(body["token"])
}

const connect = (roomId: string, project = service.project): RawClient =>
  new RawClient(`${service.url.replace("http", "ws")}/v1/rooms/${project}/${roomId}`)

const newProject = async (name: string): Promise<string> => {
  const { body } = await call(service.url, "/v1/projects", { token: service.token, body: { name } })
  return String(body["id"])
}

const sign = (project: string, secret: string) =>
  new SignJWT({ room: "*", role: "player" })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(project)
    .setAudience("rooms")
    .setSubject("player-1")
    .setIssuedAt()
    .setExpirationTime("10m")
    .sign(new TextEncoder().encode(secret))

/** The error frame and the close that a refused join gets. */
const refusalOf = async (client: RawClient, token: string, type: string | null = "probe") => {
  const frame = await client.hello(token, type)
  const { code } = await client.closed
  return { type: frame[0], error: frame[1], close: code }
}

describe("a refused join", () => {
  it("[D-24] a room that is not there, without a type: E_ROOM_NOT_FOUND, 4404", async () => {
    expect(await refusalOf(connect("nowhere"), identity, null)).toMatchObject({
      error: "E_ROOM_NOT_FOUND",
      close: 4404
    })
  })

  it("[D-24] a type that is not deployed, and a project without code: 4404", async () => {
    expect(await refusalOf(connect("r"), identity, "chess")).toMatchObject({
      error: "E_ROOM_NOT_FOUND",
      close: 4404
    })
    const bare = await newProject("bare")
    expect(await refusalOf(connect("r", bare), await identityOf(bare))).toMatchObject({
      error: "E_ROOM_NOT_FOUND",
      close: 4404
    })
  })

  it("[D-05] a malformed room id is a room that does not exist", async () => {
    expect(await refusalOf(connect("a%20b"), identity)).toMatchObject({
      error: "E_ROOM_NOT_FOUND",
      close: 4404
    })
    const longest = "r".repeat(128)
    const inside = connect(longest)
    expect((await inside.hello(identity, "probe"))[0]).toBe(ServerFrame.welcome)
    inside.leave()
    expect(await refusalOf(connect(`${longest}r`), identity)).toMatchObject({ close: 4404 })
  })

  it("[D-24] closes with 1003 E_BAD_FRAME when the first frame is not a hello", async () => {
    const bad: ReadonlyArray<Buffer | string> = [
      "text",
      Buffer.from([0xc1]),
      Buffer.from([0x92, ClientFrame.chat, 0xa1, 0x61]),
      Buffer.from([0x91, ClientFrame.hello]),
      Buffer.alloc(0)
    ]
    for (const bytes of bad) {
      const client = connect("r")
      await client.sendBytes(bytes)
      expect((await client.closed).code).toBe(1003)
    }
  })

  it("[D-24] a frame of 1 MiB passes, one byte more is E_FRAME_TOO_LARGE, 4413", async () => {
    const atLimit = connect("sizes")
    await atLimit.hello(identity, "probe")
    // A ping carries anything: header and type are 2 bytes, a bin of this size has 5 bytes of head.
    await atLimit.send([ClientFrame.ping, Buffer.alloc(1024 * 1024 - 7)])
    expect((await atLimit.next((frame) => frame[0] === ServerFrame.pong))[0]).toBe(ServerFrame.pong)
    await atLimit.send([ClientFrame.ping, Buffer.alloc(1024 * 1024 - 6)])
    const frame = await atLimit.next((candidate) => candidate[0] === ServerFrame.error)
    expect([frame[1], (await atLimit.closed).code]).toEqual(["E_FRAME_TOO_LARGE", 4413])
  })
})

describe("join credentials", () => {
  it("[C-222] the refusal of an identity names the secret; without the secret the identity joins again at once", async () => {
    const project = await newProject("there and back")
    const path = `/v1/projects/${project}/jwt-secret`
    const identity = await identityOf(project)
    const told = async (token: string) => {
      const client = connect("r", project)
      const frame = await client.hello(token, "probe")
      return [(await client.closed).code, frame[1], frame[2]]
    }
    // No code is deployed; who forgot to name the project sees which one was asked.
    const noType = `project ${project}: the deployed code has no such room type`
    const enters = [4404, "E_ROOM_NOT_FOUND", noType]
    expect(await told(identity)).toEqual(enters)
    const made = await call(service.url, path, { token: service.token, body: {} })
    const secret = String(made.body["secret"])
    const alone = "anonymous identity refused: the project has a JWT secret, which must sign joins"
    expect(Buffer.byteLength(alone)).toBeLessThanOrEqual(96)
    expect(await told(identity)).toEqual([4401, "E_UNAUTHENTICATED", alone])
    // The reason is for the bearer of a valid identity alone.
    const broken = `${identity.slice(0, -4)}AAAA`
    const invalid = "the credential is missing or not valid"
    expect(await told(broken)).toEqual([4401, "E_UNAUTHENTICATED", invalid])
    const remove = () => call(service.url, path, { token: service.token, method: "DELETE" })
    expect(await remove()).toEqual({ status: 200, body: { deleted: ["1"] } })
    expect(await told(identity)).toEqual(enters)
    expect(await told(await sign(project, secret))).toEqual([4401, "E_UNAUTHENTICATED", invalid])
    expect(await remove()).toEqual({ status: 200, body: { deleted: [] } })
    const second = await call(service.url, path, { token: service.token, body: {} })
    expect([second.status, second.body["kid"]]).toEqual([201, "2"])
    expect(second.body["secret"]).not.toBe(secret)
  })
})

describe("frames in a room", () => {
  it("[D-24] a frame of no known type ends the connection with 1003", async () => {
    const client = connect("strange")
    await client.hello(identity, "probe")
    await client.send([99, 1])
    expect((await client.closed).code).toBe(1003)
  })
})
