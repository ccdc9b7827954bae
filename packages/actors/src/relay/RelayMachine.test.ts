import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { describe, expect, test } from "vitest"

import { RelayAllowance } from "./RelayAllowance.ts"
import { relaySeatCaps } from "./RelaySessions.ts"
import type { RelayAction, RelayOp } from "./RelayState.ts"
import { RecordIdMax, type StoredTable } from "./RelayTables.ts"
import { makeRelay } from "./testing/SteppedRelay.ts"

const tables = [
  { name: "topic", singleton: true, defaults: [1] },
  { name: "shapes", singleton: false, defaults: [1, 4] },
  { name: "blobs", singleton: false, defaults: [1] }
]
const [topic, things, blobs] = [0, 1, 2] as const

const makeRoom = (seats = { players: 64, viewers: 256 }, ...ids: ReadonlyArray<string>) => {
  const room = makeRelay({ tables, seats, reconnectForMs: 1000 })
  for (const id of ids) room.enter(id)
  return room
}
const roomOf = (...ids: ReadonlyArray<string>) => makeRoom(undefined, ...ids)

const add = (table: number, ...fields: ReadonlyArray<readonly [number, number]>): RelayOp => ({
  _tag: "Add",
  table,
  fields
})
const set = (
  table: number,
  key: number,
  ...fields: ReadonlyArray<readonly [number, number]>
): RelayOp => ({ _tag: "Set", table, key, fields })
const remove = (table: number, key: number): RelayOp => ({ _tag: "Remove", table, key })

/** A room that wakes with so many records in one table, and ann as their owner. */
const filled = (
  table: number,
  has: { readonly count?: number; readonly nextId?: number },
  ...ids: ReadonlyArray<string>
) => {
  const { count = 0 } = has
  const nextId = has.nextId ?? count + 1
  const room = makeRoom()
  const stored = tables.map(({ singleton, defaults }, place): StoredTable => {
    const own = place === table ? Array.from({ length: count }, (_, at) => at + 1) : []
    const keys = singleton ? [0] : own
    const records = keys.map((id) => ({
      id,
      owner: singleton ? null : "ann",
      fieldBytes: defaults
    }))
    return { records, nextId: place === table ? nextId : 1 }
  })
  room.take({ _tag: "SnapshotLoaded", sessions: [], tables: stored, nowMs: 0 })
  for (const id of ids) room.enter(id)
  return room
}

