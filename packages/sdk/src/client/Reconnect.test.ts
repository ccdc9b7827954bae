import { ClientLimits } from "@atrium/wire/client/ClientLimits"
import { packRecord } from "@atrium/wire/codec/RecordCodec"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"
import { afterEach, beforeEach, describe, expect, test } from "vitest"

import { Client, type ClientOptions } from "./Client.ts"
import type { ClientRoom } from "./ClientRoom.ts"
import { FakeRoomServer, Inbox, type FakePeer } from "./testing/FakeRoomServer.ts"
import { FakeTime } from "./testing/FakeTime.ts"
import { failure } from "./testing/JoinedRoom.ts"

const definition = {
  type: "arena",
  entities: { players: { name: s.string(32), x: s.f32() } },
  singletons: { score: { red: s.u16() } },
  messages: { chat: { text: s.string(200) }, blob: s.untyped() },
  rpc: { client: { place: { args: { cell: s.u8() }, returns: { ok: s.bool() } } } }
} as const
const schema = defineSchema(definition)
const chat = schema.messages.byName.get("chat")?.fields ?? []
const place = schema.rpc.client.byName.get("place")

let server: FakeRoomServer<typeof schema>
let time: FakeTime
let room: ClientRoom<typeof schema>
let peer: FakePeer<typeof schema>
let events: Inbox<ReadonlyArray<unknown>>

const start = async (options: ClientOptions = {}): Promise<void> => {
  const client = new Client(server.url, { token: "t", ...options }, time.port())
  room = await client.joinOrCreate(schema)
  peer = await server.peer()
  events = new Inbox("an event")
  room.onDrop((code, reason) => events.put(["drop", code, reason]))
  room.onReconnect(() => events.put(["reconnect"]))
  room.onLeave((code, reason) => events.put(["leave", code, reason]))
  room.onError((code, message) => events.put(["error", code, message]))
}

beforeEach(async () => {
  server = await FakeRoomServer.open(schema)
  time = new FakeTime()
  await start()
})
afterEach(() => server.close())

/** Drops the connection and waits until the client knows. */
const drop = async (): Promise<void> => {
  peer.terminate()
  expect((await events.take())[0]).toBe("drop")
}

/** Lets the wait pass and takes the connection that follows. */
const comeBack = async (): Promise<void> => {
  time.advance(100)
  peer = await server.peer()
  expect(await events.take()).toEqual(["reconnect"])
}

describe("a lost connection", () => {
  test("[D-24] is taken up with the token of the last welcome, which rotates", async () => {
    expect(room.reconnectionToken).toBe("arena/resume-1")
    await drop()
    expect(room.connected).toBe(false)
    await comeBack()
    expect(peer.hello).toEqual([1, "t", "arena", schemaHash(schema), "resume-1", null])
    expect([room.connected, room.reconnectionToken]).toEqual([true, "arena/resume-2"])
    await drop()
    await comeBack()
    expect(peer.hello[4]).toBe("resume-2")
    expect(room.reconnectionToken).toBe("arena/resume-3")
  })

  test("[D-24] the welcome replaces the whole state, the view stays the same object", async () => {
    const { players } = server.room.state
    const gone = players.add({ name: "ghost" })
    server.patch()
    await expect.poll(() => room.tick).toBe(1)
    const view = room.state
    await drop()
    players.remove(gone.id)
    players.add({ name: "ann", x: 2 })
    server.patch()
    await comeBack()
    expect(room.state).toBe(view)
    expect([...view.players].map(({ name }) => name)).toEqual(["ann"])
    expect([room.tick, room.stateHash()]).toEqual([2, server.hash])
  })

  test("[D-24] a session that was not kept goes on as a fresh one", async () => {
    expect(room.sessionId).toBe("c1")
    await drop()
    server.onHello = (each) => each.welcome({ clientId: "other" })
    await comeBack()
    expect(room.sessionId).toBe("other")
  })

  test("[D-24] after every reconnect client and room agree on the state", async () => {
    for (let round = 1; round <= 20; round += 1) {
      const { players, score } = server.room.state
      players.add({ name: `player ${round}`, x: round })
      if (round % 3 === 0) players.remove(round - 1)
      score.red = round
      server.patch()
      // Long enough together that the next wait is a short one.
      time.advance(5000)
      await drop()
      players.add({ name: "meanwhile" })
      server.patch()
      await comeBack()
      expect(room.stateHash()).toBe(server.hash)
    }
  })
})

