import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { type ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import type { ProjectStore } from "../projects/ProjectStore.ts"
import { awakeAt, newProject, reported } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { RoomList } from "./RoomList.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

const asleep = RoomState.Hibernated({ type: "arena" })
const closedAt = (version: number) => RoomState.Closed({ type: "arena", quarantined: version })

const deploy = Effect.fnUntraced(function* (
  projectId: ProjectId,
  failing: ReadonlyArray<string> = []
) {
  const made = { bundle: Uint8Array.of(1), roomTypes: [], failing }
  return yield* (yield* DeploymentStore).add(projectId, made, () => null)
})

/** A project on its first version, with rooms of these names. */
const projectWith = Effect.fnUntraced(function* (rooms: Readonly<Record<string, RoomState>>) {
  const store = yield* RoomStore
  const projectId = yield* newProject
  yield* deploy(projectId)
  const keyOf = (roomId: string) => ({ projectId, roomId: RoomId.make(roomId) })
  for (const [roomId, state] of Object.entries(rooms)) {
    yield* store.save(keyOf(roomId), reported(state))
  }
  const stateOf = (roomId: string) =>
    Effect.map(store.load(keyOf(roomId)), (row) => row?.state ?? null)
  const notLedOn = (version: number, failing: ReadonlyArray<string> = []) =>
    Effect.map(store.notLedOn({ projectId, version, rooms: failing }), (keys) =>
      keys.map(({ roomId }) => roomId)
    )
  return { projectId, keyOf, stateOf, notLedOn }
})

const listed = Effect.fnUntraced(function* (projectId: ProjectId) {
  const all = { active: null, idleLongerThanMs: null }
  const lines = yield* (yield* RoomStore).list(projectId, all)
  const list = new RoomList(lines, { projectId, declared: new Map([["arena", "10m"]]) })
  const rows: ReadonlyArray<Readonly<Record<string, unknown>>> = JSON.parse(
    `[${[...list.pages()].map((page) => list.json(page)).join(",")}]`
  )
  return new Map(rows.map((row) => [row["roomId"], row]))
})

/**
 * The quarantine of every layer of `RoomStore` and `DeploymentStore`.
 * @param name of the layer, as the report shows it
 */
export const roomQuarantineContract = (
  name: string,
  stores: Layer.Layer<RoomStore | DeploymentStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[C-991] a version closes the sleeping rooms that it does not lead on, at once", () =>
      Effect.gen(function* () {
        const restoring = RoomState.Restoring({
          type: "arena",
          save: { version: 1, saveId: "sv_1" },
          at: null
        })
        const { projectId, stateOf } = yield* projectWith({
          asleep,
          closed: RoomState.Closed({ type: "arena" }),
          good: asleep,
          restoring,
          up: awakeAt(5)
        })
        yield* deploy(projectId, ["asleep", "closed", "gone", "restoring", "up"])
        expect(yield* stateOf("asleep")).toEqual(closedAt(2))
        expect(yield* stateOf("closed")).toEqual(closedAt(2))
        expect(yield* stateOf("good")).toEqual(asleep)
        expect(yield* stateOf("restoring")).toEqual(restoring)
        expect(yield* stateOf("up")).toEqual(awakeAt(5))
        expect(yield* stateOf("gone")).toBeNull()
      })
    )

    it.effect("[C-991] an actor that knows the row of before saves nothing over it", () =>
      Effect.gen(function* () {
        const store = yield* RoomStore
        const { projectId, keyOf, stateOf } = yield* projectWith({ asleep })
        const row = yield* store.load(keyOf("asleep"))
        yield* deploy(projectId, ["asleep"])
        const late = { ...reported(awakeAt(7)), after: row?.revision ?? null }
        expect(yield* store.save(keyOf("asleep"), late)).toBe(false)
        expect(yield* stateOf("asleep")).toEqual(closedAt(2))
      })
    )

    it.effect("[C-990] a room in quarantine is listed as such, and shown to no player", () =>
      Effect.gen(function* () {
        const store = yield* RoomStore
        const { projectId, keyOf } = yield* projectWith({ asleep, good: asleep })
        for (const roomId of ["asleep", "good"]) {
          const room = { state: asleep, facts: null }
          yield* store.saveSettings(keyOf(roomId), { public: true }, room)
        }
        yield* deploy(projectId, ["asleep"])
        const rows = yield* listed(projectId)
        expect(rows.get("asleep")).toMatchObject({
          status: "closed",
          quarantined: 2,
          retention: "10m",
          deletesAt: null
        })
        expect(rows.get("good")).not.toHaveProperty("quarantined")
        expect(rows.get("good")?.["deletesAt"]).not.toBeNull()
        const shown = yield* store.show(keyOf("asleep"))
        expect(shown.row).toMatchObject({ status: "closed", quarantined: 2 })
        expect((yield* store.lobby(projectId)).map(({ roomId }) => roomId)).toEqual(["good"])
        yield* store.save(keyOf("asleep"), reported(awakeAt(9)))
        yield* store.save(keyOf("asleep"), reported(asleep))
        expect((yield* listed(projectId)).get("asleep")).not.toHaveProperty("quarantined")
        expect(yield* store.lobby(projectId)).toHaveLength(2)
      })
    )

    it.effect(
      "[C-992] no sweep asks a room in quarantine, however long its retention is over",
      () =>
        Effect.gen(function* () {
          const { projectId } = yield* projectWith({ asleep, good: asleep })
          yield* deploy(projectId, ["asleep"])
          yield* TestClock.adjust("2 minutes")
          const lapsed = yield* (yield* RoomStore).lapsed({
            nowMs: yield* Clock.currentTimeMillis,
            declared: [{ projectId, type: "arena", retention: "1m" }],
            after: null
          })
          const its = lapsed.filter((key) => key.projectId === projectId)
          expect(its.map(({ roomId }) => roomId)).toEqual(["good"])
        })
    )

    it.effect("[C-992] its row stays on the list, and comes back to it", () =>
      Effect.gen(function* () {
        const store = yield* RoomStore
        const { projectId } = yield* projectWith({ asleep, later: asleep, good: asleep })
        yield* deploy(projectId, ["asleep"])
        yield* TestClock.adjust(RoomLimits.rowKept.ms)
        yield* store.prune(yield* Clock.currentTimeMillis)
        expect([...(yield* listed(projectId)).keys()]).toEqual(["asleep"])
        yield* deploy(projectId, ["asleep", "later"])
        const rows = yield* listed(projectId)
        expect([...rows.keys()].sort()).toEqual(["asleep", "later"])
        expect(rows.get("asleep")).toMatchObject({ quarantined: 3 })
      })
    )

    it.effect("[C-993] rooms in quarantine since an older version are to be tried", () =>
      Effect.gen(function* () {
        const store = yield* RoomStore
        const { projectId, keyOf, notLedOn } = yield* projectWith({
          bad: asleep,
          good: asleep,
          up: awakeAt(5)
        })
        yield* deploy(projectId, ["bad", "up"])
        expect(yield* notLedOn(2, ["bad", "up"])).toEqual([])
        // It has made way for the version, and nobody has come back to it.
        yield* store.save(keyOf("up"), reported(asleep))
        expect(yield* notLedOn(2, ["bad", "up"])).toEqual(["up"])
        yield* deploy(projectId)
        expect(yield* notLedOn(3)).toEqual(["bad"])
        yield* store.save(keyOf("bad"), reported(awakeAt(8, 3)))
        expect(yield* notLedOn(3)).toEqual([])
      })
    )

    it.effect("[C-991] the mark stays while the room is on its way, and goes when it is up", () =>
      Effect.gen(function* () {
        const store = yield* RoomStore
        const { keyOf, stateOf } = yield* projectWith({ bad: closedAt(2) })
        const at = {
          type: "arena",
          class: "standard",
          version: 3,
          epoch: 6,
          serverIndex: 0
        } as const
        const starting = RoomState.Starting({ at, stored: true, quarantined: 2 })
        yield* store.save(keyOf("bad"), reported(starting))
        expect(yield* stateOf("bad")).toEqual(starting)
        yield* store.save(keyOf("bad"), reported(awakeAt(6, 3)))
        const up = yield* store.load(keyOf("bad"))
        expect(up).toMatchObject({ state: awakeAt(6, 3), quarantined: null })
        yield* store.save(keyOf("bad"), reported(closedAt(3)))
        expect(yield* stateOf("bad")).toEqual(closedAt(3))
      })
    )
  })
