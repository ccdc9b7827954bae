import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { ObjectStore } from "../objects/ObjectStore.ts"
import { ProjectStore } from "../projects/ProjectStore.ts"
import { newProject } from "../store/testing/TestStores.ts"
import type { TestTables } from "../store/testing/TestTables.ts"
import { StateOutcome, withRoom } from "./RehearsalReport.ts"
import {
  freshProgress,
  type NewRehearsal,
  rehearsedKey,
  type RehearsalRow
} from "./RehearsalRow.ts"
import { RehearsalStore } from "./RehearsalStore.ts"

const begins = (projectId: ProjectId, more: Partial<NewRehearsal> = {}): NewRehearsal => ({
  projectId,
  hash: "aa",
  baseVersion: 2,
  sample: null,
  candidate: {
    bytes: 3,
    roomTypes: [],
    relay: false,
    migrations: [{ type: "t", from: "1", to: "2", code: true, back: false }],
    step: { strategy: "migrate", discards: false, rooms: { t: [{ from: 2, to: 3 }] }, players: [] }
  },
  total: { rooms: 5, saves: 7 },
  ...more
})

const bundle = Uint8Array.of(1, 2, 3)

const advanced = {
  ...freshProgress,
  after: "arena",
  ranMs: 12.5,
  // The code of a bundle may say what jsonb does not hold.
  report: withRoom(
    freshProgress.report,
    {
      roomId: "arena",
      states: [StateOutcome.Failed({ saveId: null, version: 1, why: "\u0000" })],
      isCounted: true,
      diff: null
    },
    true
  )
}

/**
 * The behaviour of every layer of `RehearsalStore`.
 * @param name of the layer, as the report shows it
 */
