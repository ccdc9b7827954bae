import { FleetLimits } from "@atrium/domain/fleet/FleetLimits"
import { ServerLimits } from "@atrium/domain/servers/ServerLimits"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { FleetStore } from "../fleet/FleetStore.ts"
import { TestStores } from "../store/testing/TestStores.ts"
import { HomeStore } from "./HomeStore.ts"
import { serverIndexOf } from "./ServerIndex.ts"
import { ServerPlaces } from "./ServerPlaces.ts"

const stores = Layer.mergeAll(HomeStore.layerSql, ServerPlaces.layerSql).pipe(
  Layer.provideMerge(TestStores)
)

let made = 0

/** A runner that reported itself, and its home. */
const runner = Effect.fnUntraced(function* (load: number) {
  const name = `place:${++made}`
  const home = yield* (yield* HomeStore).open(name, "first")
  yield* (yield* FleetStore).report({
    runner: name,
    startedAtMs: 1,
    version: "1.0.0",
    rooms: 0,
    clients: 0,
    load,
    freeBytes: 5_000_000_000
  })
  return { name, home, key: { home, session: "first" } }
})

const projectId = ProjectId.make("p_00000000000000aa")
const roomIn = (project: string) => ({
  projectId: ProjectId.make(project),
  roomId: RoomId.make("room")
})

/** The database's clock goes on while a test runs: before a bound a test keeps this far away from it. */
const slackMs = 5_000

