import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { MiB } from "@atrium/wire/limits/Limit"
import { describe, expect, test } from "vitest"

import {
  calm,
  machineLevel,
  ownLevel,
  type Pressure,
  relieve,
  ringsToResize,
  type RoomMemory,
  type Sample
} from "./Pressure.ts"

const room = (roomId: string, mib: number, occupied = true): RoomMemory => ({
  roomId,
  epoch: 1,
  bytes: mib * MiB,
  occupied,
  ring: null
})
const sample = (rooms: ReadonlyArray<RoomMemory>, more: Partial<Sample> = {}): Sample => ({
  nowMs: 0,
  machine: "calm" as const,
  yields: false,
  rooms,
  ...more
})
const near: Pressure = { _tag: "Near", restartedAtMs: null, asleep: null }
const holding = (mib: number): ReadonlyArray<RoomMemory> => [room("a", mib)]

describe("how much is left", () => {
  test.each([
    [0, "calm"],
    [85, "calm"],
    [86, "between"],
    [89, "between"],
    [90, "near"],
    [150, "near"]
  ])("[memory.server.refuses-new] rooms with %i of 100 MiB: %s", (mib, level) => {
    expect(ownLevel(holding(mib), 100)).toBe(level)
  })

  test("[memory.server.refuses-new] a server without rooms is calm, whatever its size", () => {
    expect(ownLevel([], 0)).toBe("calm")
  })

  test.each([
    // 5 percent of 1,000 MiB must be left, and half as much again for calm.
    [1000, 49, "near"],
    [1000, 50, "between"],
    [1000, 74, "between"],
    [1000, 75, "calm"],
    // Of a large machine no more than 256 MiB.
    [100_000, 255, "near"],
    [100_000, 256, "between"],
    [100_000, 384, "calm"]
  ])("[C-140] of %i MiB of the machine %i are left: %s", (totalMib, availableMib, level) => {
    const machine = { totalBytes: totalMib * MiB, availableBytes: availableMib * MiB }
    expect(machineLevel(machine)).toBe(level)
  })

  test("[C-140] a machine that does not tell is calm", () => {
    expect(machineLevel(null)).toBe("calm")
  })
})