describe("writes", () => {
  test("[D-24] gives an added record the next id, and lets its owner alone set and remove it", () => {
    const room = roomOf("ann", "bob")
    expect(room.write("ann", add(things), add(blobs), add(things))).toEqual([1, 1, 2])
    expect(room.write("bob", add(things))).toEqual([3])
    const cases: ReadonlyArray<readonly [string, RelayOp, unknown]> = [
      ["ann", set(things, 1, [1, 4]), []],
      ["bob", set(things, 1), "E_NOT_OWNER"],
      ["bob", remove(things, 1), "E_NOT_OWNER"],
      ["bob", set(topic, 0, [0, 9]), []],
      ["bob", set(topic, 1), "E_WRITE_REJECTED"],
      ["bob", remove(topic, 0), "E_WRITE_REJECTED"],
      ["bob", add(topic), "E_WRITE_REJECTED"],
      ["bob", set(things, 4), "E_WRITE_REJECTED"],
      ["bob", add(9), "E_WRITE_REJECTED"],
      ["ann", remove(things, 1), []],
      ["ann", remove(things, 1), "E_WRITE_REJECTED"],
      ["ann", add(things), [4]]
    ]
    for (const [by, op, answer] of cases) expect(room.write(by, op)).toEqual(answer)
    expect(room.keys(things)).toEqual([2, 3, 4])
  })

  test("[D-24] leaves the state as it was when it refuses a frame, ids included", () => {
    const room = roomOf("ann")
    room.write("ann", add(things), add(things), add(things))
    const before = room.state
    const ops = [add(things), set(things, 1, [0, 50]), remove(things, 2), remove(things, 1)]
    expect(room.write("ann", ...ops, set(things, 2))).toBe("E_WRITE_REJECTED")
    expect(room.state).toBe(before)
    expect(room.keys(things)).toEqual([1, 2, 3])
    expect(room.write("ann", add(things))).toEqual([4])
    // A record of this very frame is there for the ops after it.
    expect(room.write("ann", add(things), set(things, 5, [0, 2]), remove(things, 5))).toEqual([5])
  })

  test("[D-24] lets a viewer write and own nothing", () => {
    const room = roomOf()
    room.enter("vic", { role: "audience" })
    expect(room.write("vic", set(topic, 0))).toBe("E_WRITE_REJECTED")
    expect(room.own("vic", "shapes")).toMatchObject([
      { _tag: "Refuse", refusal: { code: "E_WRITE_REJECTED" } },
      { _tag: "AnswerOwnership", granted: false }
    ])
  })

  test("[limits.relay.records] takes 1024 records in a collection and no more; others have room", () => {
    const { max } = RelayLimits.relayRecords
    const room = filled(things, { count: max - 1 }, "ann")
    expect(room.write("ann", add(things))).toEqual([max])
    expect(room.write("ann", add(things))).toBe("E_RECORD_CAP")
    expect(room.write("ann", add(blobs), add(things))).toBe("E_RECORD_CAP")
    expect(room.write("ann", add(blobs))).toEqual([1])
    expect(room.write("ann", remove(things, 1), add(things))).toEqual([max + 1])
  })

  test("[limits.relay.state] takes 512 KB of encoded state and not one byte more", () => {
    const room = roomOf("ann")
    room.write("ann", add(blobs))
    const left = RelayLimits.relayStateBytes.max - room.state.tables.bytes
    expect(room.write("ann", set(blobs, 1, [0, 1 + left + 1]))).toBe("E_STATE_CAP")
    expect(room.write("ann", set(blobs, 1, [0, 1 + left]))).toEqual([])
    expect(room.state.tables.bytes).toBe(RelayLimits.relayStateBytes.max)
    expect(room.write("ann", add(things))).toBe("E_STATE_CAP")
    expect(room.write("ann", set(topic, 0, [0, 2]))).toBe("E_STATE_CAP")
    expect(room.write("ann", set(blobs, 1, [0, left]), set(topic, 0, [0, 2]))).toEqual([])
  })

  test("[D-24] refuses a frame without ops", () => {
    expect(roomOf("ann").write("ann")).toBe("E_WRITE_REJECTED")
  })

  test("[D-24] gives the last id once, and none after it", () => {
    const room = filled(things, { nextId: RecordIdMax }, "ann")
    expect(room.write("ann", add(things))).toEqual([RecordIdMax])
    expect(room.write("ann", add(things))).toBe("E_WRITE_REJECTED")
  })
})

