import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { schemaHash } from "@atrium/wire/schema/SchemaHash"
import { describe, expect, test } from "vitest"

import { FrameHeaderBytes, ToRoom } from "../host/HostFrames.ts"
import { Orders } from "../host/HostOrders.ts"
import { PhysicsBrand, type PhysicsEngine } from "../physics/PhysicsEngine.ts"
import { arena, hooksInto } from "../testing/TestArena.ts"
import { StartOfRoom } from "../testing/TestOrders.ts"
import { settle, TestPort } from "../testing/TestRoom.ts"
import { defineRoom } from "./DefineRoom.ts"
import { connect, type ReceiveFrame } from "./Runtime.ts"

const described = (rooms: Record<string, unknown>): ReadonlyArray<unknown> => {
  const port = new TestPort("describe")
  connect(port, rooms)
  return port.reports[0] ?? []
}

describe("describing a bundle", () => {
  test("[C-970] says which types share processes, where they may", () => {
    const solo = defineSchema({ type: "solo" })
    const rooms = [
      defineRoom(defineSchema({ type: "lobby" }), { sharing: true }),
      defineRoom(solo, { sharing: false })
    ]
    const [, json] = described(Object.fromEntries(rooms.map((room) => [room.schema.type, room])))
    const types: ReadonlyArray<{ readonly type: string; readonly sharing?: true }> = JSON.parse(
      String(json)
    )
    expect(types.map(({ type, sharing }) => [type, sharing])).toEqual([
      ["lobby", true],
      ["solo", undefined]
    ])
    const large = defineSchema({ type: "war", class: "large" })
    expect(() => defineRoom(large, { sharing: true })).toThrow(
      "war.sharing: rooms of the class large have a process each"
    )
    const world = defineSchema({ type: "world", tickHz: 20, physics: { dimensions: 3 } })
    const physics = Object({ [PhysicsBrand]: true, schema: world })
    expect(() => defineRoom(world, { physics, sharing: true })).toThrow(
      "world.sharing: rooms with physics have a process each"
    )
    // Room code in plain JavaScript has no types that refuse this.
    expect(() => defineRoom(solo, { sharing: Object("yes") })).toThrow(
      "solo.sharing: is neither true nor false"
    )
  })

  test("[D-40] every room type once, however often it is exported", () => {
    const room = defineRoom(arena, hooksInto([]))
    const [name, json] = described({ "a.ts#Arena": room, "a.ts#default": room, "a.ts#other": 7 })
    expect(name).toBe("described")
    expect(JSON.parse(String(json))).toMatchObject([
      { type: "arena", class: "standard", maxClients: 3, schemaHash: schemaHash(arena) }
    ])
  })

  test("[D-24] schemas alone are rooms without code, which end with their last client", () => {
    const other = defineSchema({ type: "other", hibernateAfterMs: 9000, maxClients: 2 })
    const large = defineSchema({ type: "large", maxClients: 65 })
    const exported = {
      "a.ts#arena": arena,
      "b.ts#again": arena,
      "b.ts#other": other,
      large,
      no: {}
    }
    const [name, json] = described(exported)
    expect(name).toBe("described")
    expect(JSON.parse(String(json))).toMatchObject({
      relay: true,
      types: [
        { type: "arena", maxClients: 3, hibernateAfterMs: 0, schemaHash: schemaHash(arena) },
        { type: "other", maxClients: 2, hibernateAfterMs: 0 },
        { type: "large", maxClients: 64 }
      ]
    })
  })

  test("[D-24] beside a room with code, schemas that are exported are no rooms", () => {
    const other = defineSchema({ type: "other" })
    const [, json] = described({ other, room: defineRoom(arena, hooksInto([])) })
    expect(JSON.parse(String(json))).toMatchObject([{ type: "arena" }])
    expect(JSON.parse(String(json))).toHaveLength(1)
  })

  test("[C-721] rooms with hidden state are told in a way that a service that does not know it refuses", () => {
    const shown = hooksInto([])
    const room = defineRoom(arena, { ...shown, hidden: { singletons: { deck: { next: s.u8() } } } })
    const [name, json] = described({ room })
    const said = JSON.parse(String(json))
    expect([name, Array.isArray(said), said.types]).toEqual(["described", false, undefined])
    expect(said.withHidden).toMatchObject([
      {
        type: "arena",
        schemaHash: schemaHash(arena),
        hidden: { entities: [], singletons: [{ name: "deck" }] }
      }
    ])
    expect(JSON.stringify(said.withHidden[0].schema)).not.toContain("deck")
  })

  test.each<[string, Record<string, unknown>, string]>([
    [
      "two schemas of one type",
      { a: defineSchema({ type: "other" }), b: defineSchema({ type: "other" }) },
      "other: two schemas are of this type"
    ],
    ["no room", { a: 1 }, "no room is exported"],
    [
      "two rooms of one type",
      { a: defineRoom(arena, hooksInto([])), b: defineRoom(arena, hooksInto([])) },
      "arena: two rooms are of this type"
    ]
  ])("[D-40] %s is a clear error", (_, rooms, text) => {
    const [name, why] = described(rooms)
    expect([name, why]).toEqual(["failed", expect.stringContaining(text)])
  })
})

