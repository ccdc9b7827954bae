import { ProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"

import { awakeAt, newRoomKey, reported } from "../store/testing/TestStores.ts"
import { TestTables } from "../store/testing/TestTables.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

const kind = { type: "arena", class: "large", version: 2 } as const
const at = { ...kind, epoch: 41, serverIndex: 1 }
const save = { version: 2, saveId: "sv_0123456789abcdef" }
const facts = { type: "arena", class: "large", maxClients: 12 } as const

/** Every state, as its row shows it. */
const states: ReadonlyArray<readonly [RoomState, string, number, number | null]> = [
  [RoomState.Placing({ kind, stored: true }), "starting", 0, null],
  [RoomState.Starting({ at, stored: false }), "starting", 41, null],
  [RoomState.Awake({ at, slot: 7, restarts: [1, 1_790_000_000_000] }), "awake", 41, 7],
  [RoomState.Draining({ at, slot: 7, restarts: [5], reason: "redeploy" }), "draining", 41, 7],
  [RoomState.Restarting({ at, slot: 7, restarts: [5] }), "restarting", 41, 7],
  [RoomState.Evicting({ at, slot: 7, restarts: [5] }), "draining", 41, 7],
  [RoomState.Deleting({ type: "arena", epoch: null }), "hibernated", 0, null],
  [RoomState.Deleting({ type: "arena", epoch: 42 }), "hibernated", 42, null],
  [RoomState.Restoring({ type: "arena", save, at: null }), "hibernated", 0, null],
  [RoomState.Restoring({ type: "arena", save, at }), "restarting", 0, null],
  [RoomState.Replacing({ type: "arena", save, epoch: 42 }), "restarting", 42, null],
  [RoomState.Hibernated({ type: "arena" }), "hibernated", 0, null],
  [RoomState.Closed({ type: "arena" }), "closed", 0, null],
  [RoomState.Closed({ type: "arena", quarantined: 7 }), "closed", 0, null]
]

/** What a list and the table show of a room. */
const rowOf = Effect.fnUntraced(function* (key: RoomKey) {
  const row = yield* (yield* RoomStore).load(key)
  return row === null ? null : { ...row, ...(yield* (yield* TestTables).room(key)) }
})

/**
 * Rows and counts in every layer of `RoomStore`.
 * @param name of the layer, as the report shows it
 */
export const roomStoreContract = (
  name: string,
  stores: Layer.Layer<RoomStore | TestTables, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect.each(states)(
      "[D-14] [rooms.row.status.values] %j is read as it was written",
      ([state, status, epoch, slot]) =>
        Effect.gen(function* () {
          const rooms = yield* RoomStore
          const key = newRoomKey()
          expect(yield* rooms.load(key)).toBeNull()
          yield* rooms.save(key, reported(state, facts))
          const row = yield* rooms.load(key)
          expect(row).toEqual({
            state,
            epoch,
            status,
            type: "arena",
            class: "large",
            isPublic: false,
            started: false,
            lobbyMetadata: null,
            retentionOverride: null,
            lastSeenMs: 0,
            pruned: false,
            // A first start has let nobody in.
            entered: state._tag !== "Starting" || state.stored,
            quarantined: state._tag === "Closed" ? (state.quarantined ?? null) : null,
            branch: null,
            revision: 1
          })
          expect(row?.state).not.toBe(state)
          const shown = {
            status,
            epoch,
            slot,
            type: "arena",
            class: "large",
            maxClients: 12,
            clients: 0
          }
          expect(yield* rowOf(key)).toMatchObject(shown)
        })
    )

    it.effect("[D-58] a branch is added as a room that sleeps, unless a room has the id", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const key = newRoomKey()
        const branch = { version: 2, roomId: "origin", saveId: "sv_0123456789abcdef" }
        const made = { ...facts, epoch: 43, branch }
        expect(yield* rooms.addBranch(key, made)).toBe(true)
        const row = yield* rowOf(key)
        expect(row).toMatchObject({
          state: RoomState.Hibernated({ type: "arena" }),
          status: "hibernated",
          retentionOverride: "7d",
          entered: true,
          branch,
          revision: 1,
          epoch: 43,
          class: "large",
          maxClients: 12
        })
        expect(yield* rooms.addBranch(key, { ...made, epoch: 44 })).toBe(false)
        expect(yield* rowOf(key)).toEqual(row)
        const awake = RoomState.Awake({ at, slot: 7, restarts: [] })
        expect(yield* rooms.save(key, { ...reported(awake, facts), after: 1 })).toBe(true)
        expect(yield* rooms.load(key)).toMatchObject({ branch, retentionOverride: "7d" })
        // It does not follow deployments.
        const older = yield* rooms.upOnOlder(key.projectId, { from: 0, below: 9 })
        expect(older.map(({ roomId }) => roomId)).not.toContain(key.roomId)
      })
    )

    it.effect("[rooms.row.slot] a room put away keeps epoch, slot, class and flags", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const key = newRoomKey()
        yield* rooms.save(key, reported(RoomState.Awake({ at, slot: 7, restarts: [] }), facts))
        const lobby = { isPublic: true, started: true, metadata: '{"map":"ice"}' }
        yield* rooms.setLobby({ ...key, epoch: 41 }, lobby)
        // The incarnation before has nothing to say any more.
        yield* rooms.setLobby({ ...key, epoch: 40 }, { ...lobby, metadata: null })
        yield* rooms.report([{ ...key, epoch: 41, clients: 9, entered: true }])
        yield* TestClock.adjust("1 second")
        yield* rooms.save(key, reported(RoomState.Hibernated({ type: "arena" })))
        expect(yield* rowOf(key)).toMatchObject({
          status: "hibernated",
          epoch: 41,
          slot: 7,
          class: "large",
          maxClients: 12,
          clients: 0,
          isPublic: true,
          started: true
        })
        expect(yield* rooms.load(key)).toMatchObject({
          isPublic: true,
          started: true,
          lobbyMetadata: '{"map":"ice"}'
        })
        const [listed] = yield* rooms.lobby(key.projectId)
        expect(listed).toMatchObject({ metadata: '{"map":"ice"}' })
      })
    )

    it.effect("[D-60] a room of the playground is kept for an hour", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const key = newRoomKey()
        const playground = { ...key, roomId: RoomId.make("playground-0123abcd") }
        const sleeps = reported(RoomState.Hibernated({ type: "arena" }))
        for (const room of [key, playground]) yield* rooms.save(room, sleeps)
        expect(yield* rooms.load(playground)).toMatchObject({ retentionOverride: "1h" })
        expect(yield* rooms.load(key)).toMatchObject({ retentionOverride: null })
      })
    )

    it.effect("[D-14] an absent room has no row", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const [key, other] = [newRoomKey(), newRoomKey()]
        yield* rooms.save(key, reported(awakeAt(1)))
        yield* rooms.save(other, reported(awakeAt(2)))
        yield* rooms.save(key, reported(RoomState.Absent()))
        yield* rooms.save(key, reported(RoomState.Absent()))
        expect(yield* rooms.load(key)).toBeNull()
        expect(yield* rooms.load(other)).not.toBeNull()
      })
    )

    it.effect("[C-654] a save that arrives late finds another row, and changes nothing", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const key = newRoomKey()
        const write = (state: RoomState, after: number | null) =>
          rooms.save(key, { state, facts: null, reported: true, after })
        const asleep = RoomState.Hibernated({ type: "arena" })
        expect(yield* write(asleep, 0)).toBe(false)
        expect(yield* write(RoomState.Absent(), null)).toBe(true)
        expect(yield* rooms.load(key)).toBeNull()
        expect(yield* write(awakeAt(1), null)).toBe(true)
        expect(yield* write(asleep, null)).toBe(false)
        expect(yield* write(asleep, 1)).toBe(true)
        expect(yield* write(awakeAt(1), 1)).toBe(false)
        expect(yield* write(RoomState.Absent(), 1)).toBe(false)
        expect(yield* rooms.load(key)).toMatchObject({ state: asleep, revision: 2 })
        expect(yield* write(RoomState.Absent(), 2)).toBe(true)
        expect(yield* write(asleep, 2)).toBe(false)
        expect(yield* rooms.load(key)).toBeNull()
        yield* rooms.saveSettings(key, { retention: "1h" }, { state: asleep, facts: null })
        expect(yield* rooms.load(key)).toMatchObject({ revision: 0 })
        expect(yield* write(awakeAt(2), 0)).toBe(true)
      })
    )

    it.effect("[storage.fence] epochs only grow, however many claim at once", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const before = yield* rooms.claimEpoch
        const claims = Array.from({ length: 40 }, () => rooms.claimEpoch)
        const epochs = yield* Effect.all(claims, { concurrency: 8 })
        expect(new Set(epochs).size).toBe(40)
        expect(Math.min(...epochs)).toBeGreaterThan(before)
        expect(yield* rooms.claimEpoch).toBeGreaterThan(Math.max(...epochs))
      })
    )

    it.effect("[rooms.status.advisory] a report reaches rows of its own epoch only", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const [key, older, other] = [newRoomKey(), newRoomKey(), newRoomKey()]
        yield* rooms.save(key, reported(awakeAt(5)))
        yield* rooms.save(older, reported(awakeAt(5)))
        yield* rooms.save(other, reported(awakeAt(5)))
        yield* TestClock.adjust("1 second")
        yield* rooms.report([])
        yield* rooms.report([
          { ...key, epoch: 5, clients: 3, entered: true },
          { ...older, epoch: 4, clients: 3, entered: true },
          { ...newRoomKey(), epoch: 5, clients: 3, entered: true }
        ])
        const before = yield* rowOf(other)
        expect(yield* rowOf(key)).toEqual({
          ...before,
          clients: 3,
          lastSeenMs: Number(before?.lastSeenMs) + 1000
        })
        expect(yield* rowOf(older)).toEqual(before)
        expect(before).toMatchObject({ clients: 0 })
      })
    )

    it.effect(
      "[rooms.row.clients] a report that comes after the room was put away is too late",
      () =>
        Effect.gen(function* () {
          const rooms = yield* RoomStore
          for (const resting of [
            RoomState.Hibernated({ type: "arena" }),
            RoomState.Closed({ type: "arena" })
          ]) {
            const key = newRoomKey()
            yield* rooms.save(key, reported(awakeAt(5)))
            yield* rooms.save(key, reported(resting))
            yield* rooms.report([{ ...key, epoch: 5, clients: 3, entered: true }])
            expect(yield* rowOf(key)).toMatchObject({ clients: 0 })
          }
        })
    )

    it.effect("[rooms.row.clients] a restart keeps the count, a drain does not", () =>
      Effect.gen(function* () {
        const rooms = yield* RoomStore
        const key = newRoomKey()
        yield* rooms.save(key, reported(awakeAt(41)))
        yield* rooms.report([{ ...key, epoch: 41, clients: 3, entered: true }])
        yield* rooms.save(key, reported(RoomState.Restarting({ at, slot: 3, restarts: [1] })))
        expect(yield* rowOf(key)).toMatchObject({ clients: 3 })
        const draining = RoomState.Draining({ at, slot: 3, restarts: [], reason: "shutdown" })
        yield* rooms.save(key, reported(draining))
        expect(yield* rowOf(key)).toMatchObject({ clients: 0 })
      })
    )

    it.effect(
      "[version.snapshot-across-versions] a deployment finds what is up on an older one",
      () =>
        Effect.gen(function* () {
          const rooms = yield* RoomStore
          yield* (yield* TestTables).removeRooms
          const [old, current, asleep, restarting, closed] = [1, 2, 3, 4, 5].map(newRoomKey)
          const [starting, draining] = [newRoomKey(), newRoomKey()]
          if (!old || !current || !asleep || !restarting || !closed) throw new Error("five keys")
          yield* rooms.save(old, reported(awakeAt(5, 1)))
          yield* rooms.save(current, reported(awakeAt(6, 2)))
          yield* rooms.save(asleep, reported(RoomState.Hibernated({ type: "arena" })))
          yield* rooms.save(
            restarting,
            reported(RoomState.Restarting({ at, slot: 0, restarts: [1] }))
          )
          const foreign = { ...newRoomKey(), projectId: ProjectId.make("dev") }
          yield* rooms.save(foreign, reported(awakeAt(7, 1)))
          yield* rooms.save(closed, reported(RoomState.Closed({ type: "arena" })))
          // On their way when the deployment comes: both may end awake, on the version of their start.
          yield* rooms.save(starting, reported(RoomState.Starting({ at, stored: true })))
          const sleepy = { at, slot: 0, restarts: [], reason: "empty" } as const
          yield* rooms.save(draining, reported(RoomState.Draining(sleepy)))
          const found = Effect.fnUntraced(function* (version: number, ...staying: Array<string>) {
            const versions = { from: 0, below: version }
            const keys = yield* rooms.upOnOlder(old.projectId, versions, staying)
            return keys.map(({ roomId }) => roomId).sort()
          })
          expect(yield* found(2, "chess")).toEqual([old.roomId])
          expect(yield* found(2, "chess", at.type)).toEqual([])
          expect(yield* found(1)).toEqual([])
          expect(yield* found(2)).toEqual([old.roomId])
          const none = yield* rooms.upOnOlder(old.projectId, { from: 2, below: 2 })
          expect(none).toEqual([])
          expect(yield* found(3)).toEqual(
            [old, current, restarting, starting, draining].map(({ roomId }) => roomId).sort()
          )
          expect(yield* rooms.upByVersion(old.projectId)).toEqual(
            new Map([
              [1, 1],
              [2, 4]
            ])
          )
          expect(yield* rooms.countByStatus).toEqual([
            { status: "awake", rooms: 3 },
            { status: "closed", rooms: 1 },
            { status: "draining", rooms: 1 },
            { status: "hibernated", rooms: 1 },
            { status: "restarting", rooms: 1 },
            { status: "starting", rooms: 1 }
          ])
          const { projectId } = old
          const one = { projectId, rooms: 1 }
          expect(yield* rooms.countByProject([projectId, "p_none", "dev"])).toEqual([
            { projectId: "dev", status: "awake", rooms: 1 },
            { projectId, status: "awake", rooms: 2 },
            ...["closed", "draining", "hibernated", "restarting", "starting"].map((status) => ({
              ...one,
              status
            }))
          ])
          expect(yield* rooms.countByProject(["p_none"])).toEqual([])
          expect(yield* rooms.countByProject([])).toEqual([])
        })
    )
  })
