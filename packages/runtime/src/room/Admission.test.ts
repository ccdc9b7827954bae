import { makeStateView } from "@atrium/wire/codec/StateView"
import { describe, expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { arena, type Arena, hooksInto } from "../testing/TestArena.ts"
import { StartOfRoom } from "../testing/TestOrders.ts"
import { settle, TestRoom } from "../testing/TestRoom.ts"
import type { RoomHandlers } from "./Room.ts"

const calls: string[] = []
const open = (more: RoomHandlers<Arena> = {}): TestRoom<Arena> => {
  calls.length = 0
  const room = new TestRoom(arena, hooksInto(calls, more))
  room.reports()
  return room
}
const names = (room: TestRoom<Arena>): ReadonlyArray<unknown> =>
  room.reports().map(([name]) => name)

describe("joining", () => {
  test("[D-24] a welcome carries the state that onJoin left behind", () => {
    const room = open({ onJoin: (it, client) => void it.state.players.add({ name: client.id }) })
    room.join(1)
    const [changed, joined] = room.reports()
    expect(changed).toEqual(["changed"])
    expect(joined?.slice(0, 2)).toEqual(["joined", 1])
    const { state, ...rest } = (joined?.[2] ?? {}) as { state: Uint8Array }
    expect(rest).toEqual({ sessionId: "s1", resumed: false, tick: 0 })
    const view = makeStateView(arena)
    view.applyFull(state)
    expect(JSON.stringify(view.state.players)).toBe('[{"id":1,"name":"s1","x":0}]')
  })

  test("[D-24] clients in the room get a patch before the new client gets its state", () => {
    const room = open({ onJoin: (it, client) => void it.state.players.add({ name: client.id }) })
    room.joined(1)
    room.join(2)
    expect(room.reports()).toMatchObject([
      ["deliver", "all", [17, 1, expect.anything()]],
      ["joined", 2, { tick: 1 }]
    ])
  })

  test("[D-24] messages of onJoin come after the welcome, also to the new client", () => {
    const room = open({
      onJoin: (it, client) => {
        it.send(client, "hit", { by: 1 })
        it.broadcast("hit", { by: 2 })
      }
    })
    room.joined(1)
    room.join(2)
    expect(names(room)).toEqual(["deliver", "joined", "deliver", "deliver"])
  })

  test.each([
    ["false", () => false, "the room refused the join"],
    ["a reason", () => "too young", "too young"],
    ["a promise of a reason", () => Promise.resolve("too young"), "too young"],
    [
      "a throw",
      () => {
        throw new Error("secret")
      },
      "the room refused the join"
    ],
    ["a rejection", () => Promise.reject(new Error("secret")), "the room refused the join"],
    ["nothing", () => undefined as never, "the room refused the join"]
  ])("[D-25] onAuth refuses by %s", async (_, onAuth, message) => {
    const room = open({ onAuth })
    room.join(1)
    await settle()
    expect(room.reports()).toEqual([["refused", 1, { code: "E_JOIN_REFUSED", message }]])
    expect(calls).toEqual([])
  })

  test("[D-25] onAuth sees the player that joins and its options", () => {
    const seen: unknown[] = []
    const room = open({ onAuth: (_, attempt) => seen.push(attempt) > 0 })
    room.join(1, { name: "Ada", role: "judge", options: { team: "red" } })
    const attempt = { playerId: "p1", name: "Ada", role: "judge", match: null }
    expect(seen).toEqual([{ ...attempt, options: { team: "red" } }])
    expect(names(room)).toEqual(["changed", "joined"])
  })

  test("[C-630] room code learns the place of a match before the seat is taken, and keeps it", () => {
    const seen: unknown[] = []
    const look: RoomHandlers<Arena> = {
      onAuth: (_, { match }) => seen.push(["onAuth", match]) > 0,
      onJoin: (_, { match }) => void seen.push(["onJoin", match]),
      onReconnect: (_, { match }) => void seen.push(["onReconnect", match]),
      onLeave: (_, { match }) => void seen.push(["onLeave", match])
    }
    const match = { queue: "duo", team: 1, party: "friends" }
    const before = open(look)
    before.join(1, { match })
    before.join(2)
    expect(seen.splice(0)).toEqual([
      ["onAuth", match],
      ["onJoin", match],
      ["onAuth", null],
      ["onJoin", null]
    ])
    const room = new TestRoom(arena, hooksInto([], look), { snapshot: before.snapshot() })
    // The credential of a later connection cannot change it.
    room.join(7, { sessionId: "s1", playerId: "p1", attachedAs: "s1" })
    room.order(Orders.leave(7))
    expect(seen).toEqual([
      ["onReconnect", match],
      ["onLeave", match]
    ])
  })

  test("[D-25] an onAuth that never answers refuses after its time", () => {
    const room = open({ onAuth: () => new Promise(() => {}) })
    room.join(1)
    room.port.pass(9_999)
    expect(room.reports()).toEqual([])
    room.port.pass(1)
    expect(room.reports()).toMatchObject([["refused", 1, { code: "E_JOIN_REFUSED" }]])
  })

  test("[D-24] a client that goes while onAuth thinks does not join", async () => {
    const room = open({ onAuth: () => Promise.resolve(true) })
    room.join(1)
    room.order(Orders.drop(1))
    await settle()
    expect(room.reports()).toEqual([])
    expect(calls).toEqual([])
  })

  test("[D-24] kept sessions and waiting joins count, one past the limit is refused", () => {
    const room = open({ onAuth: () => new Promise(() => {}) })
    room.join(1)
    room.join(2)
    room.join(3)
    expect(room.reports()).toEqual([])
    room.join(4)
    expect(room.reports()).toMatchObject([["refused", 4, { code: "E_ROOM_FULL" }]])

    const kept = open()
    for (const ref of [1, 2, 3]) kept.joined(ref)
    kept.order(Orders.drop(1))
    kept.join(4)
    expect(kept.reports()).toMatchObject([["refused", 4, { code: "E_ROOM_FULL" }]])
    kept.port.pass(5000)
    kept.join(5)
    expect(kept.reports()).toMatchObject([["joined", 5, expect.anything()]])
  })

  test("[C-631] seats that are kept for players of a match count, but not for who is back", () => {
    const room = open()
    room.joined(1)
    room.join(2, { seatsKept: 2 })
    expect(room.reports()).toMatchObject([["refused", 2, { code: "E_ROOM_FULL" }]])
    room.order(Orders.drop(1))
    room.join(3, { playerId: "p1", resumeHash: "h1", seatsKept: 2 })
    expect(names(room)).toContain("joined")
    room.join(4, { seatsKept: 1 })
    expect(names(room)).toContain("joined")
  })

  test("[D-24] a throw in onJoin is logged, and the client is in", () => {
    const room = open({
      onJoin: () => {
        throw new Error("oops")
      }
    })
    room.join(1)
    expect(room.port.reports.map(([name]) => name)).toEqual(["log", "changed", "joined"])
    expect(room.logged()[0]?.[2]).toContain("onJoin: Error: oops")
  })

  test("[D-24] onJoin may let the client go again: the join is refused", () => {
    const room = open({ onJoin: (_, client) => client.leave(4001, "not today") })
    room.join(1)
    expect(room.reports()).toEqual([
      ["refused", 1, { code: "E_JOIN_REFUSED", message: "not today" }],
      ["changed"]
    ])
    expect(calls).toEqual(["leave s1 lost"])
  })
})

describe("sessions", () => {
  test("[D-24] a drop keeps the session for its time, to the millisecond", () => {
    const room = open()
    room.joined(1)
    room.order(Orders.drop(1))
    room.port.pass(4999)
    expect(calls).toEqual(["join s1", "drop s1"])
    room.port.pass(1)
    expect(calls).toEqual(["join s1", "drop s1", "leave s1 lost"])
  })

  test("[D-24] a consented leave ends the session at once", () => {
    const room = open()
    room.joined(1)
    room.order(Orders.leave(1))
    expect(calls).toEqual(["join s1", "leave s1 consented"])
  })

  test("[D-24] the token of the last welcome resumes the session, with a fresh welcome", () => {
    const room = open()
    room.joined(1)
    room.order(Orders.drop(1))
    room.join(2, { playerId: "p1", resumeHash: "h1", nextResumeHash: "h2" })
    expect(calls).toEqual(["join s1", "drop s1", "reconnect s1"])
    expect(room.reports()).toMatchObject([["joined", 2, { sessionId: "s1", resumed: true }]])
    room.port.pass(60_000)
    expect(calls).toHaveLength(3)
  })

  test("[D-24] tokens rotate: the one before the last still opens, an older one does not", () => {
    const room = open()
    room.joined(1)
    const resume = (ref: number, resumeHash: string): unknown => {
      room.order(Orders.drop(ref - 1))
      room.reports()
      room.join(ref, { playerId: "p1", resumeHash, nextResumeHash: `h${ref}` })
      return room.reports().find(([name]) => name === "joined")?.[2]
    }
    expect(resume(2, "h1")).toMatchObject({ resumed: true })
    // The welcome with h2 was lost: the client still has h1.
    expect(resume(3, "h1")).toMatchObject({ resumed: true })
    expect(resume(4, "h3")).toMatchObject({ resumed: true })
    // h2 was never used and is forgotten, h1 is two welcomes old.
    expect(resume(5, "h1")).toMatchObject({ resumed: false, sessionId: "s5" })
  })

  test("[D-24] another player's token opens nothing", () => {
    const room = open()
    room.joined(1)
    room.order(Orders.drop(1))
    room.join(2, { playerId: "thief", resumeHash: "h1" })
    expect(room.reports()).toMatchObject([["joined", 2, { sessionId: "s2", resumed: false }]])
  })

  test("[D-24] a resume while the old connection seems alive takes it over", () => {
    const room = open()
    room.joined(1)
    room.join(2, { playerId: "p1", resumeHash: "h1", nextResumeHash: "h2" })
    expect(room.reports()).toMatchObject([
      ["kick", 1, { code: 1000 }],
      ["joined", 2, { sessionId: "s1", resumed: true }]
    ])
    expect(calls).toEqual(["join s1", "drop s1", "reconnect s1"])
    room.order(Orders.drop(1))
    expect(calls).toHaveLength(3)
  })

  test("[D-24] a client is the same object while its session lives", () => {
    const seen: unknown[] = []
    const look = (_: unknown, client: object): void => void seen.push(client)
    const room = open({ onJoin: look, onDrop: look, onReconnect: look, onLeave: look })
    room.joined(1)
    room.order(Orders.drop(1))
    room.join(2, { playerId: "p1", resumeHash: "h1" })
    room.order(Orders.leave(2))
    expect(seen).toHaveLength(4)
    expect(new Set(seen).size).toBe(1)
  })

  test("[D-24] room code lets a client go, with a code of its own or 4420", () => {
    const room = open({
      onMessage: {
        hit: (_, client, { by }) => (by === 0 ? client.leave() : client.leave(4001, "afk"))
      }
    })
    room.joined(1)
    room.joined(2)
    room.message(1, "hit", { by: 0 })
    room.message(2, "hit", { by: 1 })
    expect(room.reports()).toEqual([
      ["kick", 1, { code: 4420, reason: "" }],
      ["kick", 2, { code: 4001, reason: "afk" }]
    ])
    expect(calls.slice(2)).toEqual(["leave s1 lost", "leave s2 lost"])
  })

  test.each([
    [999, ""],
    [1006, ""],
    [2999, ""],
    [5000, ""],
    [1000, "x".repeat(124)]
  ])("[D-24] a close that a socket cannot carry throws: %i", (code, reason) => {
    const errors: unknown[] = []
    const room = open({
      onMessage: {
        hit: (_, client) => {
          try {
            client.leave(code, reason)
          } catch (error) {
            errors.push(error)
          }
        }
      }
    })
    room.joined(1)
    room.message(1, "hit", { by: 1 })
    expect(errors[0]).toBeInstanceOf(RangeError)
    expect(room.reports()).toEqual([])
  })
})

describe("after a restart", () => {
  const restart = (more: RoomHandlers<Arena> = {}, nowMs = StartOfRoom.nowMs + 60_000) => {
    const before = open()
    before.joined(1)
    before.joined(2)
    before.order(Orders.drop(2))
    const snapshot = before.snapshot()
    calls.length = 0
    return new TestRoom(arena, hooksInto(calls, more), { snapshot, nowMs })
  }

  test("[D-48] sessions count as dropped as of the start", () => {
    const room = restart()
    expect(calls).toEqual(["drop s1"])
    room.port.pass(4999)
    expect(calls).toEqual(["drop s1"])
    room.port.pass(1)
    expect(calls).toEqual(["drop s1", "leave s1 lost", "leave s2 lost"])
  })

  test("[D-48] a live socket that is attached again finds its session", () => {
    const room = restart()
    room.join(7, { playerId: "p1", attachedAs: "s1", nextResumeHash: "new" })
    expect(calls).toEqual(["drop s1", "reconnect s1"])
    const reports = room.reports()
    expect(reports.at(-1)).toMatchObject(["joined", 7, { sessionId: "s1", resumed: true }])
    // The client may still hold the token from before the restart.
    room.order(Orders.drop(7))
    room.join(8, { playerId: "p1", resumeHash: "h1" })
    expect(room.reports().at(-1)).toMatchObject(["joined", 8, { sessionId: "s1", resumed: true }])
  })

  test("[D-48] a socket whose session is younger than the snapshot joins anew", () => {
    const room = restart()
    room.join(7, { sessionId: "s9", playerId: "p9", attachedAs: "s9" })
    expect(calls).toEqual(["drop s1", "join s9"])
    expect(room.reports().at(-1)).toMatchObject(["joined", 7, { sessionId: "s9", resumed: false }])
  })

  test("[D-48] onCreate does not run again", () => {
    let created = 0
    restart({ onCreate: () => void created++ })
    expect(created).toBe(0)
  })
})
