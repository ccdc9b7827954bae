import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { providerTable, subjectTable } from "./IdentityStore.ts"
import { jwtSecretTable } from "./JwtSecretStore.ts"

const identities = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table identity_providers (
    project_id text primary key references projects,
    providers jsonb not null
  )`
  yield* sql`create table identity_subjects (
    project_id text not null references projects,
    subject_hash bytea not null,
    player_id text not null,
    issuer text not null,
    made_at_ms bigint not null,
    primary key (project_id, subject_hash)
  )`
  yield* sql`create unique index identity_subjects_by_player
    on identity_subjects (project_id, player_id)`
})

/** Secrets of join credentials, which migration 1 made; identity providers, and the players of their subjects. */
export const identityTables: NounTables = {
  migrations: { "0020_identities": { oldest: 5, change: identities } },
  purge: [
    {
      table: "jwt_secrets",
      acts: true,
      memory: jwtSecretTable.removal((_, projectId) => projectId)
    },
    {
      table: "identity_providers",
      acts: true,
      memory: providerTable.removal((_, projectId) => projectId)
    },
    { table: "identity_subjects", memory: subjectTable.removal(({ projectId }) => projectId) }
  ],
  players: [
    {
      table: "identity_subjects",
      part: "identities",
      onDeletion: "erase",
      shown: { issuer: "text", made_at_ms: "moment" },
      order: [],
      memory: subjectTable.playerRows({
        player: ({ projectId, playerId }) => ({ projectId, playerId }),
        columns: ({ issuer, madeAtMs }) => ({ issuer, made_at_ms: madeAtMs }),
        moved: (row, { key, playerId }) => [key, { ...row, playerId }]
      })
    }
  ]
}
