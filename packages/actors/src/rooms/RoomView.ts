import { deletesAtMs, retentionInForce } from "@atrium/domain/rooms/Retention"
import { RoomLimits } from "@atrium/domain/rooms/RoomLimits"
import type { RoomDetail, Save } from "@atrium/domain/rooms/RoomsApi"
import { isoOf } from "@atrium/domain/shared/IsoText"
import type { RoomClass } from "@atrium/wire/rooms/RoomClass"

import type { ObjectEntry } from "../objects/ObjectRows.ts"
import { newestSnapshot, storedSaves } from "./RoomObjects.ts"
import type { ShownRow } from "./RoomRows.ts"

/** The facts about one room: its row, one listing of its objects, the project's deployment. */
export interface RoomKnown {
  readonly key: Parameters<typeof newestSnapshot>[0]
  readonly row: ShownRow | null
  readonly entries: ReadonlyArray<ObjectEntry>
  readonly nowMs: number
  /** The declaration of a type in the current deployment; `null` = it has no such type. */
  declared(type: string): { readonly class: RoomClass; readonly retention: string | null } | null
}

/**
 * A room as it is read: from its row while that is listed, else from what is stored alone.
 *
 * @returns `null` = neither row nor stored state. Spec: Room detail; Rooms rule 3; D-07, T-06, T-07
 */
export const roomDetail = (known: RoomKnown): RoomDetail | null => {
  const { key, entries, nowMs } = known
  const newest = newestSnapshot(key, entries)
  const row = known.row !== null && isListed(known.row, nowMs) ? known.row : null
  const type = row?.type ?? newest?.manifest.type
  if (type === undefined) return null
  const declared = known.declared(type)
  const retention = retentionInForce({
    override: known.row?.retentionOverride ?? null,
    declared: declared?.retention ?? null
  })
  const lastSeenMs = row?.lastSeenMs ?? Math.max(...entries.map((entry) => entry.storedAtMs))
  const quarantined = row?.status === "closed" ? row.quarantined : null
  const activeAtMs = isLive(row, nowMs) ? nowMs : (newest?.entry.storedAtMs ?? lastSeenMs)
  return {
    roomId: key.roomId,
    status: row?.status ?? "hibernated",
    type,
    class: declared?.class ?? row?.class ?? newest?.manifest.class ?? "standard",
    retention: retention.retention,
    retentionOverride: retention.retentionOverride,
    deletesAt: quarantined === null ? isoOrNull(deletesAtMs(retention, activeAtMs)) : null,
    saves: storedSaves(key, entries).length,
    stateBytes: newest?.manifest.stateBytes ?? 0,
    lastSeen: isoOf(lastSeenMs),
    ...(quarantined === null ? {} : { quarantined })
  }
}

const isListed = (row: ShownRow, nowMs: number): boolean =>
  !row.pruned && (row.entered || isLive(row, nowMs))

/** Awake, and its server has told so lately. Spec: Rooms rule 2. */
const isLive = (row: ShownRow | null, nowMs: number): boolean =>
  row !== null &&
  row.status !== "hibernated" &&
  row.status !== "closed" &&
  nowMs - row.lastSeenMs < RoomLimits.reportFresh.ms

/** The room's save generations, newest first. Source: D-11. */
export const savesOf = (
  key: RoomKnown["key"],
  entries: ReadonlyArray<ObjectEntry>
): ReadonlyArray<Save> =>
  storedSaves(key, entries).flatMap(({ saveId, entry, manifest }) =>
    manifest.reason === null
      ? []
      : [
          {
            saveId,
            createdAt: isoOf(entry.storedAtMs),
            bytes: manifest.stateBytes,
            version: manifest.version,
            schemaHash: manifest.schemaHash,
            reason: manifest.reason
          }
        ]
  )

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms))
