import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { describe, expect, test } from "vitest"

import {
  SnapshotAction,
  SnapshotEvent,
  type SnapshotState,
  staleMs,
  startedAt,
  step
} from "./SnapshotMachine.ts"

const every = RoomLimits.snapshotEvery.ms
const generationEvery = RoomLimits.generationEvery.ms
const gather = RoomLimits.savesEvery.ms
const start = 1_000_000

const after = (...events: ReadonlyArray<SnapshotEvent>): SnapshotState =>
  events.reduce<SnapshotState>((state, event) => step(state, event)[0], startedAt(start))
const changed = (afterMs: number) => SnapshotEvent.Changed({ nowMs: start + afterMs })
const timer = (afterMs: number) => SnapshotEvent.TimerFired({ nowMs: start + afterMs })
const save = (saveId: number, afterMs: number, generation = true) =>
  SnapshotEvent.SaveRequested({ saveId, generation, wall: null, nowMs: start + afterMs })
const stored = (requestId: number, afterMs: number) =>
  SnapshotEvent.Stored({ requestId, nowMs: start + afterMs })
const failed = (requestId: number, afterMs: number) =>
  SnapshotEvent.StoreFailed({ requestId, nowMs: start + afterMs })
const drain = (afterMs: number) => SnapshotEvent.DrainAsked({ nowMs: start + afterMs })
const request = (
  requestId: number,
  cause: "durable" | "save" | "interval" = "interval",
  generation: "manual" | "interval" | null = null
) => SnapshotAction.Request({ requestId, final: false, cause, generation })
const answer = (saveId: number, isStored = true) =>
  SnapshotAction.Answer({ saveId, stored: isStored, wall: null })
const armed = (afterMs: number) => SnapshotAction.ArmTimer({ atMs: start + afterMs })

describe("spans", () => {
  test("[D-48] a change waits for the timer, which is set for 10 s after the last storage", () => {
    const [state, actions] = step(startedAt(start), changed(3000))
    expect(actions).toEqual([SnapshotAction.ArmTimer({ atMs: start + every })])
    expect(step(state, timer(every - 1))[1]).toEqual([
      SnapshotAction.ArmTimer({ atMs: start + every })
    ])
    expect(step(state, timer(every))[1]).toEqual([request(1)])
  })

  test("[D-48] a change long after the last storage is asked for at once", () => {
    expect(step(startedAt(start), changed(every))[1]).toEqual([request(1)])
  })

  test("[D-48] a room that does not change is not asked", () => {
    expect(step(startedAt(start), timer(24 * generationEvery))).toEqual([startedAt(start), []])
  })

  test("[D-48] the generation of a changing room is due after exactly 10 minutes", () => {
    expect(step(startedAt(start), changed(generationEvery - 1))[1]).toEqual([request(1)])
    expect(step(startedAt(start), changed(generationEvery))[1]).toEqual([
      request(1, "interval", "interval")
    ])
  })

  test("[D-48] the next generation is due 10 minutes after the last one that was stored", () => {
    const saved = after(save(7, 1), stored(1, 5))
    expect(step(saved, changed(5 + generationEvery - 1))[1]).toEqual([request(2)])
    expect(step(saved, changed(5 + generationEvery))[1]).toEqual([
      request(2, "interval", "interval")
    ])
    const without = after(save(7, 1, false), stored(1, 5))
    expect(step(without, changed(generationEvery))[1]).toEqual([request(2, "interval", "interval")])
  })

  test("[D-48] a generation that could not be stored is still due", () => {
    const state = after(changed(generationEvery), failed(1, generationEvery + 5))
    const again = timer(generationEvery + 5 + every)
    expect(step(state, again)[1]).toEqual([request(2, "interval", "interval")])
  })
})

