import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { SchemaLimits } from "@atrium/wire/schema/SchemaLimits"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { StartOfRoom } from "../testing/TestOrders.ts"
import { FrameHeaderBytes, frameOf, FromRoom, HostFrameError, text, ToRoom } from "./HostFrames.ts"
import { type JoinOrder, Orders, type OrderSink, readOrder, type StartOrder } from "./HostOrders.ts"
import { readReport, Reports, type ReportSink } from "./RoomReports.ts"

type Call = ReadonlyArray<unknown>

/** A sink of any kind that writes down what it is told. */
const recorder = <T extends object>(calls: Call[]): T =>
  new Proxy<object>(
    {},
    {
      get:
        (_, name) =>
        (...values: ReadonlyArray<unknown>) =>
          void calls.push([name, ...values])
    }
    // Every method does the same.
  ) as unknown as T

const order = (frame: Uint8Array): Call => {
  const calls: Call[] = []
  readOrder(frame[4] ?? 0, frame.subarray(FrameHeaderBytes), recorder<OrderSink>(calls))
  return calls[0] ?? []
}

const report = (frame: Uint8Array): Call => {
  const calls: Call[] = []
  readReport(frame[4] ?? 0, frame.subarray(FrameHeaderBytes), recorder<ReportSink>(calls))
  return calls[0] ?? []
}

const bytes = new Uint8Array([1, 2, 255])
const join: JoinOrder = {
  ref: 4_294_967_295,
  sessionId: "s",
  playerId: "spieler-ä",
  name: null,
  role: "player",
  options: { team: 1, raw: bytes },
  resumeHash: null,
  nextResumeHash: "n",
  player: bytes,
  attachedAs: null
}
const withSnapshot: StartOrder = {
  ...StartOfRoom,
  alarms: [{ name: "dawn", atMs: 5.5 }],
  // Only its way through the frame matters here.
  snapshot: { bytes, schema: { format: 1, type: "x" } as never }
}

const waves = [
  { name: "wave", atMs: 5, everyMs: RuntimeLimits.alarmEvery.ms },
  { name: "dawn", atMs: 6 }
]

const groupsOf = (...names: ReadonlyArray<string>) => ({
  sessionId: "s1",
  groups: { speaks: names, hears: names }
})

