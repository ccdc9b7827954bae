import { type CapWall, wallText } from "@atrium/domain/meters/Caps"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"

import { makeSnapshotKeeper } from "./SnapshotKeeper.ts"
import type { SaveReason } from "./SnapshotMachine.ts"

/** A process that is asked for its state and a store that is told when to work. */
const makePort = () => {
  const requests: Array<{ readonly requestId: number; readonly final: boolean }> = []
  const stores: Array<{ readonly text: string; readonly generation: SaveReason | null }> = []
  const answers: Array<readonly [number, boolean]> = []
  const walls: Array<string | undefined> = []
  const works: Effect.Effect<void, unknown> = Effect.void
  const port = {
    requests,
    stores,
    answers,
    floods: 0,
    storing: works,
    request: (requestId: number, final: boolean) => void requests.push({ requestId, final }),
    store: (state: Uint8Array, generation: SaveReason | null) =>
      Effect.suspend(() => {
        stores.push({ text: new TextDecoder().decode(state), generation })
        return port.storing
      }),
    facts: works,
    factsStored: Effect.suspend((): Effect.Effect<void, unknown> => port.facts),
    storageWall: Effect.succeed<CapWall | null>(null),
    walls,
    answer: (saveId: number, stored: boolean, wall?: string) => {
      answers.push([saveId, stored])
      walls.push(wall)
    },
    flooded: () => {
      port.floods++
    }
  }
  return port
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const keeping = Effect.gen(function* () {
  const port = makePort()
  return { port, keeper: yield* makeSnapshotKeeper(port) }
})
/** Lets all that has been offered be handled; no time passes. */
const settle = Effect.repeat(Effect.yieldNow, { times: 4 * RuntimeLimits.savesWaiting.max })

it.effect("[D-48] a change is asked for 10 s after the start, and stored", () =>
  Effect.gen(function* () {
    const { port, keeper } = yield* keeping
    keeper.changed()
    yield* TestClock.adjust(RoomLimits.snapshotEvery.ms - 1)
    expect(port.requests).toEqual([])
    yield* TestClock.adjust(1)
    expect(port.requests).toEqual([{ requestId: 1, final: false }])
    keeper.snapshot(1, bytes("one"))
    yield* settle
    expect(port.stores).toEqual([{ text: "one", generation: null }])
    yield* TestClock.adjust(24 * RoomLimits.generationEvery.ms)
    expect(port.requests).toHaveLength(1)
  })
)

it.effect("[D-48] a save is acknowledged only when its snapshot is stored", () =>
  Effect.gen(function* () {
    const { port, keeper } = yield* keeping
    const done = yield* Deferred.make<void>()
    port.storing = Deferred.await(done)
    keeper.saveRequested(7, true)
    yield* settle
    expect(port.requests).toEqual([{ requestId: 1, final: false }])
    keeper.snapshot(1, bytes("one"))
    yield* TestClock.adjust("1 minute")
    expect(port.answers).toEqual([])
    yield* Deferred.succeed(done, undefined)
    yield* settle
    expect(port.answers).toEqual([[7, true]])
    expect(port.stores).toEqual([{ text: "one", generation: "manual" }])
  })
)

it.effect("[C-502] the storage wall is looked up for room.save() alone", () =>
  Effect.gen(function* () {
    const wall = { meter: "storageBytes", cap: 7, endMs: 1 } as const
    const port = makePort()
    const keeper = yield* makeSnapshotKeeper({ ...port, storageWall: Effect.succeed(wall) })
    keeper.saveRequested(7, true)
    keeper.saveRequested(8, false)
    yield* settle
    keeper.snapshot(1, bytes("one"))
    yield* TestClock.adjust(RoomLimits.savesEvery.ms)
    keeper.snapshot(2, bytes("two"))
    yield* settle
    expect(port.stores.map(({ generation }) => generation)).toEqual([null, null])
    expect(port.walls).toEqual([wallText(wall), undefined])
  })
)

it.effect.each([
  ["fails", Effect.fail("no disk")],
  ["dies", Effect.die(new Error("no database"))]
] as const)("[D-48] a store that %s is not acknowledged, and tried again", ([, failure]) =>
  Effect.gen(function* () {
    const { port, keeper } = yield* keeping
    port.storing = failure
    keeper.saveRequested(7, true)
    yield* settle
    keeper.snapshot(1, bytes("one"))
    yield* settle
    expect(port.answers).toEqual([[7, false]])
    port.storing = Effect.void
    yield* TestClock.adjust(RoomLimits.snapshotEvery.ms)
    expect(port.requests).toHaveLength(2)
    keeper.snapshot(2, bytes("two"))
    yield* settle
    expect(port.stores.at(-1)).toEqual({ text: "two", generation: null })
    expect(port.answers).toEqual([[7, false]])
  })
)

it.effect(
  "[C-58] a save waits for what the room told beside its state, a rhythm's snapshot does not",
  () =>
    Effect.gen(function* () {
      const { port, keeper } = yield* keeping
      const done = yield* Deferred.make<void, string>()
      port.facts = Deferred.await(done)
      keeper.saveRequested(7, false)
      yield* settle
      keeper.snapshot(1, bytes("one"))
      yield* settle
      expect(port.stores).toHaveLength(1)
      expect(port.answers).toEqual([])
      yield* Deferred.fail(done, "an alarm could not be stored")
      yield* settle
      expect(port.answers).toEqual([[7, false]])
      keeper.changed()
      yield* TestClock.adjust(RoomLimits.snapshotEvery.ms)
      keeper.snapshot(2, bytes("two"))
      yield* settle
      keeper.changed()
      yield* TestClock.adjust(RoomLimits.snapshotEvery.ms)
      expect(port.requests).toHaveLength(3)
    })
)

it.effect("[D-48] a drain stores the final state and waits for it", () =>
  Effect.gen(function* () {
    const { port, keeper } = yield* keeping
    const drained = yield* Effect.forkChild(keeper.drain)
    yield* settle
    expect(port.requests).toEqual([{ requestId: 1, final: true }])
    keeper.snapshot(1, bytes("last"))
    expect(yield* Fiber.join(drained)).toBe(true)
    expect(port.stores).toEqual([{ text: "last", generation: "hibernate" }])
    keeper.changed()
    yield* TestClock.adjust("1 hour")
    expect(port.requests).toHaveLength(1)
  })
)

it.effect("[D-48] a drain ends when the process does, before it or during it", () =>
  Effect.gen(function* () {
    const during = yield* keeping
    const drained = yield* Effect.forkChild(during.keeper.drain)
    yield* settle
    during.keeper.gone()
    expect(yield* Fiber.join(drained)).toBe(false)
    const before = yield* keeping
    before.keeper.gone()
    yield* settle
    expect(yield* before.keeper.drain).toBe(false)
  })
)

it.effect("[D-48] a last state that came before the process ended is stored", () =>
  Effect.gen(function* () {
    const { port, keeper } = yield* keeping
    const drained = yield* Effect.forkChild(keeper.drain)
    yield* settle
    keeper.snapshot(1, bytes("last"))
    keeper.gone()
    expect(yield* Fiber.join(drained)).toBe(true)
    expect(port.stores).toHaveLength(1)
  })
)

it.effect("[D-48] a room that floods its keeper is told on, and its drain does not hang", () =>
  Effect.gen(function* () {
    const { port, keeper } = yield* keeping
    const done = yield* Deferred.make<void>()
    port.storing = Deferred.await(done)
    const drained = yield* Effect.forkChild(keeper.drain)
    keeper.saveRequested(0, true)
    yield* settle
    keeper.snapshot(1, bytes("one"))
    yield* settle
    for (let input = 0; input < 4 * RuntimeLimits.savesWaiting.max; input++) keeper.changed()
    expect(port.floods).toBe(0)
    keeper.changed()
    expect(port.floods).toBe(1)
    keeper.gone()
    expect(yield* Fiber.join(drained)).toBe(false)
  })
)

it.effect("[D-48] a state that was not asked for is not stored, nor one that comes twice", () =>
  Effect.gen(function* () {
    const { port, keeper } = yield* keeping
    keeper.snapshot(1, bytes("early"))
    yield* settle
    keeper.saveRequested(7, true)
    yield* settle
    keeper.snapshot(2, bytes("another"))
    keeper.snapshot(1, bytes("asked for"))
    keeper.snapshot(1, bytes("again"))
    yield* settle
    expect(port.stores).toEqual([{ text: "asked for", generation: "manual" }])
    expect(port.answers).toEqual([[7, true]])
  })
)
