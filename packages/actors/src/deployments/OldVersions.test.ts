import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import type { StepOfVersion } from "../migrations/VersionStep.ts"
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
  readonly project?: number
}

const projectOf = (number: number): ProjectId =>
  ProjectId.make(`p_${number.toString(16).padStart(16, "0")}`)

/** A room of which the look reads its key and its incarnation alone. */
const roomUp = ({ version, relay = false, schemaHash = "a", project = 0 }: Up): AwakeRoom =>
  ({
    key: { ...newRoomKey(), projectId: projectOf(project) },
    incarnation: () => ({ order: { version }, relay, deployed: type(schemaHash) })
    // The rest is never asked.
  }) as unknown as AwakeRoom

const movedOf = Effect.fnUntraced(function* (
  rooms: ReadonlyArray<AwakeRoom>,
  current: { readonly version: number; readonly relay: boolean },
  steps: ReadonlyArray<StepOfVersion> = []
) {
  const moved: Array<string> = []
  const queries: Array<number> = []
  const read: Array<string> = []
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
        currentVersions: (projectIds) =>
          Effect.sync(() => {
            queries.push(projectIds.length)
            return new Map(projectIds.map((projectId) => [projectId, current.version]))
          }),
        steps: () => Effect.succeed(steps),
        find: (projectId, version) =>
          Effect.sync(() => {
            read.push(projectId)
            const row = {
              projectId,
              bytes: 1,
              createdAtMs: 0,
              roomTypes: [type("a")],
              rollbackOf: null,
              migrations: [],
              step: null
            }
            return Option.some({ ...row, ...current, version })
          })
      })
    ),
    Layer.provide(actors),
    Layer.provide(TestCluster)
  )
  yield* Effect.forkScoped(Layer.launch(layer))
  yield* TestClock.adjust(RoomLimits.oldVersionLook.ms)
  return { moved, queries, read }
})

const textOf = ({ key }: AwakeRoom, version: number): string =>
  `${key.projectId}/${key.roomId} to ${version}`

it.effect("[C-314] a runner moves rooms that a deployment has left on an older version", () =>
  Effect.gen(function* () {
    const [old, current] = [roomUp({ version: 1 }), roomUp({ version: 2 })]
    const { moved } = yield* movedOf([old, current], { version: 2, relay: false })
    expect(new Set(moved)).toEqual(new Set([textOf(old, 2)]))
  })
)

it.effect("[C-703] a room stays where a version since then lets the rooms before it drain", () =>
  Effect.gen(function* () {
    const [old, newer] = [roomUp({ version: 1 }), roomUp({ version: 2 })]
    const step = { strategy: "drain", discards: false, rooms: {}, players: [] } as const
    const drained = yield* movedOf([old, newer], { version: 3, relay: false }, [
      { version: 2, step }
    ])
    expect(new Set(drained.moved)).toEqual(new Set([textOf(newer, 3)]))
    const migrated = yield* movedOf([old], { version: 3, relay: false }, [
      { version: 2, step: { ...step, strategy: "migrate" } }
    ])
    expect(new Set(migrated.moved)).toEqual(new Set([textOf(old, 3)]))
  })
)

it.effect("[C-314] a relay room stays while the current version has its schema and no code", () =>
  Effect.gen(function* () {
    const same = roomUp({ version: 1, relay: true })
    const other = roomUp({ version: 1, relay: true, schemaHash: "b" })
    const { moved } = yield* movedOf([same, other], { version: 3, relay: true })
    expect(new Set(moved)).toEqual(new Set([textOf(other, 3)]))
    const code = yield* movedOf([same], { version: 3, relay: false })
    expect(new Set(code.moved)).toEqual(new Set([textOf(same, 3)]))
  })
)

it.effect(
  "[C-315] a look is one query for all projects, and one for each that has older rooms",
  () =>
    Effect.gen(function* () {
      const rooms = Array.from({ length: 40 }, (_, at) =>
        roomUp({ version: 1 + (at % 2), project: at % 20 })
      )
      const { moved, queries, read } = yield* movedOf(rooms, { version: 2, relay: false })
      expect(new Set(moved).size).toBe(20)
      // One when the runner starts, one a minute later; and each of the ten older projects' version once.
      expect(queries).toEqual([20, 20])
      expect(read.length).toBe(20)
    })
)