describe("back-off", () => {
  test("[client.back-off] doubles, is jittered, is capped, and ends after a minute", async () => {
    server.onHello = (each) => each.close(CloseCodes.waking.code, "E_TENANT_WAKING")
    time.random = 0.999
    peer.close(CloseCodes.restarting.code, "E_ROOM_RESTARTING")
    expect(await events.take()).toEqual(["drop", 1012, "E_ROOM_RESTARTING"])
    const waits: Array<number> = []
    while (events.size === 0) {
      await expect.poll(() => time.waitsMs.length === 1 || events.size > 0).toBe(true)
      const [waitMs] = time.waitsMs
      if (waitMs === undefined) break
      waits.push(waitMs)
      time.advance(waitMs)
      await (
        await server.peer()
      ).closed
      // The client hears of the close a little later than the server.
      await expect.poll(() => events.size > 0 || time.waitsMs.some((ms) => ms <= 5000)).toBe(true)
    }
    expect(waits.slice(0, 8)).toEqual([99, 199, 399, 799, 1598, 3196, 4995, 4995])
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(60_000)
    expect(await events.take()).toEqual(["leave", 4503, "E_TENANT_WAKING"])
    expect(time.waitsMs).toEqual([])
  })

  test("[client.back-off] leave() during the wait ends it without another connection", async () => {
    await drop()
    await room.leave()
    expect(await events.take()).toEqual(["leave", 1000, "the client left"])
    expect(time.waitsMs).toEqual([])
    expect(server.peers).toHaveLength(1)
  })

  test("[client.back-off] a listener of the drop may leave", async () => {
    room.onDrop(() => void room.leave())
    await drop()
    expect(await events.take()).toEqual(["leave", 1000, "the client left"])
    expect(time.waitsMs).toEqual([])
  })

  test("[client.back-off] a getToken that fails meanwhile is tried again", async () => {
    let broken = false
    await start({ getToken: () => (broken ? Promise.reject(new Error("backend down")) : "t2") })
    broken = true
    await drop()
    time.advance(100)
    await expect.poll(() => time.waitsMs.some((ms) => ms <= 200)).toBe(true)
    broken = false
    time.advance(200)
    peer = await server.peer()
    expect(await events.take()).toEqual(["reconnect"])
  })
})

describe("stop codes", () => {
  test("[D-24] a stop code while coming back tells the refusal and stops", async () => {
    await drop()
    server.onHello = (each) => each.refuse({ code: 4404, name: "E_ROOM_NOT_FOUND" })
    time.advance(100)
    expect(await events.take()).toEqual(["error", "E_ROOM_NOT_FOUND", "refused: E_ROOM_NOT_FOUND"])
    expect(await events.take()).toEqual(["leave", 4404, "E_ROOM_NOT_FOUND"])
  })

  test("[D-24] 1000 from the room is the end", async () => {
    peer.close(1000, "the game is over")
    expect(await events.take()).toEqual(["leave", 1000, "the game is over"])
  })
})

