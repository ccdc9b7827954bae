import { createHmac, timingSafeEqual } from "node:crypto"

import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The value that the database keeps of its master key. It tells whether a key is the same one, and
 * reveals nothing of the key.
 */
const verifierOf = (masterKey: Uint8Array): Uint8Array =>
  new Uint8Array(createHmac("sha256", masterKey).update("atrium/v1/verifier").digest())

const decodeRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ verifier: Schema.Uint8Array }))
)

const stored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* Effect.flatMap(sql`select verifier from master_key`, decodeRows)
  return row?.verifier ?? null
})

/** Tells whether the database was made with a master key, whichever it was. */
export const hasMasterKey = Effect.map(stored, (verifier) => verifier !== null)

/** Makes this key the database's, whatever key it had. */
export const replaceMasterKey = Effect.fnUntraced(function* (masterKey: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  const verifier = verifierOf(masterKey)
  yield* sql`insert into master_key (verifier) values (${verifier})
    on conflict (only_row) do update set verifier = excluded.verifier`
})

/** Tells whether this is the database's master key; a database without one takes it. */
export const isMasterKey = Effect.fnUntraced(function* (masterKey: Uint8Array) {
  const sql = yield* SqlClient.SqlClient
  const verifier = verifierOf(masterKey)
  yield* sql`insert into master_key (verifier) values (${verifier}) on conflict do nothing`
  const found = yield* stored
  return found !== null && found.length === verifier.length && timingSafeEqual(found, verifier)
})