export const rehearsalStoreContract = (
  name: string,
  stores: Layer.Layer<ObjectStore | ProjectStore | RehearsalStore | TestTables, unknown>
): void =>
  layer(stores)(`rehearsals ${name}`, (it) => {
    it.effect(
      "[C-710] stores a rehearsal with its bundle, and finds it under its own project only",
      () =>
        Effect.gen(function* () {
          const store = yield* RehearsalStore
          const projectId = yield* newProject
          const asked = begins(projectId, { sample: ["a", "b"] })
          const row = yield* store.begin(asked, bundle)
          expect(row).toMatchObject({ ...asked, state: "running", progress: freshProgress })
          if (row === null) return
          expect(yield* store.find(projectId, row.rehearsalId)).toEqual(Option.some(row))
          expect(yield* store.list(projectId)).toEqual([row])
          expect(yield* store.running).toContainEqual(row)
          expect(yield* store.bundle(row)).toEqual(Option.some(bundle))
          const other = yield* newProject
          expect(yield* store.find(other, row.rehearsalId)).toEqual(Option.none())
          expect(yield* store.list(other)).toEqual([])
          const strange = { projectId: other, rehearsalId: row.rehearsalId }
          expect(yield* store.set(strange, "stopped")).toEqual(Option.none())
          const nobody = ProjectId.make("p_00000000000000ff")
          expect(yield* store.begin(begins(nobody), bundle)).toBeNull()
        })
    )

    it.effect("[C-711] stores progress only for the runner that wrote the last revision", () =>
      Effect.gen(function* () {
        const store = yield* RehearsalStore
        const projectId = yield* newProject
        const row = yield* store.begin(begins(projectId), bundle)
        if (row === null) throw new Error("the project is gone")
        const next = yield* store.advance(row, { progress: advanced, state: "running" })
        expect(next).toMatchObject({ progress: advanced, state: "running" })
        expect(yield* store.advance(row, { progress: freshProgress, state: "passed" })).toBeNull()
        const stopped = Option.getOrThrow(yield* store.set(row, "stopped"))
        expect(stopped).toMatchObject({ state: "stopped", progress: advanced })
        expect(
          yield* store.advance(next ?? row, { progress: advanced, state: "passed" })
        ).toBeNull()
        expect((yield* store.running).map(({ rehearsalId }) => rehearsalId)).not.toContain(
          row.rehearsalId
        )
        const resumed = Option.getOrThrow(yield* store.set(row, "running"))
        const over = yield* store.advance(resumed, { progress: advanced, state: "failed" })
        expect(over).toMatchObject({ state: "failed", progress: advanced })
        // A rehearsal that is over has no bundle.
        expect(yield* store.bundle(row)).toEqual(Option.none())
        expect(Option.getOrThrow(yield* store.set(row, "running"))).toEqual(over)
      })
    )

    it.effect("[C-710] the same bundle resumes its rehearsal, and another bundle stops it", () =>
      Effect.gen(function* () {
        const store = yield* RehearsalStore
        const projectId = yield* newProject
        const first = yield* store.begin(begins(projectId), bundle)
        if (first === null) throw new Error("the project is gone")
        expect(yield* store.begin(begins(projectId), bundle)).toEqual(first)
        yield* store.set(first, "stopped")
        yield* TestClock.adjust(1)
        const again = yield* store.begin(begins(projectId), bundle)
        expect(again).toMatchObject({ rehearsalId: first.rehearsalId, state: "running" })
        for (const more of [{ hash: "bb" }, { baseVersion: 3 }, { sample: ["a"] }]) {
          yield* TestClock.adjust(1)
          const other = yield* store.begin(begins(projectId, more), bundle)
          expect(other?.rehearsalId).not.toBe(first.rehearsalId)
          const running = (yield* store.list(projectId)).filter(({ state }) => state === "running")
          expect(running).toEqual([other])
        }
        const resumed = Option.getOrThrow(yield* store.set(first, "running"))
        const running = (yield* store.list(projectId)).filter(({ state }) => state === "running")
        expect(running).toEqual([resumed])
      })
    )

    it.effect("[C-710] one of a project runs when one begins while others are resumed", () =>
      Effect.gen(function* () {
        const store = yield* RehearsalStore
        const projectId = yield* newProject
        const stopped: Array<RehearsalRow> = []
        for (const hash of ["a", "b", "c"]) {
          const row = yield* store.begin(begins(projectId, { hash }), bundle)
          if (row !== null) stopped.push(row)
        }
        for (let round = 0; round < 8; round++) {
          for (const row of stopped) yield* store.set(row, "stopped")
          const resume = stopped.map((row) => store.set(row, "running"))
          const begin = store.begin(begins(projectId, { hash: `new ${round}` }), bundle)
          yield* Effect.all([begin, ...resume, begin], { concurrency: "unbounded" })
          const running = (yield* store.list(projectId)).filter(({ state }) => state === "running")
          expect(running).toHaveLength(1)
        }
      })
    )

    it.effect("[C-710] keeps the newest of a project, and no bundle of those that go", () =>
      Effect.gen(function* () {
        const store = yield* RehearsalStore
        const objects = yield* ObjectStore
        const projectId = yield* newProject
        const { max } = MigrationLimits.rehearsalsKept
        const ids: Array<string> = []
        for (let at = 0; at <= max; at++) {
          yield* TestClock.adjust(1)
          const row = yield* store.begin(begins(projectId, { hash: `h${at}` }), bundle)
          ids.unshift(row?.rehearsalId ?? "")
          const listed = (yield* store.list(projectId)).map(({ rehearsalId }) => rehearsalId)
          expect(listed).toEqual(ids.slice(0, max))
        }
        const keys = (yield* objects.list(`rehearsals/${projectId}/`)).map(({ key }) => key)
        const kept = ids
          .slice(0, max)
          .map((rehearsalId) => rehearsedKey({ projectId, rehearsalId }))
        expect(keys).toEqual(kept.toSorted())
      })
    )

    it.effect("[C-710] rehearsals of a deleted project do not run", () =>
      Effect.gen(function* () {
        const store = yield* RehearsalStore
        const projectId = yield* newProject
        yield* store.begin(begins(projectId), bundle)
        yield* (yield* ProjectStore).delete(projectId)
        const running = (yield* store.running).map((row) => row.projectId)
        expect(running).not.toContain(projectId)
      })
    )
  })
