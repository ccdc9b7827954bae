import { createServer } from "node:http"

import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from "vitest"
import WebSocketOfWs from "ws"

import { Client } from "./Client.ts"
import { JoinError } from "./ClientErrors.ts"
import { FakeRoomServer } from "./testing/FakeRoomServer.ts"
import { FakeTime } from "./testing/FakeTime.ts"

const definition = {
  type: "arena",
  entities: { players: { name: s.string(32), x: s.f32() } },
  singletons: { score: { red: s.u16() } }
} as const
const schema = defineSchema(definition)

let server: FakeRoomServer<typeof schema>
let time: FakeTime

beforeEach(async () => {
  server = await FakeRoomServer.open(schema)
  time = new FakeTime()
})
afterEach(() => server.close())

const client = (): Client => new Client(server.url, { token: "t" }, time.port())

const refusalOf = async (join: Promise<unknown>): Promise<JoinError> => {
  const error: unknown = await join.then(
    () => new Error("the join was not refused"),
    (reason: unknown) => reason
  )
  if (error instanceof JoinError) return error
  throw error
}

describe("joining", () => {
  test("[D-24] says hello with token, type, schema and options, on the room's own address", async () => {
    server.room.state.players.add({ name: "ann", x: 1.5 })
    server.room.encodeDelta()
    const room = await client().joinOrCreate(schema, { options: { team: "red" } })
    const peer = await server.peer()
    expect(peer.path).toBe("/v1/rooms/dev/arena")
    expect(peer.protocol).toBe("rooms.v1")
    expect(peer.hello).toEqual([1, "t", "arena", schemaHash(schema), null, { team: "red" }])
    expect(room).toMatchObject({
      id: "arena",
      sessionId: "c1",
      playerId: "pl_1",
      version: 1,
      audience: false,
      connected: true,
      reconnectionToken: "arena/resume-1"
    })
    expect(room.state.players.get(1)?.name).toBe("ann")
    expect(room.stateHash()).toBe(server.hash)
    expectTypeOf(room.state.players.get(1)?.name).toEqualTypeOf<string | undefined>()
    expectTypeOf(room.state.score.red).toEqualTypeOf<number>()
    await room.leave()
    expect(await peer.closed).toBe(1000)
    expect(room.connected).toBe(false)
  })

  test("[D-24] the WebSocket of `ws` does as well as the global one", async () => {
    const own = new Client(server.url, { token: "t", webSocket: WebSocketOfWs })
    const room = await own.joinOrCreate(schema)
    expect(room.stateHash()).toBe(server.hash)
    await room.leave()
  })

  test("[D-24] create makes an id of 12 random characters and sends the type", async () => {
    const room = await client().create(schema)
    expect(room.id).toBe("arena--_v7-_v7-_v7")
    expect((await server.peer()).hello[2]).toBe("arena")
    await room.leave()
  })

  test("[D-24] join and joinById send no type, so that no room is created", async () => {
    const rooms = await Promise.all([
      client().join(schema),
      client().join(schema, { roomId: "cup" }),
      client().joinById("final", schema)
    ])
    const peers = [await server.peer(), await server.peer(), await server.peer()]
    const asked = peers.map(({ path, hello }) => [path, hello[2]])
    expect(asked.sort()).toEqual([
      ["/v1/rooms/dev/arena", null],
      ["/v1/rooms/dev/cup", null],
      ["/v1/rooms/dev/final", null]
    ])
    await Promise.all(rooms.map((room) => room.leave()))
  })

  test("[D-24] messages right behind the welcome wait for the listeners", async () => {
    const chatty = defineSchema({ type: "chatty", messages: { hi: { n: s.u8() } } })
    const own = await FakeRoomServer.open(chatty)
    own.onHello = (peer) => {
      peer.welcome()
      peer.send([18, 0, new Uint8Array([7])])
      peer.close(4291, "E_ROOM_DELETED")
    }
    const room = await new Client(own.url, { token: "t" }, time.port()).joinOrCreate(chatty)
    const heard: Array<unknown> = []
    room.onMessage("hi", ({ n }) => heard.push(n))
    const code = await new Promise((resolve) => room.onLeave(resolve))
    expect(heard).toEqual([7])
    expect(code).toBe(4291)
    await own.close()
  })
})

