import { RoomId } from "@atrium/domain/shared/Ids"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { DevLeaseStore } from "../deployments/DevLeaseStore.ts"
import { ApiKeyStore } from "../keys/ApiKeyStore.ts"
import { CapStore } from "../meters/CapStore.ts"
import { MeterStore } from "../meters/MeterStore.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { AlarmStore } from "../rooms/AlarmStore.ts"
import { PlayerStore } from "../rooms/PlayerStore.ts"
import { RoomState } from "../rooms/RoomState.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { awakeAt, newProject, reported } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { DeletedProjects } from "./DeletedProjects.ts"
import { ProjectStore } from "./ProjectStore.ts"

type Stores =
  | AlarmStore
  | ApiKeyStore
  | CapStore
  | DeletedProjects
  | DevLeaseStore
  | MeterStore
  | ObjectStore
  | PlayerStore
  | ProjectStore
  | RoomStore
  | TestTables

const mayMs = 1_777_593_600_000
const period = (projectId: ProjectId) => ({ projectId, startMs: mayMs })
const lease = (projectId: ProjectId, holder: string) => ({ projectId, holder, folder: holder })
const roomOf = (projectId: ProjectId, room: string) => ({ projectId, roomId: RoomId.make(room) })

/** One of everything that a project stores; `up` is awake, `asleep` hibernates. */
const fill = Effect.fnUntraced(function* (projectId: ProjectId) {
  const rooms = yield* RoomStore
  const [up, asleep] = [roomOf(projectId, "up"), roomOf(projectId, "asleep")]
  yield* rooms.save(up, reported(awakeAt(yield* rooms.claimEpoch)))
  yield* rooms.save(asleep, reported(RoomState.Hibernated({ type: "arena" })))
  yield* (yield* AlarmStore).setNext(asleep, 1)
  const fields = new Uint8Array([1])
  yield* (yield* PlayerStore).save(projectId, [{ playerId: "ann", fields }])
  const objects = yield* ObjectStore
  for (const key of [`rooms/${projectId}/asleep/alarm`, `bundles/${projectId}/1`]) {
    yield* objects.put({ key, bytes: fields, manifest: {} })
  }
  yield* (yield* ApiKeyStore).mint({ projectId, label: "key", scopes: ["rooms:read"] })
  yield* (yield* CapStore).set(projectId, { roomHours: 5 })
  const meters = yield* MeterStore
  yield* meters.set(period(projectId), { meter: "roomHours", used: 5 })
  const sum = { projectId, meter: "dataOutBytes", dayStartsAtMs: mayMs, amount: 1 } as const
  yield* meters.take({ run: projectId, sequence: 1, sums: [sum] })
  yield* (yield* DevLeaseStore).take(lease(projectId, "one"), false)
})

/** What the stores know of a project. */
const storedOf = Effect.fnUntraced(function* (projectId: ProjectId) {
  const rooms = yield* RoomStore
  const isThere = (room: string) =>
    Effect.map(rooms.load(roomOf(projectId, room)), (row) => row !== null)
  const alarms = yield* (yield* AlarmStore).due(Number.MAX_SAFE_INTEGER, 100)
  const objects = yield* ObjectStore
  const another = lease(projectId, "another")
  const leases = yield* DevLeaseStore
  const meters = yield* MeterStore
  const isFree = yield* Effect.isSuccess(leases.take(another, false))
  yield* leases.release(another)
  return {
    up: yield* isThere("up"),
    asleep: yield* isThere("asleep"),
    alarms: alarms.filter((key) => key.projectId === projectId).length,
    players: (yield* (yield* PlayerStore).load(projectId, "ann")) === null ? 0 : 1,
    objects:
      (yield* objects.list(`rooms/${projectId}/`)).length +
      (yield* objects.list(`bundles/${projectId}/`)).length,
    keys: (yield* (yield* ApiKeyStore).list(projectId)).length,
    ceiling: (yield* (yield* CapStore).read(projectId)).roomHours,
    used: (yield* meters.read(period(projectId))).roomHours,
    days: (yield* meters.days({ projectId, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })).length,
    isFree
  }
})

const everything = {
  up: true,
  asleep: true,
  alarms: 1,
  players: 1,
  objects: 2,
  keys: 1,
  ceiling: 5,
  used: 5,
  days: 1,
  isFree: false
}

const nothing = {
  up: true,
  asleep: false,
  alarms: 0,
  players: 0,
  objects: 0,
  keys: 0,
  ceiling: null,
  used: 0,
  days: 0,
  isFree: true
}

/**
 * The behaviour of every layer of `DeletedProjects`.
 * @param name of the layer, as the report shows it
 */
export const deletedProjectsContract = (name: string, stores: Layer.Layer<Stores, unknown>): void =>
  layer(stores)(name, (it) => {
    it.effect(
      "[C-71] only deleted projects are pending, the longest deleted first, until purged",
      () =>
        Effect.gen(function* () {
          const deleted = yield* DeletedProjects
          const projects = yield* ProjectStore
          const [first, second] = [yield* newProject, yield* newProject]
          yield* newProject
          expect(yield* deleted.pending(10)).toEqual([])
          yield* projects.delete(second)
          const secondMs = yield* Clock.currentTimeMillis
          yield* TestClock.adjust("1 second")
          yield* projects.delete(first)
          const both = [
            { projectId: second, deletedAtMs: secondMs },
            { projectId: first, deletedAtMs: secondMs + 1000 }
          ]
          expect(yield* deleted.pending(10)).toEqual(both)
          expect(yield* deleted.pending(1)).toEqual(both.slice(0, 1))
          yield* deleted.purged(second)
          expect(yield* deleted.pending(10)).toEqual(both.slice(1))
          yield* deleted.purged(first)
          expect(yield* deleted.pending(10)).toEqual([])
        })
    )

    it.effect("[C-402] tells the deleted ones among projects, also after they are purged", () =>
      Effect.gen(function* () {
        const deleted = yield* DeletedProjects
        const [gone, kept] = [yield* newProject, yield* newProject]
        const among = () => deleted.among([gone, kept, "p_unknown"])
        expect(yield* among()).toEqual([])
        yield* (yield* ProjectStore).delete(gone)
        expect(yield* among()).toEqual([gone])
        yield* deleted.purged(gone)
        expect(yield* among()).toEqual([gone])
        expect(yield* deleted.among([])).toEqual([])
      })
    )

    it.effect("[C-71] everything that a project stores goes, but rooms that are up", () =>
      Effect.gen(function* () {
        const deleted = yield* DeletedProjects
        const [gone, kept] = [yield* newProject, yield* newProject]
        yield* fill(gone)
        yield* fill(kept)
        expect(yield* storedOf(gone)).toEqual(everything)
        // The key of another project, which a pattern would take for one of this.
        const objects = yield* ObjectStore
        const alike = `rooms/${gone.replace("_", "x")}/r/alarm`
        yield* objects.put({ key: alike, bytes: new Uint8Array([1]), manifest: {} })
        yield* (yield* ProjectStore).delete(gone)
        expect(yield* deleted.removeSome(gone)).toBeGreaterThan(0)
        expect(yield* deleted.removeSome(gone)).toBe(0)
        expect(yield* storedOf(gone)).toEqual(nothing)
        expect(yield* storedOf(kept)).toEqual(everything)
        expect(yield* objects.list(alike)).toHaveLength(1)
      })
    )
  })
