import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { TestClock } from "effect/testing"

import { HomeStore } from "./HomeStore.ts"
import { RunnerFills, type ServerFill, ServerFills } from "./ServerFills.ts"
import { serverIndexOf } from "./ServerIndex.ts"
import type { Place } from "./ServerMachine.ts"
import { type Claim, ServerPlaces } from "./ServerPlaces.ts"
import type { SeenServer } from "./ServerPlacing.ts"
import { ThisHome, thisHome, unlessOver } from "./ThisHome.ts"

const projectId = ProjectId.make("p_0123456789abcdef")
const own = 1
const storeAway = new SqlError({ reason: new ConnectionError({ cause: new Error("away") }) })

/** A runner with home 1, beside one with home 2 and less load. */
const runner = Effect.gen(function* () {
  const table = { servers: [] as Array<SeenServer>, over: false, away: false }
  const told: Array<ReadonlyArray<ServerFill>> = []
  const asked = { looks: 0, claims: [] as Array<Claim> }
  /** A placing of another runner comes first, so many times. */
  let beaten = 0
  const homes = Layer.succeed(HomeStore, {
    open: () => Effect.succeed(own),
    take: () => Effect.succeed(true),
    renew: () => Effect.succeed(true),
    close: () => Effect.void,
    giveUp: () => Effect.void,
    isOver: () => (table.away ? Effect.fail(storeAway) : Effect.sync(() => table.over))
  })
  const places = Layer.succeed(ServerPlaces, {
    look: () =>
      Effect.sync(() => {
        asked.looks++
        const last = Math.max(-1, ...table.servers.map(({ nth }) => nth))
        const rest = { setting: "open", freeBytes: null } as const
        return {
          servers: table.servers,
          homes: [
            { home: own, load: 6, ...rest },
            { home: 2, load: 0, ...rest }
          ],
          last,
          free: false,
          sentTo: null
        }
      }),
    claim: (claim) => Effect.sync(() => (asked.claims.push(claim), beaten-- <= 0)),
    report: (_, fills) => Effect.sync(() => void told.push(fills)),
    send: () => Effect.succeed(true),
    runnerOf: () => Effect.succeed(null)
  })
  const fills = new ServerFills()
  const context = yield* Layer.build(
    thisHome(own).pipe(
      Layer.provide([homes, places]),
      Layer.provide(Layer.succeed(RunnerFills, fills))
    )
  )
  const here = yield* Effect.provideContext(ThisHome, context)
  if (here === null) return yield* Effect.die("no home")
  const place = (roomId: string) =>
    here.place({
      key: { projectId, roomId: RoomId.make(roomId) },
      class: "standard",
      without: new Set(),
      leaving: new Set()
    })
  const beat = (times: number): void => void (beaten = times)
  return { here, place, table, told, asked, fills, beat }
})

const held = (count: number): ReadonlyArray<Place> =>
  Array.from({ length: count }, (_, slot) => ({ roomId: `held${slot}`, epoch: 1, slot, cost: 6 }))

it.effect("[C-434] one question places a room, and a claim only where a server starts", () =>
  Effect.gen(function* () {
    const { place, table, asked } = yield* runner
    expect(yield* place("one")).toBe(serverIndexOf(2, 0))
    expect(asked).toMatchObject({ looks: 1, claims: [{ nth: 0, home: 2, instead: null }] })
    table.servers.push({ nth: 0, home: 2, cost: 0, spare: false, sinceMs: 1 })
    expect(yield* place("two")).toBe(serverIndexOf(2, 0))
    expect([asked.looks, asked.claims.length]).toEqual([2, 1])
  })
)

it.effect("[C-434] a server is full with the rooms that were promised a place on it", () =>
  Effect.gen(function* () {
    const { place, table, fills } = yield* runner
    table.servers.push({ nth: 0, home: 2, cost: 108, spare: false, sinceMs: 1 })
    const [first, last] = [serverIndexOf(2, 0), serverIndexOf(2, 1)]
    expect([yield* place("a"), yield* place("b"), yield* place("c")]).toEqual([first, first, last])
    fills.forget({ projectId, roomId: "a" })
    expect(yield* place("d")).toBe(first)
  })
)

