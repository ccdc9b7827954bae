import type { MemoryTables } from "@atrium/actors/store/MemoryDatabase"

import type { Timeline } from "./Timeline.ts"

/** What is watched of the games of a world. */
export interface WatchedGames {
  readonly timeline: Timeline
  readonly tables: MemoryTables
  checked(check: () => void): void
}

/** From now on tells of each row that is written into a table in memory, at that moment. */
export const watchRows = <Row>(
  rows: Map<string, Row>,
  written: (key: string, row: Row) => void
): void => {
  const set = rows.set.bind(rows)
  rows.set = (key, row) => {
    set(key, row)
    written(key, row)
    return rows
  }
}
