import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"
import { describe, expect, test } from "vitest"

import { Orders } from "../host/HostOrders.ts"
import { arena, hooksInto, live } from "../testing/TestArena.ts"
import { StartOfRoom } from "../testing/TestOrders.ts"
import { settle, TestRoom } from "../testing/TestRoom.ts"

const ticking = defineSchema({ type: "ticking", tickHz: 20, singletons: { count: { n: s.u32() } } })

describe("start", () => {
  test("[D-14] ready comes first, then what onCreate asked for", () => {
    const room = new TestRoom(
      arena,
      hooksInto([], {
        onCreate: (it) => {
          it.lobby.setPublic(false)
          it.state.score.red = 1
          it.after("dawn", 50)
          void it.save()
        }
      })
    )
    expect(room.reports()).toEqual([
      ["ready"],
      ["lobby", { isPublic: false }],
      ["changed"],
      ["alarms", [{ name: "dawn", atMs: StartOfRoom.nowMs + 50 }]],
      ["saveRequested", 1, true]
    ])
  })

  test.each<[string, () => void | Promise<void>]>([
    [
      "a throw",
      () => {
        throw new Error("no map")
      }
    ],
    ["a rejection", () => Promise.reject(new Error("no map"))]
  ])("[D-14] %s in onCreate ends the room", async (_, onCreate) => {
    const room = new TestRoom(arena, hooksInto([], { onCreate }))
    await settle()
    expect(room.reports().at(-1)).toMatchObject([
      "failed",
      "no map",
      expect.stringContaining("no map")
    ])
    expect(room.port.ended).toBe(true)
  })

  test("[D-14] room code sees which room it is", () => {
    const { it } = live()
    expect([it.id, it.type, it.version]).toEqual(["lobby", "arena", 3])
  })
})

describe("snapshots", () => {
  test("[D-48] a change is reported once, and again after a snapshot", () => {
    const { room, it } = live()
    it.state.score.red = 1
    expect(room.reports()).toEqual([["changed"]])
    it.state.score.red = 2
    expect(room.reports()).toEqual([])
    room.snapshot()
    expect(room.reports()).toEqual([])
    it.state.score.red = 3
    expect(room.reports()).toEqual([["changed"]])
  })

  test("[D-48] a snapshot contains pending changes, which do not count again", () => {
    const { room, it } = live()
    it.state.score.red = 1
    const snapshot = room.snapshot()
    expect(room.reports()).toEqual([])
    const restored = live({ snapshot })
    expect(restored.it.state.score.red).toBe(1)
  })

  test("[version.old-snapshots-decode] a newer schema reads it by names", () => {
    const { room, it } = live()
    it.state.players.add({ name: "Ada", x: 2 })
    it.state.score.red = 9
    const snapshot = room.snapshot()
    const newer = defineSchema({
      type: "arena",
      entities: { players: { level: s.u8({ default: 3 }), name: s.string(32), x: s.f32() } },
      singletons: { clock: { t: s.u8() }, score: { red: s.u16(), blue: s.u16() } }
    })
    const seen: unknown[] = []
    const next = new TestRoom(newer, { onAuth: (it) => seen.push(it.state) > 0 }, { snapshot })
    next.join(1)
    expect(JSON.parse(JSON.stringify(seen[0]))).toMatchObject({
      score: { red: 9, blue: 0 },
      players: [{ id: 1, name: "Ada", x: 2, level: 3 }]
    })
  })

  test("[version.old-snapshots-decode] bytes that are no snapshot end the room, and name the fault", () => {
    const { room } = live()
    const { schema } = room.snapshot()
    const broken = new TestRoom(arena, hooksInto([]), {
      snapshot: { bytes: new Uint8Array([1, 2, 3]), schema }
    })
    expect(broken.reports()).toMatchObject([
      ["failed", expect.stringContaining("msgpack"), expect.anything()]
    ])
  })

  test("[D-48] random numbers go on where they were", () => {
    const { room, it } = live()
    it.random()
    const restored = live({ snapshot: room.snapshot(), seed: "another" })
    expect([restored.it.random(), restored.it.random.int(6)]).toEqual([
      it.random(),
      it.random.int(6)
    ])
    expect(live().it.random()).toBe(live().it.random())
    expect(live({ seed: "another" }).it.random()).not.toBe(live().it.random())
  })

  test("[D-48] the last snapshot comes after onDispose, and nothing moves afterwards", () => {
    const calls: string[] = []
    const { room, it } = live(
      {},
      {
        onDispose: (it) => void (it.state.score.red = 77),
        onAlarm: () => void calls.push("alarm")
      }
    )
    room.joined(1)
    it.after("late", 10)
    const snapshot = room.snapshot(true)
    room.port.pass(1000)
    room.join(5)
    room.frame(1, 2, 99)
    expect(room.reports()).toEqual([])
    expect(calls).toEqual([])
    expect(live({ snapshot }).it.state.score.red).toBe(77)
  })
})

