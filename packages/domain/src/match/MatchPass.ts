import { QueueLimits } from "./QueueLimits.ts"
import { type QueueRules, seatsIn, type TeamRule } from "./QueueRules.ts"
import { bandOf } from "./RatingBand.ts"
import { makeTeams, partiesFit } from "./Teams.ts"

/** One ticket of the pool: a player, or a whole party. */
export interface Entry {
  /** Orders entries that wait equally long. */
  readonly key: string
  readonly size: number
  /** Of a party the mean. */
  readonly rating: number
  /** Since then it waits to be matched. */
  readonly sinceMs: number
  /** The first end of a wait in it. */
  readonly endsAtMs: number
}

/** A room that wants players. */
export interface Offer {
  readonly roomId: string
  readonly seats: number
  /** The mean of those that the queue has sent there. */
  readonly rating: number
}

/** Players that meet, by their teams; `roomId` = a room that is filled up, `null` = a new one. */
export interface Made<E extends Entry> {
  readonly roomId: string | null
  readonly teams: ReadonlyArray<ReadonlyArray<E>>
}

/** An entry within a pass. */
export interface Waiting<E extends Entry> {
  readonly entry: E
  readonly rating: number
  readonly band: number
  /** The next ones by rating that wait still. */
  left: Waiting<E> | null
  right: Waiting<E> | null
  matched: boolean
}

/** The pool of one pass. */
export interface Pool<E extends Entry> {
  readonly entries: ReadonlyArray<E>
  readonly offers: ReadonlyArray<Offer>
  readonly rules: QueueRules
  readonly nowMs: number
}

const byAge = (one: Entry, other: Entry): number =>
  one.sinceMs - other.sinceMs || (one.key < other.key ? -1 : 1)

/**
 * One pass over the tickets that wait, the one that waits longest first: it gets a seat in a room that wants players,
 * else a match of those nearest to it. Two tickets meet only where each is within the other's band. The work is bounded;
 * whom it does not reach waits for the next pass. Source: Quick-match limits; Skill rating limits; D-53.
 */
export const matchPass = <E extends Entry>(pool: Pool<E>): ReadonlyArray<Made<E>> => {
  const { rules } = pool
  const waiting = linked(pool)
  const offers = pool.offers.map((offer) => ({ ...offer }))
  const made: Array<Made<E>> = []
  let looks = 0
  for (const anchor of waiting) {
    if (looks >= QueueLimits.matchLooks.max) break
    if (anchor.matched) continue
    looks += offers.length
    const offer = offerFor(anchor, offers, rules)
    if (offer !== undefined) {
      offer.seats -= anchor.entry.size
      take([anchor])
      made.push({ roomId: offer.roomId, teams: [[anchor.entry]] })
      continue
    }
    const near = nearest(anchor)
    looks += near.length + 1
    const teams = gathered(anchor, near, pool)
    if (teams === null) continue
    take(teams.flat())
    made.push({ roomId: null, teams: teams.map((team) => team.map(({ entry }) => entry)) })
  }
  return made
}

/** The entries in the order of their wait, each linked to its neighbours by rating. */
export const linked = <E extends Entry>({
  entries,
  rules,
  nowMs
}: Pool<E>): ReadonlyArray<Waiting<E>> => {
  const waiting = entries.toSorted(byAge).map((entry): Waiting<E> => ({
    entry,
    rating: rules.skill ? entry.rating : 0,
    band: rules.skill ? bandOf(nowMs - entry.sinceMs) : Infinity,
    left: null,
    right: null,
    matched: false
  }))
  const byRating = waiting.toSorted((one, other) => one.rating - other.rating)
  for (const [at, each] of byRating.entries()) {
    each.left = byRating[at - 1] ?? null
    each.right = byRating[at + 1] ?? null
  }
  return waiting
}

const take = <E extends Entry>(taken: ReadonlyArray<Waiting<E>>): void => {
  for (const each of taken) {
    each.matched = true
    if (each.left !== null) each.left.right = each.right
    if (each.right !== null) each.right.left = each.left
  }
}

/** The room whose rating is nearest, of equal ones the one that is full soonest. */
const offerFor = <O extends Offer>(
  { entry, rating, band }: Waiting<Entry>,
  offers: ReadonlyArray<O>,
  { skill }: QueueRules
): O | undefined => {
  let best: O | undefined
  let bestAway = Infinity
  for (const offer of offers) {
    const away = skill ? Math.abs(offer.rating - rating) : 0
    if (offer.seats < entry.size || away > band) continue
    const better = away < bestAway || (away === bestAway && offer.seats < (best?.seats ?? 0))
    if (best === undefined || better) [best, bestAway] = [offer, away]
  }
  return best
}

