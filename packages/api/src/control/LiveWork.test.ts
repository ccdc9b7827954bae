import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Tracer } from "effect"

import { LiveWork } from "./LiveWork.ts"

const watched = () => {
  const work = new LiveWork()
  return { work, on: Effect.provideService(Tracer.Tracer, work.tracer) }
}

it.effect("[C-85] a step is under way from its begin to its end, however that comes about", () =>
  Effect.gen(function* () {
    const { work, on } = watched()
    const go = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const step = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go))
    const first = yield* Effect.forkChild(on(Effect.withSpan(step, "Room.start")))
    yield* Deferred.await(begun)
    expect(work.underWay).toBe(1)
    yield* Deferred.succeed(go, undefined)
    yield* Fiber.join(first)
    expect(work.underWay).toBe(0)
    yield* Effect.exit(on(Effect.withSpan(Effect.die("broken"), "Room.start")))
    const stuck = yield* Effect.forkChild(on(Effect.withSpan(Effect.never, "Room.start")))
    yield* Effect.yieldNow
    expect(work.underWay).toBe(1)
    yield* Fiber.interrupt(stuck)
    expect(work.underWay).toBe(0)
  })
)

it.effect("[C-85] a request that is being answered is no step: it may be the advance itself", () =>
  Effect.gen(function* () {
    const { work, on } = watched()
    const seen = Effect.sync(() => work.underWay)
    expect(yield* on(Effect.withSpan(seen, "http.server POST", { kind: "server" }))).toBe(0)
    expect(yield* on(Effect.withSpan(seen, "sql.execute", { kind: "client" }))).toBe(1)
  })
)

it.effect("[C-88] listings and starts of servers are told by project", () =>
  Effect.gen(function* () {
    const { work, on } = watched()
    const span = (name: string, attributes: Record<string, unknown>) =>
      on(Effect.withSpan(Effect.void, name, { attributes }))
    yield* span("ObjectStore.listWith", { prefix: "rooms/p_1/r/" })
    yield* span("ObjectStore.listWith", { prefix: "bundles/p_1/" })
    yield* span("ObjectStore.get", { prefix: "rooms/p_1/r/" })
    expect([work.listings("p_1"), work.listings("p_2")]).toEqual([2, 0])
    const told = { project: "p_1", server: "srv_1", vmMemMib: 128, roomsMib: 1280 }
    yield* span("Server.boot", {
      ...told,
      boot: "cold",
      SERVICE_CONNECTIONS_PER_IP_PER_MIN: 120
    })
    // One that could not start has told nothing.
    yield* span("Server.boot", {})
    expect(work.serverStarts("p_1")).toEqual([
      {
        server: "srv_1",
        boot: "cold",
        vmMemMib: 128,
        roomsMib: 1280,
        connectionsPerIpPerMin: 120
      }
    ])
    expect(work.serverStarts("p_2")).toEqual([])
  })
)
