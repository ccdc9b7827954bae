import { type ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { ObjectStore } from "../objects/ObjectStore.ts"
import type { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { saveKey, snapshotKey } from "./RoomObjects.ts"
import { StoredRooms } from "./StoredRooms.ts"

/** In the order of their keys, which have a slash after the id. */
const ids = ["abc-2", "abc.x", "abc", "abc0", "abcd", "~z"].map((id) => RoomId.make(id))

const store = Effect.fnUntraced(function* (projectId: ProjectId, roomId: RoomId) {
  const objects = yield* ObjectStore
  const key = { projectId, roomId }
  const bytes = Uint8Array.of(1)
  yield* objects.put({ key: snapshotKey(key, 1), bytes, manifest: { kind: "snapshot" } })
  const saved = saveKey(key, { version: 1, saveId: "sv_1" })
  yield* objects.put({ key: saved, bytes, manifest: { kind: "save" } })
})

/**
 * The behaviour of every layer of `StoredRooms`.
 * @param name of the layer, as the report shows it
 */
export const storedRoomsContract = (
  name: string,
  stores: Layer.Layer<ObjectStore | ProjectStore | StoredRooms | TestTables, unknown>
): void =>
  layer(stores)(`the stored rooms ${name}`, (it) => {
    it.effect("[C-711] are all there once, from any of them on, and none of another project", () =>
      Effect.gen(function* () {
        const rooms = yield* StoredRooms
        const [projectId, other] = [yield* newProject, yield* newProject]
        for (const roomId of ids.toReversed()) yield* store(projectId, roomId)
        yield* store(other, RoomId.make("others"))
        const from = (after: string | null) => rooms.page(projectId, { after, sinceMs: null })
        expect(yield* from(null)).toEqual(ids)
        for (const [place, id] of ids.entries()) {
          expect(yield* from(id)).toEqual(ids.slice(place + 1))
        }
        expect(yield* rooms.page(yield* newProject, { after: null, sinceMs: null })).toEqual([])
      })
    )

    it.effect("[C-711] are found by what was stored since a moment", () =>
      Effect.gen(function* () {
        const rooms = yield* StoredRooms
        const projectId = yield* newProject
        for (const roomId of ids.slice(0, 3)) yield* store(projectId, roomId)
        yield* TestClock.adjust(1)
        const sinceMs = yield* Clock.currentTimeMillis
        yield* store(projectId, RoomId.make("abc"))
        yield* store(projectId, RoomId.make("abcd"))
        expect(yield* rooms.page(projectId, { after: null, sinceMs })).toEqual(["abc", "abcd"])
        expect(yield* rooms.page(projectId, { after: "abc", sinceMs })).toEqual(["abcd"])
      })
    )

    it.effect("[C-710] are drawn by a seed, all of them if there are fewer", () =>
      Effect.gen(function* () {
        const rooms = yield* StoredRooms
        const projectId = yield* newProject
        for (const roomId of ids) yield* store(projectId, roomId)
        const draw = (count: number, seed: string) => rooms.draw(projectId, { rooms: count, seed })
        const three = yield* draw(3, "a seed")
        expect(three).toEqual(ids.filter((id) => three.includes(id)))
        expect(three).toHaveLength(3)
        expect(yield* draw(3, "a seed")).toEqual(three)
        expect(yield* draw(7, "a seed")).toEqual(ids)
        const seeds = Array.from({ length: 20 }, (_, at) => `seed ${at}`)
        const drawn = yield* Effect.forEach(seeds, (seed) => draw(1, seed))
        expect(new Set(drawn.flat()).size).toBeGreaterThan(2)
      })
    )
  })
