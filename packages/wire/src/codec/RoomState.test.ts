import { describe, expect, test } from "vitest"

import {
  defineSchema,
  describe as descriptorOf,
  FieldError,
  type Fields,
  s,
  type SchemaDescriptor
} from "../schema.ts"
import { CodecError } from "./CodecError.ts"
import { makeRoomState } from "./RoomState.ts"
import { stateHash } from "./StateHash.ts"

const arena = defineSchema({
  type: "arena",
  entities: {
    players: {
      name: s.string(8),
      x: s.f32(),
      hp: s.u8({ default: 100 }),
      team: s.enum("red", "blue"),
      path: s.list(s.u16(), 3),
      pics: s.list(s.bytes(2), 2),
      speed: s.quantised({ min: 0, max: 10, step: 0.1 }),
      pic: s.bytes(4)
    }
  },
  singletons: { score: { red: s.u16(), over: s.bool() } }
})

const roomWithPlayer = () => {
  const room = makeRoomState(arena)
  const player = room.state.players.add({ name: "ann" })
  room.encodeDelta()
  return { room, player }
}

describe("records", () => {
  test("[D-24] a new entity has the defaults, ids start at 1, iteration ascends", () => {
    const room = makeRoomState(arena)
    const first = room.state.players.add()
    const second = room.state.players.add({ name: "bob", team: "blue" })
    expect(first.toJSON()).toEqual({
      id: 1,
      name: "",
      x: 0,
      hp: 100,
      team: "red",
      path: [],
      pics: [],
      speed: 0,
      pic: new Uint8Array(0)
    })
    expect([...room.state.players]).toEqual([first, second])
    expect(room.state.players.size).toBe(2)
    expect(room.state.players.get(2)).toBe(second)
    expect(second.team).toBe("blue")
  })

  test("[D-24] stored values are what every client will read", () => {
    const { player } = roomWithPlayer()
    player.x = 0.1
    expect(player.x).toBe(Math.fround(0.1))
    player.x = -0
    expect(Object.is(player.x, 0)).toBe(true)
    player.speed = 0.34
    expect(player.speed).toBe(0.3)
  })

  test("[D-24] a list is replaced, never changed in place; bytes are copied in and out", () => {
    const { player } = roomWithPlayer()
    const path = [1, 2]
    player.path = path
    path.push(3)
    expect(player.path).toEqual([1, 2])
    expect(() => Reflect.apply(Array.prototype.push, player.path, [3])).toThrow(TypeError)
    const pic = Uint8Array.of(1, 2)
    player.pic = pic
    player.pics = [pic]
    pic[0] = 9
    player.pic[0] = 9
    const [inList] = player.pics
    if (inList !== undefined) inList[0] = 9
    expect(player.pic).toEqual(Uint8Array.of(1, 2))
    expect(player.pics).toEqual([Uint8Array.of(1, 2)])
  })

  test("[D-24] lists and bytes that differ in one place only are a change", () => {
    const { room, player } = roomWithPlayer()
    const changes: ReadonlyArray<() => void> = [
      () => (player.path = [1, 2]),
      () => (player.path = [1, 3]),
      () => (player.pic = Uint8Array.of(1, 2)),
      () => (player.pic = Uint8Array.of(1, 3)),
      () => (player.pics = [Uint8Array.of(1)]),
      () => (player.pics = [Uint8Array.of(2)])
    ]
    for (const change of changes) {
      change()
      expect(room.encodeDelta()).not.toBeNull()
    }
    expect(player.path).toEqual([1, 3])
    expect(player.pic).toEqual(Uint8Array.of(1, 3))
    expect(player.pics).toEqual([Uint8Array.of(2)])
  })

  test("[D-24] setting a field to its own value marks no change", () => {
    const { room, player } = roomWithPlayer()
    player.path = [1]
    player.pic = Uint8Array.of(1)
    player.speed = 0.3
    room.encodeDelta()
    player.name = "ann"
    player.hp = 100
    player.x = -0
    player.team = "red"
    player.path = [1]
    player.pic = Uint8Array.of(1)
    player.speed = 0.31
    room.state.score.over = false
    expect(room.dirty).toBe(false)
    expect(room.encodeDelta()).toBeNull()
  })

  test.each<[string, unknown, string]>([
    ["hp", 256, "players.hp: 256 is outside 0 to 255 (u8)"],
    ["hp", "9", 'players.hp: "9" is not a number (u8)'],
    ["x", Number.NaN, "players.x: NaN is not finite (f32)"],
    ["x", Number.POSITIVE_INFINITY, "players.x: Infinity is not finite (f32)"],
    ["x", 1e39, "players.x: 1e+39 is past f32"],
    ["name", "123456789", "players.name: 9 bytes of UTF-8 are over 8"],
    ["team", "green", 'players.team: "green" is not one of "red", "blue"'],
    ["path", [1, 2, 3, 4], "players.path: 4 items are over 3"],
    ["path", [1, -1], "players.path[1]: -1 is outside 0 to 65535 (u16)"],
    ["path", { length: 1 }, "players.path: a value of type object is not an array"],
    ["speed", 10.01, "players.speed: 10.01 is outside 0 to 10 (quantised)"],
    ["pic", new Uint8Array(5), "players.pic: 5 bytes are over 4"],
    ["pic", [1], "players.pic: an array is not a Uint8Array"],
    ["name", undefined, "players.name: undefined is not a string"]
  ])(
    "[error.app-data-never-trimmed] %s = %j throws and writes nothing",
    (field, value, message) => {
      const { room, player } = roomWithPlayer()
      const before = room.encodeSnapshot()
      expect(() => Reflect.set(player, field, value)).toThrow(new FieldError(message))
      expect(room.dirty).toBe(false)
      expect(room.encodeSnapshot()).toEqual(before)
    }
  )

  test("[error.app-data-never-trimmed] adding what does not fit adds nothing", () => {
    const { room } = roomWithPlayer()
    const before = room.encodeSnapshot()
    expect(() => room.state.players.add({ name: "bob", hp: -1 })).toThrow("players.hp: -1")
    const stray: object = { nmae: "bob" }
    expect(() => room.state.players.add(stray)).toThrow("players.nmae: there is no such field")
    expect(room.dirty).toBe(false)
    expect(room.encodeSnapshot()).toEqual(before)
  })

  test("[D-24] a removed record keeps its last values and takes no new ones", () => {
    const { room, player } = roomWithPlayer()
    expect(room.state.players.remove(player.id)).toBe(true)
    expect(room.state.players.remove(player.id)).toBe(false)
    const heir = room.state.players.add({ name: "heir" })
    expect(player.name).toBe("ann")
    expect(() => {
      player.name = "ghost"
    }).toThrow("players 1 was removed")
    expect(heir.name).toBe("heir")
    expect(heir.hp).toBe(100)
  })

  test("[D-24] entities may be removed while they are iterated", () => {
    const room = makeRoomState(arena)
    for (let player = 0; player < 4; player += 1) room.state.players.add()
    const seen: Array<number> = []
    for (const { id } of room.state.players) {
      seen.push(id)
      if (id % 2 === 1) room.state.players.remove(id)
    }
    expect(seen).toEqual([1, 2, 3, 4])
    room.state.players.clear()
    expect(room.state.players.size).toBe(0)
  })

  test("[D-24] an unknown field cannot be assigned", () => {
    const { room, player } = roomWithPlayer()
    expect(Reflect.set(player, "id", 7)).toBe(false)
    expect(Reflect.set(room.state, "players", {})).toBe(false)
  })
})

