import { MigrationLimits } from "@atrium/domain/migrations/MigrationLimits"
import { type ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { defineSchema, describe as describeSchema, s, schemaHash } from "@atrium/wire/schema"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import type { DeployedType } from "../deployments/DeployedType.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { Packing } from "../objects/Packing.ts"
import type { Migrated, ToMigrate } from "../process/MigrateProcess.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import { noRooms } from "../process/testing/NoRooms.ts"
import { saveKey, snapshotKey } from "../rooms/RoomObjects.ts"
import { RoomStore } from "../rooms/RoomStore.ts"
import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { StateOutcome, withRoom } from "./RehearsalReport.ts"
import { freshProgress } from "./RehearsalRow.ts"
import { RehearsalStore } from "./RehearsalStore.ts"
import { runRehearsal } from "./RunRehearsal.ts"

const schemas = [
  defineSchema({ type: "t", singletons: { it: { a: s.u8() } } }),
  defineSchema({ type: "t", singletons: { it: { b: s.u8() } } })
] as const

const declared = (at: 0 | 1): DeployedType => ({
  type: "t",
  class: "standard",
  maxClients: 2,
  tickHz: 20,
  retention: null,
  hibernateAfterMs: 1000,
  reconnectForMs: 0,
  schemaHash: schemaHash(schemas[at]),
  schema: Object(JSON.parse(JSON.stringify(describeSchema(schemas[at]))))
})

/** A state is one byte; the code of the candidate does with it what `change` says. */
const parts = (change: (byte: number) => Migrated, takesMs = 0) =>
  Layer.merge(
    MemoryStores,
    Layer.mock(ProcessPool, {
      ...noRooms,
      migrator: () =>
        Effect.succeed({
          isOver: () => false,
          migrate: ({ bytes }: ToMigrate) =>
            Effect.as(TestClock.adjust(takesMs), change(bytes[0] ?? 0))
        })
    })
  )

const ok: Migrated = { ok: true, bytes: Uint8Array.of(7, 7) }
const no: Migrated = { ok: false, fault: "code", message: "no", stack: "" }
const away: Migrated = { ok: false, fault: "machine", message: "it was killed", stack: "" }

interface ToStore {
  readonly room: string
  readonly saveId?: string
  readonly byte: number
  readonly type?: string
}

const storeState = Effect.fnUntraced(function* (
  projectId: ProjectId,
  { room, saveId, byte, type = "t" }: ToStore
) {
  const key = { projectId, roomId: RoomId.make(room) }
  const bytes = yield* (yield* Packing).pack(Uint8Array.of(byte))
  const manifest = {
    kind: saveId === undefined ? "snapshot" : "save",
    type,
    class: "standard",
    version: 1,
    schemaHash: "",
    epoch: 1,
    reason: null,
    takenAtMs: byte,
    stateBytes: 1
  }
  const at = saveId === undefined ? snapshotKey(key, 1) : saveKey(key, { version: 1, saveId })
  yield* (yield* ObjectStore).put({ key: at, bytes, manifest })
})

/** A project whose version 1 is deployed, and a rehearsal that has begun. */
const stage = Effect.fnUntraced(function* (baseVersion = 1) {
  const projectId = yield* newProject
  const deployments = yield* DeploymentStore
  const first = { bundle: Uint8Array.of(1), roomTypes: [declared(0)] }
  yield* deployments.add(projectId, first, () => null)
  const store = yield* RehearsalStore
  const hop = { from: 1, to: baseVersion + 1 }
  const begin = Effect.gen(function* () {
    const row = yield* store.begin(
      {
        projectId,
        hash: "aa",
        baseVersion,
        sample: null,
        candidate: {
          bytes: 1,
          roomTypes: [declared(1)],
          relay: false,
          migrations: [],
          step: { strategy: "migrate", discards: false, rooms: { t: [hop] }, players: [] }
        },
        total: { rooms: 1, saves: 1 }
      },
      Uint8Array.of(2)
    )
    return row ?? (yield* Effect.die(new Error("the project is gone")))
  })
  const found = (rehearsalId: string) =>
    Effect.map(store.find(projectId, rehearsalId), Option.getOrThrow)
  return { projectId, begin, found }
})

describe("a rehearsal", () => {
  it.effect("[D-58] leaves a branch alone, which stays on the version of its save", () =>
    Effect.gen(function* () {
      const { projectId, begin, found } = yield* stage()
      const key = { projectId, roomId: RoomId.make("branch") }
      const branch = { version: 1, roomId: "a", saveId: "sv_1" }
      const made = { type: "t", class: "standard", maxClients: 2, epoch: 1, branch } as const
      expect(yield* (yield* RoomStore).addBranch(key, made)).toBe(true)
      yield* storeState(projectId, { room: "branch", byte: 1 })
      yield* storeState(projectId, { room: "broken", byte: 1 })
      const row = yield* begin
      yield* runRehearsal(row)
      const { progress } = yield* found(row.rehearsalId)
      expect(progress.report.failures.map(({ roomId }) => roomId)).toEqual(["broken"])
    }).pipe(Effect.provide(parts(() => no)))
  )

  it.effect("[C-710] [C-711] leads every snapshot and save on once, and stores none of them", () =>
    Effect.gen(function* () {
      const { projectId, begin, found } = yield* stage()
      yield* storeState(projectId, { room: "a", byte: 1 })
      // It was made with the snapshot.
      yield* storeState(projectId, { room: "a", saveId: "sv_1", byte: 1 })
      yield* storeState(projectId, { room: "a", saveId: "sv_2", byte: 2 })
      yield* storeState(projectId, { room: "b", byte: 9 })
      yield* storeState(projectId, { room: "b", saveId: "sv_3", byte: 3 })
      const objects = yield* ObjectStore
      const before = yield* objects.list(`rooms/${projectId}/`)
      const row = yield* begin
      expect(yield* runRehearsal(row)).toBe(false)
      expect(yield* found(row.rehearsalId)).toMatchObject({
        state: "failed",
        progress: {
          report: {
            rooms: 2,
            states: 4,
            bytesBefore: 3,
            bytesAfter: 6,
            failures: [{ roomId: "b", saveId: null, version: 1, kind: 0 }],
            kinds: [{ message: "the migration to version 2 failed: no" }]
          }
        }
      })
      expect(yield* objects.list(`rooms/${projectId}/`)).toEqual(before)
      // The second run of one that is over changes nothing.
      expect(yield* runRehearsal(row)).toBe(false)
    }).pipe(Effect.provide(parts((byte) => (byte === 9 ? no : ok))))
  )

  let led = 0
  const counted = parts(() => {
    led += 1
    return ok
  })
  it.effect(
    "[C-711] says nothing when another version was deployed meanwhile, and ends at once",
    () =>
      Effect.gen(function* () {
        const { projectId, begin, found } = yield* stage(5)
        yield* storeState(projectId, { room: "a", byte: 1 })
        const row = yield* begin
        expect(yield* runRehearsal(row)).toBe(false)
        expect(yield* found(row.rehearsalId)).toMatchObject({ state: "outdated" })
        expect(led).toBe(0)
      }).pipe(Effect.provide(counted))
  )

  it.effect("[C-711] runs as it is stored, not as it was when the runner found it", () =>
    Effect.gen(function* () {
      const { projectId, begin, found } = yield* stage()
      yield* storeState(projectId, { room: "a", byte: 1 })
      // The room has not changed since the rehearsal began.
      yield* TestClock.adjust(1)
      const row = yield* begin
      const store = yield* RehearsalStore
      yield* store.set(row, "stopped")
      expect(yield* runRehearsal(row)).toBe(false)
      expect(led).toBe(0)
      yield* store.set(row, "running")
      expect(yield* runRehearsal(row)).toBe(false)
      expect(yield* found(row.rehearsalId)).toMatchObject({ state: "passed" })
      expect(led).toBe(1)
    }).pipe(Effect.provide(counted))
  )

  it.effect("[C-711] forgets the failure of a room that is deleted before the end", () =>
    Effect.gen(function* () {
      const { projectId, begin, found } = yield* stage()
      for (const room of ["b", "c"]) yield* storeState(projectId, { room, byte: 1 })
      const begun = yield* begin
      const report = ["a", "b"].reduce(
        (before, roomId) =>
          withRoom(
            before,
            {
              roomId,
              states: [StateOutcome.Failed({ saveId: null, version: 1, why: "no" })],
              isCounted: true,
              diff: null
            },
            false
          ),
        freshProgress.report
      )
      const store = yield* RehearsalStore
      // All rooms but the last one are through, and nothing has changed since.
      const progress = { ...freshProgress, pass: 2 as const, after: "b", report }
      yield* store.advance(begun, { progress, state: "running" })
      yield* runRehearsal(begun)
      const over = yield* found(begun.rehearsalId)
      expect(over.state).toBe("failed")
      expect(over.progress.report.failures.map(({ roomId }) => roomId)).toEqual(["b"])
    }).pipe(Effect.provide(parts(() => ok)))
  )

  it.effect(
    "[C-711] gives its turn away where another one runs, and goes on where it is alone",
    () =>
      Effect.gen(function* () {
        const turn = MigrationLimits.rehearsalTurn.ms
        const [first, other] = [yield* stage(), yield* stage()]
        for (const room of ["a", "b", "c"]) {
          yield* storeState(first.projectId, { room, byte: 1 })
          yield* storeState(other.projectId, { room, byte: 1 })
        }
        yield* TestClock.adjust(1)
        const [one, two] = [yield* first.begin, yield* other.begin]
        expect(yield* runRehearsal(one)).toBe(true)
        const { state, progress } = yield* first.found(one.rehearsalId)
        expect([state, progress.after, progress.ranMs]).toEqual(["running", "a", turn])
        yield* (yield* RehearsalStore).set(two, "stopped")
        expect(yield* runRehearsal(one)).toBe(false)
        expect(yield* first.found(one.rehearsalId)).toMatchObject({
          state: "passed",
          progress: { ranMs: 3 * turn }
        })
      }).pipe(Effect.provide(parts(() => ok, MigrationLimits.rehearsalTurn.ms)))
  )

  it.effect("[C-712] counts as rooms those of the total", () =>
    Effect.gen(function* () {
      const { projectId, begin, found } = yield* stage()
      yield* storeState(projectId, { room: "a", byte: 1 })
      yield* storeState(projectId, { room: "b", byte: 1, type: "gone" })
      const row = yield* begin
      yield* runRehearsal(row)
      const { report } = (yield* found(row.rehearsalId)).progress
      expect([report.rooms, report.states, report.skipped]).toEqual([1, 1, 1])
    }).pipe(Effect.provide(parts(() => ok)))
  )

  let isAway = true
  it.effect("[C-711] goes on later where the machine had no process", () =>
    Effect.gen(function* () {
      const { projectId, begin, found } = yield* stage()
      yield* storeState(projectId, { room: "a", byte: 1 })
      const row = yield* begin
      expect(yield* Effect.flip(runRehearsal(row))).toMatchObject({ _tag: "ServerWaking" })
      expect(yield* found(row.rehearsalId)).toMatchObject({ state: "running" })
      isAway = false
      yield* runRehearsal(row)
      expect(yield* found(row.rehearsalId)).toMatchObject({ state: "passed" })
    }).pipe(Effect.provide(parts(() => (isAway ? away : ok))))
  )

  it.effect("[C-712] ends when as many rooms fail as it lists", () =>
    Effect.gen(function* () {
      const failures = Array.from(
        { length: MigrationLimits.rehearsalFailures.max - 1 },
        (_, at) => ({
          roomId: `z${at}`,
          saveId: null,
          version: 1,
          kind: -1
        })
      )
      const { projectId, begin, found } = yield* stage()
      for (const room of ["a", "b"]) yield* storeState(projectId, { room, byte: 1 })
      const begun = yield* begin
      const progress = { ...freshProgress, report: { ...freshProgress.report, failures } }
      const store = yield* RehearsalStore
      const row = yield* store.advance(begun, { progress, state: "running" })
      yield* runRehearsal(row ?? begun)
      const over = yield* found(begun.rehearsalId)
      expect([over.state, over.progress.report.rooms]).toEqual(["failed", 1])
    }).pipe(Effect.provide(parts(() => no)))
  )
})
