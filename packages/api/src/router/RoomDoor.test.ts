import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import {
  type ClientAddress,
  clientAddressOf,
  noAddressRules
} from "@atrium/domain/shared/ClientAddress"
import { RateLedger } from "@atrium/domain/shared/RateLedger"
import type { RateLimit } from "@atrium/wire/limits/Limit"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { type DoorTarget, type Entry, RoomDoor as SharedDoor } from "./RoomDoor.ts"

/** The door of a runner alone, whose answers are there at once. */
class RoomDoor extends SharedDoor {
  constructor(servers: ConstructorParameters<typeof SharedDoor>[0]) {
    super(servers, (limit) => new RateLedger(limit))
  }

  override connect(...asked: Parameters<SharedDoor["connect"]>): Entry {
    return now(super.connect(...asked))
  }

  override join(...asked: Parameters<SharedDoor["join"]>): boolean {
    return now(super.join(...asked))
  }

  override joinOfProject(...asked: Parameters<SharedDoor["joinOfProject"]>): boolean {
    return now(super.joinOfProject(...asked))
  }

  override wake(...asked: Parameters<SharedDoor["wake"]>): boolean {
    return now(super.wake(...asked))
  }
}

const now = <A>(answer: A | Promise<A>): A => {
  if (answer instanceof Promise) throw new Error("the answer is not there at once")
  return answer
}

const startMs = 1_790_000_000_000
const project = "p_0123456789abcdef"
const other = "p_fedcba9876543210"
const room: DoorTarget = { projectId: project, roomId: "one" }

const from = (peer: string): ClientAddress => clientAddressOf(peer, undefined, noAddressRules)
const ann = from("198.51.100.1")
const bob = from("198.51.100.2")
const friend: ClientAddress = { ...from("127.0.0.1"), exempt: true }

/** A door with servers that a test starts and moves rooms to. */
const doorway = ({ perMinuteDefault = 120 }: { readonly perMinuteDefault?: number } = {}) => {
  const started = new Map<string, number>()
  const places = new Map<string, number>()
  const door = new RoomDoor({
    nthOf: ({ roomId }) => places.get(roomId) ?? null,
    perMinute: (projectId, nth) => started.get(`${projectId}/${nth}`) ?? null,
    perMinuteDefault
  })
  return {
    door,
    start: (projectId: string, nth: number, perMinute: number) =>
      void started.set(`${projectId}/${nth}`, perMinute),
    place: (roomId: string, index: number) => void places.set(roomId, index)
  }
}

/** How many attempts succeed, one after the other. */
const count = (attempt: () => boolean): number => {
  let taken = 0
  while (taken < 200_000 && attempt()) taken++
  return taken
}
const opens = (
  door: RoomDoor,
  who: ClientAddress,
  { target = room, nowMs = startMs }: { target?: DoorTarget; nowMs?: number } = {}
): number => count(() => door.connect(who, target, nowMs)._tag === "Open")

describe("a room on another runner", () => {
  test("[C-383] counts to its server, once somebody was seated there", () => {
    const { door } = doorway()
    expect(count(() => door.join(ann, room, startMs))).toBe(600)
    door.isElsewhere(room, 3)
    expect(count(() => door.join(ann, room, startMs))).toBe(600)
    expect(door.join(ann, { ...room, roomId: "two" }, startMs)).toBe(false)
  })

  test("[C-383] of joins that ask together for a new room only one pays", async () => {
    const tokens = new RateLedger(ConnectionLimits.newRooms)
    const later = (limit: RateLimit) => {
      const ledger = limit === ConnectionLimits.newRooms ? tokens : new RateLedger(limit)
      return {
        take: (subject: string, nowMs: number) => Promise.resolve(ledger.take(subject, nowMs)),
        look: (subject: string, nowMs: number) => ledger.look(subject, nowMs),
        giveBack: (subject: string) => ledger.giveBack(subject)
      }
    }
    const servers = { nthOf: () => null, perMinute: () => null, perMinuteDefault: 120 }
    const door = new SharedDoor(servers, later)
    const { burst } = ConnectionLimits.newRooms
    const woken = Array.from({ length: 2 * burst }, () => door.wake(ann, room, startMs))
    expect(new Set(await Promise.all(woken))).toEqual(new Set([true]))
    expect(await door.connect(ann, room, startMs)).toEqual({ _tag: "Open" })
    let rooms = 0
    while (await door.wake(ann, { ...room, roomId: `new-${rooms}` }, startMs)) rooms++
    expect(rooms).toBe(burst - 1)
  })
})

