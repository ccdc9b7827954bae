import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import type { AwakeRoom } from "../rooms/AwakeRoom.ts"
import { AwakeRooms } from "../rooms/AwakeRooms.ts"
import { RoomTraffic } from "../rooms/RoomTraffic.ts"
import { fakeRooms } from "../rooms/testing/FakeRooms.ts"
import { TestCluster } from "../servers/testing/TestCluster.ts"
import { newRoomKey } from "../store/testing/TestStores.ts"
import { DeploymentStore } from "./DeploymentStore.ts"
import { OldVersions } from "./OldVersions.ts"

const type = (schemaHash: string) => ({
  type: "t",
  class: "standard" as const,
  maxClients: 2,
  tickHz: 0,
  schemaHash,
  schema: {},
  retention: null,
  hibernateAfterMs: 1,
  reconnectForMs: 1
})

interface Up {
  readonly version: number
  readonly relay?: boolean
  readonly schemaHash?: string
}

/** A room of which the look reads its key and its incarnation alone. */
const roomUp = ({ version, relay = false, schemaHash = "a" }: Up): AwakeRoom =>
  ({
    key: newRoomKey(),
    incarnation: () => ({ order: { version }, relay, deployed: type(schemaHash) })
    // The rest is never asked.
  }) as unknown as AwakeRoom

const movedOf = Effect.fnUntraced(function* (
  rooms: ReadonlyArray<AwakeRoom>,
  current: { readonly version: number; readonly relay: boolean }
) {
  const moved: Array<string> = []
  const actors = fakeRooms((key) => ({
    MakeWay: ({ payload }) => Effect.sync(() => void moved.push(`${key} to ${payload.version}`))
  }))
  const layer = OldVersions.pipe(
    Layer.provide(
      Layer.mock(AwakeRooms, {
        all: () => rooms,
        find: () => undefined,
        close: () => {},
        closing: () => false,
        traffic: new RoomTraffic()
      })
    ),
    Layer.provide(
      Layer.mock(DeploymentStore, {
        current: (projectId) =>
          Effect.succeed(
            Option.some({ projectId, bytes: 1, createdAtMs: 0, roomTypes: [type("a")], ...current })
          )
      })
    ),
    Layer.provide(actors),
    Layer.provide(TestCluster)
  )
  yield* Effect.forkScoped(Layer.launch(layer))
  yield* TestClock.adjust(RoomLimits.oldVersionLook.ms)
  return moved
})

const textOf = ({ key }: AwakeRoom, version: number): string =>
  `${key.projectId}/${key.roomId} to ${version}`

it.effect("[C-314] a runner moves rooms that a deployment has left on an older version", () =>
  Effect.gen(function* () {
    const [old, current] = [roomUp({ version: 1 }), roomUp({ version: 2 })]
    const moved = yield* movedOf([old, current], { version: 2, relay: false })
    expect(new Set(moved)).toEqual(new Set([textOf(old, 2)]))
  })
)

it.effect("[C-314] a relay room stays while the current version has its schema and no code", () =>
  Effect.gen(function* () {
    const same = roomUp({ version: 1, relay: true })
    const other = roomUp({ version: 1, relay: true, schemaHash: "b" })
    const moved = yield* movedOf([same, other], { version: 3, relay: true })
    expect(new Set(moved)).toEqual(new Set([textOf(other, 3)]))
    expect(new Set(yield* movedOf([same], { version: 3, relay: false }))).toEqual(
      new Set([textOf(same, 3)])
    )
  })
)
