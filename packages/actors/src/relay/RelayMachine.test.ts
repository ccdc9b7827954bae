import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { RelayLimits } from "@atrium/domain/relay/RelayLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { describe, expect, test } from "vitest"

import { RelayMachine, type RelayOp } from "./RelayMachine.ts"
import { relaySeatCaps, type RelaySession } from "./RelaySeatsMachine.ts"
import { RecordIdMax } from "./RelayTablesMachine.ts"

const shapes = [
  { name: "topic", singleton: true, defaults: [1] },
  { name: "shapes", singleton: false, defaults: [1, 4] },
  { name: "blobs", singleton: false, defaults: [1] }
]
const [topic, things, blobs] = [0, 1, 2] as const

const makeMachine = (seats = { players: 64, viewers: 256 }, reconnectForMs = 1000) =>
  new RelayMachine({ tables: shapes, seats, reconnectForMs })

let refs = 0
const enter = (machine: RelayMachine, id: string, role = "player") => {
  const kept = { sessionId: id, playerId: id, name: null, role, resumeHash: null }
  const more = { ref: ++refs, nextResumeHash: `next-${refs}`, attachedAs: null }
  return machine.seats.enter({ ...kept, ...more }, 0)
}

const seat = (machine: RelayMachine, id: string, role = "player"): RelaySession => {
  const seating = enter(machine, id, role)
  if (seating.is === "full") throw new Error("the room is full")
  return seating.session
}

const add = (table: number, ...fields: ReadonlyArray<readonly [number, number]>): RelayOp => ({
  ...{ op: "add", table, fields }
})
const set = (table: number, key: number, ...fields: ReadonlyArray<readonly [number, number]>) =>
  ({ op: "set", table, key, fields }) satisfies RelayOp
const remove = (table: number, key: number): RelayOp => ({ op: "remove", table, key })

/** Keys, or the code of the refusal. Each call is a minute after the one before. */
let minute = 0
const write = (machine: RelayMachine, by: RelaySession, ...ops: ReadonlyArray<RelayOp>) => {
  const written = machine.write(by, ops, ++minute * 60_000)
  return "fault" in written ? written.fault.code : written.keys
}

/** Puts so many records there, past every limit of a client. */
const fill = (machine: RelayMachine, table: number, records: number): void => {
  const place = machine.tables.list[table]
  if (place === undefined) throw new Error("no such table")
  for (let id = 1; id <= records; id++) {
    machine.tables.restore(place, { id, owner: "ann", fieldBytes: [...place.defaults] })
  }
}

