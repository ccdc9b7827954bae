import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { type ProjectId, RoomId, roomKeyText } from "@atrium/domain/shared/Ids"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"
import { expect, layer } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"

import { Lease, LeaseOfShard } from "../cluster/ShardLeases.ts"
import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { RunnerFills } from "../servers/ServerFills.ts"
import { ServerActor, ServerFull, serverIdOf } from "../servers/ServerProtocol.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { newProject, TestStores } from "../store/testing/TestStores.ts"
import { sweep } from "./RetentionSweep.ts"
import { RoomEntity } from "./RoomEntity.ts"
import { RoomObjects, roomPrefix, snapshotKey } from "./RoomObjects.ts"
import { RoomActor } from "./RoomProtocol.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

/** The room's server, as far as its actor hears of it. */
const server = {
  reachable: true,
  started: false,
  holds: true,
  asked: 0,
  closed: [] as Array<string>,
  /** A call was running in each room that is drained. */
  calls: false,
  /** Whether each start said that the call of its room was running before. */
  called: [] as Array<boolean>,
  /** Whether each start said that there is nothing to read. */
  blank: [] as Array<boolean>,
  /** Indices of full servers, and of those that were asked to start a room. */
  full: [] as Array<number>,
  tried: [] as Array<number>
}

const FakeServer = ServerActor.toLayer(
  Effect.succeed(
    ServerActor.of({
      StartRoom: ({ payload: { serverIndex, called, blank } }) =>
        Effect.suspend(() => {
          server.blank.push(blank === true)
          server.called.push(called === true)
          server.tried.push(serverIndex)
          return server.full.includes(serverIndex)
            ? Effect.fail(new ServerFull())
            : Effect.succeed({ slot: 0 })
        }),
      DrainRoom: () =>
        Effect.suspend(() => {
          server.asked++
          return server.reachable
            ? Effect.succeed({ clientsBack: false, entered: true, called: server.calls })
            : Effect.never
        }),
      KeepSeats: () => Effect.succeed(false),
      MakeClip: () => Effect.succeed(null),
      CloseRoom: ({ payload: { because } }) =>
        Effect.suspend(() => {
          server.asked++
          if (!server.reachable) return Effect.never
          server.closed.push(because)
          return Effect.void
        }),
      PublishRoom: () => Effect.succeed({ started: server.started }),
      Holds: () => Effect.sync(() => server.holds),
      LinkAddress: () => Effect.succeed(null)
    })
  )
)

/** The leases of the actors, in the order in which they began. */
const leases: Array<Lease> = []

const leasing = Layer.succeed(LeaseOfShard, () => {
  const lease = new Lease(1, () => 0)
  leases.push(lease)
  return lease
})

const actors = Layer.mergeAll(RoomEntity, FakeServer).pipe(
  Layer.provideMerge(TestCluster),
  Layer.provideMerge(leasing),
  Layer.provideMerge(TestStores)
)

const arena = (retention: string | null) => ({
  type: "arena",
  class: "standard" as const,
  maxClients: 4,
  tickHz: 0,
  hibernateAfterMs: 1000,
  reconnectForMs: 1000,
  retention,
  schemaHash: "0123456789abcdef",
  schema: {}
})

/** A project whose rooms are kept that long. */
const projectOf = Effect.fnUntraced(function* (retention: string | null) {
  const projectId = yield* newProject
  const deployments = yield* DeploymentStore
  const deployment = { bundle: new Uint8Array([1]), roomTypes: [arena(retention)] }
  yield* deployments.add(projectId, deployment, () => null)
  return projectId
})

/** A room that has been up, with a snapshot of now. */
const roomIn = Effect.fnUntraced(function* (projectId: ProjectId, roomId: string) {
  const key = { projectId, roomId: RoomId.make(roomId) }
  const actor = (yield* RoomActor.client)(roomKeyText(key))
  const { epoch } = yield* actor.Wake({ type: "arena", create: true })
  const objects = yield* RoomObjects
  const manifest = {
    kind: "snapshot",
    type: "arena",
    class: "standard",
    version: 1,
    epoch,
    reason: null,
    schemaHash: "0123456789abcdef",
    takenAtMs: 0,
    stateBytes: 1
  }
  const snapshot = { key: snapshotKey(key, 1), bytes: new Uint8Array([1]), manifest }
  yield* objects.put([snapshot], { ...key, epoch })
  return { key, actor, epoch }
})

