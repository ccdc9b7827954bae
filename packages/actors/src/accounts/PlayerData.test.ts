import { expect, layer, test } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { roomTables } from "../rooms/RoomTables.ts"
import { MemoryDatabase, MemoryTable } from "../store/MemoryDatabase.ts"
import type { PlayerRows } from "../store/NounTables.ts"
import { allTables } from "../store/testing/AllTables.ts"
import { MemoryStores, TestStores } from "../store/testing/TestStores.ts"
import { playerDataContract, TestScores } from "./PlayerData.contract.ts"
import { PlayerData } from "./PlayerData.ts"

interface Score {
  readonly projectId: string
  readonly playerId: string
  readonly at: number
}

const boardOf = (at: number): string => (at % 2 === 0 ? "a" : "b")
const scoreTable = new MemoryTable<Score>()

const testScores: PlayerRows = {
  table: "test_scores",
  part: "scores",
  onDeletion: "move",
  shown: { board: "text", at: "number", score: "number" },
  order: ["board", "at"],
  memory: scoreTable.playerRows({
    player: ({ projectId, playerId }) => ({ projectId, playerId }),
    columns: ({ at }) => ({ board: boardOf(at), at, score: 0 - at }),
    moved: (row, { playerId }) => [`${row.projectId}/${playerId}/${row.at}`, { ...row, playerId }]
  })
}

const declared = allTables.flatMap((tables) => tables.players ?? [])

/** A noun whose rows go, and one whose rows stay. */
const players = [...(roomTables.players ?? []), testScores]

const scoresOnSql = Layer.effect(
  TestScores,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.orDie(sql`create table test_scores (project_id text, player_id text,
      board text, at bigint, score bigint, primary key (project_id, player_id, board, at))`)
    return {
      add: (projectId, playerId, scores) =>
        Effect.asVoid(
          Effect.orDie(sql`insert into test_scores
            select ${projectId}, ${playerId}, case at % 2 when 0 then 'a' else 'b' end, at, -at
            from generate_series(0, ${scores}::int - 1) at`)
        )
    }
  })
)

const scoresInMemory = Layer.effect(
  TestScores,
  Effect.map(MemoryDatabase, ({ tables }) => ({
    add: (projectId, playerId, scores) =>
      Effect.sync(() => {
        for (let at = 0; at < scores; at++) {
          scoreTable
            .rowsIn(tables)
            .set(`${projectId}/${playerId}/${at}`, { projectId, playerId, at })
        }
      })
  }))
)

playerDataContract(
  "on PostgreSQL",
  Layer.provideMerge(Layer.merge(PlayerData.layerSql(players), scoresOnSql), TestStores)
)
playerDataContract(
  "in memory",
  Layer.provideMerge(Layer.merge(PlayerData.layerMemory(players), scoresInMemory), MemoryStores)
)

test("[C-540] no two nouns give a part of the export the same name", () => {
  const parts = declared.map(({ part }) => part)
  expect(new Set(parts).size).toBe(parts.length)
})

layer(TestStores)("the tables of players", (it) => {
  it.effect("[C-540] a noun declares every table that has rows of a player", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* Effect.orDie(sql<{ readonly table: string }>`
        select table_name as table from information_schema.columns
        where table_schema = current_schema() and column_name = 'player_id'`)
      expect(declared.map(({ table }) => table).toSorted()).toEqual(
        rows.map(({ table }) => table).toSorted()
      )
    })
  )
})
