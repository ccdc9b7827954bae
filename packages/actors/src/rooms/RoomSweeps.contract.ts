import { isSweepCandidate, retentionInForce, sweepMoments } from "@atrium/domain/rooms/Retention"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import type { ProjectStore } from "../projects/ProjectStore.ts"
import { awakeAt, newProject, reported } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"
import type { DeclaredWindow } from "./RoomSweeps.ts"

const asleep = RoomState.Hibernated({ type: "arena" })
const minute = 60_000

let projects = 0
const newKeys = (...roomIds: ReadonlyArray<string>): ReadonlyArray<RoomKey> => {
  const projectId = ProjectId.make(`p_${String(++projects).padStart(16, "a")}`)
  return roomIds.map((roomId) => ({ projectId, roomId: RoomId.make(roomId) }))
}

/** Rooms of a project that the sweep would look at. */
const lapsedBy = Effect.fnUntraced(function* (
  projectId: ProjectId,
  declared: ReadonlyArray<DeclaredWindow>,
  nowMs: number
) {
  const rooms = yield* RoomStore
  const found: Array<RoomKey> = []
  let after: RoomKey | null = null
  for (;;) {
    const batch: ReadonlyArray<RoomKey> = yield* rooms.lapsed({ nowMs, declared, after })
    if (batch.length > RoomLimits.sweepBatch.max) throw new Error("a batch is too long")
    found.push(...batch)
    after = batch.at(-1) ?? null
    if (after === null) break
  }
  return found.filter((key) => key.projectId === projectId).map((key) => String(key.roomId))
})

const settle = Effect.fnUntraced(function* (key: RoomKey, retention: string | null) {
  yield* (yield* RoomStore).saveSettings(key, { retention }, { state: asleep, facts: null })
})

/** A room of the property, which is seen about one of the moments that decide. */
const drawnRooms = fc.array(
  fc.record({
    is: fc.constantFrom("asleep", "closed", "awake", "removing", "unentered"),
    override: fc.constantFrom(null, "forever", "1m", "1h"),
    declared: fc.constantFrom(null, "1m", "10m", "90d"),
    about: fc.constantFrom("silent", "due"),
    offsetMs: fc.constantFrom(-1, 0, 1, minute)
  }),
  { minLength: 1, maxLength: 12 }
)
type DrawnRoom = typeof drawnRooms extends fc.Arbitrary<ReadonlyArray<infer Room>> ? Room : never

const stateOf = ({ is }: DrawnRoom, type: string): RoomState => {
  const at = { type, class: "standard", version: 1, epoch: 5, serverIndex: 0 } as const
  switch (is) {
    case "asleep":
      return RoomState.Hibernated({ type })
    case "closed":
      return RoomState.Closed({ type })
    case "awake":
      return RoomState.Awake({ at, slot: 0, restarts: [] })
    case "removing":
      return RoomState.Deleting({ type, epoch: null })
    case "unentered":
      return RoomState.Starting({ at, stored: false })
  }
}

/** The moment about which the drawn room becomes a candidate, when it was seen at `seenMs`. */
const momentOf = ({ override, declared, about, offsetMs }: DrawnRoom, seenMs: number): number => {
  const { silentSinceMs, dueByMs } = sweepMoments(0)
  const { windowMs } = retentionInForce({ override, declared })
  return seenMs + offsetMs + (about === "silent" ? -silentSinceMs : (windowMs ?? 0) - dueByMs)
}

const isCandidate = ({ is, override, declared }: DrawnRoom, lastSeenMs: number, nowMs: number) =>
  isSweepCandidate(
    {
      asleep: is !== "awake" && is !== "unentered",
      removing: is === "removing",
      entered: is !== "unentered",
      lastSeenMs,
      retention: { override, declared }
    },
    nowMs
  )

/** Stores the rooms, and sweeps at the moment of each: what was found, beside what the rule says. */
const swept = Effect.fnUntraced(function* (drawn: ReadonlyArray<DrawnRoom>) {
  const rooms = yield* RoomStore
  yield* (yield* TestTables).removeRooms
  const seenMs = yield* Clock.currentTimeMillis
  const keys = newKeys(...drawn.map((_, index) => `r${index}`))
  const projectId = keys[0]?.projectId ?? ProjectId.make("dev")
  const windows: Array<DeclaredWindow> = []
  for (const [index, room] of drawn.entries()) {
    const key = { projectId, roomId: RoomId.make(`r${index}`) }
    const type = `type${index}`
    yield* rooms.save(key, reported(stateOf(room, type)))
    if (room.override !== null) yield* settle(key, room.override)
    if (room.declared !== null) windows.push({ projectId, type, retention: room.declared })
  }
  return yield* Effect.forEach(drawn, (one) =>
    Effect.map(lapsedBy(projectId, windows, momentOf(one, seenMs)), (found) => ({
      found: [...found].sort(),
      expected: drawn
        .flatMap((room, index) =>
          isCandidate(room, seenMs, momentOf(one, seenMs)) ? [`r${index}`] : []
        )
        .sort()
    }))
  )
})