describe("a server near its limit", () => {
  test("[memory.server.refuses-new] is so at 90 percent, and until it is at 85 again", () => {
    expect(relieve(calm, sample(holding(89)), 100)[0]).toBe(calm)
    const [entered] = relieve(calm, sample(holding(90)), 100)
    expect(entered._tag).toBe("Near")
    expect(relieve(entered, sample(holding(86)), 100)[0]._tag).toBe("Near")
    expect(relieve(entered, sample(holding(85)), 100)[0]._tag).toBe("Calm")
  })

  test("[C-140] is so when the machine is short, and until that is calm again", () => {
    const [entered] = relieve(calm, sample(holding(1), { machine: "near" }), 100)
    expect(entered._tag).toBe("Near")
    const [still] = relieve(entered, sample(holding(1), { machine: "between" }), 100)
    expect(still._tag).toBe("Near")
    expect(relieve(still, sample(holding(1)), 100)[0]._tag).toBe("Calm")
    expect(relieve(calm, sample(holding(1), { machine: "between" }), 100)[0]).toBe(calm)
  })

  test("[memory.server.empty-sleep-early] puts the largest empty room to sleep first, one at a time", () => {
    const rooms = [room("full", 80), room("small", 4, false), room("large", 6, false)]
    const [told, relief] = relieve(calm, sample(rooms), 100)
    expect(relief).toEqual({ what: "sleep", room: { roomId: "large", epoch: 1 } })
    expect(relieve(told, sample(rooms, { nowMs: 500 }), 100)).toEqual([told, null])
    const left = rooms.slice(0, 2)
    expect(relieve(told, sample(left, { nowMs: 1000, machine: "near" }), 100)[1]).toEqual({
      what: "sleep",
      room: { roomId: "small", epoch: 1 }
    })
  })

  test("[memory.server.empty-sleep-early] goes to the next one when a client has come into the first", () => {
    const empty = [room("one", 50, false), room("other", 45, false)]
    const [told] = relieve(calm, sample(empty), 100)
    const rooms = [room("one", 50), room("other", 45, false)]
    expect(relieve(told, sample(rooms), 100)[1]).toMatchObject({ room: { roomId: "other" } })
  })

  test("[memory.server.empty-sleep-early] tells a room again that did not go in 20 seconds", () => {
    const rooms = [room("stays", 95, false)]
    const [told] = relieve(calm, sample(rooms), 100)
    const at = (nowMs: number) => relieve(told, sample(rooms, { nowMs }), 100)[1]
    expect(at(ServiceLimits.drain.ms - 1)).toBeNull()
    expect(at(ServiceLimits.drain.ms)).toMatchObject({ what: "sleep", room: { roomId: "stays" } })
  })

  test("[memory.server.restarts-largest] restarts its largest room when none is empty", () => {
    const rooms = [room("a", 20), room("b", 50), room("c", 30)]
    expect(relieve(calm, sample(rooms), 100)[1]).toEqual({
      what: "restart",
      room: { roomId: "b", epoch: 1 }
    })
  })

  test("[C-141] restarts one room in 50 seconds, even after a calm time in between", () => {
    const rooms = holding(95)
    const [first, relief] = relieve(calm, sample(rooms, { nowMs: 1000 }), 100)
    expect(relief?.what).toBe("restart")
    const [rested] = relieve(first, sample([], { nowMs: 2000 }), 100)
    expect(rested._tag).toBe("Calm")
    const again = (nowMs: number) => relieve(rested, sample(rooms, { nowMs }), 100)[1]
    expect(again(1000 + ServerLimits.memoryRestartEvery.ms - 1)).toBeNull()
    expect(again(1000 + ServerLimits.memoryRestartEvery.ms)?.what).toBe("restart")
  })

  test("[C-141] leaves a room alone that has less than 16 MiB to give", () => {
    const at = (bytes: number) =>
      relieve(near, sample([{ ...room("a", 0), bytes }], { machine: "near", yields: true }), 100)[1]
    expect(at(ServerLimits.memoryRestartBytes.max - 1)).toBeNull()
    expect(at(ServerLimits.memoryRestartBytes.max)?.what).toBe("restart")
  })

  test("[C-140] restarts none for the machine when another server's turn it is", () => {
    const short = { machine: "near" as const }
    expect(relieve(calm, sample(holding(50), short), 100)[1]).toBeNull()
    expect(relieve(calm, sample(holding(50), { ...short, yields: true }), 100)[1]).not.toBeNull()
    // For a limit of its own it always does.
    expect(relieve(calm, sample(holding(95), short), 100)[1]).not.toBeNull()
  })
})

describe("a server near its limit whose rooms keep footage", () => {
  const recording = (ring: "full" | "shrunk"): ReadonlyArray<RoomMemory> => [
    { ...room("a", 91), ring },
    room("b", 1, false)
  ]
  const at = (before: Pressure, nowMs: number, rooms = recording("shrunk")) =>
    relieve(before, sample(rooms, { nowMs }), 100)

  test("[C-828] shrinks it, and takes rooms while that may be enough", () => {
    const [shrunk, relief] = at(calm, 1000, recording("full"))
    expect([shrunk._tag, relief]).toEqual(["Shrunk", null])
    const aShrinks = { roomId: "a", epoch: 1, ring: "shrunk" }
    expect(ringsToResize(shrunk, recording("full"))).toEqual([aShrinks])
    expect(ringsToResize(shrunk, recording("shrunk"))).toEqual([])
    expect(at(shrunk, 1000 + ServerLimits.memoryShrink.ms - 1)).toEqual([shrunk, null])
    const [near, sleeps] = at(shrunk, 1000 + ServerLimits.memoryShrink.ms)
    expect([near._tag, sleeps?.what]).toEqual(["Near", "sleep"])
    expect(ringsToResize(near, recording("full"))).toEqual([aShrinks])
  })

  test("[C-828] lets it grow again once there is memory", () => {
    const [shrunk] = at(calm, 0, recording("full"))
    const less = (mib: number) => [{ ...room("a", mib), ring: "shrunk" as const }]
    expect(at(shrunk, 5000, less(86))).toEqual([shrunk, null])
    const [rested] = at(shrunk, 5000, less(85))
    expect(rested._tag).toBe("Calm")
    expect(ringsToResize(rested, less(85))).toEqual([{ roomId: "a", epoch: 1, ring: "full" }])
  })

  test("[C-828] has nothing to shrink in rooms that keep none", () => {
    expect(relieve(calm, sample(holding(90)), 100)[0]._tag).toBe("Near")
    expect(at(calm, 0, recording("shrunk"))[0]._tag).toBe("Near")
  })
})