describe("refusals", () => {
  test("[D-24] join options that are no plain data are refused before a connection", async () => {
    const join = client().joinOrCreate(schema, { options: { at: new Date(0) } })
    await expect(join).rejects.toThrow(/^options: .*Date/)
    expect(server.peers).toHaveLength(0)
  })

  const others: ReadonlyArray<number> = [CloseCodes.full.code, CloseCodes.waking.code]
  const codes = Object.values(CloseCodes).filter(({ code }) => !others.includes(code))
  test.each(codes)("[D-24] $code $name", async (row) => {
    server.onHello = (peer) => peer.refuse(row)
    const error = await refusalOf(client().joinOrCreate(schema))
    expect([error.code, error.closeCode]).toEqual([row.name, row.code])
    expect(server.peers).toHaveLength(1)
  })

  test("[D-24] a server that is not there is E_UNREACHABLE", async () => {
    const url = server.url
    await server.close()
    const error = await refusalOf(new Client(url, { token: "t" }, time.port()).join(schema))
    expect([error.code, error.closeCode]).toEqual(["E_UNREACHABLE", 1006])
    server = await FakeRoomServer.open(schema)
  })

  test("[client.join] no answer is E_JOIN_TIMEOUT after 30 s, and the socket is closed", async () => {
    server.onHello = () => {}
    const join = refusalOf(client().join(schema))
    const peer = await server.peer()
    time.advance(29_999)
    time.advance(1)
    expect((await join).code).toBe("E_JOIN_TIMEOUT")
    expect(await peer.closed).toBe(1000)
    expect(time.waitsMs).toEqual([])
  })

  test("[D-24] bytes that are no frame refuse the join", async () => {
    server.onHello = (peer) => peer.raw(new Uint8Array([0xc1]))
    expect((await refusalOf(client().join(schema))).code).toBe("E_PROTOCOL")
  })
})

describe("full rooms", () => {
  const full = { code: 4409, name: "E_ROOM_FULL" }

  test("[D-43] joinOrCreate goes on to type-2 and type-3", async () => {
    server.onHello = (peer) => (peer.path.endsWith("/arena-3") ? peer.welcome() : peer.refuse(full))
    const room = await client().joinOrCreate(schema)
    expect(room.id).toBe("arena-3")
    expect(server.peers.map(({ path }) => path.split("/").at(-1))).toEqual([
      "arena",
      "arena-2",
      "arena-3"
    ])
    expect(server.peers.map(({ hello }) => hello[2])).toEqual(["arena", "arena", "arena"])
    await room.leave()
  })

  test("[D-43] the 32nd room is the last one tried", async () => {
    server.onHello = (peer) => peer.refuse(full)
    const error = await refusalOf(client().joinOrCreate(schema))
    expect(error.code).toBe("E_ROOM_FULL")
    expect(server.peers).toHaveLength(32)
    expect(server.peers.at(-1)?.path).toBe("/v1/rooms/dev/arena-32")
  })

  test("[D-43] join stops at the first room that does not exist, and says full", async () => {
    server.onHello = (peer) =>
      peer.refuse(peer.path.endsWith("/arena") ? full : { code: 4404, name: "E_ROOM_NOT_FOUND" })
    expect((await refusalOf(client().join(schema))).code).toBe("E_ROOM_FULL")
    expect(server.peers).toHaveLength(2)
  })

  test("[D-43] a room that was named is the only one tried", async () => {
    server.onHello = (peer) => peer.refuse(full)
    const error = await refusalOf(client().joinOrCreate(schema, { roomId: "cup" }))
    expect(error.code).toBe("E_ROOM_FULL")
    expect(server.peers).toHaveLength(1)
  })
})

