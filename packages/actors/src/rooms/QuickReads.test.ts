import { KeyLimits } from "@atrium/domain/keys/KeyLimits"
import { RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { ApiKeyState } from "../keys/ApiKeyMachine.ts"
import { ApiKeyStore } from "../keys/ApiKeyStore.ts"
import { awakeAt, MemoryStores, newProject, reported } from "../store/testing/TestStores.ts"
import { QuickReads } from "./QuickReads.ts"
import { RoomStore } from "./RoomStore.ts"

const scopes = ["rooms:read"] as const
const facts = { type: "arena", class: "large", maxClients: 12 } as const

const stage = Effect.gen(function* () {
  const projectId = yield* newProject
  const keys = yield* ApiKeyStore
  const key = yield* keys.mint({ projectId, label: "reader", scopes })
  const room = { projectId, roomId: RoomId.make("arena") }
  yield* (yield* RoomStore).save(room, reported(awakeAt(5), facts))
  const use = Effect.flatMap(Clock.currentTimeMillis, (lastUsedMs) =>
    keys.save(key.keyId, ApiKeyState.Active({ projectId, scopes, lastUsedMs }))
  )
  return { room, read: { ...room, secret: key.secret }, use }
})

layer(QuickReads.layer.pipe(Layer.provideMerge(MemoryStores)))("a quick read of a room", (it) => {
  it.effect("[C-926] [D-18] waits for the note that its key is used", () =>
    Effect.gen(function* () {
      const reads = yield* QuickReads
      const { read, use } = yield* stage
      expect(yield* reads.read(read)).toBe(null)
      yield* use
      yield* TestClock.adjust(KeyLimits.keyUseWrites.ms - 1)
      expect(yield* reads.read(read)).toMatchObject({ roomId: "arena", type: "arena" })
      yield* TestClock.adjust(1)
      expect(yield* reads.read(read)).toBe(null)
    })
  )

  it.effect("[C-926] refuses nobody: a room that is not there is left to the API", () =>
    Effect.gen(function* () {
      const reads = yield* QuickReads
      const { read, use } = yield* stage
      yield* use
      expect(yield* reads.read({ ...read, roomId: RoomId.make("nobody") })).toBe(null)
    })
  )
})