it.effect("[C-434] of its own servers a runner knows more than the table", () =>
  Effect.gen(function* () {
    const { place, table, fills } = yield* runner
    const index = serverIndexOf(own, 0)
    table.servers.push({ nth: 0, home: own, cost: 0, spare: false, sinceMs: 1 })
    fills.reported({ projectId, index }, held(20))
    expect(yield* place("a")).toBe(serverIndexOf(2, 1))
    fills.reported({ projectId, index }, held(19))
    expect(yield* place("b")).toBe(index)
  })
)

it.effect("[C-434] a placing that is beaten to a server looks again, and not for ever", () =>
  Effect.gen(function* () {
    const { place, asked, beat } = yield* runner
    beat(2)
    expect(yield* place("a")).toBe(serverIndexOf(2, 0))
    expect(asked.looks).toBe(3)
    beat(ServerLimits.placingTries.max - 1)
    expect(yield* place("b")).toBe(serverIndexOf(2, 0))
    beat(ServerLimits.placingTries.max)
    expect(yield* place("c")).toBeNull()
  })
)

it.effect("[C-434] a runner reports every half second how full the servers are that changed", () =>
  Effect.gen(function* () {
    const { told, fills } = yield* runner
    const [one, other] = [0, 1].map((nth) => ({ projectId, index: serverIndexOf(own, nth) }))
    if (one === undefined || other === undefined) return
    yield* TestClock.adjust(ServerLimits.fillReport.ms)
    expect(told).toEqual([])
    fills.reported(one, held(1))
    fills.reported(one, held(2))
    fills.reported(other, held(1))
    yield* TestClock.adjust(ServerLimits.fillReport.ms)
    fills.reported(one, [])
    yield* TestClock.adjust(3 * ServerLimits.fillReport.ms)
    expect(told).toEqual([
      [
        { ...one, cost: 12 },
        { ...other, cost: 6 }
      ],
      [{ ...one, cost: 0 }]
    ])
  })
)

it.effect("[C-436] a call to a server whose runner has ended is answered without it", () =>
  Effect.gen(function* () {
    const { here, table } = yield* runner
    const ask = (index: number) =>
      Effect.never.pipe(
        unlessOver(index, Effect.succeed("over")),
        Effect.timeoutOrElse({ duration: "1 minute", orElse: () => Effect.succeed("silent") }),
        Effect.provideService(ThisHome, here),
        Effect.forkChild
      )
    const asking = yield* ask(serverIndexOf(2, 0))
    yield* TestClock.adjust(4 * FleetLimits.homeLook.ms)
    expect(asking.pollUnsafe()).toBeUndefined()
    table.over = true
    const hashed = yield* ask(serverIndexOf(0, 0))
    yield* TestClock.adjust(FleetLimits.homeLook.ms)
    expect(yield* Fiber.join(asking)).toBe("over")
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(hashed)).toBe("silent")
  })
)

it.effect(
  "[C-473] a call to a server of a runner that has lost its own home is answered, too",
  () =>
    Effect.gen(function* () {
      const { here, table } = yield* runner
      const ask = (answer: Effect.Effect<string>) =>
        answer.pipe(
          unlessOver(serverIndexOf(own, 0), Effect.succeed("over")),
          Effect.provideService(ThisHome, here),
          Effect.forkChild
        )
      const asking = yield* ask(Effect.never)
      yield* TestClock.adjust(4 * FleetLimits.homeLook.ms)
      expect(asking.pollUnsafe()).toBeUndefined()
      table.away = true
      const late = yield* ask(Effect.delay(Effect.succeed("answered"), "1 minute"))
      yield* TestClock.adjust("1 minute")
      expect(late.pollUnsafe()).toEqual(Exit.succeed("answered"))
      table.away = false
      table.over = true
      const lost = yield* ask(Effect.never)
      yield* TestClock.adjust(FleetLimits.homeLook.ms)
      expect(lost.pollUnsafe()).toEqual(Exit.succeed("over"))
    })
)

it.effect("[C-436] a runner that is alone has no other homes beside it", () =>
  Effect.gen(function* () {
    const over = unlessOver(serverIndexOf(2, 0), Effect.succeed("over"))
    expect(yield* over(Effect.succeed("answered"))).toBe("over")
    const here = unlessOver(serverIndexOf(0, 3), Effect.succeed("over"))
    expect(yield* here(Effect.succeed("answered"))).toBe("answered")
  })
)