describe("writes", () => {
  test("[D-24] an add has the next id, a set and a remove are the owner's", () => {
    const machine = makeMachine()
    const [ann, bob] = [seat(machine, "ann"), seat(machine, "bob")]
    expect(write(machine, ann, add(things), add(blobs), add(things))).toEqual([1, 1, 2])
    expect(write(machine, bob, add(things))).toEqual([3])
    const cases: ReadonlyArray<readonly [RelaySession, RelayOp, unknown]> = [
      [ann, set(things, 1, [1, 4]), []],
      [bob, set(things, 1), "E_NOT_OWNER"],
      [bob, remove(things, 1), "E_NOT_OWNER"],
      [bob, set(topic, 0, [0, 9]), []],
      [bob, set(topic, 1), "E_WRITE_REJECTED"],
      [bob, remove(topic, 0), "E_WRITE_REJECTED"],
      [bob, add(topic), "E_WRITE_REJECTED"],
      [bob, set(things, 4), "E_WRITE_REJECTED"],
      [bob, add(9), "E_WRITE_REJECTED"],
      [ann, remove(things, 1), []],
      [ann, remove(things, 1), "E_WRITE_REJECTED"],
      [ann, add(things), [4]]
    ]
    for (const [by, op, answer] of cases) expect(write(machine, by, op)).toEqual(answer)
  })

  test("[D-24] a frame that is refused has changed nothing, ids included", () => {
    const machine = makeMachine()
    const ann = seat(machine, "ann")
    write(machine, ann, add(things), add(things), add(things))
    const before = machine.tables.bytes
    const ops = [add(things), set(things, 1, [0, 50]), remove(things, 2), remove(things, 1)]
    expect(write(machine, ann, ...ops, set(things, 2))).toBe("E_WRITE_REJECTED")
    expect(machine.tables.bytes).toBe(before)
    expect([...(machine.tables.list[things]?.records.keys() ?? [])].toSorted()).toEqual([1, 2, 3])
    expect(write(machine, ann, add(things))).toEqual([4])
    // A record of this very frame is there for the ops after it.
    expect(write(machine, ann, add(things), set(things, 5, [0, 2]), remove(things, 5))).toEqual([5])
  })

  test("[D-24] a viewer writes and owns nothing", () => {
    const machine = makeMachine()
    const viewer = seat(machine, "vic", "audience")
    expect(write(machine, viewer, set(topic, 0))).toBe("E_WRITE_REJECTED")
    const { fault, notices } = machine.own(viewer, { collection: "shapes", key: 1 }, 0)
    expect(fault?.code).toBe("E_WRITE_REJECTED")
    expect(notices).toMatchObject([{ is: "ownResult", granted: false }])
  })

  test("[limits.relay.records] a collection has 1024 records and no more; others have room", () => {
    const machine = makeMachine()
    const ann = seat(machine, "ann")
    fill(machine, things, RelayLimits.relayRecords.max - 1)
    expect(write(machine, ann, add(things))).toEqual([RelayLimits.relayRecords.max])
    expect(write(machine, ann, add(things))).toBe("E_RECORD_CAP")
    expect(write(machine, ann, add(blobs), add(things))).toBe("E_RECORD_CAP")
    expect(write(machine, ann, add(blobs))).toEqual([1])
    expect(write(machine, ann, remove(things, 1), add(things))).toEqual([1025])
  })

  test("[limits.relay.state] the encoded state has 512 KB and not one byte more", () => {
    const machine = makeMachine()
    const ann = seat(machine, "ann")
    write(machine, ann, add(blobs))
    const left = RelayLimits.relayStateBytes.max - machine.tables.bytes
    expect(write(machine, ann, set(blobs, 1, [0, 1 + left + 1]))).toBe("E_STATE_CAP")
    expect(write(machine, ann, set(blobs, 1, [0, 1 + left]))).toEqual([])
    expect(machine.tables.bytes).toBe(RelayLimits.relayStateBytes.max)
    expect(write(machine, ann, add(things))).toBe("E_STATE_CAP")
    expect(write(machine, ann, set(topic, 0, [0, 2]))).toBe("E_STATE_CAP")
    expect(write(machine, ann, set(blobs, 1, [0, left]), set(topic, 0, [0, 2]))).toEqual([])
  })

  test("[limits.relay.write-ops] [limits.relay.write-ops.whole-frame] 35 ops a second, counted one by one; a frame passes whole or not", () => {
    const machine = makeMachine()
    const [ann, bob] = [seat(machine, "ann"), seat(machine, "bob")]
    const { burst } = RelayLimits.relayWriteOps
    const at = (nowMs: number, by: RelaySession, ops: number): unknown => {
      const written = machine.write(
        by,
        Array.from({ length: ops }, () => set(topic, 0)),
        nowMs
      )
      return "fault" in written ? written.fault.code : written.keys
    }
    expect(at(0, ann, burst + 1)).toBe("E_WRITE_RATE")
    expect(at(0, ann, burst - 1)).toEqual([])
    expect(at(0, ann, 2)).toBe("E_WRITE_RATE")
    expect(at(0, ann, 1)).toEqual([])
    expect(at(0, ann, 1)).toBe("E_WRITE_RATE")
    expect(at(0, bob, burst)).toEqual([])
    expect(at(Math.ceil(1000 / 35) - 1, ann, 1)).toBe("E_WRITE_RATE")
    expect(at(Math.ceil(1000 / 35), ann, 1)).toEqual([])
    expect(at(2000, ann, burst)).toEqual([])
    expect(at(2000, ann, 0)).toBe("E_WRITE_REJECTED")
  })

  test("[D-24] the last id is given once, and none after it", () => {
    const machine = makeMachine()
    const ann = seat(machine, "ann")
    const table = machine.tables.list[things]
    if (table !== undefined) table.nextId = RecordIdMax
    expect(write(machine, ann, add(things))).toEqual([RecordIdMax])
    expect(write(machine, ann, add(things))).toBe("E_WRITE_REJECTED")
  })
})

