import { RoomId, roomKeyText } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { ServerActor, ServerClosing, ServerFull } from "../servers/ServerProtocol.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { type Placing, ThisHome } from "../servers/ThisHome.ts"
import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { RoomEntity } from "./RoomEntity.ts"
import { RoomActor } from "./RoomProtocol.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

/** A server of home 7, whose runner has ended: nobody has its shards. */
const ended = 7_000

const world = {
  /** The places that rooms are promised, in turn. */
  places: [] as Array<number>,
  asked: [] as Array<Placing>,
  started: [] as Array<number>,
  /** Of every order to start, in turn. */
  epochs: [] as Array<number>,
  closing: [] as Array<number>,
  full: [] as Array<number>
}

const FakeServer = ServerActor.toLayer(
  Effect.succeed(
    ServerActor.of({
      StartRoom: Effect.fnUntraced(function* ({ payload: { serverIndex, epoch } }) {
        world.epochs.push(epoch)
        if (world.closing.includes(serverIndex)) return yield* new ServerClosing()
        if (world.full.includes(serverIndex)) return yield* new ServerFull()
        world.started.push(serverIndex)
        return { slot: 0 }
      }),
      DrainRoom: () => Effect.succeed({ clientsBack: false, entered: true }),
      KeepSeats: () => Effect.succeed(false),
      MakeClip: () => Effect.succeed(null),
      CloseRoom: () => Effect.void,
      PublishRoom: () => Effect.succeed({ started: false }),
      Holds: () => Effect.succeed(true),
      LinkAddress: () => Effect.succeed(null)
    })
  )
)

const home = Layer.succeed(ThisHome, {
  own: 9,
  send: () => Effect.succeed(false),
  runnerOf: () => Effect.succeed(null),
  place: (placing) =>
    Effect.sync(() => {
      const { without, leaving } = placing
      world.asked.push({ ...placing, without: new Set(without), leaving: new Set(leaving) })
      return world.places.shift() ?? null
    }),
  untilOver: () => Effect.void
})

const actors = Layer.mergeAll(RoomEntity, FakeServer).pipe(
  Layer.provideMerge(TestCluster),
  Layer.provideMerge(MemoryStores),
  Layer.provide(home)
)

/** A room that nobody has started yet. */
const room = Effect.fnUntraced(function* (places: ReadonlyArray<number>) {
  const projectId = yield* newProject
  const type = {
    type: "arena",
    class: "large" as const,
    maxClients: 4,
    tickHz: 0,
    hibernateAfterMs: 1000,
    reconnectForMs: 1000,
    retention: null,
    schemaHash: "0123456789abcdef",
    schema: {}
  }
  const deployment = { bundle: new Uint8Array([1]), roomTypes: [type] }
  yield* (yield* DeploymentStore).add(projectId, deployment, () => null)
  const key = { projectId, roomId: RoomId.make("room") }
  // The runner takes its shards.
  yield* TestClock.adjust("1 second")
  Object.assign(world, {
    places: [...places],
    asked: [],
    started: [],
    epochs: [],
    closing: [],
    full: []
  })
  return { key, actor: (yield* RoomActor.client)(roomKeyText(key)) }
})

const wake = { type: "arena", create: true }

layer(actors)((it) => {
  it.effect(
    "[C-434] a room starts where it is promised a place, and asks again when it is full",
    () =>
      Effect.gen(function* () {
        const { key, actor } = yield* room([1, 2])
        world.full = [1]
        expect((yield* actor.Wake(wake)).serverIndex).toBe(2)
        expect(world.asked).toEqual([
          { key, class: "large", without: new Set(), leaving: new Set() },
          { key, class: "large", without: new Set([1]), leaving: new Set() }
        ])
      })
  )

  it.effect(
    "[C-436] a start on a runner that ends meanwhile, or is going down, goes elsewhere",
    () =>
      Effect.gen(function* () {
        const { actor } = yield* room([ended, 1, 2])
        world.closing = [1]
        expect((yield* actor.Wake(wake)).serverIndex).toBe(2)
        expect(world.started).toEqual([2])
        expect(world.asked.map(({ leaving }) => [...leaving])).toEqual([[], [7], [7, 0]])
        // The first server may begin its start after all: it must not write beside the last.
        const [second = 0, third = 0] = world.epochs
        expect(third).toBeGreaterThan(second)
        expect((yield* actor.Wake(wake)).epoch).toBe(third)
      })
  )

  it.effect("[C-436] a room that was awake on a runner that has ended starts elsewhere", () =>
    Effect.gen(function* () {
      const { key, actor } = yield* room([3])
      const at = {
        type: "arena",
        class: "large",
        version: 1,
        epoch: 1,
        serverIndex: ended
      } as const
      const state = RoomState.Awake({ at, slot: 0, restarts: [] })
      yield* (yield* RoomStore).save(key, { state, facts: null, reported: true, after: "any" })
      expect((yield* actor.Wake(wake)).serverIndex).toBe(3)
    })
  )

  it.effect("[C-434] without any place the room is refused", () =>
    Effect.gen(function* () {
      const { actor } = yield* room([])
      expect(yield* Effect.flip(actor.Wake(wake))).toMatchObject({ _tag: "E_TENANT_WAKING" })
      expect(world.started).toEqual([])
    })
  )
})
