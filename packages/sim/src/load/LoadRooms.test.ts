import fc from "fast-check"
import { expect, test } from "vitest"

import { LoadRooms } from "./LoadRooms.ts"

test("[sim.load.rooms] fills a room before the next, and comes back to persistent ones alone", () => {
  const rooms = new LoadRooms("duel", 2)
  expect([rooms.take(false), rooms.take(false), rooms.take(false)]).toEqual([
    "duel-1",
    "duel-1",
    "duel-2"
  ])
  rooms.leave("duel-2", true)
  expect(rooms.take(false)).toBe("duel-3")
  expect([rooms.take(true), rooms.take(true)]).toEqual(["duel-4", "duel-4"])
  rooms.leave("duel-4", true)
  rooms.leave("duel-4", true)
  expect(rooms.used).toBe(2)
  expect(rooms.take(true)).toBe("duel-4")
})

test("[sim.load.rooms] takes no place that the service keeps, and none in a room that it calls full", () => {
  const rooms = new LoadRooms("duel", 3)
  rooms.take(false)
  rooms.take(false)
  rooms.leave("duel-1", false)
  expect([rooms.take(false), rooms.take(false)]).toEqual(["duel-1", "duel-2"])
  rooms.close("duel-2")
  expect(rooms.take(false)).toBe("duel-3")
})

test("[sim.load.rooms] no room ever has more players than it takes", () => {
  const acts = fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.nat(), fc.boolean()))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), acts, (maxClients, all) => {
      const rooms = new LoadRooms("duel", maxClients)
      const seated: Array<string> = []
      for (const [comes, persistent, which, free] of all) {
        if (comes || seated.length === 0) seated.push(rooms.take(persistent))
        else rooms.leave(seated.splice(which % seated.length, 1)[0] ?? "", free)
        const counts = Map.groupBy(seated, (id) => id)
        for (const players of counts.values()) {
          expect(players.length).toBeLessThanOrEqual(maxClients)
        }
        expect(rooms.used).toBe(counts.size)
      }
    })
  )
})
