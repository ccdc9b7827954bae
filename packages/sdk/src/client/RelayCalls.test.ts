import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { FieldError } from "@atrium/wire/schema/FieldError"
import { s } from "@atrium/wire/schema/FieldKinds"
import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest"

import { RequestError, SendError } from "./ClientErrors.ts"
import type { ClientRoom } from "./ClientRoom.ts"
import type { FakePeer, FakeRoomServer } from "./testing/FakeRoomServer.ts"
import type { FakeTime } from "./testing/FakeTime.ts"
import { failure, joinedRoom } from "./testing/JoinedRoom.ts"

const schema = defineSchema({
  type: "board",
  entities: {
    shapes: { x: s.f32(), kind: s.enum("dot", "line"), ink: s.bytes(8) },
    notes: { text: s.string(16) },
    packs: { bag: s.map(s.u8(), s.struct({ count: s.u8() })), aim: s.optional(s.u8()) }
  },
  singletons: { view: { title: s.string(16) } }
})

let server: FakeRoomServer<typeof schema>
let time: FakeTime
let room: ClientRoom<typeof schema>
let peer: FakePeer<typeof schema>

beforeEach(async () => {
  ;({ server, time, room, peer } = await joinedRoom(schema))
})
afterEach(() => server.close())

/** The room carries an add of this client out. */
const added = async (x: number): Promise<number> => {
  const answer = room.add("shapes", { x })
  const [, id] = await peer.frame()
  const { id: key } = server.room.state.shapes.add({ x })
  server.patch()
  peer.send([24, id, [key]])
  return answer
}

/** Drops the connection and waits until the client knows. */
const drop = async (): Promise<void> => {
  const dropped = new Promise((resolve) => room.onDrop(resolve))
  peer.terminate()
  await dropped
}

const comeBack = async (): Promise<void> => {
  const back = new Promise<void>((resolve) => room.onReconnect(resolve))
  // Waits grow with every attempt that is soon lost.
  time.advance(1000)
  peer = await server.peer()
  await back
}

