import { RoomId } from "@atrium/domain/shared/Ids"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

import { PlayerData } from "../accounts/PlayerData.ts"
import { MemoryStores, newProject, TestStores } from "../store/testing/TestStores.ts"
import { ratingStoreContract } from "./RatingStore.contract.ts"
import { RatingStore } from "./RatingStore.ts"
import { ratingTables } from "./RatingTables.ts"

ratingStoreContract("on PostgreSQL", TestStores)
ratingStoreContract(
  "in memory",
  Layer.provideMerge(PlayerData.layerMemory(ratingTables.players ?? []), MemoryStores)
)

layer(TestStores)("on PostgreSQL, at the same time", (it) => {
  it.effect("[C-593] reports of many rooms about the same players all count, in any order", () =>
    Effect.gen(function* () {
      const ratings = yield* RatingStore
      const projectId = yield* newProject
      const names = Array.from({ length: 12 }, (_, index) => `p${index}`)
      // Each report has its players in another order, and some of them are new to the queue.
      const reportOf = (at: number) => {
        const turned = [...names.slice(at % 12), ...names.slice(0, at % 12)]
        const players = (at % 2 === 0 ? turned : turned.toReversed()).slice(0, 6)
        return {
          projectId,
          roomId: RoomId.make(`r${at % 4}`),
          queue: "default",
          reportId: `game ${Math.floor(at / 2)}`,
          results: players.map((player, index) => ({ player, place: index + 1 }))
        }
      }
      const taken = yield* Effect.forEach(
        Array.from({ length: 96 }, (_, at) => at),
        (at) => ratings.report(reportOf(at)),
        { concurrency: "unbounded" }
      )
      // Four rooms report 48 ids; of each pair of reports both have their own room.
      expect(taken.filter(({ counted }) => counted)).toHaveLength(96)
      const again = yield* Effect.forEach(
        Array.from({ length: 96 }, (_, at) => at),
        (at) => ratings.report(reportOf(at)),
        { concurrency: "unbounded" }
      )
      expect(again.filter(({ counted }) => counted)).toEqual([])
    })
  )

  it.effect("[C-593] a report that is sent eight times at once counts once", () =>
    Effect.gen(function* () {
      const ratings = yield* RatingStore
      const report = {
        projectId: yield* newProject,
        roomId: RoomId.make("arena"),
        queue: "default",
        reportId: "one",
        results: [
          { player: "ann", place: 1 },
          { player: "bob", place: 2 }
        ]
      }
      const taken = yield* Effect.all(
        Array.from({ length: 8 }, () => ratings.report(report)),
        { concurrency: "unbounded" }
      )
      expect(taken.filter(({ counted }) => counted)).toHaveLength(1)
      const after = yield* ratings.of(report.projectId, "default", ["ann"])
      expect(after.get("ann")?.rating).toBeCloseTo(1662.2, 1)
    })
  )
})
