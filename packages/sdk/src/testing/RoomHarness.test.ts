import { defineRoom } from "@atrium/runtime/room/DefineRoom"
import { RpcError } from "@atrium/runtime/room/RpcError"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { expect, test } from "vitest"

import { RoomHarness } from "./RoomHarness.ts"

const schema = defineSchema({
  type: "lab",
  maxClients: 2,
  tickHz: 20,
  entities: { people: { who: s.string(64), steps: s.u32() } },
  messages: { shout: { text: s.string(64) } },
  rpc: {
    client: { add: { args: { a: s.u8(), b: s.u8() }, returns: { sum: s.u16() }, durable: true } },
    server: { guess: { args: { max: s.u8() }, returns: { number: s.u8() } } }
  },
  player: { visits: s.u16() }
})

const lab = defineRoom(schema, {
  onJoin(room, client) {
    client.player.visits += 1
    room.state.people.add({ who: `${client.playerId} ${client.player.visits}` })
  },
  onMessage: {
    async shout(room, client, { text }) {
      if (text === "guess") {
        const { number } = await room.request(client, "guess", { max: 9 })
        return room.send(client, "shout", { text: `you guessed ${number}` })
      }
      room.broadcast("shout", { text: `${client.playerId}: ${text}` })
    }
  },
  rpc: {
    add(_room, _client, { a, b }) {
      if (a === b) throw new RpcError("E_SAME", "give me two numbers")
      return { sum: a + b }
    }
  },
  onTick(room) {
    for (const person of room.state.people) person.steps += 1
  }
})

test("[C-630] a player of the harness has the place that the test gives it", async () => {
  const seen: Array<unknown> = []
  const onJoin = (_: unknown, { playerId, match }: { playerId: string; match: unknown }) =>
    void seen.push([playerId, match])
  const harness = new RoomHarness(defineRoom(schema, { rpc: { add: () => ({ sum: 0 }) }, onJoin }))
  const match = { queue: "duo", team: 1, party: null }
  await harness.client({ playerId: "ann", match }).joinOrCreate(schema)
  await harness.client({ playerId: "bob" }).joinOrCreate(schema)
  expect(seen).toEqual([
    ["ann", match],
    ["bob", null]
  ])
})

test("[client.runtime] the client and the real runtime understand each other", async () => {
  const harness = new RoomHarness(lab)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(schema)
  const bob = await harness.client({ playerId: "bob" }).joinOrCreate(schema)
  expect([...bob.state.people].map(({ who }) => who)).toEqual(["ann 1", "bob 1"])

  await harness.advance(200)
  expect(ann.state.people.get(2)?.steps).toBe(4)
  expect(ann.stateHash()).toBe(bob.stateHash())

  expect(await ann.request("add", { a: 200, b: 100 })).toEqual({ sum: 300 })
  await expect(ann.request("add", { a: 1, b: 1 })).rejects.toMatchObject({ code: "E_SAME" })

  const heard = new Promise((resolve) => bob.onMessage("shout", resolve))
  ann.send("shout", { text: "hi" })
  expect(await heard).toEqual({ text: "ann: hi" })

  ann.onRequest("guess", ({ max }) => ({ number: max - 2 }))
  const answer = new Promise((resolve) => ann.onMessage("shout", resolve))
  ann.send("shout", { text: "guess" })
  expect(await answer).toEqual({ text: "you guessed 7" })

  const third = harness.client({ playerId: "eve" }).join(schema, { roomId: "lab" })
  await expect(third).rejects.toMatchObject({ code: "E_ROOM_FULL", closeCode: 4409 })
  expect(harness.logs).toEqual([])
})

test("[client.runtime] a drop resumes the session, a hibernation keeps state and player", async () => {
  const harness = new RoomHarness(lab)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(schema)
  const { sessionId } = ann
  harness.drop()
  await harness.advance(0)
  expect(ann.connected).toBe(false)
  await harness.advance(100)
  expect(ann.connected).toBe(true)
  expect(ann.sessionId).toBe(sessionId)
  expect([...ann.state.people].map(({ who }) => who)).toEqual(["ann 1"])

  await ann.leave()
  await harness.sleepFor(60_000)
  const again = await harness.client({ playerId: "ann" }).joinOrCreate(schema)
  expect([...again.state.people].map(({ who }) => who)).toEqual(["ann 1", "ann 2"])
  expect(harness.logs).toEqual([])
})

