import { createHash } from "node:crypto"

import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

interface Row {
  readonly status: string
  readonly type: string
  readonly class: string
  readonly last_seen_ms: bigint
}

/** The bench's first reference for a read, kept so that ratios of earlier runs can be compared. */
export const makeThreeQueries = async (
  url: string,
  project: string
): Promise<(secret: string, roomId: string) => Promise<string | null>> => {
  const runtime = ManagedRuntime.make(
    PgClient.layer({ url: Redacted.make(url), maxConnections: 20 }).pipe(
      Layer.provide(Reactivity.layer)
    )
  )
  const sql = await runtime.runPromise(PgClient.PgClient)

  /** The key by its hash, then the row and what is stored of the room. */
  const read = Effect.fnUntraced(function* (secret: string, roomId: string) {
    const hash = createHash("sha256").update(secret).digest()
    const keys = yield* sql`select scopes from api_keys
      where secret_hash = ${new Uint8Array(hash)} and revoked_at_ms is null`
    if (keys.length === 0) return null
    // An underscore stands for any character: unescaped, it would make the index useless.
    const prefix = `rooms/${project}/${roomId}/%`.replaceAll("_", "\\_")
    const [rows, objects] = yield* Effect.all(
      [
        sql<Row>`select status, type, class, last_seen_ms from rooms
          where project_id = ${project} and room_id = ${roomId}`,
        sql`select key, octet_length(bytes) as size, stored_at_ms from objects
          where key like ${prefix} order by key collate "C"`
      ],
      { concurrency: 2 }
    )
    const row = rows[0]
    if (row === undefined) return null
    return JSON.stringify({
      roomId,
      status: row.status,
      type: row.type,
      class: row.class,
      retention: null,
      retentionOverride: null,
      deletesAt: null,
      saves: objects.length,
      stateBytes: 1,
      lastSeen: new Date(Number(row.last_seen_ms)).toISOString()
    })
  })

  return (secret, roomId) => runtime.runPromise(Effect.orDie(read(secret, roomId)))
}