describe("a message that is sent while away", () => {
  test("[client.queue] goes out after the welcome, in order, before what follows", async () => {
    await drop()
    room.send("chat", { text: "one" })
    const answer = room.request("place", { cell: 4 })
    room.chat("two")
    room.onReconnect(() => room.send("chat", { text: "three" }))
    await comeBack()
    const frames = [await peer.frame(), await peer.frame(), await peer.frame(), await peer.frame()]
    expect(frames.map(([type]) => type)).toEqual([2, 3, 4, 2])
    expect(frames[0]?.[2]).toEqual(Buffer.from(packRecord(chat, { text: "one" }, "")))
    expect(frames[3]?.[2]).toEqual(Buffer.from(packRecord(chat, { text: "three" }, "")))
    peer.send([19, frames[1]?.[1], true, packRecord(place?.returns ?? [], { ok: true }, "")])
    expect(await answer).toEqual({ ok: true })
  })

  test("[client.queue] takes 256 messages, and throws at one more", async () => {
    await drop()
    for (let count = 0; count < 256; count += 1) room.chat("x")
    expect(() => room.chat("x")).toThrow(expect.objectContaining({ code: "E_QUEUE_FULL" }))
    const refused = await failure(room.request("place", { cell: 1 }))
    expect(refused).toMatchObject({ code: "E_QUEUE_FULL" })
    await comeBack()
    for (let count = 0; count < 256; count += 1) await peer.frame()
    room.chat("again")
    expect(await peer.frame()).toEqual([4, "again"])
  })

  test("[client.queue] takes 1 MiB, and throws at one byte more", async () => {
    await drop()
    // Each frame is 8 bytes of msgpack around its blob.
    const half = ClientLimits.clientQueueBytes.max / 2 - 8
    room.send("blob", new Uint8Array(half))
    expect(() => room.send("blob", new Uint8Array(half + 1))).toThrow(/too much waits/)
    room.send("blob", new Uint8Array(half))
    expect(() => room.chat("x")).toThrow(/too much waits/)
  })

  test("[client.requests] a request in flight is rejected, one that waits to be sent is not", async () => {
    const flying = failure(room.request("place", { cell: 1 }))
    const trip = failure(room.ping())
    await peer.frame()
    await drop()
    expect(await flying).toMatchObject({ code: "E_DISCONNECTED" })
    expect(await trip).toMatchObject({ code: "E_DISCONNECTED" })
    const waiting = room.request("place", { cell: 2 })
    await comeBack()
    const [, id] = await peer.frame()
    peer.send([19, id, true, packRecord(place?.returns ?? [], { ok: true }, "")])
    expect(await waiting).toEqual({ ok: true })
  })

  test("[client.requests] never sends a request that timed out while waiting", async () => {
    await drop()
    const timedOut = failure(room.request("place", { cell: 1 }, { timeoutMs: 10 }))
    time.advance(10)
    expect(await timedOut).toMatchObject({ code: "E_RPC_TIMEOUT" })
    await comeBack()
    room.chat("first")
    expect(await peer.frame()).toEqual([4, "first"])
  })
})

