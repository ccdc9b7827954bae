import { RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { newProject, reported, TestStores } from "../store/testing/TestStores.ts"
import { snapshotKey } from "./RoomObjects.ts"
import { Rooms } from "./Rooms.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

const asked: Array<string> = []

/** The store of objects, which notes what it is asked. */
const Noting = Layer.effect(
  ObjectStore,
  Effect.map(ObjectStore, (objects) => ({
    ...objects,
    list: (prefix: string) => {
      asked.push("list")
      return objects.list(prefix)
    },
    listWith: (prefix: string, keys: ReadonlyArray<string>) => {
      asked.push("listWith")
      return objects.listWith(prefix, keys)
    },
    get: (key: string) => {
      asked.push("get")
      return objects.get(key)
    }
  }))
)

const reading = Rooms.layer.pipe(
  Layer.provide(Noting),
  Layer.provideMerge(TestCluster),
  Layer.provideMerge(TestStores)
)

layer(reading)((it) => {
  it.effect(
    "[rooms.detail.one-storage-listing] a read costs one listing, however much is stored",
    () =>
      Effect.gen(function* () {
        const projectId = yield* newProject
        const key = { projectId, roomId: RoomId.make("one") }
        const rooms = yield* RoomStore
        yield* rooms.save(key, reported(RoomState.Hibernated({ type: "arena" })))
        const objects = yield* ObjectStore
        for (let version = 1; version <= 5; version++) {
          const manifest = {
            kind: "snapshot",
            type: "arena",
            class: "standard",
            version,
            epoch: version,
            schemaHash: "0",
            reason: null,
            takenAtMs: 0,
            stateBytes: version
          }
          const bytes = new Uint8Array([version])
          yield* objects.put({ key: snapshotKey(key, version), bytes, manifest })
        }
        asked.length = 0
        const detail = yield* (yield* Rooms).read(key)
        expect(detail).toMatchObject({ roomId: "one", stateBytes: 5, saves: 0 })
        expect(asked).toEqual(["list"])
      })
  )
})