test("[client.runtime] a client that is there when the room restarts comes back by itself", async () => {
  const harness = new RoomHarness(lab)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(schema)
  const { sessionId } = ann
  const codes: Array<number> = []
  ann.onDrop((code) => codes.push(code))
  await harness.advance(100)
  await harness.sleepFor(200)
  expect([ann.connected, ann.sessionId, codes]).toEqual([true, sessionId, [1012]])
  const steps = ann.state.people.get(1)?.steps ?? 0
  await harness.advance(100)
  expect(ann.state.people.get(1)?.steps).toBe(steps + 2)
})

const vault = defineSchema({
  type: "vault",
  rpc: { client: { kv: { args: s.untyped(), returns: s.untyped() } } }
})

const vaultRoom = defineRoom(vault, {
  rpc: {
    kv(room, client, call) {
      const { name, args, player } = Object(call)
      return Reflect.get(room.kv(player ?? client), name)(...args)
    }
  }
})

test("[C-570] room.kv keeps what it was given in memory, also while the room sleeps", async () => {
  const harness = new RoomHarness(vaultRoom)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(vault)
  const kv = (name: string, ...args: ReadonlyArray<unknown>) => ann.request("kv", { name, args })
  const version = Number(await kv("set", "gold", { pieces: 5 }))
  expect(await kv("get", "gold")).toEqual({ value: { pieces: 5 }, version })
  expect(await kv("compareAndSet", "gold", 6, version - 1)).toBeNull()
  expect(await kv("compareAndSet", "gold", 6, version)).toBeGreaterThan(version)
  expect(await kv("delete", "silver")).toBe(false)
  const ofBen = await ann.request("kv", { name: "get", args: ["gold"], player: "ben" })
  expect(ofBen).toBeNull()
  await harness.sleepFor(60_000)
  const again = await harness.client({ playerId: "ann" }).joinOrCreate(vault)
  const list = await again.request("kv", { name: "list", args: [{ prefix: "go", limit: 1 }] })
  expect(list).toMatchObject({ entries: [{ key: "gold", value: 6 }], next: null })
})

test("[kv.limit.keys-per-player] room.kv has 128 keys of a player, and refuses one more by name", async () => {
  const harness = new RoomHarness(vaultRoom)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(vault)
  const set = (key: string) => ann.request("kv", { name: "set", args: [key, 1] })
  for (let at = 0; at < 128; at++) await set(`k${at}`)
  await expect(set("k128")).rejects.toMatchObject({ code: "E_KV_KEYS_FULL" })
  await expect(set("k".repeat(257))).rejects.toMatchObject({ code: "E_KV_KEY_TOO_LONG" })
  expect(await set("k0")).toBeGreaterThan(0)
})

test("[C-727] as(client) is the state as that client sees it", async () => {
  const secret = defineSchema({
    type: "secret",
    entities: { hands: { owner: s.string(64), card: s.u8() } },
    rpc: { client: { deal: {} } }
  })
  const harness = new RoomHarness(
    defineRoom(secret, {
      hidden: { singletons: { deck: { next: s.u8() } } },
      visible: { hands: { to: "owner" } },
      rpc: {
        deal: ({ state, hidden }, { playerId }) => {
          hidden.deck.next += 1
          state.hands.add({ owner: playerId, card: hidden.deck.next })
        }
      }
    })
  )
  const ann = harness.client({ playerId: "ann" })
  expect(() => harness.as(ann)).toThrow("as: ann is not in the room")
  const annsRoom = await ann.joinOrCreate(secret)
  const bob = await harness.client({ playerId: "bob" }).joinOrCreate(secret)
  await annsRoom.request("deal", {})
  await bob.request("deal", {})
  await harness.advance(0)
  const cards = (of: Parameters<typeof harness.as>[0]) =>
    [...harness.as(of).hands].map(({ card }) => card)
  expect([cards(ann), cards("ann"), cards("bob")]).toEqual([[1], [1], [2]])
  expect(JSON.stringify(annsRoom.state)).toBe(JSON.stringify(harness.as("ann")))
  // Asleep and awake again, the hidden deck goes on, and a view is the welcome's.
  await harness.sleepFor(1000)
  await harness.advance(10_000)
  await bob.request("deal", {})
  await harness.advance(0)
  expect([cards("ann"), cards("bob")]).toEqual([[1], [2, 3]])
  await annsRoom.leave()
  await harness.advance(0)
  expect(() => harness.as("ann")).toThrow("as: ann is not in the room")
})