describe("writes", () => {
  test("[D-24] one frame for all operations; the ids of what was added come back in order", async () => {
    const answer = room.write([
      { op: "add", collection: "shapes", values: { x: 1.5, kind: "line", ink: Uint8Array.of(7) } },
      { op: "add", collection: "notes" },
      { op: "set", collection: "view", values: { title: "ours" } },
      { op: "set", collection: "shapes", id: 3, values: { x: 2 } },
      { op: "remove", collection: "notes", id: 4 }
    ])
    const [type, id, ops] = await peer.frame()
    expect(type).toBe(7)
    expect(ops).toEqual([
      { op: "add", c: "shapes", v: { x: 1.5, kind: "line", ink: Buffer.from([7]) } },
      { op: "add", c: "notes", v: {} },
      { op: "set", c: "view", k: 0, v: { title: "ours" } },
      { op: "set", c: "shapes", k: 3, v: { x: 2 } },
      { op: "remove", c: "notes", k: 4 }
    ])
    peer.send([24, id, [8, 9]])
    expect(await answer).toEqual([8, 9])
  })

  test("[D-24] add, set and remove are frames of one operation each", async () => {
    const id = await added(4)
    expect(room.state.shapes.get(id)?.x).toBe(4)
    const calls = [
      room.set("shapes", id, { x: 5 }),
      room.set("view", { title: "mine" }),
      room.remove("shapes", id)
    ]
    const frames = [await peer.frame(), await peer.frame(), await peer.frame()]
    expect(frames.map(([, , ops]) => ops)).toEqual([
      [{ op: "set", c: "shapes", k: id, v: { x: 5 } }],
      [{ op: "set", c: "view", k: 0, v: { title: "mine" } }],
      [{ op: "remove", c: "shapes", k: id }]
    ])
    for (const [, number] of frames) peer.send([24, number, []])
    expect(await Promise.all(calls)).toEqual([undefined, undefined, undefined])
  })

  test("[D-24] a refusal rejects its write alone, by the room's code, and is no error of the room", async () => {
    const errors = vi.fn()
    room.onError(errors)
    const [first, second] = [room.set("shapes", 1, { x: 1 }), room.set("shapes", 2, { x: 2 })]
    const [, one] = await peer.frame()
    const [, other] = await peer.frame()
    peer.send([21, "E_NOT_OWNER", "not yours", other])
    const refused = await failure(second)
    expect(refused).toBeInstanceOf(RequestError)
    expect(refused).toMatchObject({ code: "E_NOT_OWNER", message: "not yours" })
    peer.send([24, one, []])
    expect(await first).toBeUndefined()
    expect(errors).not.toHaveBeenCalled()
  })

  test("[D-24] an error that names no waiting write is told", async () => {
    const told = new Promise((resolve) => room.onError((...error) => resolve(error)))
    peer.send([21, "E_RATE_LIMITED", "slowly", 77])
    expect(await told).toEqual(["E_RATE_LIMITED", "slowly"])
  })

  test("[D-24] the number of a message is never that of a write", async () => {
    const written = room.add("notes", {})
    const [, id] = await peer.frame()
    expect(id).toBe(257)
    const told = new Promise((resolve) => room.onError(resolve))
    peer.send([21, "E_BAD_MESSAGE", "no such message", 255])
    expect(await told).toBe("E_BAD_MESSAGE")
    peer.send([24, id, [1]])
    expect(await written).toBe(1)
  })

  test("[C-667] values that hold others travel as msgpack has them: maps are lists of pairs", async () => {
    const written = [
      room.add("packs", { bag: new Map([[7, { count: 1 }]]) }),
      room.set("packs", 1, { aim: undefined })
    ]
    const [[, added, first], [, set, second]] = [await peer.frame(), await peer.frame()]
    expect(first).toEqual([{ op: "add", c: "packs", v: { bag: [[7, { count: 1 }]] } }])
    expect(second).toEqual([{ op: "set", c: "packs", k: 1, v: { aim: null } }])
    peer.send([24, added, [1]])
    peer.send([24, set, []])
    await Promise.all(written)
    await expect(room.add("packs", { bag: new Map([[7, { count: 256 }]]) })).rejects.toThrow(
      "packs.bag[7].count: 256 is outside 0 to 255 (u8)"
    )
  })

  test("[error.app-data-never-trimmed] a value that does not fit rejects with its name, and nothing is sent", async () => {
    const wrong = [
      room.add("notes", { text: "x".repeat(17) }),
      room.set("view", { title: "é".repeat(9) }),
      // @ts-expect-error there is no such field
      room.add("notes", { colour: 1 }),
      // @ts-expect-error there is no such collection
      room.add("clouds", {}),
      // @ts-expect-error a singleton is always there
      room.write([{ op: "remove", collection: "view", id: 0 }])
    ]
    const errors = await Promise.all(wrong.map(failure))
    expect(errors.map(String)).toEqual([
      "FieldError: notes.text: 17 bytes of UTF-8 are over 16",
      "FieldError: view.title: 18 bytes of UTF-8 are over 16",
      "FieldError: notes.colour: there is no such field",
      "SendError: clouds: the schema has no such collection or singleton",
      "SendError: view: the schema has no such collection or singleton"
    ])
    expect(errors[0]).toBeInstanceOf(FieldError)
    expect(errors[3]).toBeInstanceOf(SendError)
    const passes = room.add("notes", { text: "x".repeat(16) })
    const [, id] = await peer.frame()
    peer.send([24, id, [1]])
    expect(await passes).toBe(1)
    expect(peer.unread).toBe(0)
  })

  test("[D-24] an ack with other keys than were asked for ends the connection, not the game", async () => {
    const answer = failure(room.add("notes", {}))
    const [, id] = await peer.frame()
    peer.send([24, id, []])
    expect(await answer).toMatchObject({ code: "E_DISCONNECTED" })
    expect(await peer.closed).toBe(4000)
  })

  test("[D-24] rejects calls without an answer when the connection is lost; calls not sent yet wait", async () => {
    const lost = failure(room.set("shapes", 1, { x: 1 }))
    await peer.frame()
    await drop()
    expect(await lost).toMatchObject({ name: "RequestError", code: "E_DISCONNECTED" })
    const waits = room.add("notes", { text: "later" })
    await comeBack()
    const [, id, ops] = await peer.frame()
    expect(ops).toEqual([{ op: "add", c: "notes", v: { text: "later" } }])
    peer.send([24, id, [5]])
    expect(await waits).toBe(5)
  })

  test("[D-24] without an answer a write is given up, and leaving rejects what waits", async () => {
    const slow = failure(room.set("shapes", 1, { x: 1 }))
    await peer.frame()
    time.advance(15_000)
    expect(await slow).toMatchObject({ code: "E_RPC_TIMEOUT" })
    const left = failure(room.set("shapes", 1, { x: 1 }))
    void room.leave()
    expect(await left).toMatchObject({ code: "E_DISCONNECTED" })
    expect(await failure(room.set("shapes", 1, { x: 1 }))).toMatchObject({ code: "E_LEFT" })
  })

  test("[D-24] the types know collections, singletons and fields", () => {
    expectTypeOf(room.add<"shapes">)
      .parameter(1)
      .toExtend<{ x?: number; kind?: "dot" | "line"; ink?: Uint8Array }>()
    expectTypeOf(room.remove).parameter(0).toEqualTypeOf<"shapes" | "notes" | "packs">()
  })
})