/** Moves what the database wrote into the past. */
const passed = Effect.fnUntraced(function* (home: number, ms: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update homes set heard_at_ms = heard_at_ms - ${ms},
    ended_at_ms = ended_at_ms - ${ms} where home = ${home}`
  yield* sql`update servers set since_ms = since_ms - ${ms} where home = ${home}`
})

layer(stores)("the homes of runners, on PostgreSQL", (it) => {
  it.effect("[C-433] a runner has the same home at every start, and its process before none", () =>
    Effect.gen(function* () {
      const homes = yield* HomeStore
      const { name, home, key } = yield* runner(0)
      const again = { home: yield* homes.open(name, "second"), session: "second" }
      expect(again.home).toBe(home)
      expect((yield* runner(0)).home).not.toBe(home)
      expect([yield* homes.renew(key), yield* homes.take(key)]).toEqual([false, false])
      expect([yield* homes.renew(again), yield* homes.take(again)]).toEqual([true, true])
    })
  )

  it.effect("[C-433] a home that was given up is over, and begins anew after ten seconds", () =>
    Effect.gen(function* () {
      const homes = yield* HomeStore
      const { name, home, key } = yield* runner(0)
      // Its last sign of life is younger than that of a runner that has ended.
      yield* passed(home, -slackMs)
      yield* homes.giveUp([name])
      expect(yield* homes.isOver(home)).toBe(false)
      yield* passed(home, slackMs + FleetLimits.homeOpened.ms)
      yield* homes.giveUp([])
      expect(yield* homes.renew(key)).toBe(true)
      yield* passed(home, FleetLimits.homeOpened.ms)
      yield* homes.giveUp([name])
      expect(yield* homes.isOver(home)).toBe(true)
      expect([yield* homes.renew(key), yield* homes.take(key)]).toEqual([false, false])
      yield* passed(home, FleetLimits.homeAgain.ms - slackMs)
      expect(yield* homes.take(key)).toBe(false)
      yield* passed(home, slackMs)
      expect(yield* homes.take(key)).toBe(true)
      expect(yield* homes.isOver(home)).toBe(false)
    })
  )

  it.effect("[C-433] the servers of a runner that is silent for ten seconds are given up", () =>
    Effect.gen(function* () {
      const homes = yield* HomeStore
      const { home, key } = yield* runner(0)
      yield* passed(home, FleetLimits.homeSilent.ms - slackMs)
      yield* homes.giveUp([])
      expect(yield* homes.isOver(home)).toBe(false)
      yield* passed(home, slackMs)
      yield* homes.giveUp([])
      expect(yield* homes.isOver(home)).toBe(true)
      expect(yield* homes.renew(key)).toBe(false)
    })
  )

  it.effect("[C-433] a runner that ends closes its home, and one that nobody opened is over", () =>
    Effect.gen(function* () {
      const homes = yield* HomeStore
      const { home, key } = yield* runner(0)
      yield* homes.close({ ...key, session: "another" })
      expect(yield* homes.isOver(home)).toBe(false)
      yield* homes.close(key)
      expect(yield* homes.isOver(home)).toBe(true)
      expect(yield* homes.isOver(home + 1000)).toBe(true)
    })
  )
})

layer(stores)("the places of servers, on PostgreSQL", (it) => {
  it.effect(
    "[C-434] a claim holds until the server was seen anew, and fills as its runner tells",
    () =>
      Effect.gen(function* () {
        const places = yield* ServerPlaces
        const [one, other] = [yield* runner(6), yield* runner(0)]
        const look = places.look(roomIn(projectId), 6)
        const serverNow = Effect.map(look, ({ servers }) => servers[0] ?? null)
        expect(yield* look).toMatchObject({ servers: [], last: -1, free: true, sentTo: null })
        const first = { projectId, nth: 0, home: one.home, instead: null }
        expect(yield* places.claim(first)).toBe(true)
        expect(yield* places.claim({ ...first, home: other.home })).toBe(false)
        const seen = yield* serverNow
        expect(seen).toMatchObject({ nth: 0, home: one.home, cost: 0, spare: false })
        const index = serverIndexOf(one.home, 0)
        const told = { projectId, index, cost: 120 }
        yield* places.report(other.home, [told])
        expect((yield* serverNow)?.cost).toBe(0)
        yield* places.report(one.home, [told])
        expect((yield* serverNow)?.cost).toBe(120)
        yield* passed(one.home, ServerLimits.serverEmpty.ms)
        expect(yield* serverNow).toMatchObject({ cost: 120, spare: false })
        // It is empty from now on, not since it was started.
        yield* places.report(one.home, [{ ...told, cost: 0 }])
        expect((yield* serverNow)?.spare).toBe(false)
        yield* passed(one.home, ServerLimits.serverEmpty.ms)
        const spare = yield* serverNow
        expect(spare?.spare).toBe(true)
        expect(yield* places.claim({ ...first, home: other.home, instead: seen })).toBe(false)
        expect(yield* places.claim({ ...first, home: other.home, instead: spare })).toBe(true)
        expect(yield* serverNow).toMatchObject({ home: other.home, spare: false })
      })
  )

  it.effect(
    "[C-434] a look shows the runners that live, each with the servers that started since",
    () =>
      Effect.gen(function* () {
        const places = yield* ServerPlaces
        const homes = yield* HomeStore
        const sql = yield* SqlClient.SqlClient
        const project = "p_00000000000000bb"
        const [busy, quiet, gone] = [yield* runner(30), yield* runner(0), yield* runner(0)]
        yield* passed(quiet.home, FleetLimits.homeQuiet.ms)
        yield* homes.close(gone.key)
        yield* sql`update runners set heard_at_ms = heard_at_ms - 1000 where runner = ${busy.name}`
        yield* places.claim({ projectId: project, nth: 0, home: busy.home, instead: null })
        const seen = yield* places.look(roomIn(project), 6)
        const shown = seen.homes.filter(({ home }) =>
          [busy, quiet, gone].some((it) => it.home === home)
        )
        expect(shown).toEqual([
          { home: busy.home, setting: "open", load: 36, freeBytes: 5_000_000_000 }
        ])
      })
  )

  it.effect(
    "[C-434] a look shows as many servers of a thousand as of a few, the lowest with room",
    () =>
      Effect.gen(function* () {
        const places = yield* ServerPlaces
        const sql = yield* SqlClient.SqlClient
        const project = "p_00000000000000cc"
        const { home } = yield* runner(0)
        yield* sql`insert into servers (project_id, nth, home, cost, since_ms)
        select ${project}, nth, ${home}, case when nth < 500 then 120 else 80 end, 1
        from generate_series(0, 999) as nth`
        const nths = (cost: number) =>
          Effect.map(places.look(roomIn(project), cost), ({ servers }) =>
            servers.map(({ nth }) => nth)
          )
        const most = ServerLimits.serversLooked.max
        expect(yield* nths(40)).toEqual([0, ...Array.from({ length: most }, (_, at) => 500 + at)])
        expect(yield* nths(41)).toEqual([0])
      })
  )

  it.effect("[C-435] a room that is sent to a runner is expected there for a minute", () =>
    Effect.gen(function* () {
      const places = yield* ServerPlaces
      const sql = yield* SqlClient.SqlClient
      const key = roomIn("p_00000000000000dd")
      const { name, home } = yield* runner(0)
      const sentTo = Effect.map(places.look(key, 6), (seen) => seen.sentTo)
      expect(yield* places.send(key, "nobody:1")).toBe(false)
      expect(yield* sentTo).toBeNull()
      expect(yield* places.send(key, name)).toBe(true)
      expect([yield* places.runnerOf(home), yield* places.runnerOf(home + 1000)]).toEqual([
        name,
        null
      ])
      expect(yield* sentTo).toBe(home)
      yield* sql`update sent_rooms set until_ms = until_ms - ${FleetLimits.roomSent.ms}`
      expect(yield* sentTo).toBeNull()
    })
  )
})
