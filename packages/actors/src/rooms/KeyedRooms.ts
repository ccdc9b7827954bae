import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomKey } from "@atrium/domain/shared/Ids"
import type { Scope } from "@atrium/domain/shared/Scope"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { keyTable } from "../keys/ApiKeyStore.ts"
import type { ObjectEntry } from "../objects/ObjectRows.ts"
import { listInMemory } from "../objects/ObjectStore.ts"
import { projectIn } from "../projects/ProjectStore.ts"
import { GatheredReads } from "../store/GatheredReads.ts"
import { MemoryDatabase, type MemoryTables } from "../store/MemoryDatabase.ts"
import { hashSecretHex } from "../store/Secrets.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import { shownRowOf } from "./MemoryRoomRows.ts"
import { roomTable, rowKey } from "./MemoryRoomTable.ts"
import { roomPrefix } from "./RoomObjects.ts"
import { type ShownColumns, type ShownRoom, shownRoomOf } from "./RoomRows.ts"

/** A read of a room with an API key. */
export interface KeyedRead extends RoomKey {
  readonly secret: string
}

/** What the store has for a key and a room of its project. */
export interface KeyedRoom extends ShownRoom {
  readonly scopes: ReadonlyArray<Scope>
  /** When the key was last used; `null` = never. */
  readonly lastUsedMs: number | null
  /** The room's stored objects, ordered by key. */
  readonly entries: ReadonlyArray<ObjectEntry>
}

/** Reads of a room, its project and an API key in one statement. A failing store is a defect. */
export class KeyedRooms extends Context.Service<
  KeyedRooms,
  {
    /**
     * @returns `null` = the secret opens no key of this project, the project is gone, more is stored of the room than
     *   one statement reads, or the store does not answer soon
     */
    read(read: KeyedRead): Effect.Effect<KeyedRoom | null>
  }
>()("@atrium/actors/rooms/KeyedRooms") {
  static readonly layerSql = Layer.effect(
    KeyedRooms,
    Effect.gen(function* () {
      // Callers that come while a statement is under way share the next one.
      const reads = new GatheredReads<HashedRead, KeyedRoom>({
        load: roomsIn(yield* SqlClient.SqlClient),
        textOf,
        most: RoomLimits.keyedReads.max,
        run: Effect.runForkWith(yield* Effect.context<never>())
      })
      return {
        read: ({ secret, ...key }) =>
          Effect.map(
            reads.read({ ...key, secretHash: hashSecretHex(secret) }),
            (found) => found ?? null
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    KeyedRooms,
    Effect.map(MemoryDatabase, ({ tables, ask }) => ({
      read: (read) => ask("KeyedRooms.read", () => roomIn(tables, read))
    }))
  )
}

interface HashedRead extends RoomKey {
  /** SHA-256 in hex. */
  readonly secretHash: string
}

const textOf = ({ secretHash, projectId, roomId }: HashedRead): string =>
  `${secretHash}/${projectId}/${roomId}`

interface KeyedColumns extends ShownColumns {
  readonly secret_hash: string
  readonly project_id: string
  readonly room_id: string
  readonly scopes: ReadonlyArray<Scope>
  readonly last_used_ms: bigint | null
  readonly entries: ReadonlyArray<ObjectEntry> | null
}

/**
 * A foreign project takes the same steps as a missing one: a key is looked for by its hash and its project. PostgreSQL
 * plans the statement once: its plan, a look into an index for each part, fits whatever is asked.
 */
const roomsIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("KeyedRooms.read")(function* (reads: ReadonlyArray<HashedRead>) {
    const asked = reads.map(({ secretHash, projectId, roomId }) => {
      const prefix = roomPrefix({ projectId, roomId })
      // `0` is the sign after the slash: it is above every key of the room, and below every other one.
      return { secretHash, projectId, roomId, prefix, end: `${prefix.slice(0, -1)}0` }
    })
    const rows = yield* inTime(sql<KeyedColumns>`
      select asked."secretHash" as secret_hash, asked."projectId" as project_id,
        asked."roomId" as room_id, scopes, last_used_ms, current_version, status, type, class,
        retention_override, last_seen_ms, pruned, entered, quarantined, entries
      from json_to_recordset(${JSON.stringify(asked)}::json) as asked (
          "secretHash" text, "projectId" text, "roomId" text, prefix text, "end" text)
        cross join lateral (
          select scopes, last_used_ms from api_keys
          where secret_hash = decode(asked."secretHash", 'hex')
            and project_id = asked."projectId" and revoked_at_ms is null limit 1
        ) as opened
        cross join lateral (
          select current_version from projects
          where project_id = asked."projectId" and deleted_at_ms is null limit 1
        ) as standing
        left join lateral (
          select status, type, class, retention_override, last_seen_ms, pruned, entered,
            quarantined
          from rooms where project_id = asked."projectId" and room_id = asked."roomId" limit 1
        ) as listed on true
        cross join lateral (
          select json_agg(json_build_object('key', key, 'sizeBytes', size_bytes,
            'storedAtMs', stored_at_ms, 'manifest', manifest) order by key collate "C") as entries
          from (
            select key, coalesce(blob_bytes, octet_length(bytes)) as size_bytes, stored_at_ms,
              manifest
            from objects where key ~>=~ asked.prefix and key ~<~ asked."end"
            limit ${RoomLimits.keyedObjects.max + 1}
          ) as few
        ) as stored`)
    const found = new Map<string, KeyedRoom>()
    for (const row of rows) {
      const entries = row.entries ?? []
      if (entries.length > RoomLimits.keyedObjects.max) continue
      const room: KeyedRoom = {
        scopes: row.scopes,
        lastUsedMs: row.last_used_ms === null ? null : Number(row.last_used_ms),
        ...shownRoomOf(row),
        entries
      }
      found.set(`${row.secret_hash}/${row.project_id}/${row.room_id}`, room)
    }
    return found
  })

/** Nobody waits behind a statement that hangs with its connection: its callers and the next ones go other ways. */
const inTime = <Row, E>(rows: Effect.Effect<ReadonlyArray<Row>, E>) =>
  Effect.orDie(rows).pipe(
    answeredWithin(RoomLimits.keyedAnswer.ms),
    Effect.catchTag("TimeoutError", () => Effect.succeed<ReadonlyArray<Row>>([]))
  )

const roomIn = (tables: MemoryTables, { secret, ...room }: KeyedRead): KeyedRoom | null => {
  const secretHash = hashSecretHex(secret)
  const key = [...keyTable.rowsIn(tables).values()].find((one) => one.secretHash === secretHash)
  const project = projectIn(tables, room.projectId)
  if (key?.projectId !== room.projectId || key.shown.revokedAtMs !== null || project === null) {
    return null
  }
  const { entries } = listInMemory(tables, roomPrefix(room), [])
  if (entries.length > RoomLimits.keyedObjects.max) return null
  const row = roomTable.rowsIn(tables).get(rowKey(room))
  return {
    scopes: key.shown.scopes,
    lastUsedMs: key.shown.lastUsedMs,
    currentVersion: project.currentVersion,
    row: row === undefined ? null : shownRowOf(row),
    entries
  }
}
