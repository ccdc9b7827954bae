import { packRecord } from "@atrium/wire/codec/RecordCodec"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest"

import { RequestError } from "./ClientErrors.ts"
import type { ClientRoom } from "./ClientRoom.ts"
import type { FakePeer, FakeRoomServer } from "./testing/FakeRoomServer.ts"
import type { FakeTime } from "./testing/FakeTime.ts"
import { failure, joinedRoom } from "./testing/JoinedRoom.ts"

const schema = defineSchema({
  type: "arena",
  entities: { players: { name: s.string(32), x: s.f32() } },
  singletons: { score: { red: s.u16() } },
  messages: { chat: { text: s.string(200) }, go: {}, any: s.untyped() },
  rpc: {
    client: {
      place: { args: { cell: s.u8() }, returns: { ok: s.bool() } },
      raw: { args: s.untyped(), returns: s.untyped() }
    },
    server: {
      choose: { args: { max: s.u8() }, returns: { pick: s.u8() } },
      think: { args: s.untyped(), returns: s.untyped() }
    }
  }
})
const chat = schema.messages.byName.get("chat")?.fields ?? []
const place = schema.rpc.client.byName.get("place")
const choose = schema.rpc.server.byName.get("choose")

let server: FakeRoomServer<typeof schema>
let time: FakeTime
let room: ClientRoom<typeof schema>
let peer: FakePeer<typeof schema>

beforeEach(async () => {
  ;({ server, time, room, peer } = await joinedRoom(schema))
})
afterEach(() => server.close())

const next = <T>(on: (call: (value: T) => void) => unknown): Promise<T> =>
  new Promise((resolve) => {
    on(resolve)
  })

describe("state", () => {
  test("[D-24] patches change the same view, tick by tick, to the room's hash", async () => {
    const view = room.state
    const changed = next((call) => room.onStateChange(call))
    server.room.state.players.add({ name: "ann", x: 2 })
    server.room.state.score.red = 3
    server.patch()
    expect(await changed).toBe(view)
    expect(room.state).toBe(view)
    expect(JSON.parse(JSON.stringify(view))).toEqual({
      score: { red: 3 },
      players: [{ id: 1, name: "ann", x: 2 }]
    })
    expect([room.tick, room.stateHash()]).toEqual([1, server.hash])
  })

  test("[D-24] the view cannot be written, by the types or at run time", () => {
    // @ts-expect-error a singleton of a view is read-only
    expect(() => (room.state.score.red = 1)).toThrow(TypeError)
    // @ts-expect-error so is the state itself
    expect(() => (room.state.score = { red: 1 })).toThrow(TypeError)
  })

  test("[D-24] an unsubscribed listener hears nothing more", async () => {
    const heard = vi.fn()
    room.onStateChange(heard)()
    const changed = next((call) => room.onStateChange(call))
    server.room.state.score.red = 1
    server.patch()
    await changed
    expect(heard).not.toHaveBeenCalled()
  })
})