describe("a stream that cannot be trusted", () => {
  const delta = (): Uint8Array => {
    server.room.state.score.red += 1
    return server.room.encodeDelta() ?? new Uint8Array()
  }

  test.each([
    ["a gap", 2],
    ["a repetition", 0]
  ])("[D-24] %s in the ticks brings a fresh welcome, not a wrong view", async (_, tick) => {
    peer.send([17, tick, delta()])
    expect(await events.take()).toEqual(["drop", 4000, `patch: tick ${tick} after 0`])
    expect(await peer.closed).toBe(4000)
    expect(room.state.score.red).toBe(0)
    await comeBack()
    expect(room.stateHash()).toBe(server.hash)
  })

  const broken: ReadonlyArray<readonly [string, () => Uint8Array | string]> = [
    ["a patch that does not decode", () => Buffer.from("9311" + "01" + "c403ffffff", "hex")],
    ["a message that does not decode", () => Buffer.from("931200c401ff", "hex")],
    ["a message that the schema has not", () => Buffer.from("93120900", "hex")],
    ["a frame with a missing field", () => Buffer.from("9111", "hex")],
    ["no msgpack", () => Buffer.from("c1", "hex")],
    ["no array", () => Buffer.from("c0", "hex")],
    ["a text frame", () => "hello"]
  ]
  test.each(broken)("[D-24] %s brings a fresh welcome", async (_, bytes) => {
    peer.raw(bytes())
    expect((await events.take()).slice(0, 2)).toEqual(["drop", 4000])
    await comeBack()
    expect(room.stateHash()).toBe(server.hash)
  })

  test("[D-24] half a patch is never seen: until the fresh welcome the last one stands", async () => {
    server.room.state.players.add({ name: "ann" })
    server.patch()
    await expect.poll(() => room.tick).toBe(1)
    // The singleton's section is whole, the one after it is of no collection.
    peer.send([17, 2, new Uint8Array([0, 1, 77, 0, 9])])
    expect((await events.take())[0]).toBe("drop")
    expect(JSON.parse(JSON.stringify(room.state))).toEqual({ score: { red: 0 }, players: [] })
    await comeBack()
    expect(room.state.players.get(1)?.name).toBe("ann")
    expect(room.stateHash()).toBe(server.hash)
  })

  test("[D-24] a welcome that does not decode leaves the state of the one before", async () => {
    server.room.state.score.red = 5
    server.patch()
    await drop()
    server.onHello = (each) => each.welcome({ state: new Uint8Array([9, 9, 200]) })
    time.advance(100)
    peer = await server.peer()
    expect(await peer.closed).toBe(4000)
    expect(JSON.parse(JSON.stringify(room.state))).toEqual({ score: { red: 0 }, players: [] })
    server.onHello = (each) => each.welcome()
    time.advance(200)
    await server.peer()
    expect(await events.take()).toEqual(["reconnect"])
    expect(room.state.score.red).toBe(5)
  })

  test("[D-24] a frame of a later protocol is passed over", async () => {
    peer.send([99, "new"])
    peer.send([17, 1, delta()])
    await expect.poll(() => room.tick).toBe(1)
    expect(room.state.score.red).toBe(1)
  })

  test("[client.silence] 15 s of silence ask, 15 s more reconnect", async () => {
    time.advance(15_000)
    expect(peer.unread).toBe(0)
    time.advance(15_000)
    expect((await peer.frame())[0]).toBe(5)
    time.advance(15_000)
    expect(await events.take()).toEqual(["drop", 4000, "the service went silent"])
    expect(await peer.closed).toBe(4000)
  })

  test("[client.silence] any frame is a sign of life", async () => {
    time.advance(30_000)
    expect((await peer.frame())[0]).toBe(5)
    peer.send([22, null])
    const heard = new Promise((resolve) => room.onChat(resolve))
    peer.send([20, "c1", "here"])
    await heard
    time.advance(15_000)
    expect(room.connected).toBe(true)
  })
})

test("[C-203] a room that was started again says how much play is lost; its calls fail as such", async () => {
  const told: Array<unknown> = []
  room.onRoomRestarted((restart) => told.push([restart, room.state.score.red]))
  const flying = failure(room.request("place", { cell: 1 }))
  await peer.frame()
  server.room.state.score.red = 7
  server.room.encodeDelta()
  peer.welcome({ resume: "resume-9", staleMs: 1234 })
  expect(await flying).toMatchObject({
    code: "E_ROOM_RESTARTED",
    message: "place: the room was started again before the answer"
  })
  expect(told).toEqual([[{ staleMs: 1234 }, 7]])
  expect([events.size, room.connected]).toEqual([0, true])
})

test("[D-24] a welcome on a living socket replaces the state and ends requests in flight", async () => {
  const flying = failure(room.request("place", { cell: 1 }))
  await peer.frame()
  server.room.state.score.red = 9
  server.room.encodeDelta()
  server.tick = 40
  const changed = new Promise((resolve) => room.onStateChange(resolve))
  peer.welcome({ resume: "resume-9" })
  await changed
  expect(await flying).toMatchObject({ code: "E_DISCONNECTED" })
  expect([room.tick, room.state.score.red, room.reconnectionToken]).toEqual([
    40,
    9,
    "arena/resume-9"
  ])
  expect([events.size, room.connected]).toEqual([0, true])
})
