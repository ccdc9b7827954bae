import { chosen, type Entry, leastOf, linked, nearest, type Pool } from "./MatchPass.ts"
import { seatsIn } from "./QueueRules.ts"

/** A pool, and the most seats that a room offered at the last pass. */
export interface Explained<E extends Entry> extends Pool<E> {
  readonly freeSeats: number
}

/**
 * Why a ticket waits: whom its band holds now, the party that does not fit beside it, and whether a room has a seat, such
 * as `band 1450–1650 has 3 of 4; a party of 3 does not fit; no room with a free seat`. Source: D-31.
 */
export const waitReason = <E extends Entry>(pool: Explained<E>, key: string): string => {
  const { rules, freeSeats } = pool
  const anchor = linked(pool).find(({ entry }) => entry.key === key)
  if (anchor === undefined) return "the next pass looks at it"
  const near = nearest(anchor)
  const seats = seatsIn(rules)
  const taken = new Set(chosen(anchor, near, { seats, rules }))
  const has = [...taken].reduce((all, { entry }) => all + entry.size, 0)
  const misfit = near.find((each) => each.entry.size > 1 && !taken.has(each))
  const [low, high] = [anchor.rating - anchor.band, anchor.rating + anchor.band].map(Math.round)
  const parts = [
    `${anchor.band === Infinity ? "the queue" : `band ${low}–${high}`} has ${has} of ${leastOf(pool)}`
  ]
  if (misfit !== undefined) parts.push(`a party of ${misfit.entry.size} does not fit`)
  if (freeSeats < anchor.entry.size) parts.push("no room with a free seat")
  return parts.join("; ")
}