/**
 * The rows that every layer of `RoomStore` finds for the sweep, the pruning and the restorer.
 * @param name of the layer, as the report shows it
 */
export const roomSweepsContract = (
  name: string,
  stores: Layer.Layer<RoomStore | DeploymentStore | ProjectStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[retention.rows] a row is pruned 30 days after its last report, not before", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const [one, two] = newKeys("one", "two")
        if (!one || !two) throw new Error("keys")
        yield* rooms.save(one, reported(asleep))
        yield* rooms.save(two, reported(awakeAt(5)))
        const here = (keys: ReadonlyArray<RoomKey>) =>
          keys
            .filter((key) => key.projectId === one.projectId)
            .map(({ roomId }) => String(roomId))
            .sort()
        const prune = Effect.flatMap(Clock.currentTimeMillis, (nowMs) => rooms.prune(nowMs))
        yield* TestClock.adjust(RoomLimits.rowKept.ms - 1)
        yield* rooms.report([{ ...two, epoch: 5, clients: 0, entered: true }])
        expect(here(yield* prune)).toEqual([])
        yield* TestClock.adjust(1)
        expect(here(yield* prune)).toEqual(["one"])
        expect(here(yield* prune)).toEqual([])
        expect(yield* rooms.load(one)).toMatchObject({ pruned: true, state: asleep })
        // A room that is reported again is listed again; a room without stored state is forgotten.
        yield* rooms.save(one, { state: asleep, facts: null, reported: false, after: "any" })
        expect((yield* rooms.load(one))?.pruned).toBe(true)
        yield* rooms.save(one, reported(awakeAt(6)))
        yield* rooms.forget([one, two])
        expect((yield* rooms.load(one))?.pruned).toBe(false)
        yield* TestClock.adjust(RoomLimits.rowKept.ms)
        expect(here(yield* prune)).toEqual(["one", "two"])
        yield* rooms.forget([one])
        expect(yield* rooms.load(one)).toBeNull()
        expect(yield* rooms.load(two)).not.toBeNull()
      })
    )

    it.effect("[saves.restore.queued] queued and half-done restores are found", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const [one, two, three] = newKeys("one", "two", "three")
        if (!one || !two || !three) throw new Error("keys")
        const save = { version: 1, saveId: "sv_0123456789abcdef" }
        yield* rooms.save(one, reported(RoomState.Restoring({ type: "arena", save, at: null })))
        yield* rooms.save(two, reported(RoomState.Replacing({ type: "arena", save, epoch: 3 })))
        yield* rooms.save(three, reported(asleep))
        const here = (yield* rooms.restoring).filter((key) => key.projectId === one.projectId)
        expect(here).toEqual([one, two])
        expect(yield* rooms.up(one.projectId)).toEqual([two])
      })
    )

    it.effect("[retention.state.type-window] only current deployments declare windows", () =>
      Effect.gen(function* () {
        const deployments = yield* DeploymentStore
        const projectId = yield* newProject
        const type = (name: string, retention: string | null) => ({
          type: name,
          class: "standard" as const,
          maxClients: 4,
          tickHz: 20,
          hibernateAfterMs: 1000,
          reconnectForMs: 1000,
          retention,
          schemaHash: "0123456789abcdef",
          schema: {}
        })
        const deploy = (...roomTypes: ReadonlyArray<ReturnType<typeof type>>) =>
          deployments.add(projectId, { bundle: new Uint8Array([1]), roomTypes }, () => null)
        const windows = Effect.map(deployments.declaredWindows, (all) =>
          all.filter((one) => one.projectId === projectId)
        )
        yield* deploy(type("arena", "10m"), type("chess", null))
        expect(yield* windows).toEqual([{ projectId, type: "arena", retention: "10m" }])
        yield* deploy(type("arena", null), type("chess", "2h"))
        expect(yield* windows).toEqual([{ projectId, type: "chess", retention: "2h" }])
        yield* (yield* TestTables).undeploy(projectId)
        expect(yield* windows).toEqual([])
      })
    )

    it.effect("[state.room.retention.type-or-override] the sweep chooses as the rule does", () =>
      Effect.gen(function* () {
        const run = Effect.runPromiseWith(yield* Effect.context<RoomStore | TestTables>())
        const chooses = fc.asyncProperty(drawnRooms, async (drawn) => {
          const sweeps = await run(swept(drawn))
          expect(sweeps.map(({ found }) => found)).toEqual(sweeps.map(({ expected }) => expected))
        })
        yield* Effect.promise(() => fc.assert(chooses, { numRuns: 25 }))
      })
    )
  })