describe("project", () => {
  test("[D-24] is the option, then the schema's, then dev on this machine", async () => {
    const named = defineSchema({ ...definition, project: "p_00000000000000aa" })
    const option = { token: "t", project: "p_00000000000000bb" }
    await new Client(server.url, option, time.port()).join(named)
    await new Client(server.url, { token: "t" }, time.port()).join(named)
    await client().join(schema)
    expect(server.peers.map(({ path }) => path)).toEqual([
      "/v1/rooms/p_00000000000000bb/arena",
      "/v1/rooms/p_00000000000000aa/arena",
      "/v1/rooms/dev/arena"
    ])
  })

  test("[D-24] must be named for any other endpoint", async () => {
    const far = new Client("wss://rooms.example", { token: "t" }, time.port())
    expect((await refusalOf(far.join(schema))).code).toBe("E_PROJECT_REQUIRED")
  })
})

describe("tokens", () => {
  test("[D-27] an identity is asked for once and kept", async () => {
    const asked: Array<unknown> = []
    const http = createServer((request, response) => {
      request.setEncoding("utf8").on("data", (body: string) => {
        asked.push([request.method, request.url, JSON.parse(body)])
        response.writeHead(201, { "content-type": "application/json" })
        // The client compares it with the machine's clock.
        const expiresAt = new Date(Date.now() + 60_000).toISOString()
        response.end(JSON.stringify({ playerId: "pl_1", token: "identity-1", expiresAt }))
      })
    })
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve))
    const address = http.address()
    const base = typeof address === "object" ? `http://127.0.0.1:${address?.port}` : ""
    const fetchThere: typeof fetch = (url, init) => {
      expect(String(url)).toBe(`${server.url.replace("ws:", "http:")}/v1/identity`)
      return fetch(`${base}/v1/identity`, init)
    }
    const anonymous = new Client(server.url, {}, time.port({ fetch: fetchThere }))
    await Promise.all([anonymous.join(schema), anonymous.join(schema, { roomId: "two" })])
    expect(server.peers.map(({ hello }) => hello[1])).toEqual(["identity-1", "identity-1"])
    expect(asked).toEqual([["POST", "/v1/identity", { project: "dev" }]])
    await new Promise((resolve) => http.close(resolve))
  })

  test("[D-25] getToken is asked before every connection", async () => {
    let count = 0
    const options = { getToken: () => `token-${(count += 1)}` }
    const own = new Client(server.url, options, time.port())
    await own.join(schema)
    await own.join(schema)
    expect(server.peers.map(({ hello }) => hello[1])).toEqual(["token-1", "token-2"])
  })

  test("[D-25] a getToken that fails refuses the join with its text", async () => {
    const getToken = () => Promise.reject(new Error("not logged in"))
    const error = await refusalOf(new Client(server.url, { getToken }, time.port()).join(schema))
    expect([error.code, error.reason, error.closeCode]).toEqual(["E_TOKEN", "not logged in", null])
  })
})

test("[client.reconnect] text that is no token is refused without a connection", async () => {
  for (const text of ["", "arena", "/x", "arena/"]) {
    expect((await refusalOf(client().reconnect(text, schema))).code).toBe("E_BAD_TOKEN")
  }
  expect(server.peers).toHaveLength(0)
})

test("[client.reconnect] another Client takes the session up with the token", async () => {
  const before = await client().joinOrCreate(schema, { roomId: "cup" })
  await server.peer()
  const after = await client().reconnect(before.reconnectionToken, schema)
  const peer = await server.peer()
  expect(peer.path).toBe("/v1/rooms/dev/cup")
  expect(peer.hello.slice(2, 5)).toEqual([null, schemaHash(schema), "resume-1"])
  expect(after.reconnectionToken).toBe("cup/resume-2")
})
