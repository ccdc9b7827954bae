import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import { RoomId } from "@atrium/domain/shared/Ids"
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { MemoryStores, newProject, reported, TestStores } from "../store/testing/TestStores.ts"
import { roomQuarantineContract } from "./RoomQuarantine.contract.ts"
import { RoomState } from "./RoomState.ts"
import { RoomStore } from "./RoomStore.ts"

roomQuarantineContract("on PostgreSQL", TestStores)
roomQuarantineContract("in memory", MemoryStores)

it.effect(
  "[C-992] a mark that an older program left in the row of an open room keeps nothing",
  () =>
    Effect.gen(function* () {
      const store = yield* RoomStore
      const sql = yield* SqlClient.SqlClient
      const key = { projectId: yield* newProject, roomId: RoomId.make("woken") }
      yield* store.save(key, reported(RoomState.Hibernated({ type: "arena" })))
      yield* sql`update rooms set quarantined = 2 where project_id = ${key.projectId}`
      yield* TestClock.adjust(RoomLimits.rowKept.ms)
      const nowMs = yield* Clock.currentTimeMillis
      const declared = [{ projectId: key.projectId, type: "arena", retention: "1m" }]
      expect(yield* store.lapsed({ nowMs, declared, after: null })).toEqual([key])
      expect(yield* store.prune(nowMs)).toEqual([key])
    }).pipe(Effect.provide(TestStores))
)
