import type { Boards } from "@atrium/domain/boards/Boards"
import type { Queues } from "@atrium/domain/match/Queues"

/** The board of every project. */
export const pointsBoard = "points"

export const boards: Boards = { [pointsBoard]: { direction: "higher", mode: "sum" } }

export const queues: Queues = {
  pairs: { size: 2 },
  squads: { teams: [{ size: 2, count: 2 }], skill: true }
}

/** The queues whose matches play rooms of these types. */
export const queueOf: Readonly<Record<string, string>> = {
  duel: "pairs",
  arena: "squads"
}

/** Those whom games are about: a few, so that they meet again. */
export const playerNames = ["ann", "ben", "cai", "dot", "eve", "fay"] as const