describe("saves", () => {
  test("[D-48] room.save() asks at once and makes a generation", () => {
    expect(step(startedAt(start), save(7, 1))[1]).toEqual([request(1, "save", "manual")])
  })

  test("[D-48] a durable RPC asks at once and makes none", () => {
    expect(step(startedAt(start), save(7, 1, false))[1]).toEqual([request(1, "durable")])
  })

  test("[C-502] at the storage wall room.save() stores the state, adds no generation and says why", () => {
    const wall = { meter: "storageBytes", cap: 7, endMs: start } as const
    const walled = { saveId: 7, generation: true, wall, nowMs: start + 1 }
    const [state, actions] = step(startedAt(start), SnapshotEvent.SaveRequested(walled))
    expect(actions).toEqual([request(1, "durable")])
    expect(step(state, stored(1, 2))[1]).toEqual([
      SnapshotAction.Answer({ saveId: 7, stored: true, wall })
    ])
  })

  test("[D-45] [C-502] the storage wall keeps no room from its automatic snapshots and generations", () => {
    const wall = { meter: "storageBytes", cap: 0, endMs: start } as const
    const walled = { saveId: 7, generation: true, wall, nowMs: start + 1 }
    const state = after(SnapshotEvent.SaveRequested(walled), stored(1, 5))
    expect(step(state, changed(generationEvery))[1]).toEqual([request(2, "interval", "interval")])
    const [last] = step(state, drain(6))[1]
    expect(last).toMatchObject({ final: true, generation: "hibernate" })
  })

  test("[D-48] a save during a request waits for the next one", () => {
    const state = after(save(7, 1), save(8, 2), save(9, 3, false))
    const [stored1, actions] = step(state, stored(1, 4))
    expect(actions).toEqual([answer(7), armed(4 + gather)])
    const [next, [second]] = step(stored1, timer(4 + gather))
    expect(second).toEqual(request(2, "save", "manual"))
    expect(step(next, stored(2, 5 + gather))[1]).toEqual([answer(8), answer(9)])
  })

  test("[D-48] a save that could not be stored is told so, and its change tried again", () => {
    const [state, actions] = step(after(save(7, 1)), failed(1, 2))
    expect(actions).toEqual([answer(7, false), armed(2 + every)])
    expect(step(state, timer(2 + every))[1]).toEqual([request(2)])
  })

  test("[D-48] an answer to a request that is not under way means nothing", () => {
    const state = after(save(7, 1))
    for (const event of [stored(0, 2), stored(2, 2), failed(2, 2)]) {
      expect(step(state, event)).toEqual([state, []])
    }
    expect(step(startedAt(start), stored(1, 2))).toEqual([startedAt(start), []])
  })
})

describe("groups of saves", () => {
  test("[C-55] the first save goes at once, those that follow it within the window go together", () => {
    const first = after(save(1, 0, false), stored(1, 5))
    const [gathering, actions] = step(first, save(2, 6, false))
    expect(actions).toEqual([armed(5 + gather)])
    const [more, again] = step(gathering, save(3, 50, false))
    expect(again).toEqual([armed(5 + gather)])
    expect(step(more, timer(5 + gather - 1))[1]).toEqual([armed(5 + gather)])
    const [asked, [second]] = step(more, timer(5 + gather))
    expect(second).toEqual(request(2, "durable"))
    expect(step(asked, stored(2, 200))[1]).toEqual([answer(2), answer(3)])
  })

  test("[C-55] a save that comes when the window has passed goes at once", () => {
    const first = after(save(1, 0, false), stored(1, 5))
    expect(step(first, save(2, 5 + gather - 1, false))[1]).toEqual([armed(5 + gather)])
    expect(step(first, save(2, 5 + gather, false))[1]).toEqual([request(2, "durable")])
  })

  test("[C-55] a save after a snapshot that answered none does not wait", () => {
    const state = after(changed(every), stored(1, every + 5))
    expect(step(state, save(1, every + 6, false))[1]).toEqual([request(2, "durable")])
  })

  test("[C-55] a window follows a snapshot that could not be stored, too", () => {
    const state = after(save(1, 0, false), failed(1, 5))
    expect(step(state, save(2, 6, false))[1]).toEqual([armed(5 + gather)])
  })

  test("[C-55] a change that is due takes the gathered saves along", () => {
    const state = after(
      changed(every - 20),
      save(1, every - 20, false),
      stored(1, every - 10),
      changed(every - 9),
      save(2, every - 8, false)
    )
    expect(step(state, timer(every - 10 + gather))[1]).toEqual([request(2, "durable")])
    const due = after(save(1, 0, false), stored(1, 5), changed(6), save(2, 7, false))
    expect(step(due, timer(5 + every))[1]).toEqual([request(2, "durable")])
  })

  test("[C-55] a drain waits for no window", () => {
    const state = after(save(1, 0, false), stored(1, 5), save(2, 6, false))
    const [asked, [last]] = step(state, drain(7))
    expect(last).toMatchObject({ final: true, cause: "hibernate" })
    expect(step(asked, stored(2, 8))[1]).toEqual([
      answer(2),
      SnapshotAction.DrainEnded({ stored: true })
    ])
  })

  test("[C-55] a clock that is set back ends the window, and the 10 s", () => {
    const state = after(save(1, 0, false), stored(1, 5))
    const [asked, [second]] = step(state, save(2, -1, false))
    expect(second).toMatchObject({ requestId: 2, cause: "durable" })
    expect(step(asked, stored(2, 0))[1]).toEqual([answer(2)])
    expect(step(startedAt(start), changed(-1))[1]).toEqual([request(1, "interval", "interval")])
  })

  test("[C-55] as many saves wait as a room may ask for; one more is refused at once", () => {
    const { max } = RuntimeLimits.savesWaiting
    const saves = Array.from({ length: max }, (_, index) => save(index + 1, 1, false))
    const full = after(save(0, 0, false), ...saves)
    expect(full.waiting).toHaveLength(max)
    expect(step(full, save(max + 1, 2, false))).toEqual([full, [answer(max + 1, false)]])
    expect(step(full, stored(1, 3))[0].waiting).toHaveLength(max)
  })
})

