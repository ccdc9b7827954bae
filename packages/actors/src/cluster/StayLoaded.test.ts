import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { TestClock } from "effect/testing"

import { TestCluster } from "../servers/testing/TestCluster.ts"
import { makeStayLoaded } from "./StayLoaded.ts"

/** An actor that counts its calls for as long as it is loaded. */
const Keeper = Entity.make("Keeper", [
  Rpc.make("Hold", { payload: { holding: Schema.Boolean } }),
  Rpc.make("Count", { success: Schema.Int })
])

let orders = 0

const keeperLayer = Keeper.toLayer(
  Effect.gen(function* () {
    const services = yield* Effect.context<Entity.CurrentAddress | Sharding.Sharding>()
    const sharding = Context.get(services, Sharding.Sharding)
    const counted = Context.add(services, Sharding.Sharding, {
      ...sharding,
      sendOutgoing: (order, discard) => {
        orders++
        return sharding.sendOutgoing(order, discard)
      }
    })
    const stayLoaded = makeStayLoaded()
    let calls = 0
    return Keeper.of({
      Hold: ({ payload }) => stayLoaded(payload.holding).pipe(Effect.provideContext(counted)),
      Count: () => Effect.sync(() => ++calls)
    })
  }),
  { maxIdleTime: "1 minute" }
)

it.effect("[D-46] an actor that holds something is not put away as idle, and stores nothing", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("1 second")
    const keeperOf = yield* Keeper.client
    const keeper = keeperOf("one")
    const idle = TestClock.adjust("5 minutes")

    for (let room = 0; room < 3; room++) yield* keeper.Hold({ holding: true })
    expect(orders).toBe(1)
    expect(yield* keeper.Count()).toBe(1)
    yield* idle
    expect(yield* keeper.Count()).toBe(2)

    yield* keeper.Hold({ holding: false })
    yield* idle
    expect(yield* keeper.Count()).toBe(1)
  }).pipe(Effect.provide(Layer.provideMerge(keeperLayer, TestCluster)))
)
