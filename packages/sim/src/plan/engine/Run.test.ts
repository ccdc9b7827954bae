import { DayMs, HourMs, MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"
import { describe, expect, test } from "vitest"

import { planPeriod } from "../PlanPeriod.ts"
import { planScenario, ranDays } from "../testing/PlanScenario.ts"
import type { RunResult } from "./Run.ts"

const startMs = planPeriod(planScenario()).startMs
const most = (values: Float64Array): number => values.reduce((a, b) => Math.max(a, b), 0)
const crowd = (players: number, over: string) => ({
  events: [{ at: "day 1 12:00", kind: "flashCrowd", players, over }]
})

test("[sim.plan] who comes at a rate and stays for a time is there as often as Little's law says", () => {
  const { minutes, sessions, meters } = ranDays(planScenario({ "players.daily": 14_400 }), 3)
  const day = minutes.columns.sockets.subarray((2 * DayMs) / MinuteMs, (3 * DayMs) / MinuteMs)
  // Ten come in a minute, and each stays for ten.
  expect(day.reduce((sum, value) => sum + value, 0) / day.length / 100).toBeCloseTo(1, 1)
  expect(sessions.started / (3 * 14_400)).toBeCloseTo(1, 1)
  const rooms = minutes.columns.roomsAwake.reduce((sum, value) => sum + value, 0)
  expect(meters.roomHours.used).toBeCloseTo((rooms * MinuteMs) / HourMs, 6)
})

describe("limits, at the bound and past it", () => {
  test("[limits.rooms-awake.free] ten rooms are awake on the free plan, and the eleventh is refused", () => {
    const free = { "plan.tier": "free", "players.daily": 1 }
    const at = (players: number) =>
      ranDays(planScenario({ ...free, ...crowd(players, "1s") }), 1).refusals.serversFull.players
    expect(at(30)).toBe(0)
    expect(at(80)).toBeGreaterThanOrEqual(30)
    const { minutes } = ranDays(planScenario({ ...free, ...crowd(80, "1s") }), 1)
    expect(most(minutes.columns.roomsAwake)).toBeLessThanOrEqual(10)
  })

  test("[limits.connections.address] 120 of an address get in within a minute, and two a second more", () => {
    const shared = { "players.shared": { share: 1, players: 1e9 }, "players.daily": 1 }
    const at = (maxClients: number) =>
      ranDays(planScenario({ ...shared, "game.maxClients": maxClients, ...crowd(1000, "1m") }), 1)
    const { refusals, sessions } = at(500)
    expect(refusals.connectionsPerAddress.players).toBeGreaterThan(1000 - 120 - 120 - 40)
    expect(sessions.played).toBeGreaterThan(200)
  })

  test("[limits.new-rooms.address] 60 new rooms of an address within a minute, and one a second more", () => {
    const { refusals, sessions } = ranDays(
      planScenario({
        "players.shared": { share: 1, players: 1e9 },
        "players.daily": 1,
        "game.maxClients": 1,
        // Everybody has a room of his own, which is gone at once: all are new rooms of one server.
        "session.minutes": 0.001,
        "game.hibernateAfter": "0s",
        ...crowd(1000, "1m")
      }),
      1
    )
    expect(sessions.played).toBeGreaterThanOrEqual(110)
    expect(sessions.played).toBeLessThanOrEqual(122)
    expect(refusals.newRoomsPerAddress.players).toBeGreaterThan(80)
  })

  test("[limits.joins.project] 6,000 join a server at once, and 100 a second more", () => {
    const { refusals, sessions } = ranDays(
      planScenario({ "game.maxClients": 1000, "players.daily": 1, ...crowd(20_000, "1m") }),
      1
    )
    // Twenty rooms of a thousand are one server.
    expect(refusals.joinsPerServer.players).toBeGreaterThan(7000)
    expect(sessions.played).toBeGreaterThan(11_000)
    expect(sessions.played).toBeLessThan(13_000)
  })

  test("[quick-match.rates] 120 match at once, and 600 in a minute", () => {
    const { refusals, sessions } = ranDays(
      planScenario({
        "session.matchmaking": { queue: "duo" },
        "game.maxClients": 2,
        "players.daily": 1,
        ...crowd(3000, "1m")
      }),
      1
    )
    expect(sessions.played).toBeGreaterThan(650)
    expect(sessions.played).toBeLessThan(760)
    expect(refusals.matchPerProject.players).toBeGreaterThan(2200)
  })

  test("[quick-match.wait] who is alone in a queue has no match after 30 seconds", () => {
    const queue = { "session.matchmaking": { queue: "duo" }, "players.daily": 100 }
    const { sessions, refusals } = ranDays(planScenario({ ...queue, "game.maxClients": 4 }), 2)
    expect(refusals.noMatch.players).toBe(sessions.refused)
    expect(sessions.refused).toBeGreaterThan(sessions.started * 0.9)
  })
})

describe("walls", () => {
  test("[caps.room-hours] no new room and no wake past the lag; awake rooms take players", () => {
    const scenario = planScenario({ "plan.caps.roomHours": 40, "players.daily": 14_400 })
    const { meters, refusals, minutes } = ranDays(scenario, 3)
    const { ceilingAtMs, walledAtMs } = meters.roomHours
    expect((walledAtMs ?? 0) - (ceilingAtMs ?? 0)).toBe(95 * SecondMs)
    const wallMinute = Math.ceil(((walledAtMs ?? 0) - startMs) / MinuteMs)
    const starts = minutes.columns.wakesPerSecond.subarray(wallMinute)
    expect(most(starts)).toBe(0)
    expect(most(minutes.columns.joinsPerSecond.subarray(wallMinute))).toBeGreaterThan(0)
    expect(refusals.roomHoursWall.players).toBeGreaterThan(1000)
  })

  test("[caps.room-hours.deploy] a deploy at the wall closes every room, and nobody comes back", () => {
    const at = (caps: object) =>
      ranDays(
        planScenario({
          "plan.caps": caps,
          "players.daily": 14_400,
          events: [{ at: "day 2", kind: "deploy" }]
        }),
        2
      )
    expect(at({ roomHours: 40 }).sessions.lost).toBeGreaterThan(0)
    expect(at({}).sessions.lost).toBe(0)
    expect(at({}).roomsWoken).toBeGreaterThan(10)
  })

  test("[caps.data-out] sockets close, rooms sleep, and every join is refused", () => {
    const scenario = planScenario({ "plan.caps.dataOutBytes": "1GB", "players.daily": 14_400 })
    const { meters, sessions, minutes } = ranDays(scenario, 3)
    const { used, walledAtMs } = meters.dataOutBytes
    const capBytes = 6 * 1024 ** 3
    expect(used / capBytes).toBeCloseTo(1, 3)
    const wallMinute = Math.ceil(((walledAtMs ?? 0) - startMs) / MinuteMs)
    expect(most(minutes.columns.sockets.subarray(wallMinute))).toBe(0)
    expect(most(minutes.columns.roomsAwake.subarray(wallMinute))).toBe(0)
    expect(sessions.lost).toBeGreaterThan(50)
    expect(sessions.refused).toBeGreaterThan(10_000)
  })

  test("[caps.voice] only new calls are refused, and who talks goes on", () => {
    const scenario = planScenario({
      "plan.caps.voiceMinutes": 100,
      "game.voice": { share: 1, minutes: 5 }
    })
    const { meters, refusals, sessions } = ranDays(scenario, 2)
    expect(meters.voiceMinutes.used).toBeGreaterThanOrEqual(100)
    expect(meters.voiceMinutes.used).toBeLessThan(200)
    expect(refusals.voiceWall.players).toBe(0)
    expect(refusals.voiceWall.attempts).toBeGreaterThan(2000)
    expect(sessions.refused).toBe(0)
  })

  test("[caps.storage.deploy] a deploy is refused at the wall of stored bytes, and snapshots are not", () => {
    const scenario = planScenario({
      "plan.caps.storageBytes": 10_000,
      events: [{ at: "day 2", kind: "deploy" }]
    })
    const { refusals, meters, sessions } = ranDays(scenario, 3)
    expect(refusals.storageWall.attempts).toBe(1)
    expect(meters.storageBytes.most).toBeGreaterThan(1_000_000)
    expect(sessions.lost).toBe(0)
  })

  const loop = { events: [{ at: "day 1 06:00", kind: "runawayLoop", rooms: 40 }] }
  const loopHours = (changes: object): RunResult =>
    ranDays(planScenario({ "players.daily": 1, ...loop, ...changes }), 3)

  test("[caps.runaway] a loop is stopped within the lag and one sleep; without a ceiling it goes on", () => {
    expect(loopHours({}).runawayHours).toBeCloseTo(40 * 66, 0)
    const { meters, runawayHours } = loopHours({ "plan.caps.roomHours": 100 })
    const lagHours = (95 + 30) / 3600
    expect(meters.roomHours.used).toBeGreaterThanOrEqual(100)
    expect(runawayHours).toBeLessThanOrEqual(100 + 40 * lagHours + 0.1)
  })
})

describe("rooms", () => {
  test("[rooms.retention] what a room has stored goes after its window", () => {
    const at = (retention: string) =>
      ranDays(planScenario({ "game.retention": retention }), 4).meters.storageBytes
    expect(at("1d").used).toBeLessThan(at("forever").used / 2)
    expect(at("forever").used).toBe(at("forever").most)
  })

  test("[sim.plan] players come back to persistent rooms, which wake", () => {
    const { roomsStarted, roomsWoken } = ranDays(planScenario({ "session.persistentRooms": 1 }), 3)
    expect(roomsStarted).toBe(360)
    expect(roomsWoken).toBeGreaterThan(1000)
  })

  test("[sim.plan] a runner that dies takes its rooms with it; who comes back comes to the same room", () => {
    const at = (rejoinAfterDrop: number) =>
      ranDays(
        planScenario({
          "session.rejoinAfterDrop": rejoinAfterDrop,
          "players.daily": 14_400,
          events: [{ at: "day 1 12:00", kind: "killRunner" }]
        }),
        1
      )
    expect(at(1).sessions.lost).toBe(0)
    expect(at(1).roomsWoken).toBeGreaterThan(10)
    expect(at(0).sessions.lost).toBeGreaterThan(50)
    expect(at(0).roomsWoken).toBe(0)
  })
})