describe("who owns a record", () => {
  const shown = (actions: ReadonlyArray<RelayAction>): ReadonlyArray<unknown> =>
    actions.flatMap((action): ReadonlyArray<unknown> => {
      if (action._tag === "AskOwner") return [[action.to, "asked", action.request, action.asker]]
      return action._tag === "AnswerOwnership" ? [[action.to, action.granted]] : []
    })
  const scene = () => {
    const room = roomOf("ann", "bob", "cyd")
    room.write("ann", add(things), add(things))
    const own = (by: string, key = 1, nowMs = 0) => shown(room.own(by, "shapes", { key, nowMs }))
    const answer = (...given: Parameters<typeof room.answer>) => shown(room.answer(...given))
    return { room, own, answer, owns: (key = 1) => room.ownerOf(things, key) }
  }

  test("[D-24] grants a client's own record and an orphan at once, and no record that is not there", () => {
    const { room, own, owns } = scene()
    expect(own("ann")).toEqual([["ann", true]])
    expect(own("ann", 3)).toEqual([["ann", false]])
    expect(shown(room.leave("ann"))).toEqual([])
    expect(own("bob")).toEqual([["bob", true]])
    expect(owns()).toBe("bob")
    for (const collection of ["topic", "nothing"]) {
      const [refused, ...rest] = room.own("bob", collection, { key: 0 })
      expect(refused).toMatchObject({ _tag: "Refuse", refusal: { code: "E_WRITE_REJECTED" } })
      expect(shown(rest)).toEqual([["bob", false]])
    }
  })

  test("[D-24] takes the owner's answer once, and nobody else's", () => {
    const { room, own, answer, owns } = scene()
    expect(own("bob")).toEqual([["ann", "asked", 1, "bob"]])
    expect(own("bob")).toEqual([])
    expect(answer("cyd", 1, true)).toEqual([])
    expect(answer("ann", 1, false)).toEqual([["bob", false]])
    expect(answer("ann", 1, true)).toEqual([])
    expect(owns()).toBe("ann")
    expect(own("bob")).toEqual([["ann", "asked", 2, "bob"]])
    expect(own("cyd")).toEqual([["ann", "asked", 3, "cyd"]])
    expect(answer("ann", 2, true)).toEqual([
      ["bob", true],
      ["ann", false],
      ["cyd", false]
    ])
    expect(owns()).toBe("bob")
    expect(answer("ann", 3, true)).toEqual([])
    expect(room.dueAtMs()).toBeNull()
  })

  test("[limits.relay.ownership-timeout] refuses a request after 5 s without an answer, and not a moment before", () => {
    const { room, own, answer, owns } = scene()
    const { ms } = RelayLimits.relayOwnershipAnswer
    own("bob", 1, 7)
    expect(room.dueAtMs()).toBe(7 + ms)
    const before = room.state
    expect([room.pass(7 + ms - 1), room.state]).toEqual([[], before])
    expect(shown(room.pass(7 + ms))).toEqual([["bob", false]])
    expect([answer("ann", 1, true), owns(), room.dueAtMs()]).toEqual([[], "ann", null])
  })

  test("[D-24] grants the records of an owner that leaves; refuses requests for a record that is removed", () => {
    const { room, own, owns } = scene()
    own("bob", 1)
    own("cyd", 1)
    own("cyd", 2)
    expect(shown(room.leave("ann"))).toEqual([
      ["bob", true],
      ["cyd", false],
      ["cyd", true]
    ])
    expect([owns(1), owns(2)]).toEqual(["bob", "cyd"])
    own("cyd", 1)
    const write = { ops: [remove(things, 1)], values: [] }
    const actions = room.take({ _tag: "WriteReceived", from: "bob", id: 1, write })
    expect(shown(actions)).toEqual([["cyd", false]])
    own("bob", 2)
    room.leave("bob")
    expect(room.dueAtMs()).toBeNull()
  })

  test("[D-24] lets a client wait for 64 records at once, and not for one more", () => {
    const { max } = RelayLimits.relayAsks
    const room = filled(blobs, { count: max + 1 }, "ann", "bob", "cyd")
    const own = (by: string, key: number): string | null => {
      const [first] = room.own(by, "blobs", { key })
      return first?._tag === "Refuse" ? first.refusal.code : null
    }
    for (let key = 1; key <= max; key++) expect(own("bob", key)).toBeNull()
    const before = room.state
    expect([own("bob", max + 1), room.state]).toEqual(["E_RATE_LIMITED", before])
    expect(own("bob", 1)).toBeNull()
    expect(own("cyd", max + 1)).toBeNull()
    expect(room.state.requests).toHaveLength(max + 1)
    room.pass(RelayLimits.relayOwnershipAnswer.ms)
    expect(own("bob", max + 1)).toBeNull()
  })

  test("[D-24] asks an owner again that is back; an owner that stays away has left", () => {
    const { room, own, owns } = scene()
    room.drop("ann", 100)
    expect(own("bob", 1, 100)).toEqual([["ann", "asked", 1, "bob"]])
    const token = room.session("ann").resumeHash
    expect(shown(room.enter("new", { player: "ann", resume: token }))).toEqual([
      ["ann", "asked", 1, "bob"]
    ])
    room.drop("ann", 100)
    expect(room.dueAtMs()).toBe(1100)
    expect(room.pass(1099)).toEqual([])
    // The clock may have jumped past the end of the request as well.
    const actions = room.pass(60_000)
    expect(actions[0]).toEqual({ _tag: "EndSession", sessionId: "ann" })
    expect([shown(actions), owns(), room.state.requests]).toEqual([[["bob", true]], "bob", []])
  })

  test("[D-24] gives a request number 1 after the last of 32 bits", () => {
    const { room, own } = scene()
    room.state = { ...room.state, lastRequest: 0xffff_fffe }
    expect(own("bob", 1)).toEqual([["ann", "asked", 0xffff_ffff, "bob"]])
    expect(own("bob", 2)).toEqual([["ann", "asked", 1, "bob"]])
  })
})

