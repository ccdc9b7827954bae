import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { live } from "../testing/TestArena.ts"
import { settle } from "../testing/TestRoom.ts"

/** A room whose service answers each call with this, and the calls. */
const serviceThat = (value: unknown) => {
  const { room, it } = live()
  const asked: Array<unknown> = []
  const answer = async <A>(call: Promise<A>): Promise<A> => {
    for (const [, id, request] of room.reports()) {
      const { name, payload } = Object(request)
      asked.push([name, unpackValue(payload)])
      const answered = { _tag: "Answered", value: packValue(value) } as const
      room.order(Orders.callAnswered(Number(id), answered))
    }
    return call
  }
  return { it, asked, answer }
}

test("[C-570] calls travel with the player's id, and values as JSON", async () => {
  const { it, asked, answer } = serviceThat(7)
  const kv = it.kv("ann")
  expect(await answer(kv.set("k", { list: [1, "é", null] }))).toBe(7)
  expect(await answer(kv.compareAndSet("k", -0, 3))).toBe(7)
  expect(asked).toEqual([
    ["kv.set", { player: "ann", key: "k", value: '{"list":[1,"é",null]}', expected: null }],
    ["kv.set", { player: "ann", key: "k", value: "0", expected: 3 }]
  ])
})

test("[C-570] a client of the room stands for its player", async () => {
  const { it, asked, answer } = serviceThat({ value: '{"gold":5}', version: 9 })
  const client = Object.assign(Object.create(null), { playerId: "ben" })
  expect(await answer(it.kv(client).get("k"))).toEqual({ value: { gold: 5 }, version: 9 })
  expect(asked).toEqual([["kv.get", { player: "ben", key: "k" }]])
})

test("[C-570] nothing is null, a conflict is null, and a delete says whether something went", async () => {
  const nothing = serviceThat(null)
  expect(await nothing.answer(nothing.it.kv("ann").get("k"))).toBeNull()
  expect(await nothing.answer(nothing.it.kv("ann").compareAndSet("k", 1, 2))).toBeNull()
  const gone = serviceThat(true)
  expect(await gone.answer(gone.it.kv("ann").delete("k"))).toBe(true)
})

test("[C-572] a list asks for whole pages unless it is told, and its values are read", async () => {
  const entries = [{ key: "k", value: "[1]", version: 2 }]
  const { it, asked, answer } = serviceThat({ entries, next: "k" })
  const page = { entries: [{ key: "k", value: [1], version: 2 }], next: "k" }
  expect(await answer(it.kv("ann").list())).toEqual(page)
  await answer(it.kv("ann").list({ prefix: "a/", after: "a/1", limit: 5 }))
  expect(asked).toEqual([
    ["kv.list", { player: "ann", prefix: "", after: "", limit: 128 }],
    ["kv.list", { player: "ann", prefix: "a/", after: "a/1", limit: 5 }]
  ])
})

test("[kv.over-limit-rejects] what cannot be stored is refused by name, and never sent", async () => {
  const { room, it } = live()
  const kv = it.kv("ann")
  const codes: Array<unknown> = []
  const cyclic: Record<string, never> = {}
  Object.assign(cyclic, { cyclic })
  for (const call of [
    kv.set("k", "x".repeat(100_000)),
    kv.set("k".repeat(257), 1),
    it.kv("p".repeat(257)).get("k"),
    kv.get(""),
    kv.delete("a\u0000"),
    kv.list({ prefix: "k".repeat(257) }),
    kv.set("k", Number.NaN),
    kv.set("k", [Infinity]),
    kv.set("k", cyclic),
    kv.compareAndSet("k", 1, -1),
    kv.compareAndSet("k", 1, 0.5)
  ]) {
    await call.catch((error: unknown) => codes.push(Object(error).code))
  }
  await settle()
  expect(codes).toEqual([
    "E_KV_VALUE_TOO_LARGE",
    "E_KV_KEY_TOO_LONG",
    "E_KV_PLAYER_ID_TOO_LONG",
    ...Array.from({ length: 2 }, () => "E_CALL_INVALID"),
    "E_KV_KEY_TOO_LONG",
    ...Array.from({ length: 5 }, () => "E_CALL_INVALID")
  ])
  expect(room.reports()).toEqual([])
})
