import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { SignJWT } from "jose"
import { beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"

import { RawClient } from "../testing/RawClient.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()
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

interface Claims {
  readonly project: string
  readonly secret: string
  readonly claims?: Readonly<Record<string, unknown>>
  readonly lifeSeconds?: number
  readonly algorithm?: string
  readonly issuedAt?: number
  readonly player?: string
}

const sign = ({ project, secret, claims = {}, lifeSeconds = 600, ...token }: Claims) => {
  const { algorithm = "HS256", issuedAt: now = Math.floor(Date.now() / 1000) } = token
  return new SignJWT({ room: "*", role: "player", ...claims })
    .setProtectedHeader({ alg: algorithm })
    .setIssuer(project)
    .setAudience("rooms")
    .setSubject(token.player ?? "player-1")
    .setIssuedAt(now)
    .setExpirationTime(now + lifeSeconds)
    .sign(new TextEncoder().encode(secret))
}

/** The error frame and the close that a refused join gets. */
const refusalOf = async (client: RawClient, token: string, type: string | null = "probe") => {
  const frame = await client.hello(token, type)
  const { code } = await client.closed
  return { type: frame[0], error: frame[1], close: code }
}

describe("a refused join", () => {
  it("[auth.join.credential-protects] a token that is none: E_UNAUTHENTICATED, 4401", async () => {
    for (const token of ["", "nonsense", "a.b.c", service.token]) {
      expect(await refusalOf(connect("r"), token)).toEqual({
        type: ServerFrame.error,
        error: "E_UNAUTHENTICATED",
        close: 4401
      })
    }
  })

  it("[project.id.mismatch-is-join-refusal] a token of another project: E_PROJECT_MISMATCH, 4403", async () => {
    const other = await newProject("other")
    expect(await refusalOf(connect("r"), await identityOf(other))).toMatchObject({
      error: "E_PROJECT_MISMATCH",
      close: 4403
    })
  })

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

  it("[D-43] a full room: E_ROOM_FULL, 4409", async () => {
    const first = connect("tiny")
    expect((await first.hello(identity, "single"))[0]).toBe(ServerFrame.welcome)
    expect(await refusalOf(connect("tiny"), identity, "single")).toMatchObject({
      error: "E_ROOM_FULL",
      close: 4409
    })
    first.leave()
    await first.closed
    const next = connect("tiny")
    expect((await next.hello(identity, "single"))[0]).toBe(ServerFrame.welcome)
    next.leave()
  })

  it("[limits.handshake.timeout] no hello within 5 seconds: E_HANDSHAKE_TIMEOUT, 4408", async () => {
    const silent = connect("r")
    const startedAt = performance.now()
    const frame = await silent.next((candidate) => candidate[0] === ServerFrame.error)
    const { code } = await silent.closed
    const waitedMs = performance.now() - startedAt
    expect([frame[1], code]).toEqual(["E_HANDSHAKE_TIMEOUT", 4408])
    expect(waitedMs).toBeGreaterThan(4_500)
    expect(waitedMs).toBeLessThan(8_000)
  })

  it("[D-24] a socket that does not offer rooms.v1, or asks elsewhere, is no WebSocket here", async () => {
    const statusOf = (path: string, protocols: Array<string>): Promise<number | undefined> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`${service.url.replace("http", "ws")}${path}`, protocols)
        socket.on("unexpected-response", (_request, response) => resolve(response.statusCode))
        socket.on("open", () => resolve(101))
        socket.on("error", () => undefined)
      })
    const room = `/v1/rooms/${service.project}/r`
    expect(await statusOf(room, [])).toBe(400)
    expect(await statusOf(room, ["rooms.v2"])).toBe(400)
    expect(await statusOf("/v1/rooms/elsewhere", ["rooms.v1"])).toBe(404)
  })

  it("[D-24] room code says no: E_JOIN_REFUSED with its reason, 4420", async () => {
    const client = connect("guarded")
    await client.send([ClientFrame.hello, identity, "probe", null, null, "refuse me"])
    const frame = await client.next((candidate) => candidate[0] === ServerFrame.error)
    expect(frame.slice(1, 3)).toEqual(["E_JOIN_REFUSED", "the room refuses"])
    expect((await client.closed).code).toBe(4420)
  })

  it("[D-24] what is not a hello: E_BAD_FRAME, 1003", async () => {
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
  it("[auth.join-credential.format] a project that has a secret takes its tokens, and no identity any more", async () => {
    const project = await newProject("with secret")
    const asked = await call(service.url, `/v1/projects/${project}/jwt-secret`, {
      token: service.token,
      body: {}
    })
    expect(asked.status).toBe(201)
    const secret = String(asked.body["secret"])
    expect(secret).toMatch(/^js_[A-Za-z0-9_-]{43}$/)
    const accepted = async (token: string) => (await refusalOf(connect("r", project), token)).close

    // No code is deployed: what passes the credential check is told that there is no room.
    expect(await accepted(await sign({ project, secret }))).toBe(4404)
    expect(await accepted(await identityOf(project))).toBe(4401)
    expect(await accepted(await sign({ project, secret: `js_${"a".repeat(43)}` }))).toBe(4401)
    expect(await accepted(await sign({ project, secret, algorithm: "HS512" }))).toBe(4401)
    expect(await accepted(await sign({ project, secret, claims: { room: "r" } }))).toBe(4404)
    expect(await accepted(await sign({ project, secret, claims: { room: "s" } }))).toBe(4403)
    expect(await accepted(await sign({ project, secret, claims: { role: "judge" } }))).toBe(4401)
    expect(await accepted(await sign({ project, secret, lifeSeconds: 24 * 3600 }))).toBe(4404)
    expect(await accepted(await sign({ project, secret, lifeSeconds: 24 * 3600 + 1 }))).toBe(4401)
    expect(await accepted(await sign({ project, secret, lifeSeconds: -120 }))).toBe(4401)
    const later = Math.floor(Date.now() / 1000) + 30
    expect(await accepted(await sign({ project, secret, issuedAt: later }))).toBe(4404)
    expect(await accepted(await sign({ project, secret, issuedAt: later + 90 }))).toBe(4401)
    // 256 bytes of player id, not characters.
    expect(await accepted(await sign({ project, secret, player: "é".repeat(128) }))).toBe(4404)
    expect(await accepted(await sign({ project, secret, player: `${"é".repeat(128)}a` }))).toBe(
      4401
    )
    expect(await accepted(await sign({ project, secret, player: "" }))).toBe(4401)
    // Within the leeway of 60 seconds.
    expect(await accepted(await sign({ project, secret, lifeSeconds: -30 }))).toBe(4404)
  })

  it("[C-222] a refused identity is told of the secret; without the secret it joins again at once", async () => {
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
    expect(await told(await sign({ project, secret }))).toEqual([
      ...[4401, "E_UNAUTHENTICATED", invalid]
    ])
    expect(await remove()).toEqual({ status: 200, body: { deleted: [] } })
    const second = await call(service.url, path, { token: service.token, body: {} })
    expect([second.status, second.body["kid"]]).toEqual([201, "2"])
    expect(second.body["secret"]).not.toBe(secret)
  })

  it("[D-25] a second secret needs rotate, and the first stays valid beside it", async () => {
    const project = await newProject("rotated")
    const path = `/v1/projects/${project}/jwt-secret`
    const mint = (body: unknown) => call(service.url, path, { token: service.token, body })
    const first = String((await mint({})).body["secret"])
    const again = await mint({})
    expect([again.status, again.body]).toMatchObject([409, { error: { code: "E_SECRET_EXISTS" } }])
    const second = String((await mint({ rotate: true })).body["secret"])
    expect(second).not.toBe(first)
    for (const secret of [first, second]) {
      const refusal = await refusalOf(connect("r", project), await sign({ project, secret }))
      expect(refusal.close).toBe(4404)
    }
  })
})