describe("who owns a record", () => {
  const shown = (notices: ReadonlyArray<object>): ReadonlyArray<unknown> =>
    notices.map((notice) => {
      const { is, to, granted, request, from } = Object(notice)
      return is === "ownAsk" ? [to.id, "asked", request, from] : [to.id, granted]
    })
  const scene = () => {
    const machine = makeMachine()
    const [ann, bob, cyd] = [seat(machine, "ann"), seat(machine, "bob"), seat(machine, "cyd")]
    write(machine, ann, add(things), add(things))
    const own = (by: RelaySession, key = 1, nowMs = 0) =>
      shown(machine.own(by, { collection: "shapes", key }, nowMs).notices)
    const owns = (key = 1) => machine.tables.list[things]?.records.get(key)?.owner
    return { machine, ann, bob, cyd, own, owns }
  }

  test("[D-24] one's own and an orphan are granted at once; what is not there is not", () => {
    const { machine, ann, bob, own, owns } = scene()
    expect(own(ann)).toEqual([["ann", true]])
    expect(own(ann, 3)).toEqual([["ann", false]])
    expect(shown(machine.end(ann))).toEqual([])
    expect(own(bob)).toEqual([["bob", true]])
    expect(owns()).toBe("bob")
    for (const collection of ["topic", "nothing"]) {
      const { fault, notices } = machine.own(bob, { collection, key: 0 }, 0)
      expect([fault?.code, shown(notices)]).toEqual(["E_WRITE_REJECTED", [["bob", false]]])
    }
  })

  test("[D-24] the owner says yes or no; nobody else does, and nobody twice", () => {
    const { machine, ann, bob, cyd, own, owns } = scene()
    expect(own(bob)).toEqual([["ann", "asked", 1, "bob"]])
    expect(own(bob)).toEqual([])
    expect(machine.answer(cyd, 1, true)).toEqual([])
    expect(shown(machine.answer(ann, 1, false))).toEqual([["bob", false]])
    expect(machine.answer(ann, 1, true)).toEqual([])
    expect(owns()).toBe("ann")
    expect(own(bob)).toEqual([["ann", "asked", 2, "bob"]])
    expect(own(cyd)).toEqual([["ann", "asked", 3, "cyd"]])
    expect(shown(machine.answer(ann, 2, true))).toEqual([
      ["bob", true],
      ["ann", false],
      ["cyd", false]
    ])
    expect(owns()).toBe("bob")
    expect(machine.answer(ann, 3, true)).toEqual([])
    expect(machine.dueAtMs()).toBeNull()
  })

  test("[limits.relay.ownership-timeout] no answer within 5 s is a no, and not a moment before", () => {
    const { machine, ann, bob, own, owns } = scene()
    const { ms } = RelayLimits.relayOwnershipAnswer
    own(bob, 1, 7)
    expect(machine.dueAtMs()).toBe(7 + ms)
    expect(machine.lapse(7 + ms - 1)).toEqual({ ended: false, notices: [] })
    expect(shown(machine.lapse(7 + ms).notices)).toEqual([["bob", false]])
    expect([machine.answer(ann, 1, true), owns(), machine.dueAtMs()]).toEqual([[], "ann", null])
  })

  test("[D-24] an owner that leaves meanwhile has granted; a record that is removed is not", () => {
    const { machine, ann, bob, cyd, own, owns } = scene()
    own(bob, 1)
    own(cyd, 1)
    own(cyd, 2)
    expect(shown(machine.end(ann))).toEqual([
      ["bob", true],
      ["cyd", false],
      ["cyd", true]
    ])
    expect([owns(1), owns(2)]).toEqual(["bob", "cyd"])
    own(cyd, 1)
    const written = machine.write(bob, [remove(things, 1)], 0)
    expect("notices" in written && shown(written.notices)).toEqual([["cyd", false]])
    own(bob, 2)
    machine.end(bob)
    expect(machine.dueAtMs()).toBeNull()
  })

  test("[D-24] a client waits for 64 records at once, and not for one more", () => {
    const { machine, bob, cyd } = scene()
    const { max } = RelayLimits.relayAsks
    fill(machine, blobs, max + 1)
    const own = (by: RelaySession, key: number) =>
      machine.own(by, { collection: "blobs", key }, 0).fault?.code
    for (let key = 1; key <= max; key++) expect(own(bob, key)).toBeUndefined()
    expect(own(bob, max + 1)).toBe("E_RATE_LIMITED")
    expect(own(bob, 1)).toBeUndefined()
    expect(own(cyd, max + 1)).toBeUndefined()
    machine.lapse(RelayLimits.relayOwnershipAnswer.ms)
    expect(own(bob, max + 1)).toBeUndefined()
  })

  test("[D-24] an owner that is back is asked again; one that stays away has left", () => {
    const { machine, ann, bob, own, owns } = scene()
    machine.seats.drop(ann, 100)
    expect(own(bob, 1, 100)).toEqual([["ann", "asked", 1, "bob"]])
    expect(shown(machine.openAsks(ann))).toEqual([["ann", "asked", 1, "bob"]])
    expect(machine.dueAtMs()).toBe(1100)
    expect(machine.lapse(1099).ended).toBe(false)
    // The clock may have jumped past the end of the request as well.
    const { ended, notices } = machine.lapse(60_000)
    expect([ended, shown(notices), owns()]).toEqual([true, [["bob", true]], "bob"])
  })
})