describe("code that waits for its room", () => {
  const called: Array<string> = []
  const handlers = hooksInto(called, {
    onAuth: () => called.push("auth") > 0,
    onCreate: () => void called.push("create"),
    onDispose: () => void called.push("dispose")
  })
  const ping = (port: TestPort, receive: ReceiveFrame, number: number): void => {
    receive(ToRoom.ping, Orders.ping(number).slice(FrameHeaderBytes))
    port.turn()
  }

  test("[C-61] answers, and rehearses a start without a word and without running a handler", () => {
    const port = new TestPort()
    const receive = connect(port, { Arena: defineRoom(arena, handlers) })
    for (const number of [1, 2]) ping(port, receive, number)
    port.pass(60_000)
    expect(port.reports).toEqual([
      ["pong", 1, null],
      ["pong", 2, null]
    ])
    expect(called).toEqual([])
    expect(port.ended).toBe(false)
  })

  test("[C-61] starts as if it had not waited", () => {
    const heardBy = (waits: boolean) => {
      const port = new TestPort()
      const receive = connect(port, { Arena: defineRoom(arena, hooksInto([])) })
      if (waits) ping(port, receive, 1)
      port.reports.length = 0
      receive(ToRoom.start, Orders.start({ ...StartOfRoom, type: "arena" }).slice(FrameHeaderBytes))
      port.pass(60_000)
      return port.reports
    }
    const heard = heardBy(true)
    expect(heard).toContainEqual(["ready"])
    expect(heard).toEqual(heardBy(false))
  })

  test("[C-61] reports a faulty bundle when the room starts, not before", () => {
    const rooms = { a: defineRoom(arena, hooksInto([])), b: defineRoom(arena, hooksInto([])) }
    const port = new TestPort()
    const receive = connect(port, rooms)
    ping(port, receive, 1)
    expect(port.reports).toEqual([["pong", 1, null]])
    receive(ToRoom.start, Orders.start({ ...StartOfRoom, type: "arena" }).slice(FrameHeaderBytes))
    expect(port.reports.at(-1)?.[0]).toBe("failed")
  })
})