describe("messages", () => {
  test("[D-24] are packed by the schema in both directions", async () => {
    room.send("chat", { text: "hé" })
    const [type, index, payload] = await peer.frame()
    expect([type, index]).toEqual([2, 0])
    expect(payload).toEqual(Buffer.from(packRecord(chat, { text: "hé" }, "chat")))
    const heard = next<{ text: string }>((call) => room.onMessage("chat", call))
    peer.send([18, 0, packRecord(chat, { text: "ho" }, "chat")])
    expect(await heard).toEqual({ text: "ho" })
  })

  test("[D-24] `*` hears every message with its name", async () => {
    const heard: Array<unknown> = []
    const done = next<void>((call) =>
      room.onMessage("*", (name, payload) => {
        expectTypeOf(name).toEqualTypeOf<"chat" | "go" | "any">()
        heard.push([name, payload])
        if (heard.length === 3) call()
      })
    )
    peer.send([18, 0, packRecord(chat, { text: "a" }, "chat")])
    peer.send([18, 1])
    peer.send([18, 2, { deep: [1, "two", null] }])
    await done
    expect(heard).toEqual([
      ["chat", { text: "a" }],
      ["go", {}],
      ["any", { deep: [1, "two", null] }]
    ])
  })

  test("[error.app-data-never-trimmed] a value that does not fit throws with its name, and nothing is sent", async () => {
    expect(() => room.send("chat", { text: "x".repeat(201) })).toThrow(/^chat\.text: /)
    room.send("chat", { text: "x".repeat(200) })
    expect((await peer.frame())[0]).toBe(2)
    expect(peer.unread).toBe(0)
  })

  test("[D-24] a frame of exactly 1 MiB is sent, one byte more throws", async () => {
    // Array, type and index take a byte each, the head of the binary five.
    const most = new Uint8Array(1024 * 1024 - 8)
    room.send("any", most)
    const [, , payload] = await peer.frame()
    expect(payload).toHaveLength(most.length)
    expect(() => room.send("any", new Uint8Array(most.length + 1))).toThrow(/^any: 1048577 bytes/)
  })

  test("[D-24] an untyped message that is no plain data throws by name", () => {
    expect(() => room.send("any", { at: new Date(0) })).toThrow(/^any: .*Date/)
  })

  test("[D-24] the types know names and payloads", () => {
    // @ts-expect-error there is no such message
    expect(() => room.send("shout", {})).toThrow(/^shout: /)
    // @ts-expect-error the text is missing its type
    expect(() => room.send("chat", { text: 1 })).toThrow(/^chat\.text: /)
    expectTypeOf(room.request<"place">).returns.resolves.toEqualTypeOf<{ ok: boolean }>()
  })

  test("[D-24] a faulty listener reaches uncaughtException and stops nobody", async () => {
    const fault = new Error("a fault of the game")
    const surfaced = vi.fn()
    vi.stubGlobal("queueMicrotask", (run: () => void) => {
      try {
        run()
      } catch (error) {
        surfaced(error)
      }
    })
    room.onChat(() => {
      throw fault
    })
    const heard = next((call) => room.onChat(call))
    peer.send([20, "c9", "hello"])
    expect(await heard).toEqual({ from: "c9", text: "hello" })
    vi.unstubAllGlobals()
    expect(surfaced).toHaveBeenCalledWith(fault)
  })
})

describe("chat, errors, ping", () => {
  test("[D-24] a chat line is a frame of its own", async () => {
    room.chat("hi")
    expect(await peer.frame()).toEqual([4, "hi"])
  })

  test("[D-24] an error frame is told and the connection stays", async () => {
    const told = next<[string, string]>((call) =>
      room.onError((code, message) => call([code, message]))
    )
    peer.send([21, "E_CHAT_TOO_LONG", "a chat line has at most 512 bytes"])
    expect(await told).toEqual(["E_CHAT_TOO_LONG", "a chat line has at most 512 bytes"])
    expect(room.connected).toBe(true)
  })

  test("[D-24] ping tells the milliseconds there and back", async () => {
    const trip = room.ping()
    const [type, echo] = await peer.frame()
    time.advance(42)
    peer.send([22, echo])
    expect(type).toBe(5)
    expect(await trip).toBe(42)
  })
})

describe("requests to the room", () => {
  test("[D-24] resolve with the unpacked answer, in any order", async () => {
    const [one, two] = [room.request("place", { cell: 1 }), room.request("place", { cell: 2 })]
    const [first, second] = [await peer.frame(), await peer.frame()]
    expect([first[0], first[2]]).toEqual([3, 0])
    expect(first[3]).toEqual(Buffer.from(packRecord(place?.args ?? [], { cell: 1 }, "")))
    peer.send([19, second[1], true, packRecord(place?.returns ?? [], { ok: true }, "")])
    peer.send([19, first[1], true, packRecord(place?.returns ?? [], { ok: false }, "")])
    expect([await one, await two]).toEqual([{ ok: false }, { ok: true }])
  })

  test("[D-24] carry any value when untyped", async () => {
    const answer = room.request("raw", ["a", { b: 1n << 60n }])
    const [, id, , args] = await peer.frame()
    expect(args).toEqual(["a", { b: 1n << 60n }])
    peer.send([19, id, true, { c: -1 }])
    expect(await answer).toEqual({ c: -1 })
  })

  test("[D-24] reject with the room's code", async () => {
    const error = failure(room.request("place", { cell: 1 }))
    const [, id] = await peer.frame()
    peer.send([19, id, false, ["E_TAKEN", "cell 1 is taken"]])
    expect(await error).toEqual(new RequestError("E_TAKEN", "cell 1 is taken"))
  })

  test("[client.requests] reject after timeoutMs, not before; a late answer is dropped", async () => {
    let settled = false
    const error = failure(room.request("place", { cell: 1 }, { timeoutMs: 100 }))
    void error.then(() => (settled = true))
    const [, id] = await peer.frame()
    time.advance(99)
    await Promise.resolve()
    expect(settled).toBe(false)
    time.advance(1)
    expect(await error).toMatchObject({ code: "E_RPC_TIMEOUT" })
    peer.send([19, id, true, packRecord(place?.returns ?? [], { ok: true }, "")])
    peer.send([20, "c1", "after"])
    await next((call) => room.onChat(call))
    expect(room.connected).toBe(true)
  })

  test("[client.requests] at most 256 wait at once", async () => {
    const waiting = Array.from({ length: 256 }, (_, at) =>
      failure(room.request("place", { cell: at }))
    )
    expect(await failure(room.request("place", { cell: 0 }))).toMatchObject({ code: "E_RPC_BUSY" })
    await room.leave()
    const codes = new Set(
      (await Promise.all(waiting)).map((error) => error instanceof RequestError && error.code)
    )
    expect(codes).toEqual(new Set(["E_DISCONNECTED"]))
  })
})

