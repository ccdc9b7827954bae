import type { PlayerExport } from "./PlayersApi.ts"

/** All that is kept of a player, in one piece. */
export interface WholeExport {
  readonly accountId: string
  /** The player, then each identity before it was linked. */
  readonly players: ReadonlyArray<Pick<PlayerExport, "playerId" | "rows">>
}

/** Joins the pages of an export, in their order. */
export const wholeExport = (accountId: string, pages: ReadonlyArray<PlayerExport>): WholeExport => {
  const players = new Map<string, Map<string, Array<PlayerExport["rows"][string][number]>>>()
  for (const { playerId, rows } of pages) {
    const parts = players.get(playerId) ?? new Map()
    players.set(playerId, parts)
    for (const [part, more] of Object.entries(rows)) {
      parts.set(part, [...(parts.get(part) ?? []), ...more])
    }
  }
  return {
    accountId,
    players: Array.from(players, ([playerId, parts]) => ({
      playerId,
      rows: Object.fromEntries(parts)
    }))
  }
}