describe("new connections", () => {
  test("[limits.connections.burst] [limits.connections.refill] 120 at once, then two a second", () => {
    const { door, start } = doorway()
    start(project, 0, 120)
    expect(opens(door, ann)).toBe(120)
    expect(door.connect(ann, room, startMs + 499)).toEqual({ _tag: "Refused", retryAfterMs: 1 })
    expect(opens(door, ann, { nowMs: startMs + 500 })).toBe(1)
    expect(opens(door, ann, { nowMs: startMs + 60_500 })).toBe(120)
    expect(opens(door, bob)).toBe(120)
  })

  test("[limits.connections.per-server] each server counts by itself", () => {
    const { door, start, place } = doorway()
    start(project, 0, 120)
    start(project, 1, 120)
    place("two", 1)
    expect(opens(door, ann)).toBe(120)
    expect(opens(door, ann, { target: { projectId: project, roomId: "two" } })).toBe(120)
    expect(opens(door, ann, { target: { projectId: project, roomId: "asleep" } })).toBe(0)
  })

  test("[limits.connections.ipv6-64] all of a /64 are one", () => {
    const { door } = doorway()
    const spent = (peer: string): number => opens(door, from(peer))
    expect(spent("2001:db8:1:2::1")).toBe(120)
    expect(spent("2001:db8:1:2:ffff::9")).toBe(0)
    expect(spent("2001:db8:1:3::1")).toBe(120)
  })

  test("[C-131] an address has one allowance for all projects that were never up on this runner", () => {
    const { door, start } = doorway()
    let taken = 0
    for (let n = 0; n < 2000; n++) {
      const projectId = `p_${n.toString(16).padStart(16, "0")}`
      if (door.connect(ann, { projectId, roomId: "one" }, startMs)._tag === "Open") taken++
    }
    expect(taken).toBe(1200)
    expect(opens(door, ann, { target: { projectId: "no project", roomId: "one" } })).toBe(0)
    start(other, 0, 120)
    expect(opens(door, ann, { target: { projectId: other, roomId: "one" } })).toBe(120)
  })

  test("[limits.connections.settable] connections from before the server's start stay spent", () => {
    const { door, start } = doorway()
    for (let n = 0; n < 50; n++) door.connect(ann, room, startMs)
    for (let n = 0; n < 5; n++) door.connect(bob, room, startMs)
    start(project, 0, 10)
    expect(opens(door, ann)).toBe(0)
    expect(opens(door, bob)).toBe(5)
    start(project, 0, 1000)
    expect(opens(door, bob)).toBe(990)
  })

  test("[project.connections.env] the operator's value counts for servers that never started", () => {
    const { door } = doorway({ perMinuteDefault: 30 })
    expect(opens(door, ann)).toBe(30)
  })

  test("[C-132] after as many refusals as there are connections the handshake is refused, too", () => {
    const { door, start } = doorway()
    start(project, 0, 10)
    const seen = (times: number, nowMs = startMs): ReadonlyArray<Entry["_tag"]> =>
      Array.from({ length: times }, () => door.connect(ann, room, nowMs)._tag)
    expect(seen(10)).toEqual(Array(10).fill("Open"))
    expect(seen(10)).toEqual(Array(10).fill("Refused"))
    expect(seen(100)).toEqual(Array(100).fill("Cut"))
    expect(seen(3, startMs + 6000)).toEqual(["Open", "Refused", "Cut"])
    expect(seen(21, startMs + 120_000).slice(9)).toEqual([
      "Open",
      ...Array(10).fill("Refused"),
      "Cut"
    ])
    expect(door.connect(bob, room, startMs)._tag).toBe("Open")
    expect(door.refusals).toEqual({ connections: 21, handshakes: 102, joins: 0, rooms: 0 })
  })

  test("[C-130] counts an exempt address nowhere", () => {
    const { door } = doorway()
    for (let n = 0; n < 1000; n++) {
      expect(door.connect(friend, room, startMs)._tag).toBe("Open")
      expect(door.waits(friend) && door.join(friend, room, startMs)).toBe(true)
      expect(door.wake(friend, { projectId: project, roomId: `r${n}` }, startMs)).toBe(true)
    }
  })
})

describe("connections that are not in their rooms yet", () => {
  test("[C-132] are 2,000 of an address at most", () => {
    const { door } = doorway()
    expect(count(() => door.waits(ann))).toBe(2000)
    expect(door.waits(bob)).toBe(true)
    door.waited(ann)
    expect(count(() => door.waits(ann))).toBe(1)
  })
})