const within = (one: Waiting<Entry>, other: Waiting<Entry>): boolean =>
  Math.abs(one.rating - other.rating) <= Math.min(one.band, other.band)

/** Those in the band of a ticket that have it in theirs, the nearest first and of equal ones the oldest. */
export const nearest = <E extends Entry>(anchor: Waiting<E>): ReadonlyArray<Waiting<E>> => {
  const near: Array<Waiting<E>> = []
  let { left, right } = anchor
  for (let looks = 0; looks < QueueLimits.matchNeighbours.max; looks++) {
    const below = left === null ? Infinity : anchor.rating - left.rating
    const above = right === null ? Infinity : right.rating - anchor.rating
    const next: Waiting<E> | null = below <= above ? left : right
    if (next === null || Math.min(below, above) > anchor.band) break
    if (next === left) left = next.left
    else right = next.right
    if (within(anchor, next)) near.push(next)
  }
  return near
}

/**
 * A match around a ticket: those nearest to it. Where that does not come out even, because of a narrow band or of a
 * party, the ones that wait longest come first, then the largest parties.
 */
const gathered = <E extends Entry>(
  anchor: Waiting<E>,
  near: ReadonlyArray<Waiting<E>>,
  pool: Pool<E>
): ReadonlyArray<ReadonlyArray<Waiting<E>>> | null => {
  const seats = seatsIn(pool.rules)
  if (anchor.entry.size + near.reduce((all, { entry }) => all + entry.size, 0) < leastOf(pool)) {
    return null
  }
  const first = teamsOf(chosen(anchor, near, { seats, rules: pool.rules }), pool)
  if (first !== null) return first
  const bands = new Set([anchor, ...near].map(({ band }) => band)).size > 1
  const parties = near.some(({ entry }) => entry.size > 1) || anchor.entry.size > 1
  const oldest = bands || parties ? near.toSorted((a, b) => byAge(a.entry, b.entry)) : null
  const second =
    oldest === null ? null : teamsOf(chosen(anchor, oldest, { seats, rules: pool.rules }), pool)
  if (second !== null || !parties) return second
  const largest = near.toSorted((a, b) => b.entry.size - a.entry.size)
  return teamsOf(chosen(anchor, largest, { seats, rules: pool.rules }), pool)
}

export const leastOf = ({ rules }: Pool<Entry>): number =>
  rules.teams.reduce((all, { min }) => all + min, 0)

/** Takes one after the other that is in the band of all that were taken, as long as there are seats. */
export const chosen = <W extends Waiting<Entry>>(
  anchor: W,
  candidates: ReadonlyArray<W>,
  { seats, rules }: { readonly seats: number; readonly rules: QueueRules }
): ReadonlyArray<W> => {
  const taken = [anchor]
  const parties = anchor.entry.size > 1 ? [anchor.entry.size] : []
  let players = anchor.entry.size
  // The range that lies in the bands of all taken tickets, and their lowest and highest rating.
  let [from, to] = [anchor.rating - anchor.band, anchor.rating + anchor.band]
  let [lowest, highest] = [anchor.rating, anchor.rating]
  for (const candidate of candidates) {
    const { entry, rating, band } = candidate
    if (players === seats) break
    if (players + entry.size > seats) continue
    if (rating < from || rating > to) continue
    if (lowest < rating - band || highest > rating + band) continue
    if (entry.size > 1 && !partiesFit([...parties, entry.size], rules.teams)) continue
    taken.push(candidate)
    players += entry.size
    if (entry.size > 1) parties.push(entry.size)
    from = Math.max(from, rating - band)
    to = Math.min(to, rating + band)
    lowest = Math.min(lowest, rating)
    highest = Math.max(highest, rating)
  }
  return taken
}

/** The teams of those that were taken, if there are enough for each. */
const teamsOf = <E extends Entry>(
  taken: ReadonlyArray<Waiting<E>>,
  { rules, nowMs }: Pool<E>
): ReadonlyArray<ReadonlyArray<Waiting<E>>> | null => {
  const lastChance = taken.some(
    ({ entry }) => entry.endsAtMs - nowMs <= QueueLimits.matchFillLead.ms
  )
  const needs = ({ fill, min, max }: TeamRule): number => (fill && !lastChance ? max : min)
  const atLeast = rules.teams.map(needs)
  const players = taken.reduce((all, { entry }) => all + entry.size, 0)
  if (players < atLeast.reduce((all, least) => all + least, 0)) return null
  const parts = taken.map((each) => ({ each, size: each.entry.size, rating: each.rating }))
  const teams = makeTeams(parts, rules.teams, atLeast)
  return teams === null ? null : teams.map((team) => team.map(({ each }) => each))
}