describe("seats", () => {
  test("[limits.relay.players] [limits.audience.seats] players and viewers are counted apart", () => {
    const caps: ReadonlyArray<readonly ["free" | "card", number, number, number]> = [
      ["card", 100, RuntimeLimits.relayPlayers.max, AudienceLimits.audienceSeats.max],
      ["card", 5, 5, AudienceLimits.audienceSeats.max],
      ["free", 100, RelayLimits.relayPlayersFree.max, AudienceLimits.audienceSeatsFree.max],
      ["free", 5, 5, AudienceLimits.audienceSeatsFree.max]
    ]
    for (const [plan, maxClients, players, viewers] of caps) {
      expect(relaySeatCaps(plan, maxClients)).toEqual({ players, viewers })
      const machine = makeMachine(relaySeatCaps(plan, maxClients))
      for (let at = 1; at < players; at++) seat(machine, `p${at}`)
      for (let at = 1; at < viewers; at++) seat(machine, `v${at}`, "audience")
      const last = seat(machine, "p")
      expect(enter(machine, "q")).toEqual({ is: "full", of: "players" })
      const lastViewer = seat(machine, "v", "watcher")
      expect(enter(machine, "w", "audience")).toEqual({ is: "full", of: "viewers" })
      machine.end(lastViewer)
      expect(enter(machine, "q")).toEqual({ is: "full", of: "players" })
      expect(enter(machine, "w", "audience").is).toBe("seated")
      // A seat is kept until its session is over.
      machine.seats.drop(last, 0)
      expect(enter(machine, "q")).toEqual({ is: "full", of: "players" })
      machine.lapse(1000)
      expect(enter(machine, "q").is).toBe("seated")
    }
  })

  test("[C-121] a session of a player is not resumed as a viewer, nor the other way round", () => {
    for (const [before, after] of [
      ["player", "watcher"],
      ["watcher", "player"]
    ] as const) {
      const machine = makeMachine()
      const first = seat(machine, "ann", before)
      machine.seats.drop(first, 0)
      const back = (role: string) =>
        machine.seats.enter(
          {
            ...{ ref: ++refs, sessionId: `new ${role}`, playerId: "ann", name: null, role },
            ...{ resumeHash: first.resumeHash, nextResumeHash: "two", attachedAs: null }
          },
          0
        )
      expect(back(after)).toMatchObject({ is: "seated", session: { role: after } })
      expect(back(before)).toMatchObject({ is: "resumed", session: { role: before } })
    }
  })

  test("[D-24] a session is resumed by its last two tokens, and by its player alone", () => {
    const machine = makeMachine()
    const first = seat(machine, "ann")
    const back = (resumeHash: string, playerId: string, next: string) =>
      machine.seats.enter(
        {
          ...{ ref: ++refs, sessionId: "new", playerId, name: null, role: "player" },
          ...{ resumeHash, nextResumeHash: next, attachedAs: null }
        },
        0
      )
    const token = first.resumeHash
    expect(back(token, "bob", "x").is).toBe("seated")
    expect(back(token, "ann", "two")).toMatchObject({ is: "resumed", session: { id: "ann" } })
    expect(back(token, "ann", "three")).toMatchObject({ is: "resumed", session: { id: "ann" } })
    expect(back("two", "ann", "four").is).toBe("seated")
    expect(back("three", "ann", "five")).toMatchObject({ is: "resumed", replaced: refs - 2 })
  })
})

describe("what each may send", () => {
  test("[limits.relay.bytes.burst] [limits.relay.bytes.rate] 1 MB at once and 256 KB a second, told once until a frame passes", () => {
    const machine = makeMachine()
    const ann = seat(machine, "ann")
    const { burst, tokens } = RelayLimits.relayBytes
    expect(machine.takeBytes(ann, burst, 0)).toBe("passes")
    expect(machine.takeBytes(ann, 1, 0)).toBe("tell")
    expect(machine.takeBytes(ann, 1, 0)).toBe("told")
    expect(machine.takeBytes(ann, tokens + 1, 1000)).toBe("told")
    expect(machine.takeBytes(ann, tokens, 1000)).toBe("passes")
    expect(machine.takeBytes(ann, 1, 1000)).toBe("tell")
  })

  test("[limits.audience.msg.burst] [limits.audience.msg.rate] a viewer sends 10 at once and 2 a second; a player more", () => {
    const machine = makeMachine()
    const [ann, vic] = [seat(machine, "ann"), seat(machine, "vic", "audience")]
    const { burst } = AudienceLimits.audienceMessages
    for (let sent = 0; sent < burst; sent++) expect(machine.takeSend(vic, 0)).toBe("passes")
    expect(machine.takeSend(vic, 0)).toBe("tell")
    expect(machine.takeSend(vic, 499)).toBe("told")
    expect(machine.takeSend(vic, 500)).toBe("passes")
    expect(machine.takeSend(vic, 500)).toBe("tell")
    for (let sent = 0; sent <= 10 * burst; sent++) expect(machine.takeSend(ann, 0)).toBe("passes")
  })
})
