import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
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
    const writes = yield* Effect.provide(makeFactWrites({ key: newRoomKey(), order }), stores)
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
