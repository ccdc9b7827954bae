import type { ReplayRow } from "@atrium/actors/replay/ReplayRows"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { SecondMs } from "@atrium/wire/limits/Limit"

/** What everybody is told of a replay. Source: D-57. */
export const replayFactsOf = (row: ReplayRow) => ({
  roomId: row.roomId,
  type: row.type,
  version: row.version,
  kind: row.kind,
  startedAt: isoOf(row.startsAtMs),
  seconds: (row.endsAtMs - row.startsAtMs) / SecondMs,
  bytes: row.bytes,
  expiresAt: isoOf(row.expiresAtMs),
  running: row.running
})