describe("dirty", () => {
  test("[D-24] onDirty is called at the first change after a delta, and only then", () => {
    let calls = 0
    const room = makeRoomState(arena, { onDirty: () => (calls += 1) })
    expect([room.dirty, calls]).toEqual([false, 0])
    room.state.score.red = 1
    room.state.score.red = 2
    room.state.players.add()
    expect([room.dirty, calls]).toEqual([true, 1])
    room.encodeDelta()
    room.state.players.remove(1)
    expect([room.dirty, calls]).toEqual([true, 2])
    room.discardDelta()
    expect([room.dirty, room.encodeDelta()]).toEqual([false, null])
    room.loadSnapshot(room.encodeSnapshot())
    expect([room.dirty, calls]).toEqual([false, 2])
  })

  test("[D-24] a full state is not given out while changes are pending", () => {
    const room = makeRoomState(arena)
    room.state.score.red = 1
    expect(() => room.encodeFull()).toThrow("call encodeDelta first")
    expect(room.dirty).toBe(true)
    room.encodeDelta()
    expect(stateHash(room.encodeFull())).toMatch(/^[0-9a-f]{16}$/)
  })
})

describe("snapshots", () => {
  test("[D-24] ids are not used again after a snapshot, even of entities that are gone", () => {
    const { room, player } = roomWithPlayer()
    room.state.players.remove(player.id)
    const next = makeRoomState(arena)
    next.loadSnapshot(room.encodeSnapshot())
    expect(next.state.players.add().id).toBe(2)
  })

  test("[D-24] a snapshot whose next id is taken is refused, and the defaults are left", () => {
    const { room } = roomWithPlayer()
    const bytes = room.encodeSnapshot()
    bytes[0] = 1
    expect(() => room.loadSnapshot(bytes)).toThrow(CodecError)
    expect(room.state.players.size).toBe(0)
    expect(room.encodeSnapshot()).toEqual(makeRoomState(arena).encodeSnapshot())
  })

  const next = defineSchema({
    type: "arena",
    singletons: {
      round: { number: s.u8({ default: 1 }) },
      score: { over: s.bool(), gold: s.u8({ default: 5 }), red: s.u16() }
    },
    entities: {
      npcs: { hp: s.u8() },
      players: { hp: s.u16(), level: s.u8({ default: 1 }), name: s.string(8), x: s.f32() }
    }
  })

  test("[version.old-snapshots-decode] an older snapshot is carried over by name", () => {
    const { room, player } = roomWithPlayer()
    room.state.players.add()
    room.state.players.remove(2)
    player.x = 1.5
    room.state.score.red = 7
    const after = makeRoomState(next)
    after.migrateSnapshot(JSON.parse(JSON.stringify(descriptorOf(arena))), room.encodeSnapshot())
    expect(JSON.parse(JSON.stringify(after.state))).toEqual({
      round: { number: 1 },
      score: { over: false, gold: 5, red: 7 },
      npcs: [],
      players: [{ id: 1, hp: 100, level: 1, name: "ann", x: 1.5 }]
    })
    expect(after.dirty).toBe(false)
    expect(after.state.players.add().id).toBe(3)
    expect(after.state.npcs.add().id).toBe(1)
  })

  test("[C-666] structs are carried over by the names of their fields, wherever they are", () => {
    const state = (fields: Fields) =>
      makeRoomState(
        defineSchema({
          type: "t",
          entities: {
            all: { bag: s.map(s.u8(), s.struct(fields)), hand: s.list(s.struct(fields), 3) }
          }
        })
      )
    const old = { x: s.u8(), gone: s.u8() }
    const schema = defineSchema({
      type: "t",
      entities: { all: { bag: s.map(s.u8(), s.struct(old)), hand: s.list(s.struct(old), 3) } }
    })
    const room = makeRoomState(schema)
    const one = room.state.all.add({ hand: [{ x: 1, gone: 0 }] })
    one.bag.set(7, { x: 3, gone: 0 })
    const descriptor: SchemaDescriptor = JSON.parse(JSON.stringify(descriptorOf(schema)))
    const next = state({ fresh: s.u8({ default: 9 }), x: s.u16() })
    next.migrateSnapshot(descriptor, room.encodeSnapshot())
    expect(JSON.parse(JSON.stringify(next.state))).toEqual({
      all: [{ id: 1, bag: [[7, { fresh: 9, x: 3 }]], hand: [{ fresh: 9, x: 1 }] }]
    })
    expect([next.dirty, next.encodeDelta()]).toEqual([false, null])

    // What has no field any more would be lost.
    one.bag.set(7, { x: 3, gone: 4 })
    room.encodeDelta()
    const after = state({ x: s.u16() })
    expect(() => after.migrateSnapshot(descriptor, room.encodeSnapshot())).toThrow(
      new FieldError("all.bag: a value would be lost")
    )
    expect(after.state.all.size).toBe(0)
  })

  test("[error.app-data-never-trimmed] a value that its field no longer takes stops the migration by name", () => {
    const { room } = roomWithPlayer()
    const narrow = defineSchema({ type: "arena", entities: { players: { name: s.string(2) } } })
    const after = makeRoomState(narrow)
    expect(() => after.migrateSnapshot(descriptorOf(arena), room.encodeSnapshot())).toThrow(
      new FieldError("players.name: 3 bytes of UTF-8 are over 2")
    )
    expect(after.state.players.size).toBe(0)
    expect(after.dirty).toBe(false)
  })
})
