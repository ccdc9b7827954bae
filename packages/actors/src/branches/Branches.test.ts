import { type RoomKey, RoomId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"

import { OtherRunners } from "../cluster/OtherRunners.ts"
import { inertSince } from "../cluster/RunnerProtocol.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { RoomObjects, roomPrefix, saveKey } from "../rooms/RoomObjects.ts"
import { Rooms } from "../rooms/Rooms.ts"
import { RoomState } from "../rooms/RoomState.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { MemoryStores, newProject, reported } from "../store/testing/TestStores.ts"
import { Branches } from "./Branches.ts"

type Put = RoomObjects["Service"]["put"]

const version = 1
const saveId = "sv_0123456789abcdef"

/** Asks for a branch; `put` stores its state, and is given the one that works. */
const branching = <A, E>(
  put: (works: Put) => Put,
  use: (as: RoomKey) => Effect.Effect<A, E, Branches | RoomStore | ObjectStore>
) => {
  const storing = Layer.effect(
    RoomObjects,
    Effect.map(RoomObjects, (objects) => ({ ...objects, put: put(objects.put) }))
  )
  const layer = Branches.layer.pipe(
    Layer.provide(Rooms.layer),
    Layer.provide(storing),
    Layer.provideMerge(TestCluster),
    Layer.provideMerge(MemoryStores)
  )
  return Effect.gen(function* () {
    const projectId = yield* newProject
    return yield* use({ projectId, roomId: RoomId.make("copy") })
  }).pipe(Effect.provide(layer))
}

/** The room `origin` has one save, of which a branch is made. */
const make = Effect.fnUntraced(function* (as: RoomKey) {
  const source = { ...as, roomId: RoomId.make("origin") }
  const manifest = {
    kind: "save",
    type: "arena",
    class: "standard",
    version,
    epoch: 1,
    schemaHash: "0",
    reason: "manual",
    takenAtMs: 0,
    stateBytes: 1
  }
  const key = saveKey(source, { version, saveId })
  yield* (yield* RoomStore).save(source, reported(RoomState.Hibernated({ type: "arena" })))
  yield* (yield* ObjectStore).put({ key, bytes: Uint8Array.of(7), manifest })
  return yield* (yield* Branches).make({ source, saveId, as })
})

/** What is stored of the branch. */
const storedOf = Effect.fnUntraced(function* (as: RoomKey) {
  const row = yield* (yield* RoomStore).load(as)
  const objects = yield* (yield* ObjectStore).list(roomPrefix(as))
  return { branch: row?.branch ?? null, objects: objects.length }
})

const branch = { version, roomId: "origin", saveId }

it.effect("[D-58] leaves nothing when the store fails, though the state was stored", () =>
  branching(
    (works) => (objects, fence) =>
      Effect.andThen(works(objects, fence), Effect.die(new Error("the answer is lost"))),
    (as) =>
      Effect.gen(function* () {
        expect(Exit.hasDies(yield* Effect.exit(make(as)))).toBe(true)
        expect(yield* storedOf(as)).toEqual({ branch: null, objects: 0 })
      })
  )
)

it.effect("[D-58] has row and state when its request is interrupted between them", () =>
  Effect.gen(function* () {
    const began = yield* Deferred.make<void>()
    const goesOn = yield* Deferred.make<void>()
    yield* branching(
      (works) => (objects, fence) =>
        Deferred.succeed(began, undefined).pipe(
          Effect.andThen(Deferred.await(goesOn)),
          Effect.andThen(works(objects, fence))
        ),
      (as) =>
        Effect.gen(function* () {
          const making = yield* Effect.forkChild(make(as))
          yield* Deferred.await(began)
          const ended = yield* Effect.forkChild(Fiber.interrupt(making), {
            startImmediately: true
          })
          yield* Deferred.succeed(goesOn, undefined)
          yield* Fiber.join(ended)
          expect(yield* storedOf(as)).toEqual({ branch, objects: 1 })
        })
    )
  })
)

it.effect("[D-58] leaves a room alone that has taken its id before its state was stored", () => {
  const other = { version, roomId: "another", saveId }
  let takes: Effect.Effect<unknown> = Effect.void
  return branching(
    (works) => (objects, fence) => Effect.andThen(takes, works(objects, fence)),
    (as) =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        takes = Effect.gen(function* () {
          yield* rooms.save(as, {
            state: { _tag: "Absent" },
            facts: null,
            reported: false,
            after: 1
          })
          const epoch = yield* rooms.claimEpoch
          const facts = { type: "arena", class: "standard", maxClients: 0 } as const
          yield* rooms.addBranch(as, { ...facts, epoch, branch: other })
        })
        expect(yield* Effect.flip(make(as))).toMatchObject({ _tag: "E_ROOM_EXISTS" })
        expect(yield* storedOf(as)).toEqual({ branch: other, objects: 0 })
      })
  )
})

it.effect.each([
  [inertSince - 1, "E_NOT_READY", 0],
  [inertSince, "made", 1]
] as const)(
  "[C-425] [D-58] is made beside a runner of protocol %i: %s",
  ([newestProtocol, outcome, objects]) =>
    branching(
      (works) => works,
      (as) =>
        Effect.gen(function* () {
          const made = make(as).pipe(
            Effect.as("made"),
            Effect.catch(({ _tag }) => Effect.succeed(_tag))
          )
          expect(yield* made).toBe(outcome)
          expect((yield* storedOf(as)).objects).toBe(objects)
        })
    ).pipe(
      Effect.provideService(OtherRunners, {
        several: true,
        living: Effect.succeed([{ address: "b:2", link: "b:2", newestProtocol }])
      })
    )
)
