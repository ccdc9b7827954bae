import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { TenantWaking } from "@atrium/domain/shared/Refusal"
import { expect, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"

import { RoomStore } from "../rooms/RoomStore.ts"
import { fakeRooms } from "../rooms/testing/FakeRooms.ts"
import { lookTimes, onTime } from "../rooms/testing/LookTimes.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { Restorer } from "./Restorer.ts"

const [one, two] = [ProjectId.make("p_0000000000000001"), ProjectId.make("p_0000000000000002")]
const keyOf = (projectId: ProjectId, room: string) => ({ projectId, roomId: RoomId.make(room) })
const away = new SqlError({ reason: new ConnectionError({ cause: new Error("gone") }) })

interface Rooms {
  /** Restores that wait; a room's own goes when it is taken. */
  readonly queued: ReadonlyArray<ReturnType<typeof keyOf>>
  readonly up: ReadonlyArray<ReturnType<typeof keyOf>>
  /** Of a look that fails. */
  readonly failures: ReadonlyArray<unknown>
  /** What becomes of an order to the room of that name. */
  readonly heeds: (room: string) => Effect.Effect<void, TenantWaking>
}

const restoring = (rooms: Partial<Rooms> = {}) => {
  const { queued = [], up = [], failures = [], heeds = () => Effect.void } = rooms
  const looks: Array<number> = []
  const orders: Array<string> = []
  const left = new Set(queued)
  const store = Layer.mock(RoomStore, {
    restoring: Effect.gen(function* () {
      const failure = failures[looks.length]
      looks.push(yield* Clock.currentTimeMillis)
      return failure === undefined ? [...left] : yield* Effect.die(failure)
    }),
    up: (projectId) => Effect.succeed(up.filter((key) => key.projectId === projectId))
  })
  const ordered = (order: string, key: string) =>
    Effect.suspend(() => {
      orders.push(`${order} ${key}`)
      return heeds(key.slice(key.indexOf("/") + 1))
    })
  const actors = fakeRooms((key) => ({
    Stop: () => ordered("stop", key),
    TakeRestore: () =>
      Effect.tap(ordered("restore", key), () =>
        Effect.sync(() => {
          for (const each of left) if (key === `${each.projectId}/${each.roomId}`) left.delete(each)
        })
      )
  }))
  const running = Layer.mergeAll(Restorer, actors).pipe(
    Layer.provideMerge(TestCluster),
    Layer.provide(store),
    Layer.provideMerge(Logger.layer([]))
  )
  return { looks, orders, running }
}

it.effect("[saves.restore.queued] restores are looked for every two seconds", () => {
  const { looks, orders, running } = restoring({ up: [keyOf(one, "plays")] })
  return Effect.gen(function* () {
    expect(yield* lookTimes(looks, RoomLimits.restoreLook.ms)).toEqual(
      onTime(RoomLimits.restoreLook.ms)
    )
    expect(orders).toEqual([])
  }).pipe(Effect.provide(running))
})

it.effect("[saves.restore.queued] a look that fails is not the last one", () => {
  const { looks, running } = restoring({ failures: [away, new Error("a bug"), away] })
  return Effect.gen(function* () {
    expect(yield* lookTimes(looks, RoomLimits.restoreLook.ms)).toEqual(
      onTime(RoomLimits.restoreLook.ms)
    )
  }).pipe(Effect.provide(running))
})

it.effect(
  "[state.room.restore.server-stopped] the project's other rooms stop first, and no other project's",
  () => {
    const { looks, orders, running } = restoring({
      queued: [keyOf(one, "a"), keyOf(one, "b")],
      up: [keyOf(one, "a"), keyOf(one, "other"), keyOf(two, "elsewhere")]
    })
    return Effect.gen(function* () {
      while (looks.length < 3) yield* TestClock.adjust("1 second")
      expect(orders).toEqual([`stop ${one}/other`, `restore ${one}/a`, `restore ${one}/b`])
    }).pipe(Effect.provide(running))
  }
)

it.effect.each([
  ["refuses", Effect.fail(new TenantWaking({ message: "away" }))],
  ["dies", Effect.die(new Error("a bug"))],
  ["does not answer", Effect.never]
] as const)("[saves.restore.queued] a room that %s keeps no other from its restore", ([, way]) => {
  const { looks, orders, running } = restoring({
    queued: [keyOf(one, "stuck"), keyOf(one, "next")],
    up: [keyOf(one, "stubborn")],
    heeds: (room) => (room === "next" ? Effect.void : way)
  })
  return Effect.gen(function* () {
    while (looks.length < 3) yield* TestClock.adjust("1 second")
    // How often an actor is asked that died is the cluster's affair.
    const at = orders.indexOf(`restore ${one}/next`)
    const others = new Set([`stop ${one}/stubborn`, `restore ${one}/stuck`])
    expect(new Set(orders.slice(0, at))).toEqual(others)
    // It waits on, and is asked at the next look, and the other not again.
    expect(new Set(orders.slice(at + 1))).toEqual(others)
  }).pipe(Effect.provide(running))
})