const table = defineSchema({
  type: "table",
  entities: {
    hands: {
      who: s.string(64),
      cards: s.list(s.struct({ rank: s.u8(), up: s.bool() }), 5),
      chips: s.map(s.enum("red", "blue"), s.struct({ count: s.u16() }))
    }
  },
  messages: { deal: { cards: s.list(s.struct({ rank: s.u8(), up: s.bool() }), 5) } },
  rpc: {
    client: {
      flip: { args: { at: s.u8() }, returns: { card: s.struct({ rank: s.u8(), up: s.bool() }) } },
      bet: { args: { chips: s.map(s.enum("red", "blue"), s.u16()) } }
    }
  },
  player: { lost: s.map(s.enum("red", "blue"), s.u16()) }
})

const tableRoom = defineRoom(table, {
  onJoin(room, client) {
    const chips = new Map([["red", { count: 10 }]] as const)
    room.state.hands.add({ who: client.playerId, chips })
  },
  onMessage: {
    deal(room, client, { cards }) {
      for (const hand of room.state.hands) if (hand.who === client.playerId) hand.cards = cards
      room.broadcast("deal", { cards })
    }
  },
  rpc: {
    flip(room, client, { at }) {
      const hand = [...room.state.hands].find(({ who }) => who === client.playerId)
      const card = hand?.cards[at]
      if (card === undefined) throw new RpcError("E_NO_CARD", "there is no such card")
      card.up = !card.up
      return { card }
    },
    bet(room, client, { chips }) {
      for (const [colour, count] of chips) {
        client.player.lost.set(colour, (client.player.lost.get(colour) ?? 0) + count)
        for (const hand of room.state.hands) {
          const pile = hand.chips.get(colour)
          if (hand.who === client.playerId && pile !== undefined) pile.count -= count
        }
      }
    }
  }
})

test("[C-662] structs, maps and lists of structs reach clients, messages, calls and players", async () => {
  const harness = new RoomHarness(tableRoom)
  const ann = await harness.client({ playerId: "ann" }).joinOrCreate(table)
  const bob = await harness.client({ playerId: "bob" }).joinOrCreate(table)
  const heard = new Promise((resolve) => bob.onMessage("deal", resolve))
  const cards = [
    { rank: 7, up: false },
    { rank: 9, up: false }
  ]
  ann.send("deal", { cards })
  expect(await heard).toEqual({ cards })
  expect(await ann.request("flip", { at: 1 })).toEqual({ card: { rank: 9, up: true } })
  await expect(ann.request("flip", { at: 2 })).rejects.toMatchObject({ code: "E_NO_CARD" })
  await ann.request("bet", { chips: new Map([["red", 3]]) })
  const hand = bob.state.hands.get(1)
  expect(hand?.cards).toEqual([cards[0], { rank: 9, up: true }])
  expect([...(hand?.chips ?? [])]).toEqual([["red", { count: 7 }]])
  expect(ann.stateHash()).toBe(bob.stateHash())
  // A map that is sent must fit as well.
  await expect(ann.request("bet", { chips: new Map([["red", -1]]) })).rejects.toThrow(
    'bet.chips["red"]: -1 is outside 0 to 65535 (u16)'
  )
})
