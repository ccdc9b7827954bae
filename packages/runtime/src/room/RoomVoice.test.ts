import { defineSchema, s } from "@atrium/wire/schema"
import { describe, expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { TestRoom } from "../testing/TestRoom.ts"
import type { Room, RoomHandlers } from "./Room.ts"
import type { RoomClient } from "./RoomClient.ts"

const schema = defineSchema({
  type: "parlour",
  voice: { participants: 4 },
  messages: { talk: { to: s.string(64) } }
})
type Groups = Parameters<Room["voice"]["groups"]>[1]

const handlers: RoomHandlers<typeof schema> = {
  onMessage: {
    talk: (room, client, { to }) => room.voice.groups(client, to === "" ? null : to.split(","))
  }
}

const makeRoom = (start = {}) => new TestRoom(schema, handlers, { takesVoice: true, ...start })
type TalkRoom = ReturnType<typeof makeRoom>

const voiceOf = (room: TalkRoom) => room.reports().filter(([name]) => name === "voice")
const both = (...names: ReadonlyArray<string>) => ({ speaks: names, hears: names })

describe("the voice groups of a room", () => {
  test("[C-892] changes of a turn leave together, the last of each client", () => {
    const room = makeRoom()
    room.joined(1)
    room.joined(2)
    room.message(1, "talk", { to: "red" })
    room.message(2, "talk", { to: "red,all" })
    room.message(1, "talk", { to: "blue" })
    expect(voiceOf(room)).toEqual([
      [
        "voice",
        [
          { sessionId: "s1", groups: both("blue") },
          { sessionId: "s2", groups: both("red", "all") }
        ]
      ]
    ])
    room.message(1, "talk", { to: "" })
    expect(voiceOf(room)).toEqual([["voice", [{ sessionId: "s1", groups: null }]]])
    // There is nothing to take away.
    room.message(1, "talk", { to: "" })
    expect(voiceOf(room)).toEqual([])
  })

  test("[C-892] they end with the session, and not with the connection", () => {
    const room = makeRoom()
    room.joined(1)
    room.joined(2)
    for (const ref of [1, 2]) room.message(ref, "talk", { to: "red" })
    room.reports()
    room.order(Orders.drop(1))
    room.order(Orders.leave(2))
    expect(voiceOf(room)).toEqual([["voice", [{ sessionId: "s2", groups: null }]]])
  })

  test("[C-892] they come back from a snapshot, and a service of before is told nothing", () => {
    const room = makeRoom()
    room.joined(1)
    room.message(1, "talk", { to: "red" })
    const snapshot = room.snapshot()
    const told = [["voice", [{ sessionId: "s1", groups: both("red") }]]]
    expect(voiceOf(makeRoom({ snapshot }))).toEqual(told)
    expect(voiceOf(makeRoom({ snapshot, takesVoice: false }))).toEqual([])
    // Its rooms keep them all the same.
    const older = makeRoom({ snapshot, takesVoice: false })
    expect(voiceOf(makeRoom({ snapshot: older.snapshot() }))).toEqual(told)
  })
})

/** What a room does with the groups that its code names. */
const outcome = (groups: unknown): unknown => {
  let answer: unknown = null
  const room = new TestRoom(
    schema,
    {
      onJoin: (self, client) => {
        try {
          // Room code may be JavaScript.
          self.voice.groups(client, groups as Groups)
        } catch (error) {
          answer = String(error)
        }
      }
    },
    { takesVoice: true }
  )
  room.join(1)
  const [report] = voiceOf(room as TalkRoom)
  return answer ?? report?.[1]
}

const names = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => `g${at}`)

test.each<[string, unknown, unknown]>([
  ["a name", "red", both("red")],
  ["no names", [], both()],
  ["eight names", names(8), both(...names(8))],
  ["nine names", names(9), "RangeError: voice.groups: 9 groups are over 8"],
  ["a name of 32 bytes", "é".repeat(16), both("é".repeat(16))],
  ["one of 33", "r".repeat(33), "RangeError: voice.groups: a name has 1 to 32 bytes"],
  ["an empty name", "", "RangeError: voice.groups: a name has 1 to 32 bytes"],
  ["a number", 7, "TypeError: voice.groups: must be a name, a list of names, or { speaks, hears }"],
  ["numbers", [7], "RangeError: voice.groups: a name has 1 to 32 bytes"],
  ["sides", { speaks: "red", hears: ["red", "all"] }, { speaks: ["red"], hears: ["red", "all"] }],
  [
    "one side",
    { speaks: "red" },
    "TypeError: voice.groups.hears: must be a name or a list of names"
  ]
])("[C-892] groups of %s", (_, groups, expected) => {
  const text = typeof expected === "string"
  expect(outcome(groups)).toEqual(text ? expected : [{ sessionId: "s1", groups: expected }])
})

test("[C-892] a room without voice has no groups, and a client that has left none", () => {
  const faults: Array<string> = []
  const silent = defineSchema({ type: "silent" })
  const mute = new TestRoom(silent, {
    onJoin: (room, client) => {
      try {
        room.voice.groups(client, "red")
      } catch (error) {
        faults.push(String(error))
      }
    }
  })
  mute.join(1)
  expect(faults).toEqual(["Error: voice.groups: the schema of the room declares no voice"])
  const gone: Array<RoomClient> = []
  const room = new TestRoom(
    schema,
    {
      onLeave: (self, client) => {
        gone.push(client)
        self.voice.groups(client, "red")
      }
    },
    { takesVoice: true }
  )
  room.joined(1)
  room.order(Orders.leave(1))
  expect([gone.length, voiceOf(room as TalkRoom)]).toEqual([1, []])
})