describe("frames on fd 3", () => {
  test("[D-48] the length counts what follows it, little endian", () => {
    expect([...Orders.ping(258)]).toEqual([5, 0, 0, 0, ToRoom.ping, 2, 1, 0, 0])
  })

  test.each<[string, Uint8Array, Call]>([
    ["start", Orders.start(StartOfRoom), ["start", StartOfRoom]],
    ["start from a snapshot", Orders.start(withSnapshot), ["start", withSnapshot]],
    ["join", Orders.join(join), ["join", join]],
    [
      "join without fields",
      Orders.join({ ...join, player: null }),
      ["join", { ...join, player: null }]
    ],
    [
      "join by a match",
      Orders.join({ ...join, match: { queue: "duo", team: 0, party: null } }),
      ["join", { ...join, match: { queue: "duo", team: 0, party: null } }]
    ],
    ["data", Orders.data(7, bytes), ["data", 7, bytes]],
    ["drop", Orders.drop(7), ["drop", 7]],
    ["leave", Orders.leave(7), ["leave", 7]],
    ["takeSnapshot", Orders.takeSnapshot(3, true), ["takeSnapshot", 3, true, false]],
    ["a look", Orders.peek(4), ["takeSnapshot", 4, false, true]],
    ["saved", Orders.saved(3, false), ["saved", 3, false]],
    ["saved at a wall", Orders.saved(3, true, "full"), ["saved", 3, true, "full"]],
    ["clock", Orders.clock(1.5, true), ["clock", 1.5, true]],
    ["clock", Orders.clock(2.5, false), ["clock", 2.5, false]],
    ["ping", Orders.ping(9), ["ping", 9]],
    ["weigh", Orders.weigh(9), ["weigh", 9]],
    [
      "callAnswered with an answer",
      Orders.callAnswered(9, { _tag: "Answered", value: bytes }),
      ["callAnswered", 9, { _tag: "Answered", value: bytes }]
    ],
    [
      "callAnswered with a refusal",
      Orders.callAnswered(9, { _tag: "Refused", code: "E_FULL", message: "voll" }),
      ["callAnswered", 9, { _tag: "Refused", code: "E_FULL", message: "voll" }]
    ]
  ])("[D-48] an order reaches the room: %s", (_, frame, call) => {
    expect(order(frame)).toEqual(call)
  })

  test.each<[string, Uint8Array, Call]>([
    ["booted", Reports.booted(), ["booted"]],
    ["described", Reports.described("[]"), ["described", "[]"]],
    ["failed", Reports.failed("why", "stack"), ["failed", "why", "stack"]],
    ["ready", Reports.ready(), ["ready"]],
    [
      "joined",
      Reports.joined(1, { sessionId: "s", resumed: true, tick: 9, state: bytes }),
      ["joined", 1, { sessionId: "s", resumed: true, tick: 9, state: bytes }]
    ],
    [
      "refused",
      Reports.refused(1, { code: "E_ROOM_FULL", message: "voll" }),
      ["refused", 1, { code: "E_ROOM_FULL", message: "voll" }]
    ],
    ["deliver to all", Reports.deliver("all", bytes), ["deliver", "all", bytes]],
    ["deliver to some", Reports.deliver([1, 70_000], bytes), ["deliver", [1, 70_000], bytes]],
    [
      "kick",
      Reports.kick(1, { code: 4420, reason: "afk" }),
      ["kick", 1, { code: 4420, reason: "afk" }]
    ],
    ["changed", Reports.changed(), ["changed"]],
    ["saveRequested", Reports.saveRequested(5, true), ["saveRequested", 5, true]],
    ["snapshot", Reports.snapshot(5, bytes), ["snapshot", 5, bytes]],
    ["snapshotTooLarge", Reports.snapshotTooLarge(5, 2 ** 33), ["snapshotTooLarge", 5, 2 ** 33]],
    [
      "alarms",
      Reports.alarms([{ name: "dawn", atMs: -1 }]),
      ["alarms", [{ name: "dawn", atMs: -1 }]]
    ],
    ["alarms that repeat, and one that does not", Reports.alarms(waves), ["alarms", waves]],
    [
      "alarms of code that was bundled before alarms repeated",
      frameOf(FromRoom.alarms, { u16: 2 }, { f64: 5 }, text("a"), { f64: 6 }, text("b")),
      [
        "alarms",
        [
          { name: "a", atMs: 5 },
          { name: "b", atMs: 6 }
        ]
      ]
    ],
    [
      "voice",
      Reports.voice([
        { sessionId: "s1", groups: { speaks: ["red"], hears: [] } },
        { sessionId: "s2", groups: null }
      ]),
      [
        "voice",
        [
          { sessionId: "s1", groups: { speaks: ["red"], hears: [] } },
          { sessionId: "s2", groups: null }
        ]
      ]
    ],
    ["lobby, one part", Reports.lobby({ started: true }), ["lobby", { started: true }]],
    ["lobby, metadata", Reports.lobby({ metadata: "[1]" }), ["lobby", { metadata: "[1]" }]],
    ["lobby, none", Reports.lobby({ metadata: null }), ["lobby", { metadata: null }]],
    [
      "lobby, both",
      Reports.lobby({ isPublic: false, started: true }),
      ["lobby", { isPublic: false, started: true }]
    ],
    ["log", Reports.log("warn", "eine Zeile"), ["log", "warn", "eine Zeile"]],
    ["player", Reports.player("p", bytes), ["player", "p", bytes]],
    ["pong", Reports.pong(5, 2 ** 32 - 1), ["pong", 5, 2 ** 32 - 1]],
    ["pong of code that counts no ticks", Reports.pong(5, null), ["pong", 5, null]],
    ["weighed", Reports.weighed(5, 1e9), ["weighed", 5, 1e9]],
    [
      "called",
      Reports.called(5, { name: "a.b", payload: bytes }),
      ["called", 5, { name: "a.b", payload: bytes }]
    ],
    [
      "callFailed",
      Reports.callFailed({ ref: 5, callId: 7, message: "no", stack: "Error: no\n    at x" }),
      ["callFailed", { ref: 5, callId: 7, message: "no", stack: "Error: no\n    at x" }]
    ]
  ])("[D-48] a report reaches the service: %s", (_, frame, call) => {
    expect(report(frame)).toEqual(call)
  })
})