describe("joins", () => {
  test("[limits.joins.address] [T-121] 600 a minute of an address", () => {
    const { door, place } = doorway()
    const joins = (who: ClientAddress, target = room, nowMs = startMs) =>
      count(() => door.join(who, target, nowMs))
    expect(joins(ann)).toBe(600)
    expect(joins(ann, room, startMs + 99)).toBe(0)
    expect(joins(ann, room, startMs + 100)).toBe(1)
    expect(joins(bob)).toBe(600)
    place("two", 1)
    expect(joins(ann, { projectId: project, roomId: "two" })).toBe(600)
    expect(joins(ann, { projectId: other, roomId: "one" })).toBe(600)
    expect(door.refusals).toEqual({ connections: 0, handshakes: 0, joins: 6, rooms: 0 })
  })

  test("[limits.joins.project] takes 6,000 joins a minute of a project's server, from all addresses together", () => {
    const { door, place } = doorway()
    const joins = (target = room, nowMs = startMs) => count(() => door.joinOfProject(target, nowMs))
    expect(joins()).toBe(6000)
    expect(joins(room, startMs + 10)).toBe(1)
    place("two", 1)
    expect(joins({ projectId: project, roomId: "two" })).toBe(6000)
    expect(joins({ projectId: other, roomId: "one" })).toBe(6000)
  })
})

describe("new rooms", () => {
  const roomOf = (n: number): DoorTarget => ({ projectId: project, roomId: `r${n}` })
  /** One join after the other, each of a room of its own that comes up. */
  const wakes = (door: RoomDoor, who: ClientAddress, nowMs = startMs): number => {
    let n = 10_000
    return count(() => {
      const target = roomOf(n++)
      const may = door.wake(who, target, nowMs)
      if (may) door.woken(target, false)
      return may
    })
  }

  test("[limits.newrooms.count] 60 a minute of an address, however many come at once", () => {
    const { door } = doorway()
    expect(wakes(door, ann)).toBe(60)
    expect(wakes(door, ann, startMs + 999)).toBe(0)
    expect(wakes(door, ann, startMs + 1000)).toBe(1)
    let n = 1000
    expect(count(() => door.wake(bob, roomOf(n++), startMs))).toBe(60)
    expect(door.refusals).toEqual({ connections: 0, handshakes: 0, joins: 0, rooms: 4 })
  })

  test("[limits.newrooms.count] a room that many wait for is one new room", () => {
    const { door } = doorway()
    for (let n = 0; n < 64; n++) expect(door.wake(n === 0 ? ann : bob, room, startMs)).toBe(true)
    for (let n = 0; n < 64; n++) door.woken(room, false)
    expect(wakes(door, ann)).toBe(59)
    expect(wakes(door, bob)).toBe(60)
    // It is down again: the next wake is another one.
    expect(door.wake(ann, room, startMs)).toBe(false)
  })

  test("[limits.newrooms.count] gives the token back when no room was made, unless somebody else made it meanwhile", () => {
    const { door } = doorway()
    for (let n = 0; n < 100; n++) {
      expect(door.wake(ann, room, startMs)).toBe(true)
      door.woken(room, true)
    }
    door.wake(ann, room, startMs)
    door.wake(bob, room, startMs)
    door.woken(room, true)
    door.woken(room, false)
    expect(wakes(door, ann)).toBe(59)
  })

  test("[limits.newrooms.count] no order of joins brings up more rooms than are counted", () => {
    const step = fc.record({
      does: fc.constantFrom("ask", "comeUp", "miss"),
      room: fc.integer({ min: 0, max: 3 })
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const { door } = doorway()
        const waiting = [0, 0, 0, 0]
        const up = [false, false, false, false]
        let broughtUp = 0
        for (const { does, room: n } of steps) {
          if (does === "ask" && door.wake(ann, roomOf(n), startMs))
            waiting[n] = (waiting[n] ?? 0) + 1
          if (does === "ask" || (waiting[n] ?? 0) === 0) continue
          // A room comes up once for all who wait for it, and sleeps when they are gone.
          if (does === "comeUp" && up[n] === false) broughtUp++
          if (does === "comeUp") up[n] = true
          waiting[n] = (waiting[n] ?? 0) - 1
          door.woken(roomOf(n), does === "miss")
          if (waiting[n] === 0) up[n] = false
        }
        for (const [n, joins] of waiting.entries()) {
          for (let join = 0; join < joins; join++) door.woken(roomOf(n), up[n] === false)
        }
        expect(broughtUp).toBe(60 - wakes(door, ann))
      }),
      { numRuns: 300 }
    )
  })
})
