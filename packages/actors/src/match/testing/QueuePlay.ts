import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { rulesOf } from "@atrium/domain/match/QueueRules"

import { type Party, QueueEvent, type QueueState, step, type Ticket } from "../QueueMachine.ts"

/** A day of a queue of ten with ratings, in seconds: who comes, and how. */
export interface Crowd {
  readonly seed: number
  /** Players who come each second. */
  readonly perSecond: number
  readonly seconds: number
  /** Sizes of parties, each as likely as its weight; 1 = a player alone. */
  readonly parties: ReadonlyArray<{ readonly size: number; readonly weight: number }>
}

/** A player who was matched. */
export interface Met {
  readonly rating: number
  readonly waitMs: number
  /** Players of the party; 1 = alone. */
  readonly party: number
  /** Rating points between the best and the worst ticket of the match. */
  readonly spread: number
}

interface Played {
  readonly met: ReadonlyArray<Met>
  /** Tickets whose wait ran out. */
  readonly expired: number
  /** Tickets that still wait at the end. */
  readonly left: number
  /** What the queue took of the processor. */
  readonly busyMs: number
  readonly worstPassMs: number
}

/** Numbers that look like chance, and are the same in each run. */
const chance = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** Ratings as people have them: around 1500, two thirds within 300. */
const ratingOf = (random: () => number): number =>
  1500 + 300 * Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())

/**
 * Plays the machine of a queue, second by second.
 *
 * @param cpuMs of this process: others use the machine, too
 */
export const playQueue = (crowd: Crowd, cpuMs: () => number = () => 0): Played => {
  const rules = rulesOf({ size: 10, skill: true })
  const arrive = arrivalsOf(crowd)
  let state: QueueState = { tickets: [], reserved: [], freeSeats: 0 }
  let [busyMs, worstPassMs, ended] = [0, 0, 0]
  const met: Array<Met> = []
  for (let second = 0; second < crowd.seconds; second++) {
    const arrivals = arrive(second)
    const beganMs = cpuMs()
    for (const ticket of arrivals) {
      ;[state] = step(state, QueueEvent.Joined({ ticket, nowMs: ticket.queuedAtMs }))
    }
    const passMs = cpuMs()
    const nowMs = (second + 1) * 1000
    const due = QueueEvent.PassDue({ rules, offers: [], roomable: true, nowMs })
    const [next, { matches, expired }] = step(state, due)
    state = next
    busyMs += cpuMs() - beganMs
    worstPassMs = Math.max(worstPassMs, cpuMs() - passMs)
    ended += expired.length
    for (const { teams } of matches) met.push(...metIn(teams.flat(), nowMs))
  }
  return { met, expired: ended, left: state.tickets.length, busyMs, worstPassMs }
}

const metIn = (players: ReadonlyArray<Ticket>, nowMs: number): ReadonlyArray<Met> => {
  // A party meets by its mean.
  const groups = [
    ...Map.groupBy(players, ({ party, ticketId }) => party?.code ?? ticketId).values()
  ]
  const means = groups.map(
    (each) => each.reduce((sum, { rating }) => sum + rating, 0) / each.length
  )
  const spread = Math.max(...means) - Math.min(...means)
  return players.map(({ rating, queuedAtMs, party }) => ({
    rating,
    waitMs: nowMs - queuedAtMs,
    party: party?.size ?? 1,
    spread
  }))
}

/** The tickets of a second, in the order in which they come. The players of a party come together. */
const arrivalsOf = ({ seed, perSecond, parties }: Crowd) => {
  const random = chance(seed)
  const weights = parties.reduce((sum, { weight }) => sum + weight, 0)
  const sizeOf = (): number => {
    let left = random() * weights
    for (const { size, weight } of parties) if ((left -= weight) < 0) return size
    return 1
  }
  let made = 0
  return (second: number): ReadonlyArray<Ticket> => {
    const tickets: Array<Ticket> = []
    while (tickets.length < perSecond) {
      const size = parties.length === 0 ? 1 : sizeOf()
      const queuedAtMs = second * 1000 + random() * 1000
      const expiresAtMs = queuedAtMs + QueueLimits.matchWait.ms
      const party: Party | null =
        size === 1 ? null : { code: `party ${made}`, size, expiresAtMs: Infinity }
      for (let member = 0; member < size; member++) {
        const id = String(made++)
        const rating = ratingOf(random)
        tickets.push({ ticketId: id, playerId: id, rating, party, queuedAtMs, expiresAtMs })
      }
    }
    return tickets.toSorted((one, other) => one.queuedAtMs - other.queuedAtMs)
  }
}
