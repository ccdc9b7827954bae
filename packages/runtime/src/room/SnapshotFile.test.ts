import { unpackPlayer } from "@atrium/wire/codec/PlayerCodec"
import { makeRoomState } from "@atrium/wire/codec/RoomState"
import { MsgpackError, unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { fromDescriptor, type SchemaDescriptor } from "@atrium/wire/schema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { decodeSnapshotFile, encodeSnapshotFile, type RoomSnapshot } from "./SnapshotFile.ts"

// Written by version 0.1.0. Never made anew: such bytes lie in databases, and must be read for ever.
const storedDescriptor =
  '{"format":1,"type":"every","class":"standard","maxClients":64,"tickHz":0,"hibernateAfterMs":' +
  '30000,"reconnectForMs":20000,"retention":null,"project":null,"singletons":[{"name":"one","fi' +
  'elds":[{"name":"on","kind":"bool"},{"name":"at","kind":"f64","default":0.5}]}],"entities":[{' +
  '"name":"things","fields":[{"name":"u8","kind":"u8"},{"name":"i8","kind":"i8"},{"name":"u16",' +
  '"kind":"u16"},{"name":"i16","kind":"i16"},{"name":"u32","kind":"u32"},{"name":"i32","kind":"' +
  'i32"},{"name":"f32","kind":"f32"},{"name":"far","kind":"quantised","min":-1,"max":1,"step":0' +
  '.001,"default":0},{"name":"text","kind":"string","maxBytes":40,"default":"?"},{"name":"raw",' +
  '"kind":"bytes","maxBytes":8},{"name":"team","kind":"enum","choices":["red","blue"]},{"name":' +
  '"next","kind":"ref","collection":"things"},{"name":"path","kind":"list","of":{"kind":"u16"},' +
  '"maxLength":4},{"name":"names","kind":"list","of":{"kind":"string","maxBytes":8},"maxLength"' +
  ':3}]}],"messages":[],"rpc":{"client":[],"server":[]},"player":[{"name":"wins","kind":"u32"},' +
  '{"name":"title","kind":"string","maxBytes":8}]}'
const storedSnapshot =
  "h6F2AaVzdGF0ZcRVBAEAAAAAAAACwAIA/4D//wCA/////wAAAIAAAMA/4gQJWm/DqyDwn5iAAgD/AQACAQD//wIAAsOk" +
  "AQAAAAAAAAAAAAAAAAAAAAAAAOgDAT8AAAEAAKhzZXNzaW9uc5KIomlkonMxqHBsYXllcklkonAxpG5hbWWjQW5upHJv" +
  "bGWmcGxheWVyqnJlc3VtZUhhc2iiYWGycHJldmlvdXNSZXN1bWVIYXNoomJiq2Ryb3BwZWRBdE1zwKZwbGF5ZXLEFIKk" +
  "d2luc84AARFwpXRpdGxlokRyiKJpZKJzMqhwbGF5ZXJJZKJwMqRuYW1lwKRyb2xlpWd1ZXN0qnJlc3VtZUhhc2iiY2Oy" +
  "cHJldmlvdXNSZXN1bWVIYXNowKtkcm9wcGVkQXRNc88AAAGLz+VoAKZwbGF5ZXLEDoKkd2lucwCldGl0bGWgpHRpY2vO" +
  "AAERcKdwYXRjaGVzzQEspnJhbmRvbZQBAgPO/////6Vsb2JieYKoaXNQdWJsaWPDp3N0YXJ0ZWTC"

const schema = fromDescriptor(JSON.parse(storedDescriptor))
const stored = (): Uint8Array => new Uint8Array(Buffer.from(storedSnapshot, "base64"))

describe("a snapshot of the first version", () => {
  test("[version.old-snapshots-decode] is read whole: every kind of field, sessions, clocks", () => {
    const file = decodeSnapshotFile(stored())
    const room = makeRoomState(schema)
    room.loadSnapshot(file.state)
    expect(JSON.parse(JSON.stringify(room.state))).toEqual({
      one: { on: true, at: -2.25 },
      things: [
        {
          id: 1,
          u8: 255,
          i8: -128,
          u16: 65_535,
          i16: -32_768,
          u32: 4_294_967_295,
          i32: -2_147_483_648,
          f32: 1.5,
          far: 0.25,
          text: "Zoë 😀",
          raw: { 0: 0, 1: 255 },
          team: "blue",
          next: 0,
          path: [1, 65_535],
          names: ["", "ä"]
        },
        {
          id: 3,
          u8: 0,
          i8: 0,
          u16: 0,
          i16: 0,
          u32: 0,
          i32: 0,
          f32: 0,
          far: 0,
          text: "?",
          raw: {},
          team: "red",
          next: 1,
          path: [],
          names: []
        }
      ]
    })
    expect(Reflect.get(room.state, "things")).toHaveProperty("size", 2)
    const { state: _, sessions, ...rest } = file
    expect(rest).toEqual({
      tick: 70_000,
      patches: 300,
      random: [1, 2, 3, 4_294_967_295],
      lobby: { isPublic: true, started: false }
    })
    expect(
      sessions.map(({ player, ...session }) => ({
        ...session,
        player: unpackPlayer(schema.player, player)
      }))
    ).toEqual([
      {
        id: "s1",
        playerId: "p1",
        name: "Ann",
        role: "player",
        droppedAtMs: null,
        resumeHash: "aa",
        previousResumeHash: "bb",
        player: { wins: 70_000, title: "Dr" }
      },
      {
        id: "s2",
        playerId: "p2",
        name: null,
        role: "guest",
        droppedAtMs: 1_700_000_000_000,
        resumeHash: "cc",
        previousResumeHash: null,
        player: { wins: 0, title: "" }
      }
    ])
  })

  test("[version.old-snapshots-decode] is written the same way today", () => {
    expect(encodeSnapshotFile(decodeSnapshotFile(stored()))).toEqual(stored())
  })

  test("[version.old-snapshots-decode] is read by a schema that has more", () => {
    const json: SchemaDescriptor = JSON.parse(storedDescriptor)
    const next = fromDescriptor({
      ...json,
      entities: [
        { name: "later", fields: [{ name: "x", kind: "u8" }] },
        ...json.entities.map(({ name, fields }) => ({
          name,
          fields: [{ name: "new", kind: "u8", default: 9 }, ...fields]
        }))
      ]
    })
    const room = makeRoomState(next)
    room.migrateSnapshot(json, decodeSnapshotFile(stored()).state)
    expect(JSON.parse(JSON.stringify(room.state))).toMatchObject({
      one: { at: -2.25 },
      later: [],
      things: [
        { id: 1, new: 9, u8: 255, text: "Zoë 😀" },
        { id: 3, new: 9, next: 1 }
      ]
    })
  })
})

describe("a snapshot file", () => {
  const bytes = fc.uint8Array({ maxLength: 20 })
  const orNull = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some)
  const text = fc.string({ unit: "grapheme", maxLength: 12 })
  const word = fc.nat({ max: 0xffff_ffff })
  const match = fc.record({ queue: text, team: orNull(fc.nat(15)), party: orNull(text) })
  const session = {
    id: text,
    playerId: text,
    name: orNull(text),
    role: text,
    resumeHash: text,
    previousResumeHash: orNull(text),
    droppedAtMs: orNull(fc.nat({ max: Number.MAX_SAFE_INTEGER })),
    player: bytes
  }
  const anySnapshot: fc.Arbitrary<RoomSnapshot> = fc.record({
    state: bytes,
    sessions: fc.array(fc.oneof(fc.record(session), fc.record({ ...session, match })), {
      maxLength: 4
    }),
    tick: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    patches: word,
    random: fc.tuple(word, word, word, word),
    lobby: fc.record({ isPublic: fc.boolean(), started: fc.boolean() })
  })

  test("[D-48] is read as it was written", () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        expect(decodeSnapshotFile(encodeSnapshotFile(snapshot))).toEqual(snapshot)
      })
    )
  })

  test("[D-48] unknown names are passed by, absent ones are what a new room has", () => {
    const { random } = decodeSnapshotFile(stored())
    const file = packValue({ v: 1, later: [1, { a: 2 }], state: Uint8Array.of(7), random })
    expect(decodeSnapshotFile(file)).toEqual({
      state: Uint8Array.of(7),
      sessions: [],
      tick: 0,
      patches: 0,
      random,
      lobby: { isPublic: false, started: false }
    })
  })

  test("[D-48] of another version is refused, and any bytes are a snapshot or a MsgpackError", () => {
    const whole = Object(unpackValue(stored()))
    expect(() => decodeSnapshotFile(packValue({ ...whole, v: 2 }))).toThrow("v is malformed")
    const damaged = fc.tuple(fc.nat(stored().length - 1), fc.nat(255)).map(([at, byte]) => {
      const copy = stored()
      copy[at] = byte
      return copy
    })
    fc.assert(
      fc.property(fc.oneof(bytes, damaged), (input) => {
        try {
          decodeSnapshotFile(input)
        } catch (fault) {
          expect(fault).toBeInstanceOf(MsgpackError)
        }
      }),
      { numRuns: 1000 }
    )
  })
})