describe("hostile reports", () => {
  test.each<[string, Uint8Array]>([
    ["an unknown kind", frameOf(200)],
    ["the kind of an order", Orders.ping(1)],
    ["an end that is missing", Reports.pong(5, 0).subarray(0, 12)],
    ["bytes that are left over", frameOf(FromRoom.pong, { u32: 1 }, { u8: 0 })],
    ["more recipients than bytes", frameOf(FromRoom.deliver, { u16: 65_000 }, { u32: 1 })],
    ["an empty client frame", Reports.deliver([1], new Uint8Array(0))],
    ["a close code of the protocol", Reports.kick(1, { code: 1006, reason: "" })],
    ["a close code past the last", Reports.kick(1, { code: 5000, reason: "" })],
    ["a close reason of 124 bytes", Reports.kick(1, { code: 1000, reason: "x".repeat(124) })],
    ["a code that is none", Reports.refused(1, { code: "oops", message: "" })],
    ["a flag that is none", frameOf(FromRoom.joined, { u32: 1 }, { u8: 2 }, { u32: 0 }, text(""))],
    ["a voice group without a name", Reports.voice([groupsOf("")])],
    ["a voice group of 33 bytes", Reports.voice([groupsOf("g".repeat(33))])],
    ["nine voice groups", Reports.voice([groupsOf(...Array<string>(9).fill("g"))])],
    ["too many voice groups", Reports.voice(Array.from({ length: 2049 }, () => groupsOf("g")))],
    ["a lobby's metadata that is none", Reports.lobby({ metadata: "{" })],
    [
      "a lobby's metadata that is too long",
      Reports.lobby({ metadata: JSON.stringify("x".repeat(RuntimeLimits.lobbyMetadataBytes.max)) })
    ],
    ["a lobby flag that is none", frameOf(FromRoom.lobby, { u8: 3 }, { u8: 2 })],
    ["a log level that is none", frameOf(FromRoom.log, { u8: 4 }, text("x"))],
    ["a text that is not UTF-8", frameOf(FromRoom.log, { u8: 1 }, { text: new Uint8Array([255]) })],
    [
      "an alarm with a period below the least",
      Reports.alarms([{ name: "a", atMs: 1, everyMs: RuntimeLimits.alarmEvery.ms - 1 }])
    ],
    [
      "an alarm with an endless period",
      Reports.alarms([{ name: "a", atMs: 1, everyMs: Number.POSITIVE_INFINITY }])
    ],
    ["an alarm at no time", Reports.alarms([{ name: "a", atMs: Number.NaN }])],
    [
      "too many alarms",
      Reports.alarms(
        Array.from({ length: RuntimeLimits.alarms.max + 1 }, (_, at) => ({
          name: `${at}`,
          atMs: 1
        }))
      )
    ],
    [
      "an alarm's name that is too long",
      Reports.alarms([{ name: "a".repeat(RuntimeLimits.alarmNameBytes.max + 1), atMs: 1 }])
    ],
    [
      "a player id that is too long",
      Reports.player("p".repeat(FrameLimits.playerIdBytes.max + 1), bytes)
    ],
    [
      "player fields that are too long",
      Reports.player("p", new Uint8Array(SchemaLimits.playerFieldsBytes.max + 1))
    ],
    [
      "a call's name that is too long",
      Reports.called(1, {
        name: "n".repeat(RuntimeLimits.roomCallNameBytes.max + 1),
        payload: bytes
      })
    ],
    [
      "a call's payload that is too long",
      Reports.called(1, {
        name: "a.b",
        payload: new Uint8Array(RuntimeLimits.roomCallBytes.max + 1)
      })
    ]
  ])("[D-48] ends the process and nothing else: %s", (_, frame) => {
    const calls: Call[] = []
    const read = () =>
      readReport(frame[4] ?? 0, frame.subarray(FrameHeaderBytes), recorder<ReportSink>(calls))
    expect(read).toThrow(HostFrameError)
    expect(calls).toEqual([])
  })

  test("[limits.player-fields.bytes] takes reports whose parts are exactly at their bounds", () => {
    const reason = "x".repeat(123)
    expect(report(Reports.kick(1, { code: 4999, reason }))).toEqual([
      "kick",
      1,
      { code: 4999, reason }
    ])
    const player = new Uint8Array(SchemaLimits.playerFieldsBytes.max)
    expect(report(Reports.player("p".repeat(FrameLimits.playerIdBytes.max), player))[2]).toEqual(
      player
    )
    const alarms = Array.from({ length: RuntimeLimits.alarms.max }, (_, at) => ({
      name: `${at}`.padStart(RuntimeLimits.alarmNameBytes.max, "0"),
      atMs: at
    }))
    expect(report(Reports.alarms(alarms))).toEqual(["alarms", alarms])
    const call = {
      name: "n".repeat(RuntimeLimits.roomCallNameBytes.max),
      payload: new Uint8Array(RuntimeLimits.roomCallBytes.max)
    }
    expect(report(Reports.called(1, call))).toEqual(["called", 1, call])
  })

  test("[D-48] any payload of any kind is a report or a HostFrameError", () => {
    const kind = fc.oneof(
      fc.constantFrom(...Object.values(FromRoom)),
      fc.integer({ min: 0, max: 255 })
    )
    fc.assert(
      fc.property(kind, fc.uint8Array({ maxLength: 64 }), (of, payload) => {
        const calls: Call[] = []
        try {
          readReport(of, payload, recorder<ReportSink>(calls))
          expect(calls).toHaveLength(1)
        } catch (error) {
          expect(error).toBeInstanceOf(HostFrameError)
          expect(calls).toEqual([])
        }
      }),
      { numRuns: 3000 }
    )
  })

  test("[D-48] a report does not keep the buffer that it was read from", () => {
    const frame = Reports.snapshot(1, bytes)
    const [, , state] = report(frame)
    frame.fill(0)
    expect(state).toEqual(bytes)
  })
})