describe("a room whose physics library is made ready", () => {
  const schema = defineSchema({ type: "world", tickHz: 20, physics: { dimensions: 3 } })

  const begun = (clockRuns: boolean) => {
    const library = Promise.withResolvers<void>()
    const shown: Array<number> = []
    const none = { oldestTick: null, newestTick: null, poseBytes: 0, channelBytes: 0 }
    const physics: PhysicsEngine = {
      [PhysicsBrand]: true,
      schema,
      ready: () => library.promise,
      name: () => "none 1",
      start: () => ({
        step: () => {},
        save: () => ({ engine: "none 1", world: new Uint8Array(0), bodies: {} }),
        rewind: () => {
          throw new Error("nobody goes back")
        },
        history: none
      })
    }
    const onCreate = ({ clock }: { readonly clock: { nowMs(): number } }) =>
      void shown.push(clock.nowMs())
    const port = new TestPort()
    const receive = connect(port, { world: defineRoom(schema, { physics, onCreate }) })
    const start = Orders.start({ ...StartOfRoom, type: "world", clockRuns })
    receive(ToRoom.start, start.slice(FrameHeaderBytes))
    const ready = async (): Promise<void> => {
      library.resolve()
      await settle()
    }
    return { port, receive, shown, ready }
  }

  test.each([
    [true, 500],
    [false, 0]
  ])(
    "[C-860] has the clock of now: one that runs is %s, and it has moved by %i ms",
    async (runs, movedMs) => {
      const { port, shown, ready } = begun(runs)
      port.stall(500)
      await ready()
      expect(shown).toEqual([StartOfRoom.nowMs + movedMs])
    }
  )

  test("[C-860] takes the orders that came meanwhile, and ends at one that is malformed", async () => {
    const taken = begun(true)
    taken.receive(ToRoom.ping, Orders.ping(1).slice(FrameHeaderBytes))
    expect(taken.port.reports).toEqual([])
    await taken.ready()
    expect(taken.port.reports.map(([name]) => name)).toContain("pong")
    expect(taken.port.ended).toBe(false)

    const malformed = begun(true)
    malformed.receive(ToRoom.join, new Uint8Array(1))
    await malformed.ready()
    expect(malformed.port.reports.at(-1)?.[0]).toBe("failed")
    expect(malformed.port.ended).toBe(true)
  })
})

describe("defining a room", () => {
  test.each<[string, object, string]>([
    [
      "a message that the schema does not have",
      { onMessage: { shout: () => {} } },
      "arena.onMessage.shout: "
    ],
    ["an RPC that the schema does not have", { rpc: { fly: () => {} } }, "arena.rpc.fly: "],
    ["an RPC without its handler", { rpc: { place: () => {} } }, "arena.rpc.keep: has no handler"],
    ["a hook that does not exist", { onJion: () => {} }, "arena.onJion: there is no such handler"],
    ["a hook that is no function", { onJoin: 7 }, "arena.onJoin: is not a function"],
    ["hidden state of no fields", { hidden: { entities: 3 } }, "hidden: entities: must be an obj"],
    ["a rule of nothing", { visible: { nobody: { to: "owner" } } }, "arena.visible.nobody: the"],
    ["a rule that says nothing", { visible: { players: {} } }, "arena.visible.players: says noth"],
    ["a rule that is no object", { visible: { players: 3 } }, "arena.visible.players: must be an"],
    [
      "a misspelt rule",
      { visible: { players: { visibleTO: () => true } } },
      "arena.visible.players.visibleTO: unknown key; did you mean visibleTo?"
    ],
    [
      "a rule for somebody else",
      { visible: { players: { to: "team" } } },
      'arena.visible.players: needs to: "owner", or visibleTo'
    ],
    [
      "an owner that is no text",
      { visible: { players: { to: "owner", owner: "x" } } },
      "arena.visible.players.owner: x is no text field of players"
    ],
    [
      "an owner that is not declared",
      { visible: { players: { to: "owner" } } },
      "arena.visible.players.owner: owner is no text field of players"
    ],
    [
      "two rules in one",
      { visible: { players: { to: "owner", owner: "name", visibleTo: () => true } } },
      "arena.visible.players: to and visibleTo exclude each other"
    ],
    [
      "a rule that is no function",
      { visible: { score: { visibleTo: true } } },
      "arena.visible.score.visibleTo: is not a function"
    ],
    [
      "a rule of a field that is not there",
      { visible: { players: { fields: { y: { to: "owner" } } } } },
      "arena.visible.players.fields.y: unknown key"
    ],
    [
      "a field without a rule",
      { visible: { players: { fields: { x: {} } } } },
      'arena.visible.players.fields.x: needs to: "owner", or visibleTo'
    ]
  ])("[D-40] names the handler: %s", (_, handlers, text) => {
    const all = { ...hooksInto([]), ...handlers }
    // Types refuse it too; room code may be JavaScript.
    expect(() => defineRoom(arena, all as never)).toThrow(text)
  })
})
