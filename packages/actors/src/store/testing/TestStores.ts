import type { RoomKey } from "@atrium/domain/shared/Ids"
import { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Redacted } from "effect"

import { makeTestTables } from "../../../../../scripts/makeTestDatabase.ts"
import { PlayerData } from "../../accounts/PlayerData.ts"
import { AccountStore } from "../../logins/AccountStore.ts"
import { StoredBytes } from "../../meters/StoredBytes.ts"
import { DeletedProjects } from "../../projects/DeletedProjects.ts"
import { ProjectStore } from "../../projects/ProjectStore.ts"
import type { RoomFacts, RoomSave } from "../../rooms/RoomRows.ts"
import { RoomState } from "../../rooms/RoomState.ts"
import { MemoryDatabase } from "../MemoryDatabase.ts"
import { migrationsLayer, migrationsOf } from "../Migrations.ts"
import { makeSecret } from "../Secrets.ts"
import { memoryStores, storesLayer } from "../Stores.ts"
import { allTables } from "./AllTables.ts"
import { TestTables } from "./TestTables.ts"

/** A database of its own with the service's tables, dropped with the scope. */
const database = Layer.unwrap(
  Effect.acquireRelease(Effect.promise(makeTestTables), (made) => Effect.promise(made.drop)).pipe(
    Effect.map(({ url }) =>
      migrationsLayer(migrationsOf(allTables)).pipe(
        Layer.provideMerge(
          PgClient.layer({
            url: Redacted.make(url),
            maxConnections: 8,
            // The pool looks at its connections so often, and tests move the clock by months.
            idleTimeout: "3650 days"
          })
        )
      )
    )
  )
)

/** What every noun of the service stores of a project. */
export const purge = allTables.flatMap((tables) => tables.purge)
const players = allTables.flatMap((tables) => tables.players ?? [])

/** Every store of the service on a database of its own. */
export const TestStores = TestTables.layerSql.pipe(
  Layer.provideMerge(storesLayer(new Uint8Array(32).fill(7), allTables)),
  Layer.provideMerge(database)
)

/** Every store of the service on a database in memory of its own. */
export const MemoryStores = TestTables.layerMemory.pipe(
  Layer.provideMerge(memoryStores),
  Layer.provideMerge(
    Layer.mergeAll(
      DeletedProjects.layerMemory(purge),
      StoredBytes.layerMemory(purge),
      PlayerData.layerMemory(players)
    )
  ),
  Layer.provideMerge(MemoryDatabase.layer)
)

/** The account of the first start, made if this is it. */
export const firstOwner = Effect.gen(function* () {
  const accounts = yield* AccountStore
  yield* accounts.bootstrap(makeSecret("loginToken"))
  return Option.getOrThrow(yield* accounts.owner)
})

/** A project of its own. */
export const newProject = Effect.gen(function* () {
  const projects = yield* ProjectStore
  const accountId = yield* (yield* TestTables).account
  return (yield* projects.create(accountId, "under test")).projectId
})

let rooms = 0

/** A room that no other test knows. */
export const newRoomKey = (): RoomKey => ({
  projectId: ProjectId.make("p_0123456789abcdef"),
  roomId: RoomId.make(`room${++rooms}`)
})

/** The state of an awake room: with it in the row, writes of its epoch pass the fence. */
export const awakeAt = (epoch: number, version = 1): RoomState =>
  RoomState.Awake({
    at: { type: "arena", class: "standard", version, epoch, serverIndex: 0 },
    slot: 3,
    restarts: []
  })

/** A save as the room's actor makes it when its server has told something. */
export const reported = (state: RoomState, facts: RoomFacts | null = null): RoomSave => ({
  state,
  facts,
  reported: true,
  after: "any"
})