/** Waits for a step that needs the database: its answers come by the real clock, not the test's. */
const eventually = (holds: () => boolean) => Effect.promise(() => expect.poll(holds).toBe(true))

const codeOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit) ? Object(Cause.squash(exit.cause))["_tag"] : "done"

layer(actors)((it) => {
  it.effect(
    "[state.room.force-delete.unreachable] [state.room.force-delete.clients-closed-first] 502 after five seconds, and nothing is deleted",
    () =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        const { key, actor } = yield* roomIn(yield* projectOf(null), "held")
        const objects = yield* ObjectStore
        const rooms = yield* RoomStore
        const before = yield* rooms.load(key)
        server.reachable = false
        const deleting = yield* Effect.forkChild(Effect.exit(actor.Delete({ force: true })))
        yield* eventually(() => server.asked > 0)
        expect((yield* rooms.load(key))?.state._tag).toBe("Evicting")
        yield* TestClock.adjust(RoomLimits.evict.ms - 1)
        expect(deleting.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        const exit = yield* Fiber.join(deleting)
        expect(codeOf(exit)).toBe("E_EVICT_FAILED")
        expect(String(exit)).toContain(serverIdOf(key.projectId, 0))
        expect(yield* objects.list(roomPrefix(key))).toHaveLength(1)
        expect((yield* rooms.load(key))?.state).toEqual(before?.state)
        expect(server.closed).toEqual([])

        server.reachable = true
        expect(yield* actor.Delete({ force: true })).toEqual({ objects: 1 })
        expect(server.closed).toEqual(["deleted"])
        expect(yield* objects.list(roomPrefix(key))).toEqual([])
        expect(yield* rooms.load(key)).toBeNull()
        expect(codeOf(yield* Effect.exit(actor.Delete({ force: true })))).toBe("E_ROOM_NOT_FOUND")
      })
  )

  it.effect(
    "[state.room.delete-awake-noforce] a room whose server does not answer is not asleep: nobody deletes it without force",
    () =>
      Effect.gen(function* () {
        const { key, actor, epoch } = yield* roomIn(yield* projectOf(null), "silent")
        const rooms = yield* RoomStore
        const askedBefore = server.asked
        server.reachable = false
        const putAway = { epoch, serverIndex: 0, reason: "empty" } as const
        const draining = yield* Effect.forkChild(Effect.exit(actor.PutAway(putAway)))
        yield* eventually(() => server.asked > askedBefore)
        yield* TestClock.adjust(ServiceLimits.actorCall.ms)
        yield* Fiber.join(draining)
        expect((yield* rooms.load(key))?.state._tag).toBe("Awake")
        server.reachable = true
        const refused = yield* Effect.exit(actor.Delete({ force: false }))
        expect(codeOf(refused)).toBe("E_ROOM_IN_USE")
        yield* actor.PutAway(putAway)
        expect((yield* rooms.load(key))?.state._tag).toBe("Hibernated")
      })
  )

  it.effect(
    "[state.room.public-started] an awake room knows of its start before its row does",
    () =>
      Effect.gen(function* () {
        const { key, actor } = yield* roomIn(yield* projectOf(null), "lobby")
        const rooms = yield* RoomStore
        server.started = true
        const both = { public: true, retention: "5m" }
        expect(codeOf(yield* Effect.exit(actor.Set(both)))).toBe("E_ROOM_STARTED")
        expect(yield* rooms.load(key)).toMatchObject({ isPublic: false, retentionOverride: null })
        server.started = false
        yield* actor.Set(both)
        expect(yield* rooms.load(key)).toMatchObject({ isPublic: true, retentionOverride: "5m" })
      })
  )

  it.effect(
    "[state.room.retention-sweep] [rooms.patch.retention.wins-both-ways] a room goes with the first sweep after its window",
    () =>
      Effect.gen(function* () {
        const projectId = yield* projectOf("20m")
        const rooms = yield* RoomStore
        const asleep = Effect.fnUntraced(function* (roomId: string) {
          const { key, actor, epoch } = yield* roomIn(projectId, roomId)
          yield* actor.PutAway({ epoch, serverIndex: 0, reason: "empty" })
          return { key, actor }
        })
        const plain = yield* asleep("plain")
        const longer = yield* asleep("longer")
        const shorter = yield* asleep("shorter")
        const kept = yield* asleep("kept")
        yield* longer.actor.Set({ retention: "35m" })
        yield* shorter.actor.Set({ retention: "1m" })
        yield* kept.actor.Set({ retention: "forever" })
        const gone = (room: typeof plain) => Effect.map(rooms.load(room.key), (row) => row === null)
        const nextSweep = Effect.andThen(TestClock.adjust(RoomLimits.sweepEvery.ms), sweep)
        const left = () =>
          Effect.filter([shorter, plain, longer, kept], (room) =>
            Effect.map(gone(room), (is) => !is)
          )
        yield* nextSweep
        expect(yield* left()).toEqual([plain, longer, kept])
        yield* nextSweep
        expect(yield* left()).toEqual([longer, kept])
        yield* nextSweep
        expect(yield* left()).toEqual([kept])
        expect(yield* (yield* ObjectStore).list(roomPrefix(plain.key))).toEqual([])
      })
  )

  it.effect(
    "[D-14] a first start that nobody heard of leaves a room when it stored something",
    () =>
      Effect.gen(function* () {
        const { key, actor, epoch } = yield* roomIn(yield* projectOf(null), "unheard")
        const rooms = yield* RoomStore
        yield* actor.PutAway({ epoch, serverIndex: 0, reason: "empty" })
        const unheard = { projectId: key.projectId, roomId: RoomId.make("unheard-too") }
        const kind = { type: "arena", class: "standard" as const, version: 1 }
        const at = { ...kind, epoch: epoch + 1_000_000, serverIndex: 0 }
        const state = RoomState.Starting({ at, stored: false })
        yield* rooms.save(unheard, { state, facts: null, reported: false, after: "any" })
        const objects = yield* RoomObjects
        const manifest = {
          kind: "snapshot",
          ...kind,
          epoch: at.epoch,
          reason: null,
          schemaHash: "0123456789abcdef",
          takenAtMs: 0,
          stateBytes: 1
        }
        const snapshot = { key: snapshotKey(unheard, 1), bytes: new Uint8Array([1]), manifest }
        yield* objects.put([snapshot], { ...unheard, epoch: at.epoch })
        server.holds = false
        const actorOf = yield* RoomActor.client
        const deleted = yield* actorOf(roomKeyText(unheard)).Delete({ force: false })
        server.holds = true
        expect(deleted).toEqual({ objects: 1 })
      })
  )

  it.effect("[C-447] an actor whose lease is over saves nothing over the row of the next one", () =>
    Effect.gen(function* () {
      const { key, actor, epoch } = yield* roomIn(yield* projectOf(null), "stale")
      const rooms = yield* RoomStore
      const kind = { type: "arena", class: "standard" as const, version: 1 }
      const at = { ...kind, epoch: epoch + 1_000_000, serverIndex: 1 }
      const next = RoomState.Awake({ at, slot: 0, restarts: [] })
      leases.at(-1)?.end()
      yield* rooms.save(key, { state: next, facts: null, reported: false, after: "any" })
      expect(codeOf(yield* Effect.exit(actor.MakeWay({ version: 2 })))).toBe("E_TENANT_WAKING")
      expect((yield* rooms.load(key))?.state).toEqual(next)
    })
  )

  it.effect(
    "[C-654] a room whose row somebody else has changed is woken from what the row says now",
    () =>
      Effect.gen(function* () {
        const { key, actor, epoch } = yield* roomIn(yield* projectOf(null), "changed")
        const rooms = yield* RoomStore
        yield* actor.PutAway({ epoch, serverIndex: 0, reason: "empty" })
        // As a deploy with `quarantine=true` does, which does not lead the room's state on.
        const closed = RoomState.Closed({ type: "arena", quarantined: 1 })
        yield* rooms.save(key, { state: closed, facts: null, reported: false, after: "any" })
        const at = yield* actor.Wake({ type: null, create: false })
        expect(at.epoch).toBeGreaterThan(epoch)
      })
  )

  it.effect("[D-14] a removal that was cut short of a row off the list comes to its end", () =>
    Effect.gen(function* () {
      const rooms = yield* RoomStore
      const key = { projectId: yield* projectOf(null), roomId: RoomId.make("off-the-list") }
      const state = RoomState.Deleting({ type: "arena", epoch: 1 })
      yield* rooms.save(key, { state, facts: null, reported: false, after: "any" })
      yield* rooms.prune((yield* Clock.currentTimeMillis) + RoomLimits.rowKept.ms)
      expect((yield* rooms.load(key))?.pruned).toBe(true)
      yield* (yield* RoomActor.client)(roomKeyText(key)).Sweep()
      expect(yield* rooms.load(key)).toBeNull()
    })
  )

  it.effect("[C-896] a room that moves with its call says so to its next server, once", () =>
    Effect.gen(function* () {
      const { actor } = yield* roomIn(yield* projectOf(null), "calling")
      const moves = Effect.fnUntraced(function* (calls: boolean) {
        server.calls = calls
        server.called = []
        yield* actor.Move({ from: null, wake: true })
        return server.called
      })
      expect(yield* moves(true)).toEqual([true])
      expect(yield* moves(false)).toEqual([false])
    })
  )

  it.effect("[C-929] only the first start of a room without row and state reads no state", () =>
    Effect.gen(function* () {
      const projectId = yield* projectOf(null)
      server.blank = []
      const { key, actor, epoch } = yield* roomIn(projectId, "blank")
      expect(server.blank).toEqual([true])
      yield* actor.PutAway({ epoch, serverIndex: 0, reason: "empty" })
      yield* actor.Wake({ type: null, create: false })
      expect(server.blank).toEqual([true, false])

      // A state without a row.
      const stored = { projectId, roomId: RoomId.make("stored") }
      const objects = yield* ObjectStore
      const [snapshot] = yield* objects.list(roomPrefix(key))
      const manifest = snapshot?.manifest ?? {}
      yield* objects.put({ key: snapshotKey(stored, 1), bytes: new Uint8Array([1]), manifest })
      const actorOf = yield* RoomActor.client
      yield* actorOf(roomKeyText(stored)).Wake({ type: "arena", create: true })
      expect(server.blank).toEqual([true, false, false])

      // The server that was asked first may have begun.
      server.full = [0]
      yield* roomIn(projectId, "tried")
      server.full = []
      expect(server.blank).toEqual([true, false, false, true, false])
    })
  )

  it.effect(
    "[D-46] [C-430] a room asks the lowest server with room, and no full one before it",
    () =>
      Effect.gen(function* () {
        const projectId = yield* projectOf(null)
        const fills = yield* RunnerFills
        const places = Array.from({ length: 20 }, (_, slot) => ({
          roomId: `other-${slot}`,
          epoch: 1,
          slot,
          cost: 6
        }))
        for (const index of [0, 1, 3]) fills.reported({ projectId, index }, places)
        server.full = [2]
        server.tried = []
        const wake = (roomId: string) =>
          Effect.flatMap(RoomActor.client, (actorOf) =>
            actorOf(`${projectId}/${roomId}`).Wake({ type: "arena", create: true })
          )
        expect((yield* wake("one")).serverIndex).toBe(4)
        expect(server.tried).toEqual([2, 4])
        server.full = []
        expect((yield* wake("two")).serverIndex).toBe(2)
        expect(server.tried).toEqual([2, 4, 2])
        for (const index of [0, 1, 3]) fills.reported({ projectId, index }, [])
        expect(fills.size).toBe(0)
      })
  )

  it.effect("[rooms.row.maxClients] shows the seats that a relay room really has", () =>
    Effect.gen(function* () {
      const projectId = yield* newProject
      const roomTypes = [{ ...arena(null), maxClients: 100 }]
      const deployment = { bundle: new Uint8Array([1]), roomTypes, relay: true }
      yield* (yield* DeploymentStore).add(projectId, deployment, () => null)
      const key = { projectId, roomId: RoomId.make("large") }
      yield* (yield* RoomActor.client)(roomKeyText(key)).Wake({ type: "arena", create: true })
      const listed = yield* (yield* RoomStore).list(projectId, {
        active: null,
        idleLongerThanMs: null
      })
      expect(listed).toContain(`"maxClients":${RuntimeLimits.relayPlayers.max},`)
    })
  )
})