describe("requests from the room", () => {
  const call = (id: number): void =>
    peer.send([23, id, 0, packRecord(choose?.args ?? [], { max: 9 }, "")])

  test("[D-24] are answered by the handler, at once or later", async () => {
    room.onRequest("choose", async ({ max }) => {
      await Promise.resolve()
      return { pick: max - 1 }
    })
    call(5)
    const [type, id, ok, value] = await peer.frame()
    expect([type, id, ok]).toEqual([6, 5, true])
    expect(value).toEqual(Buffer.from(packRecord(choose?.returns ?? [], { pick: 8 }, "")))
  })

  test("[D-24] without a handler, and after it was taken away, are refused", async () => {
    room.onRequest("choose", () => ({ pick: 1 }))()
    call(6)
    const why = "choose: the client has no handler"
    expect(await peer.frame()).toEqual([6, 6, false, ["E_RPC_UNKNOWN", why]])
  })

  test("[D-24] a RequestError keeps its code; of any other fault the room learns nothing", async () => {
    const surfaced = vi.fn()
    vi.stubGlobal("queueMicrotask", surfaced)
    const take = room.onRequest("choose", () => {
      throw new RequestError("E_BUSY", "I am thinking")
    })
    call(7)
    expect(await peer.frame()).toEqual([6, 7, false, ["E_BUSY", "I am thinking"]])
    take()
    room.onRequest("choose", () => {
      throw new Error("secret")
    })
    call(8)
    expect(await peer.frame()).toEqual([
      6,
      8,
      false,
      ["E_RPC_FAILED", "choose: the client's handler failed"]
    ])
    vi.unstubAllGlobals()
    expect(surfaced).toHaveBeenCalledTimes(1)
  })

  test("[D-24] an answer that is no plain data fails the call, not the client", async () => {
    const surfaced = vi.fn()
    vi.stubGlobal("queueMicrotask", surfaced)
    room.onRequest("think", () => new Date(0))
    peer.send([23, 9, 1, { deep: true }])
    const why = "think: the client's handler failed"
    expect(await peer.frame()).toEqual([6, 9, false, ["E_RPC_FAILED", why]])
    vi.unstubAllGlobals()
    expect(surfaced).toHaveBeenCalledTimes(1)
  })

  test("[C-417] the answer to a call of a room that was started anew meanwhile is not sent", async () => {
    const goOn: Array<() => void> = []
    room.onRequest(
      "choose",
      ({ max }) => new Promise((resolve) => goOn.push(() => resolve({ pick: max })))
    )
    call(5)
    await expect.poll(() => goOn.length).toBe(1)
    const anew = next((told) => room.onStateChange(told))
    peer.welcome({ resume: "resume-2" })
    await anew
    goOn[0]?.()
    call(6)
    await expect.poll(() => goOn.length).toBe(2)
    goOn[1]?.()
    expect((await peer.frame()).slice(0, 2)).toEqual([6, 6])
  })

  test("[D-24] a second handler for the same request throws", () => {
    room.onRequest("choose", () => ({ pick: 1 }))
    expect(() => room.onRequest("choose", () => ({ pick: 2 }))).toThrow(/^choose: /)
  })
})

test("[D-24] after leave everything says so", async () => {
  const left = next<[number, string]>((call) => room.onLeave((code, why) => call([code, why])))
  await room.leave()
  expect(await left).toEqual([1000, "the client left"])
  expect(() => room.send("go", {})).toThrow(/^go: the room was left/)
  expect(await failure(room.request("place", { cell: 1 }))).toMatchObject({ code: "E_LEFT" })
  expect(await failure(room.ping())).toMatchObject({ code: "E_DISCONNECTED" })
  expect(time.waitsMs).toEqual([])
})
