import { InspectLimits } from "@atrium/domain/inspect/InspectLimits"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { Links } from "../link/Links.ts"
import { RunnerAnswers } from "../link/RunnerAnswers.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { Packing } from "../objects/Packing.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { snapshotKey } from "../rooms/RoomObjects.ts"
import { RoomTraffic } from "../rooms/RoomTraffic.ts"
import { MemoryStores, newRoomKey } from "../store/testing/TestStores.ts"
import { lookOf, RoomStates } from "./RoomStates.ts"

const { max } = InspectLimits.liveStateBytes

it("[limits.live.state-bytes] [C-770] a state of an awake room past the limit is told by its size alone", () => {
  const about = { live: true, atMs: 5, type: "t", version: 1 }
  const shown = lookOf(new Uint8Array(max), about, null)
  expect([shown.bytes, shown.state?.length]).toEqual([max, max])
  expect(lookOf(new Uint8Array(max), about, shown.hash)).toEqual({ ...shown, state: null })
  const state = new Uint8Array(max + 1)
  const over = { ...about, bytes: max + 1, hash: `over ${max + 1}`, state: null }
  expect(lookOf(state, about, null)).toEqual(over)
  state[0] = 1
  expect(lookOf(state, about, null)).toEqual(over)
})

const parts = RoomStates.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      MemoryStores,
      Layer.mock(AwakeRooms, {
        find: () => undefined,
        all: () => [],
        traffic: new RoomTraffic(),
        close: () => undefined,
        closing: () => false
      }),
      Layer.mock(Links, {
        forward: () => {
          throw new Error("no client comes here")
        },
        reaching: () => null,
        reached: () => [],
        forget: () => undefined,
        figures: () => {
          throw new Error("nobody counts links here")
        }
      }),
      RunnerAnswers.layer
    )
  )
)

layer(parts)("the state of a room that sleeps", (it) => {
  it.effect("[limits.live.state-bytes] [C-770] is read up to its limit only, and once", () =>
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const states = yield* RoomStates
      for (const stateBytes of [max, max + 1]) {
        const key = newRoomKey()
        const about = { type: "t", version: 1, epoch: 1, takenAtMs: 7, stateBytes }
        const manifest = { ...about, kind: "snapshot", class: "standard", schemaHash: "" }
        const bytes = yield* (yield* Packing).pack(Uint8Array.of(1, 2, 3))
        const put = { key: snapshotKey(key, 1), bytes, manifest: { ...manifest, reason: null } }
        yield* objects.put(put)
        const look = yield* states.look(key, null)
        const told = { live: false, atMs: 7, type: "t", version: 1, hash: `1 7 ${stateBytes}` }
        // The three bytes that are stored show whether they were read.
        expect(look).toEqual(
          stateBytes === max
            ? { ...told, bytes: 3, state: Uint8Array.of(1, 2, 3) }
            : { ...told, bytes: max + 1, state: null }
        )
        expect(yield* states.look(key, told.hash)).toEqual({
          ...told,
          bytes: stateBytes,
          state: null
        })
      }
    })
  )
})