describe("frames in a room", () => {
  it("[limits.chat.bytes] 512 bytes of chat pass, 513 are refused by name, nothing is trimmed", async () => {
    const client = connect("chatter")
    await client.hello(identity, "probe")
    const longest = "é".repeat(256)
    await client.send([ClientFrame.chat, longest])
    const chat = await client.next((frame) => frame[0] === ServerFrame.chat)
    expect(chat[2]).toBe(longest)
    await client.send([ClientFrame.chat, `${longest}a`])
    const refused = await client.next((frame) => frame[0] === ServerFrame.error)
    expect(refused[1]).toBe("E_CHAT_TOO_LONG")
    client.leave()
  })

  it("[limits.chat.burst] five lines at once pass, the sixth is refused, told once, and the connection stays", async () => {
    const client = connect("chatter-2")
    await client.hello(identity, "probe")
    for (let line = 1; line <= 7; line++) await client.send([ClientFrame.chat, `line ${line}`])
    await client.send([ClientFrame.ping, 1])
    await client.next((frame) => frame[0] === ServerFrame.error && frame[1] === "E_CHAT_RATE")
    const rest = await client.next((frame) => frame[0] !== ServerFrame.chat)
    expect(rest[0]).toBe(ServerFrame.pong)
    client.leave()
  })

  it("[D-24] a frame of no known type ends the connection with 1003", async () => {
    const client = connect("strange")
    await client.hello(identity, "probe")
    await client.send([99, 1])
    expect((await client.closed).code).toBe(1003)
  })
})
