import { RoomId } from "@atrium/domain/shared/Ids"
import { defineSchema, s } from "@atrium/wire/schema"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { DeploymentStore } from "../deployments/DeploymentStore.ts"
import { deployedOf } from "../deployments/testing/DeploymentFixtures.ts"
import { Migrator } from "../migrations/Migrator.ts"
import { ProcessPool } from "../process/ProcessPool.ts"
import { noRooms } from "../process/testing/NoRooms.ts"
import { awakeAt, MemoryStores, newProject, reported } from "../store/testing/TestStores.ts"
import { loadRoom } from "./LoadRoom.ts"
import { RoomStore } from "./RoomStore.ts"

const den = deployedOf(defineSchema({ type: "den", singletons: { door: { knocks: s.u16() } } }))

const Parts = Layer.mergeAll(
  MemoryStores,
  Layer.mock(Migrator, { lead: () => Effect.die("no migration is on the way") }),
  Layer.mock(ProcessPool, noRooms)
)

layer(Parts)("an order to start a room", (it) => {
  /** What becomes of an order of an epoch where the room's row has another one. */
  const ordered = Effect.fnUntraced(function* (
    { epoch, saved }: { readonly epoch: number; readonly saved: number },
    how: { readonly blank?: true } = {}
  ) {
    const projectId = yield* newProject
    const made = { bundle: Uint8Array.of(1), roomTypes: [den] }
    yield* (yield* DeploymentStore).add(projectId, made, () => null)
    const key = { projectId, roomId: RoomId.make("den") }
    yield* (yield* RoomStore).save(key, reported(awakeAt(saved)))
    const order = { type: "den", class: "standard", version: 1, epoch, serverIndex: 0 } as const
    const loaded = loadRoom({ key, order: { ...order, ...how, roomId: "den", fresh: false } })
    return yield* Effect.match(loaded, { onSuccess: () => "loaded", onFailure: (e) => e._tag })
  })

  it.effect("[C-996] is refused when the room has started under a later epoch since", () =>
    Effect.gen(function* () {
      expect(yield* ordered({ epoch: 5, saved: 6 })).toBe("ServerWaking")
      expect(yield* ordered({ epoch: 5, saved: 6 }, { blank: true })).toBe("ServerWaking")
    })
  )

  it.effect("[C-996] is carried out when the room's row has its epoch, or an earlier one", () =>
    Effect.gen(function* () {
      expect(yield* ordered({ epoch: 6, saved: 6 })).toBe("loaded")
      expect(yield* ordered({ epoch: 6, saved: 5 }, { blank: true })).toBe("loaded")
    })
  )
})
