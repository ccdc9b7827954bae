import { packRecord, unpackRecord } from "@atrium/wire/codec/RecordCodec"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { describe as describeSchema } from "@atrium/wire/schema/Describe"
import { s } from "@atrium/wire/schema/FieldKinds"
import type { AnyRoomSchema, FieldList } from "@atrium/wire/schema/RoomSchema"
import { unknownChoice } from "@atrium/wire/schema/UnknownChoice"
import { afterEach, describe, expect, expectTypeOf, test } from "vitest"

import { Client } from "./Client.ts"
import { FakeRoomServer } from "./testing/FakeRoomServer.ts"
import { FakeTime } from "./testing/FakeTime.ts"
import { failure } from "./testing/JoinedRoom.ts"

const old = defineSchema({
  type: "arena",
  entities: {
    players: {
      team: s.enum("red", "blue"),
      worn: s.list(s.enum("hat", "coat"), 3),
      name: s.string(4),
      hp: s.u8(),
      x: s.f32(),
      key: s.bytes(2),
      path: s.list(s.u8(), 2)
    }
  },
  messages: { picked: { team: s.enum("red", "blue"), hits: s.u8() }, lone: { text: s.string(4) } },
  rpc: {
    client: { pick: { args: { hp: s.u8() }, returns: { team: s.enum("red", "blue") } } },
    server: { ask: { args: { team: s.enum("red", "blue") }, returns: { hp: s.u8() } } }
  }
})
const wide = defineSchema({
  type: "arena",
  entities: {
    players: {
      team: s.enum("red", "blue", "green"),
      worn: s.list(s.enum("hat", "coat", "cape", "mask"), 5),
      name: s.string(9),
      hp: s.u16(),
      x: s.f64(),
      key: s.bytes(4),
      path: s.list(s.i32(), 4)
    }
  },
  messages: {
    picked: { team: s.enum("red", "blue", "green"), hits: s.i16(), late: s.bool() },
    lone: { text: s.string(9) },
    late: { at: s.u8() }
  },
  rpc: {
    client: { pick: { args: { hp: s.f32() }, returns: { team: s.enum("red", "blue", "green") } } },
    server: {
      late: {},
      ask: { args: { team: s.enum("red", "blue", "green") }, returns: { hp: s.u32() } }
    }
  }
})

const open: Array<FakeRoomServer<AnyRoomSchema>> = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const serverOf = async <S extends AnyRoomSchema>(schema: S): Promise<FakeRoomServer<S>> => {
  const server = await FakeRoomServer.open(schema)
  open.push(server)
  server.onHello = (peer) => peer.welcome({ schema: describeSchema(schema) })
  return server
}

/** A client that was built with one schema, in a room of another one. */
const joined = async <S extends AnyRoomSchema>(server: FakeRoomServer<AnyRoomSchema>, own: S) => {
  const time = new FakeTime()
  const room = await new Client(server.url, { token: "t" }, time.port()).joinOrCreate(own)
  return { room, peer: await server.peer(), time }
}

