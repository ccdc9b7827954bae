import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { lifeTable } from "./LifeStore.ts"

const lives = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table room_lives (
    project_id text not null,
    room_id text not null,
    event_id bigint not null,
    -- As text: a room may say what jsonb does not hold.
    note json not null,
    primary key (project_id, room_id, event_id)
  )`
  yield* sql`create index room_lives_by_age on room_lives (event_id)`
})

/** What happened to rooms. */
export const lifeTables: NounTables = {
  migrations: {
    "0033_room_lives": { oldest: 5, change: lives }
  },
  purge: [{ table: "room_lives", memory: lifeTable.removal(({ projectId }) => projectId) }]
}