describe("drain", () => {
  const final = (requestId: number) =>
    SnapshotAction.Request({ requestId, final: true, cause: "hibernate", generation: "hibernate" })

  test("[D-48] a drain stores a last snapshot as a generation, changed or not", () => {
    const [state, actions] = step(startedAt(start), drain(1))
    expect(actions).toEqual([final(1)])
    expect(step(state, stored(1, 2))[1]).toEqual([SnapshotAction.DrainEnded({ stored: true })])
  })

  test("[D-48] a drain lets the request before it end", () => {
    const state = after(save(7, 1), drain(2))
    expect(step(state, stored(1, 3))[1]).toEqual([answer(7), final(2)])
  })

  test("[D-48] a drain that could not be stored says so", () => {
    expect(step(after(drain(1)), failed(1, 2))[1]).toEqual([
      SnapshotAction.DrainEnded({ stored: false })
    ])
  })

  test("[D-48] a save that comes after the last request is refused, not left waiting", () => {
    const [state, actions] = step(after(drain(1), save(7, 2)), stored(1, 3))
    expect(actions).toEqual([
      SnapshotAction.Answer({ saveId: 7, stored: false, wall: null }),
      SnapshotAction.DrainEnded({ stored: true })
    ])
    expect(step(state, save(8, 4))).toEqual([
      state,
      [SnapshotAction.Answer({ saveId: 8, stored: false, wall: null })]
    ])
  })

  test("[C-203] the stale span counts from the first change that is not stored", () => {
    expect(staleMs(after(), start + 50)).toBe(0)
    expect(staleMs(after(changed(10), changed(20)), start + 50)).toBe(40)
    // A snapshot that is under way is not stored yet, and may never be.
    expect(staleMs(after(changed(10), save(7, 30)), start + 50)).toBe(40)
    expect(staleMs(after(changed(10), save(7, 30), changed(40), failed(1, 45)), start + 50)).toBe(
      40
    )
    expect(staleMs(after(changed(10), save(7, 30), changed(40), stored(1, 45)), start + 50)).toBe(
      10
    )
    expect(staleMs(after(changed(10), save(7, 30), stored(1, 45)), start + 50)).toBe(0)
    // A clock that was set back.
    expect(staleMs(after(changed(10)), start + 5)).toBe(0)
  })

  test("[D-48] nothing is asked once the drain has ended", () => {
    const over = after(drain(1), stored(1, 2))
    for (const event of [
      changed(every * 2),
      timer(every * 2),
      drain(3),
      stored(1, 4),
      failed(1, 4)
    ]) {
      expect(step(over, event)).toEqual([over, []])
    }
  })
})
