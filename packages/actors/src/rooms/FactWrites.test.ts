import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"

import type { StartOrder } from "../servers/ServerProtocol.ts"
import { newRoomKey } from "../store/testing/TestStores.ts"
import { makeFactWrites } from "./FactWrites.ts"
import { PlayerFields } from "./PlayerFields.ts"
import { PlayerStore } from "./PlayerStore.ts"
import { RoomFiles } from "./RoomFiles.ts"
import { RoomStore } from "./RoomStore.ts"

const order: StartOrder = {
  roomId: "r",
  fresh: true,
  type: "t",
  class: "standard",
  version: 1,
  epoch: 1,
  serverIndex: 0
}

it.effect("[C-58] waits again for a player's fields that were late for the call before", () =>
  Effect.gen(function* () {
    const row = yield* Deferred.make<ReadonlyArray<string>>()
    const stores = PlayerFields.layer.pipe(
      Layer.provide(Layer.mock(PlayerStore, { save: () => Deferred.await(row) })),
      Layer.merge(Layer.mock(RoomFiles, {})),
      Layer.merge(Layer.mock(RoomStore, {}))
    )
    const writes = yield* Effect.provide(makeFactWrites({ key: newRoomKey(), order }, 0), stores)
    writes.playerChanged("pl_1", Uint8Array.of(1))
    for (const _call of ["first", "second"]) {
      const call = yield* Effect.forkChild(Effect.exit(writes.stored))
      yield* TestClock.adjust(StoreLimits.storeAnswer.ms)
      assert.isTrue(Exit.isFailure(yield* Fiber.join(call)))
    }
    yield* Deferred.succeed(row, [])
    assert.isTrue(Exit.isSuccess(yield* Effect.exit(writes.stored)))
  })
)

it.effect.each(["alarms", "lobby", "player"] as const)(
  "[C-313] %s that were given up are counted and logged once, and never told as stored",
  (fact) =>
    Effect.gen(function* () {
      let away = true
      const taken: Array<string> = []
      const take = (what: string) =>
        Effect.suspend(() =>
          away ? Effect.die(new Error("away")) : Effect.sync(() => void taken.push(what))
        )
      const stores = PlayerFields.layer.pipe(
        Layer.provide(Layer.mock(PlayerStore, { save: () => Effect.as(take("player"), []) })),
        Layer.merge(Layer.mock(RoomFiles, { storeAlarms: () => take("alarms") })),
        Layer.merge(Layer.mock(RoomStore, { setLobby: () => take("lobby") }))
      )
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      yield* Effect.gen(function* () {
        const writes = yield* makeFactWrites({ key: newRoomKey(), order }, 0)
        if (fact === "alarms") writes.alarms.write([{ name: "a", atMs: 1 }])
        if (fact === "lobby") writes.lobby.write({ isPublic: true, started: false, metadata: null })
        if (fact === "player") writes.playerChanged("pl_1", Uint8Array.of(1))
        const countBefore = yield* givenUpOf(fact)
        // The write is given up, and then once more for the call that asks.
        yield* TestClock.adjust("2 minutes")
        for (const _call of ["first", "second"]) {
          const call = yield* Effect.forkChild(Effect.exit(writes.stored))
          yield* TestClock.adjust("2 minutes")
          assert.isTrue(Exit.isFailure(yield* Fiber.join(call)))
        }
        assert.deepStrictEqual(taken, [])
        assert.strictEqual(logged.length, 1)
        assert.strictEqual((yield* givenUpOf(fact)) - countBefore, 1)
        away = false
        assert.isTrue(Exit.isSuccess(yield* Effect.exit(writes.stored)))
        assert.deepStrictEqual(taken, [fact])
      }).pipe(Effect.provide(Layer.provideMerge(stores, Logger.layer([logger]))))
    })
)

it.effect(
  "[C-313] players' fields that were given up are stored when the store takes another's",
  () =>
    Effect.gen(function* () {
      let away = true
      const taken: Array<string> = []
      const store = Layer.mock(PlayerStore, {
        save: (_projectId, writes) =>
          Effect.suspend(() => {
            if (away) return Effect.die(new Error("away"))
            for (const { playerId, fields, asOfMs } of writes) {
              taken.push(`${playerId} ${fields.join()} as of ${asOfMs}`)
            }
            return Effect.succeed([])
          })
      })
      yield* Effect.gen(function* () {
        const fields = yield* PlayerFields
        const { projectId } = newRoomKey()
        yield* TestClock.adjust("1 second")
        for (const playerId of ["ann", "bob"])
          fields.write({ projectId, playerId }, { fields: Uint8Array.of(1), since: 0 })
        yield* TestClock.adjust("2 minutes")
        away = false
        fields.write({ projectId, playerId: "cem" }, { fields: Uint8Array.of(2), since: 0 })
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        assert.deepStrictEqual(taken, [
          "cem 2 as of undefined",
          "ann 1 as of 1000",
          "bob 1 as of 1000"
        ])
      }).pipe(Effect.provide(Layer.provide(PlayerFields.layer, store)))
    })
)

const givenUpOf = (fact: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find(
      ({ id, attributes }) => id === "atrium_facts_given_up_total" && attributes?.["fact"] === fact
    )
    return found?.type === "Counter" ? Number(found.state.count) : 0
  })