describe("ownership", () => {
  test("[D-24] a client owns the record that it adds, until the record is removed", async () => {
    const id = await added(1)
    expect([room.owns("shapes", id), room.owns("notes", id)]).toEqual([true, false])
    server.room.state.shapes.remove(id)
    server.patch()
    await expect.poll(() => room.state.shapes.size).toBe(0)
    expect(room.owns("shapes", id)).toBe(false)
  })

  test("[D-24] an asked record is one's own when the room says so, and no more when it says so", async () => {
    const { id } = server.room.state.notes.add({ text: "theirs" })
    server.patch()
    const asked = room.own("notes", id)
    expect(await peer.frame()).toEqual([8, "notes", id])
    expect(room.owns("notes", id)).toBe(false)
    peer.send([25, "notes", id, true])
    expect([await asked, room.owns("notes", id)]).toEqual([true, true])
    peer.send([25, "notes", id, false])
    await expect.poll(() => room.owns("notes", id)).toBe(false)
  })

  test("[D-24] two who want the same record ask once, and both hear the answer", async () => {
    const both = Promise.all([room.own("notes", 3), room.own("notes", 3)])
    expect(await peer.frame()).toEqual([8, "notes", 3])
    peer.send([25, "notes", 3, false])
    expect(await both).toEqual([false, false])
    const again = room.own("notes", 3)
    expect(await peer.frame()).toEqual([8, "notes", 3])
    expect(peer.unread).toBe(0)
    peer.send([25, "notes", 3, true])
    expect(await again).toBe(true)
  })

  test("[C-110] a client whose handler is absent or fails gives no record away", async () => {
    const unhandled = new Promise((resolve) => process.once("uncaughtException", resolve))
    peer.send([26, 1, "notes", 3, "c9"])
    expect(await peer.frame()).toEqual([9, 1, false])
    const fault = new Error("a fault of the game")
    const end = room.onOwnAsked(() => Promise.reject(fault))
    peer.send([26, 2, "notes", 3, "c9"])
    expect(await peer.frame()).toEqual([9, 2, false])
    expect(await unhandled).toBe(fault)
    expect(() => room.onOwnAsked(() => true)).toThrow(/handler already/)
    end()
    const asks: Array<unknown> = []
    room.onOwnAsked((ask) => {
      expectTypeOf(ask.collection).toEqualTypeOf<"shapes" | "notes" | "packs">()
      asks.push(ask)
      return ask.collection === "shapes"
    })
    peer.send([26, 3, "shapes", 4, "c9"])
    peer.send([26, 4, "notes", 5, "c8"])
    expect([await peer.frame(), await peer.frame()]).toEqual([
      [9, 3, true],
      [9, 4, false]
    ])
    expect(asks).toEqual([
      { collection: "shapes", id: 4, from: "c9" },
      { collection: "notes", id: 5, from: "c8" }
    ])
  })

  test("[D-24] an answer that comes after a reconnect is not sent", async () => {
    const answer = Promise.withResolvers<boolean>()
    const asked = new Promise<void>((resolve) => {
      room.onOwnAsked(() => {
        resolve()
        return answer.promise
      })
    })
    peer.send([26, 1, "notes", 3, "c9"])
    await asked
    await drop()
    await comeBack()
    answer.resolve(true)
    await answer.promise
    room.chat("after it")
    expect(await peer.frame()).toEqual([4, "after it"])
  })

  test("[D-24] a session that was kept owns what it owned, another one nothing", async () => {
    server.onHello = (each) => each.welcome({ clientId: "kept" })
    await drop()
    await comeBack()
    const id = await added(1)
    const waits = failure(room.own("notes", 3))
    await peer.frame()
    await drop()
    expect(await waits).toMatchObject({ code: "E_DISCONNECTED" })
    await comeBack()
    expect(room.owns("shapes", id)).toBe(true)
    server.onHello = (each) => each.welcome({ clientId: "another" })
    await drop()
    await comeBack()
    expect(room.owns("shapes", id)).toBe(false)
  })
})

describe("what clients send to each other", () => {
  test("[D-24] goes unchanged to the named clients, or to all others", async () => {
    room.send(["c2", "c3"], { x: 1, y: [2] })
    room.send(null, "here")
    expect([await peer.frame(), await peer.frame()]).toEqual([
      [10, ["c2", "c3"], { x: 1, y: [2] }],
      [10, null, "here"]
    ])
    const heard: Array<unknown> = []
    const done = new Promise<void>((resolve) => {
      room.onSent((sent) => {
        heard.push(sent)
        if (heard.length === 2) resolve()
      })
    })
    peer.send([27, "c2", { x: 1 }])
    peer.send([27, "c3", null])
    await done
    expect(heard).toEqual([
      { from: "c2", data: { x: 1 } },
      { from: "c3", data: null }
    ])
  })

  test("[D-24] data that is not plain throws with its name", () => {
    expect(() => room.send(null, { at: new Date(0) })).toThrow(/^send: .*Date/)
  })
})
