import { RoomId } from "@atrium/domain/shared/Ids"
import { defineSchema, describe as describeSchema, s } from "@atrium/sdk/schema"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

import { ProcessPool } from "../process/ProcessPool.ts"
import type { RoomFootage } from "../process/RoomProcess.ts"
import { noRooms } from "../process/testing/NoRooms.ts"
import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { ChunkPulls } from "./ChunkPulls.ts"
import { makeClips, makePackChunk } from "./RoomClips.ts"

const schema = describeSchema(defineSchema({ type: "arena", singletons: { it: { a: s.u8() } } }))
const packed = { fromMs: 1, toMs: 2, fromTick: 3, toTick: 4, plainBytes: 5 }

/** A room that answers each question for a chunk at once, and a packer that waits for the test. */
const room = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const taken: number[] = []
  const footage: RoomFootage = {
    takeChunk: (requestId, { number }) => {
      taken.push(number)
      pulls.chunk(requestId, Uint8Array.of(number))
    },
    makeClip: () => {},
    recordingEnded: () => {},
    resize: () => {}
  }
  const pulls = new ChunkPulls(() => footage)
  const projectId = yield* newProject
  const recorded = {
    key: { projectId, roomId: RoomId.make("lobby") },
    order: {
      roomId: RoomId.make("lobby"),
      fresh: false,
      class: "standard" as const,
      serverIndex: 0,
      epoch: 1,
      type: "arena",
      version: 1
    },
    schema,
    footage: () => footage
  }
  const pool = Layer.mock(ProcessPool, {
    ...noRooms,
    pack: ({ bytes }) =>
      Effect.as(Deferred.await(gate), { _tag: "Packed" as const, chunk: { ...packed, bytes } })
  })
  const packChunk = yield* makePackChunk(recorded, pulls).pipe(Effect.provide(pool))
  return { gate, taken, packChunk, clip: yield* makeClips(recorded, packChunk) }
})

it.effect("[C-833] the service takes one chunk of a room at a time", () =>
  Effect.gen(function* () {
    const { gate, taken, packChunk } = yield* room
    const chunks = yield* Effect.forEach([7, 8, 9], (number) =>
      Effect.forkChild(packChunk({ number, recording: number === 9 }, null))
    )
    yield* TestClock.adjust(1)
    expect(taken).toEqual([7])
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.joinAll(chunks)
    expect(taken).toEqual([7, 8, 9])
  }).pipe(Effect.provide(MemoryStores))
)

it.effect("[C-826] the service stores two clips of a room at once, and refuses a third one", () =>
  Effect.gen(function* () {
    const { gate, taken, clip } = yield* room
    const { max } = ReplayLimits.clipsUnderWay
    const wanted = { ttl: "1d", fromMs: 0, chunks: [1] }
    const clips = yield* Effect.forEach(Array.from({ length: max }), () =>
      Effect.forkChild(clip(wanted))
    )
    yield* TestClock.adjust(1)
    // A hostile process asks past the room's own bucket.
    const codes = new Set<string>()
    for (let asked = 0; asked < 10_000; asked++) codes.add((yield* Effect.flip(clip(wanted))).code)
    expect([...codes]).toEqual(["E_CLIP_COOLDOWN"])
    expect(taken).toHaveLength(1)
    yield* Deferred.succeed(gate, undefined)
    expect(yield* Fiber.joinAll(clips)).toHaveLength(max)
    expect(yield* clip(wanted)).toMatchObject({ clipId: expect.any(String) })
  }).pipe(Effect.provide(MemoryStores))
)
