import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"

/** The stored parts of a room, read from the database without the service. */
export interface StoredRoom {
  readonly status: string
  readonly epoch: number
  readonly isPublic: boolean
  readonly started: boolean
  /** Why each save generation was made, oldest first. */
  readonly saves: ReadonlyArray<string>
}

export const readStoredRoom = (databaseUrl: string, roomId: string): Promise<StoredRoom | null> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.make({ url: Redacted.make(databaseUrl), maxConnections: 1 })
    const [row] = yield* sql<{
      readonly status: string
      readonly epoch: bigint
      readonly is_public: boolean
      readonly started: boolean
    }>`select status, epoch, is_public, started from rooms where room_id = ${roomId}`
    const saves = yield* sql<{ readonly reason: string }>`
      select manifest ->> 'reason' as reason from objects
      where key like ${`rooms/%/${roomId}/saves/%`} order by stored_at_ms`
    if (row === undefined) return null
    return {
      status: row.status,
      epoch: Number(row.epoch),
      isPublic: row.is_public,
      started: row.started,
      saves: saves.map(({ reason }) => reason)
    }
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)