describe("seats", () => {
  const refused = (full: "players" | "viewers") => [
    { _tag: "RefuseClient", full, ref: expect.any(Number) }
  ]
  const admitted = [{ _tag: "AdmitClient", resumed: false }]

  test("[limits.relay.players] [limits.audience.seats] counts players and viewers apart", () => {
    const caps: ReadonlyArray<readonly ["free" | "card", number, number, number]> = [
      ["card", 100, RuntimeLimits.relayPlayers.max, AudienceLimits.audienceSeats.max],
      ["card", 5, 5, AudienceLimits.audienceSeats.max],
      ["free", 100, RelayLimits.relayPlayersFree.max, AudienceLimits.audienceSeatsFree.max],
      ["free", 5, 5, AudienceLimits.audienceSeatsFree.max]
    ]
    for (const [plan, maxClients, players, viewers] of caps) {
      expect(relaySeatCaps(plan, maxClients)).toEqual({ players, viewers })
      const room = makeRoom(relaySeatCaps(plan, maxClients))
      for (let at = 1; at < players; at++) room.enter(`p${at}`)
      for (let at = 1; at < viewers; at++) room.enter(`v${at}`, { role: "audience" })
      expect(room.enter("p")).toMatchObject(admitted)
      const before = room.state
      expect([room.enter("q"), room.state]).toEqual([refused("players"), before])
      expect(room.enter("v", { role: "watcher" })).toMatchObject(admitted)
      expect(room.enter("w", { role: "audience" })).toEqual(refused("viewers"))
      room.leave("v")
      expect(room.enter("q")).toEqual(refused("players"))
      expect(room.enter("w", { role: "audience" })).toMatchObject(admitted)
      // A seat is kept until its session is over.
      room.drop("p", 0)
      expect(room.enter("q")).toEqual(refused("players"))
      room.pass(1000)
      expect(room.enter("q")).toMatchObject(admitted)
    }
  })

  test("[C-631] keeps seats for players of a match, and none of a viewer", () => {
    const room = makeRoom({ players: 3, viewers: 1 })
    room.enter("ann")
    expect(room.enter("bob", { seatsKept: 2 })).toEqual(refused("players"))
    expect(room.enter("v", { role: "audience", seatsKept: 2 })).toMatchObject(admitted)
    expect(room.enter("bob", { seatsKept: 1 })).toMatchObject(admitted)
  })

  test("[C-121] resumes no session of a player as a viewer, nor the other way round", () => {
    for (const [before, after] of [
      ["player", "watcher"],
      ["watcher", "player"]
    ] as const) {
      const room = makeRoom()
      room.enter("ann", { role: before })
      const { resumeHash: resume } = room.session("ann")
      room.drop("ann", 0)
      expect(room.enter("new", { player: "ann", role: after, resume })).toMatchObject([
        { _tag: "AdmitClient", sessionId: "new", resumed: false }
      ])
      expect(room.session("new").role).toBe(after)
      expect(room.enter("other", { player: "ann", role: before, resume })).toMatchObject([
        { _tag: "AdmitClient", sessionId: "ann", resumed: true }
      ])
    }
  })

  test("[D-24] resumes a session by its last two tokens, and by its player alone", () => {
    const room = roomOf("ann")
    const back = (resume: string, id: string, player = "ann") => room.enter(id, { resume, player })
    const token = room.session("ann").resumeHash
    expect(room.enter("another tab", { player: "ann" })).toMatchObject(admitted)
    expect(back(token, "bob", "bob")).toMatchObject(admitted)
    const resumed = [
      { _tag: "CloseReplaced" },
      { _tag: "AdmitClient", sessionId: "ann", resumed: true }
    ]
    expect(back(token, "new")).toMatchObject(resumed)
    const second = room.session("ann").resumeHash
    expect(back(token, "new")).toMatchObject(resumed)
    const { resumeHash: third, ref } = room.session("ann")
    expect(back(second, "new")).toMatchObject(admitted)
    expect(back(third, "newer")).toMatchObject([{ _tag: "CloseReplaced", ref }, resumed[1]])
  })
})

