import type { RoomKey } from "@atrium/domain/shared/Ids"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { MemoryDatabase } from "../store/MemoryDatabase.ts"
import { memoryRoomCensus, memoryRoomLists, memoryRoomSweeps } from "./MemoryRoomQueries.ts"
import { memoryRoomRows } from "./MemoryRoomRows.ts"
import { changeRoom } from "./MemoryRoomTable.ts"
import { type RoomCensus, roomCensus } from "./RoomCensus.ts"
import { type RoomLists, roomLists } from "./RoomLists.ts"
import type { Lobby } from "./RoomLobby.ts"
import { memoryRoomQuarantines, type RoomQuarantines, roomQuarantines } from "./RoomQuarantine.ts"
import { type RoomRows, roomRows } from "./RoomRows.ts"
import { type RoomSweeps, roomSweeps } from "./RoomSweeps.ts"

/** Rows of rooms: the actor's own state, and what the list route shows. A failing store is a defect. */
export class RoomStore extends Context.Service<
  RoomStore,
  {
    readonly claimEpoch: Effect.Effect<number>
    /** Written by the incarnation of that epoch only: the id may be another room's by now. */
    setLobby(at: RoomKey & { readonly epoch: number }, lobby: Lobby): Effect.Effect<void>
  } & RoomRows &
    RoomCensus &
    RoomSweeps &
    RoomLists &
    RoomQuarantines
>()("@atrium/actors/rooms/RoomStore") {
  static readonly layerSql = Layer.effect(
    RoomStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pg = yield* PgClient.PgClient

      const claimEpoch = sql<{ readonly epoch: bigint }>`
        select nextval('room_epochs') as epoch`.pipe(
        Effect.orDie,
        Effect.map((rows) => Number(rows[0]?.epoch)),
        Effect.withSpan("RoomStore.claimEpoch")
      )

      const setLobby = Effect.fn("RoomStore.setLobby")(function* (
        at: RoomKey & { readonly epoch: number },
        lobby: Lobby
      ) {
        yield* Effect.orDie(sql`
          update rooms set is_public = ${lobby.isPublic}, started = ${lobby.started},
            lobby_metadata = ${lobby.metadata}
          where project_id = ${at.projectId} and room_id = ${at.roomId} and epoch = ${at.epoch}`)
      })

      return {
        claimEpoch,
        setLobby,
        ...roomRows(sql, pg),
        ...roomCensus(sql),
        ...roomSweeps(sql),
        ...roomLists(sql),
        ...roomQuarantines(sql)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    RoomStore,
    Effect.map(MemoryDatabase, (database) => {
      const { tables, ask } = database
      return {
        claimEpoch: ask("RoomStore.claimEpoch", () => tables.next("rooms.epoch")),
        setLobby: (at, { isPublic, started, metadata }) =>
          ask("RoomStore.setLobby", () =>
            changeRoom(tables, at, (row) =>
              row.epoch === at.epoch ? { isPublic, started, lobbyMetadata: metadata } : {}
            )
          ),
        ...memoryRoomRows(database),
        ...memoryRoomCensus(database),
        ...memoryRoomSweeps(database),
        ...memoryRoomLists(database),
        ...memoryRoomQuarantines(database)
      }
    })
  )
}