const changed = (room: { onStateChange(call: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => room.onStateChange(() => resolve()))

/** The fields of a message, or of the arguments of a call, as the schema of the room has them. */
const fieldsOf = (fields: FieldList | null | undefined): FieldList => fields ?? []

describe("a client of an older schema", () => {
  test("[C-680] reads an unknown choice of the state as undefined, and can tell its place", async () => {
    const server = await serverOf(wide)
    const ann = server.room.state.players.add({ team: "green", worn: ["hat", "mask", "cape"] })
    server.room.state.players.add({ team: "blue", worn: ["coat"] })
    server.room.encodeDelta()
    const { room } = await joined(server, old)
    const [first, second] = [room.state.players.get(1), room.state.players.get(2)]
    if (first === undefined || second === undefined) throw new Error("two players")
    expectTypeOf(first.team).toEqualTypeOf<"red" | "blue" | undefined>()
    expectTypeOf(first.worn).toEqualTypeOf<ReadonlyArray<"hat" | "coat" | undefined>>()
    expect([first.team, unknownChoice(first, "team")]).toEqual([undefined, 2])
    expect([...first.worn]).toEqual(["hat", undefined, undefined])
    expect([0, 1, 2].map((at) => unknownChoice(first.worn, at))).toEqual([undefined, 3, 2])
    expect([second.team, unknownChoice(second, "team")]).toEqual(["blue", undefined])
    expect(unknownChoice(second, "name")).toBeUndefined()
    expect([...second.worn].map((_, at) => unknownChoice(second.worn, at))).toEqual([undefined])
    // What it does not know it still has.
    expect(room.stateHash()).toBe(server.hash)

    const next = changed(room)
    ann.team = "red"
    ann.worn = ["mask"]
    server.patch()
    await next
    expect([first.team, unknownChoice(first, "team")]).toEqual(["red", undefined])
    expect([unknownChoice(first.worn, 0), room.stateHash()]).toEqual([3, server.hash])
  })

  test("[C-680] a removed record keeps the place of an unknown choice", async () => {
    const server = await serverOf(wide)
    server.room.state.players.add({ team: "green", worn: ["mask"] })
    server.room.encodeDelta()
    const { room } = await joined(server, old)
    const player = room.state.players.get(1)
    if (player === undefined) throw new Error("a player")
    const next = changed(room)
    server.room.state.players.remove(1)
    server.patch()
    await next
    expect([player.team, unknownChoice(player, "team")]).toEqual([undefined, 2])
    expect(unknownChoice(player.worn, 0)).toBe(3)
    expect(JSON.parse(JSON.stringify(player))).toMatchObject({ id: 1, name: "" })
  })

  test("[C-680] so it reads messages, answers and arguments of the room's calls", async () => {
    const server = await serverOf(wide)
    const { room, peer } = await joined(server, old)
    const message = wide.messages.byName.get("picked")
    const heard = new Promise<{ team?: "red" | "blue" | undefined; hits: number }>((resolve) =>
      room.onMessage("picked", resolve)
    )
    const sent = { team: "green", hits: -3, late: true }
    peer.send([18, message?.index, packRecord(fieldsOf(message?.fields), sent, "")])
    const picked = await heard
    expect(picked).toMatchObject({ team: undefined, hits: -3 })
    expect(unknownChoice(picked, "team")).toBe(2)

    const answer = room.request("pick", { hp: 7 })
    const [, id] = await peer.frame()
    const call = wide.rpc.client.byName.get("pick")
    peer.send([19, id, true, packRecord(fieldsOf(call?.returns), { team: "green" }, "")])
    const got = await answer
    expectTypeOf(got.team).toEqualTypeOf<"red" | "blue" | undefined>()
    expect([got.team, unknownChoice(got, "team")]).toEqual([undefined, 2])

    const asked = new Promise<number | undefined>((resolve) =>
      room.onRequest("ask", (args) => {
        expectTypeOf(args.team).toEqualTypeOf<"red" | "blue" | undefined>()
        resolve(unknownChoice(args, "team"))
        return { hp: 300 }
      })
    )
    const ask = wide.rpc.server.byName.get("ask")
    peer.send([23, 4, ask?.index, packRecord(fieldsOf(ask?.args), { team: "green" }, "")])
    expect(await asked).toBe(2)
    // The room takes more than the client's schema says, and the room's bounds hold.
    const [, re, ok, packed] = await peer.frame()
    expect([re, ok]).toEqual([4, true])
    expect(unpackRecord(fieldsOf(ask?.returns), bytesOf(packed))).toEqual({ hp: 300 })
  })

  test("[C-682] hears of a message that it does not know by *, and refuses such a call of the room", async () => {
    const server = await serverOf(wide)
    const { room, peer } = await joined(server, old)
    const heard = new Promise<ReadonlyArray<unknown>>((resolve) =>
      room.onMessage("*", (...told) => resolve(told))
    )
    const { fields = null, index } = wide.messages.byName.get("late") ?? {}
    peer.send([18, index, packRecord(fieldsOf(fields), { at: 3 }, "")])
    expect(await heard).toEqual(["late", { at: 3 }])
    peer.send([23, 9, wide.rpc.server.byName.get("late")?.index, null])
    expect(await peer.frame()).toMatchObject([
      6,
      9,
      false,
      ["E_RPC_UNKNOWN", "late: the client has no handler"]
    ])
  })

  test("[C-682] reads a value past its own bound as it is", async () => {
    const server = await serverOf(wide)
    const values = { name: "Annabelle", hp: 1000, x: 0.1, path: [-1, 2, 300] }
    server.room.state.players.add({ ...values, key: Uint8Array.of(1, 2, 3) })
    server.room.encodeDelta()
    const { room } = await joined(server, old)
    expect(room.state.players.get(1)).toMatchObject(values)
    expect([...(room.state.players.get(1)?.key ?? [])]).toEqual([1, 2, 3])
  })

  test("[C-682] sends in the room's layout, within the room's bounds", async () => {
    const server = await serverOf(wide)
    const { room, peer } = await joined(server, old)
    const { fields = null, index } = wide.messages.byName.get("picked") ?? {}
    room.send("picked", { team: "blue", hits: 200 })
    const [, number, payload] = await peer.frame()
    expect(number).toBe(index)
    expect(unpackRecord(fieldsOf(fields), bytesOf(payload))).toEqual({
      team: "blue",
      hits: 200,
      late: false
    })
    room.send("picked", { team: "blue", hits: 256 })
    expect(unpackRecord(fieldsOf(fields), bytesOf((await peer.frame())[2]))).toMatchObject({
      hits: 256
    })
    expect(() => room.send("picked", { team: "blue", hits: 32_768 })).toThrow(/^picked\.hits: /)
    void room.request("pick", { hp: 255 }).catch(() => {})
    const args = fieldsOf(wide.rpc.client.byName.get("pick")?.args)
    expect(unpackRecord(args, bytesOf((await peer.frame())[3]))).toEqual({ hp: 255 })
  })
})

const bytesOf = (payload: unknown): Uint8Array =>
  payload instanceof Uint8Array ? new Uint8Array(payload) : new Uint8Array(0)

describe("a client of a newer schema, as after a rollback", () => {
  test("[C-683] plays on in a room that takes less, and the room's bounds hold", async () => {
    const server = await serverOf(old)
    server.room.state.players.add({ team: "blue", worn: ["hat"], name: "Ann" })
    server.room.encodeDelta()
    const less = defineSchema({
      type: "arena",
      rpc: { client: { pick: { args: { hp: s.u16() } } } },
      entities: { players: { team: s.enum("red", "blue", "green"), name: s.string(9) } },
      messages: { lone: { text: s.string(9) } }
    } as const)
    const { room, peer } = await joined(server, less)
    expect(room.state.players.get(1)).toMatchObject({ team: "blue", name: "Ann" })
    room.send("lone", { text: "four" })
    expect((await peer.frame())[0]).toBe(2)
    expect(() => room.send("lone", { text: "fifth" })).toThrow(/^lone\.text: .* over 4$/)
    expect(await failure(room.request("pick", { hp: 256 }))).toMatchObject({ name: "FieldError" })
  })

  test("[C-683] a room without something that it knows, or with another type of value, refuses it", async () => {
    for (const name of [s.u8(), s.enum("Ann"), s.bytes(4), s.list(s.u8(), 4), null]) {
      const { players } = { players: { hp: s.u8(), ...(name === null ? {} : { name }) } }
      const server = await serverOf(defineSchema({ type: "arena", entities: { players } }))
      const own = defineSchema({ type: "arena", entities: { players: { name: s.string(4) } } })
      const client = new Client(server.url, { token: "t" }, new FakeTime().port())
      const error = await failure(client.joinOrCreate(own))
      expect(error).toMatchObject({ code: "E_SCHEMA_MISMATCH" })
      expect(String(error)).toContain(
        name === null ? "players.name was removed" : "players.name has another type"
      )
    }
  })

  test("[C-683] what waited for the connection is sent as far as the room still takes it", async () => {
    const server = await serverOf(wide)
    const { room, peer, time } = await joined(server, old)
    const dropped = new Promise((resolve) => room.onDrop(resolve))
    peer.terminate()
    await dropped
    room.send("picked", { team: "red", hits: 1 })
    room.send("lone", { text: "fifth" })
    const request = failure(room.request("pick", { hp: 256 }))
    room.send("lone", { text: "four" })
    const before = await FakeRoomServer.open(old)
    open.push(before)
    server.onHello = (each) =>
      each.welcome({ schema: describeSchema(old), state: before.room.encodeFull() })
    const errors: Array<readonly [string, string]> = []
    room.onError((code, message) => errors.push([code, message]))
    time.advance(100)
    const again = await server.peer()
    const frames = [await again.frame(), await again.frame()]
    const { messages } = old
    expect(frames.map(([type, index]) => [type, index])).toEqual([
      [2, messages.byName.get("picked")?.index],
      [2, messages.byName.get("lone")?.index]
    ])
    expect(bytesOf(frames[1]?.[2])).toEqual(
      packRecord(fieldsOf(messages.byName.get("lone")?.fields), { text: "four" }, "")
    )
    expect(errors).toEqual([["E_BAD_MESSAGE", expect.stringMatching(/^lone\.text: /)]])
    expect(await request).toMatchObject({ name: "RequestError", code: "E_BAD_MESSAGE" })
  })
})