describe("what each client may send", () => {
  test("[limits.relay.write-ops] [limits.relay.write-ops.whole-frame] takes 35 ops a second, counted one by one; a frame passes whole or not", () => {
    const [ann, bob] = [makePlayer(), makePlayer()]
    const { burst } = RelayLimits.relayWriteOps
    expect(ann.takeOps(burst + 1, 0)).toBe(false)
    expect(ann.takeOps(burst - 1, 0)).toBe(true)
    expect(ann.takeOps(2, 0)).toBe(false)
    expect(ann.takeOps(1, 0)).toBe(true)
    expect(ann.takeOps(1, 0)).toBe(false)
    expect(bob.takeOps(burst, 0)).toBe(true)
    expect(ann.takeOps(1, Math.ceil(1000 / 35) - 1)).toBe(false)
    expect(ann.takeOps(1, Math.ceil(1000 / 35))).toBe(true)
    expect(ann.takeOps(burst, 2000)).toBe(true)
    expect(ann.takeOps(1, 2000)).toBe(false)
  })

  test("[limits.relay.bytes.burst] [limits.relay.bytes.rate] takes 1 MB at once and 256 KB a second; the first refusal until a frame passes is told apart", () => {
    const ann = makePlayer()
    const { burst, tokens } = RelayLimits.relayBytes
    expect(ann.takeBytes(burst, 0)).toBe("passes")
    expect(ann.takeBytes(1, 0)).toBe("refused")
    expect(ann.takeBytes(1, 0)).toBe("refusedAgain")
    expect(ann.takeBytes(tokens + 1, 1000)).toBe("refusedAgain")
    expect(ann.takeBytes(tokens, 1000)).toBe("passes")
    expect(ann.takeBytes(1, 1000)).toBe("refused")
  })

  test("[limits.audience.msg.burst] [limits.audience.msg.rate] takes 10 messages of a viewer at once and 2 a second; more of a player", () => {
    const [ann, vic] = [makePlayer(), new RelayAllowance({ viewer: true, nowMs: 0 })]
    const { burst } = AudienceLimits.audienceMessages
    for (let sent = 0; sent < burst; sent++) expect(vic.takeSend(0)).toBe("passes")
    expect(vic.takeSend(0)).toBe("refused")
    expect(vic.takeSend(499)).toBe("refusedAgain")
    expect(vic.takeSend(500)).toBe("passes")
    expect(vic.takeSend(500)).toBe("refused")
    for (let sent = 0; sent <= 10 * burst; sent++) expect(ann.takeSend(0)).toBe("passes")
  })
})

const makePlayer = (): RelayAllowance => new RelayAllowance({ viewer: false, nowMs: 0 })
