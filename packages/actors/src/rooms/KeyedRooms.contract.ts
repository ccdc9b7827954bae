import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { type ProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ApiKeyState } from "../keys/ApiKeyMachine.ts"
import { ApiKeyStore } from "../keys/ApiKeyStore.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { makeSecret } from "../store/Secrets.ts"
import { awakeAt, newProject, reported } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { KeyedRooms } from "./KeyedRooms.ts"
import { alarmKey, roomPrefix, saveKey, snapshotKey } from "./RoomObjects.ts"
import { RoomStore } from "./RoomStore.ts"

const bytes = Uint8Array.of(1, 2, 3)
const facts = { type: "arena", class: "large", maxClients: 12 } as const
const manifest = (kind: "snapshot" | "save") => ({
  kind,
  type: "arena",
  class: "large",
  version: 1,
  schemaHash: "0",
  epoch: 5,
  reason: kind === "save" ? "interval" : null,
  takenAtMs: 7,
  stateBytes: 3
})

const mint = Effect.fnUntraced(function* (projectId: ProjectId) {
  const keys = yield* ApiKeyStore
  return yield* keys.mint({ projectId, label: "reader", scopes: ["rooms:read"] })
})

/** A project with a key, a room that has a row, and a deployment. */
const stage = Effect.gen(function* () {
  const projectId = yield* newProject
  const deployment = { bundle: bytes, roomTypes: [] }
  yield* (yield* DeploymentStore).add(projectId, deployment, () => null)
  const room: RoomKey = { projectId, roomId: RoomId.make("a.room") }
  yield* (yield* RoomStore).save(room, reported(awakeAt(5), facts))
  return { projectId, room, key: yield* mint(projectId) }
})

const put = Effect.fnUntraced(function* (key: string, kind: "snapshot" | "save") {
  yield* (yield* ObjectStore).put({ key, bytes, manifest: manifest(kind) })
})

/** What `RoomStore` and `ObjectStore` tell of the same room. */
const apart = Effect.fnUntraced(function* (room: RoomKey) {
  const shown = yield* (yield* RoomStore).show(room)
  return { ...shown, entries: yield* (yield* ObjectStore).list(roomPrefix(room)) }
})

/**
 * The behaviour of every layer of `KeyedRooms`.
 * @param name of the layer, as the report shows it
 */
export const keyedRoomsContract = (
  name: string,
  stores: Layer.Layer<
    | ApiKeyStore
    | DeploymentStore
    | KeyedRooms
    | ObjectStore
    | ProjectStore
    | RoomStore
    | TestTables,
    unknown
  >
): void =>
  layer(stores)(`rooms that are read with a key ${name}`, (it) => {
    it.effect("[C-926] one read tells what the stores of keys, rooms and objects tell", () =>
      Effect.gen(function* () {
        const rooms = yield* KeyedRooms
        const { room, key } = yield* stage
        const read = { ...room, secret: key.secret }
        const told = { scopes: ["rooms:read"], lastUsedMs: null }
        expect(yield* rooms.read(read)).toEqual({ ...told, ...(yield* apart(room)) })
        yield* put(saveKey(room, { version: 1, saveId: "sv_b" }), "save")
        yield* TestClock.adjust("1 second")
        yield* put(snapshotKey(room, 1), "snapshot")
        yield* put(alarmKey(room), "save")
        // The ids of other rooms begin alike.
        for (const roomId of ["a.roo", "a.room0", "a.room.b"])
          yield* put(snapshotKey({ ...room, roomId: RoomId.make(roomId) }, 1), "snapshot")
        yield* (yield* ApiKeyStore).save(
          key.keyId,
          ApiKeyState.Active({ ...room, scopes: ["rooms:read"], lastUsedMs: 99 })
        )
        const found = yield* rooms.read(read)
        expect(found).toEqual({ ...told, lastUsedMs: 99, ...(yield* apart(room)) })
        expect([found?.entries.length, found?.row?.type, found?.currentVersion]).toEqual([
          3,
          "arena",
          1
        ])
      })
    )

    it.effect("[C-926] a room without a row, and one that is not there, have what is stored", () =>
      Effect.gen(function* () {
        const rooms = yield* KeyedRooms
        const { projectId, key } = yield* stage
        const room: RoomKey = { projectId, roomId: RoomId.make("unlisted") }
        const read = rooms.read({ ...room, secret: key.secret })
        expect(yield* read).toMatchObject({ row: null, entries: [] })
        yield* put(snapshotKey(room, 1), "snapshot")
        const found = yield* read
        expect(found?.row).toBe(null)
        expect(found?.entries).toEqual((yield* apart(room)).entries)
      })
    )

    it.effect("[D-03] [D-19] [C-62] only a key of the project that stands reads its room", () =>
      Effect.gen(function* () {
        const rooms = yield* KeyedRooms
        const { room, key } = yield* stage
        const other = yield* mint(yield* newProject)
        const read = (secret: string) => rooms.read({ ...room, secret })
        expect(yield* read(makeSecret("apiKey"))).toBe(null)
        expect(yield* read(other.secret)).toBe(null)
        const { projectId } = room
        const revoked = yield* mint(projectId)
        expect(yield* read(revoked.secret)).not.toBe(null)
        const state = ApiKeyState.Revoked({ projectId, revokedAtMs: 1 })
        yield* (yield* ApiKeyStore).save(revoked.keyId, state)
        expect(yield* read(revoked.secret)).toBe(null)
        expect(yield* read(key.secret)).not.toBe(null)
        yield* (yield* ProjectStore).delete(projectId)
        expect(yield* read(key.secret)).toBe(null)
      })
    )

    it.effect("[C-926] a room with more stored objects than one statement reads is left", () =>
      Effect.gen(function* () {
        const rooms = yield* KeyedRooms
        const { room, key } = yield* stage
        const { max } = RoomLimits.keyedObjects
        const add = (save: number) => put(saveKey(room, { version: save, saveId: "sv_b" }), "save")
        for (let save = 1; save <= max; save++) yield* add(save)
        const read = rooms.read({ ...room, secret: key.secret })
        expect((yield* read)?.entries).toHaveLength(max)
        yield* add(max + 1)
        expect(yield* read).toBe(null)
      })
    )

    it.effect("[C-926] each of many reads at once gets its own room by its own key", () =>
      Effect.gen(function* () {
        const rooms = yield* KeyedRooms
        const [one, other] = [yield* stage, yield* stage]
        yield* put(snapshotKey(other.room, 1), "snapshot")
        const reads = Array.from({ length: 2 * RoomLimits.keyedReads.max + 1 }, (_, index) => {
          const { room, key } = index % 2 === 0 ? one : other
          const secret = index % 3 === 0 ? one.key.secret : key.secret
          return { room, read: { ...room, secret }, own: secret === key.secret }
        })
        const found = yield* Effect.forEach(reads, ({ read }) => rooms.read(read), {
          concurrency: "unbounded"
        })
        expect(found.map((room) => room?.entries.length ?? null)).toEqual(
          reads.map(({ room, own }) => (own ? (room === other.room ? 1 : 0) : null))
        )
      })
    )
  })
