import { RoomId } from "@atrium/domain/shared/Ids"
import { defineSchema, s } from "@atrium/wire/schema"
import type { AnyField, Fields } from "@atrium/wire/schema"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { deployedOf } from "../deployments/testing/DeploymentFixtures.ts"
import { Migrator } from "../migrations/Migrator.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import { noRooms } from "../process/testing/NoRooms.ts"
import { MemoryStores, newProject } from "../store/testing/TestStores.ts"
import { deployedType, readable } from "./ReadableState.ts"

const typeWith = (door: Fields) => deployedOf(defineSchema({ type: "den", singletons: { door } }))

const state = Uint8Array.of(1, 2, 3)

const Parts = Layer.mergeAll(
  MemoryStores,
  Layer.mock(Migrator, { lead: () => Effect.die("no migration is on the way") }),
  Layer.mock(ProcessPool, noRooms)
)

layer(Parts)("state that another version has stored", (it) => {
  /** What a version of the last of these fields makes of a state that the first one wrote. */
  const readBy = (...versions: ReadonlyArray<AnyField>) =>
    Effect.gen(function* () {
      const deployments = yield* DeploymentStore
      const projectId = yield* newProject
      for (const knocks of versions) {
        const made = { bundle: state, roomTypes: [typeWith({ knocks })] }
        yield* deployments.add(projectId, made, () => null)
      }
      const key = { projectId, roomId: RoomId.make("den") }
      const order = { type: "den", class: "standard", version: versions.length } as const
      const started = { ...order, roomId: "den", epoch: 2, serverIndex: 0, fresh: false }
      const manifest = {
        ...order,
        version: 1,
        kind: "snapshot",
        schemaHash: "",
        epoch: 1,
        reason: null,
        takenAtMs: 0,
        stateBytes: state.length
      } as const
      const path = { _tag: "Led", hops: [], players: [] } as const
      const wanted = yield* deployedType(key, order)
      const stored = { snapshot: { state, manifest }, alarms: [] }
      return yield* readable({ key, order: started }, wanted, { stored, path })
    })

  it.effect("[C-685] is read as it is by a version of the same schema", () =>
    Effect.gen(function* () {
      const { snapshot, staysOn } = yield* readBy(s.u16(), s.u8(), s.u16())
      expect([snapshot, staysOn]).toEqual([{ bytes: state, schema: null }, null])
    })
  )

  it.effect("[C-685] moves to a version that takes more, whatever was deployed between", () =>
    Effect.gen(function* () {
      const { snapshot, staysOn } = yield* readBy(s.u16(), s.u8(), s.u32())
      expect([snapshot?.schema, staysOn]).toMatchObject([{ type: "den" }, null])
    })
  )

  it.effect(
    "[C-685] is tried by a version that takes less; the room stays where it does not fit",
    () =>
      Effect.gen(function* () {
        const { snapshot, staysOn } = yield* readBy(s.u16(), s.u8())
        expect([snapshot?.schema, staysOn]).toMatchObject([{ type: "den" }, 1])
      })
  )

  it.effect("[C-685] keeps the room on its version where neither takes what the other has", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(readBy(s.u16(), s.u8(), s.string(4)))).toMatchObject({
        _tag: "Stays",
        version: 1,
        why: "version 3 does not hold its state: singletons.door.knocks was u16 and is string(4)"
      })
    })
  )
})