describe("saves", () => {
  test("[D-48] save() resolves once stored and rejects when it could not be", async () => {
    const { room, it } = live()
    const outcomes: string[] = []
    const save = (): void =>
      void it.save().then(
        () => outcomes.push("stored"),
        (error: { code: string }) => outcomes.push(error.code)
      )
    save()
    expect(room.reports()).toEqual([["saveRequested", 1, true]])
    room.order(Orders.saved(1, true))
    save()
    room.reports()
    room.order(Orders.saved(2, false))
    await settle()
    expect(outcomes).toEqual(["stored", "E_NOT_STORED"])
  })

  test("[D-48] as many saves may wait as the limit says, one more is refused", async () => {
    const { it } = live()
    for (let call = 0; call < RuntimeLimits.savesWaiting.max; call++) void it.save()
    await expect(it.save()).rejects.toMatchObject({ code: "E_SAVE_BUSY" })
  })
})

describe("patches and ticks", () => {
  test("[D-24] without ticks a turn's changes are one patch, also those outside of events", () => {
    const { room, it } = live()
    room.joined(1)
    it.state.score.red = 1
    it.state.players.add({ name: "a" })
    expect(room.reports()).toMatchObject([["deliver", "all", [17, 1, expect.anything()]]])
    it.state.score.red = 2
    expect(room.reports()).toMatchObject([["deliver", "all", [17, 2, expect.anything()]]])
  })

  const tickingRoom = () => {
    const steps: unknown[] = []
    const room = new TestRoom(ticking, {
      onTick: (it, step) => {
        steps.push(step)
        it.state.count.n = step.tick
      }
    })
    room.joined(1)
    return { room, steps }
  }

  test("[D-24] ticks come at their rate and bring one patch each", () => {
    const { room, steps } = tickingRoom()
    room.port.pass(49)
    expect(steps).toEqual([])
    room.port.pass(1)
    expect(steps).toEqual([{ dtMs: 50, tick: 1 }])
    expect(room.reports()).toEqual([["deliver", "all", [17, 1, expect.anything()]]])
    room.port.pass(1000)
    expect(steps).toHaveLength(21)
  })

  test("[D-24] a late tick does not move the next", () => {
    const { room, steps } = tickingRoom()
    room.port.pass(40)
    room.port.stall(30)
    room.port.pass(0)
    expect(steps).toHaveLength(1)
    room.port.pass(30)
    expect(steps).toHaveLength(2)
  })

  test("[D-24] a stall is made up for by 5 ticks at most", () => {
    const { room, steps } = tickingRoom()
    room.port.stall(200)
    room.port.pass(0)
    expect(steps).toHaveLength(4)
    room.port.stall(10_000)
    room.port.pass(0)
    expect(steps).toHaveLength(9)
    room.port.pass(50)
    expect(steps).toHaveLength(10)
    expect(steps.at(-1)).toEqual({ dtMs: 50, tick: 10 })
  })

  test("[C-378] a pong tells the ticks that began a whole period late, or never ran", () => {
    const told = (room: TestRoom<typeof ticking>, ping: number) => {
      room.order(Orders.ping(ping))
      return room.reports().filter(([name]) => name === "pong")
    }
    const room = new TestRoom(ticking, {}, { readsOverruns: true })
    room.port.pass(100)
    expect(told(room, 1)).toEqual([["pong", 1, 0]])
    // A period is 50 ms: a tick that is late by less counts for nothing.
    room.port.stall(99)
    room.port.pass(0)
    expect(told(room, 2)).toEqual([["pong", 2, 0]])
    room.port.stall(151)
    room.port.pass(0)
    expect(told(room, 3)).toEqual([["pong", 3, 3]])
    room.port.stall(10_000)
    room.port.pass(0)
    expect(told(room, 4)).toEqual([["pong", 4, 202]])
    const older = new TestRoom(ticking, {})
    expect(told(older, 1)).toEqual([["pong", 1, null]])
  })

  test("[D-48] ticks go on counting after a restart", () => {
    const { room, steps } = tickingRoom()
    room.port.pass(100)
    const snapshot = room.snapshot()
    const again: unknown[] = []
    const next = new TestRoom(ticking, { onTick: (_, step) => void again.push(step) }, { snapshot })
    next.port.pass(50)
    expect([steps.length, again]).toEqual([2, [{ dtMs: 50, tick: 3 }]])
  })
})
