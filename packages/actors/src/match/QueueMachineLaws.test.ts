import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { rulesOf, type QueueRules } from "@atrium/domain/match/QueueRules"
import type { Queue } from "@atrium/domain/match/Queues"
import { bandOf } from "@atrium/domain/match/RatingBand"
import fc from "fast-check"
import { expect, test } from "vitest"

import { type Match, QueueEvent, type QueueState, step, type Ticket } from "./QueueMachine.ts"

const queues: ReadonlyArray<Queue> = [
  {},
  { size: 2, skill: true },
  { size: 4, skill: true },
  { size: 5 },
  { skill: true, teams: [{ size: 3, count: 2 }] },
  { skill: true, teams: [{ minSize: 1, maxSize: 3, count: 2, fill: true }] },
  { teams: [{ size: 1 }, { minSize: 2, maxSize: 4 }] }
]

const anyJoin = fc.record({
  act: fc.constant("join" as const),
  player: fc.nat(40),
  rating: fc.integer({ min: 1300, max: 1700 }),
  party: fc.option(fc.nat(4), { nil: null, freq: 1 }),
  waitMs: fc.integer({ min: 0, max: QueueLimits.matchWaitMax.ms })
})
const anyAct = fc.oneof(
  { weight: 3, arbitrary: anyJoin },
  fc.record({ act: fc.constant("pass" as const), afterMs: fc.integer({ min: 0, max: 12_000 }) })
)

type Act = typeof anyAct extends fc.Arbitrary<infer A> ? A : never

/** What a history of acts came to. */
interface Played {
  /** The state before each pass, and what that pass made. */
  readonly passes: ReadonlyArray<{
    readonly before: ReadonlyArray<Ticket>
    readonly after: ReadonlyArray<Ticket>
    readonly matches: ReadonlyArray<Match>
    readonly expired: ReadonlyArray<Ticket>
    readonly nowMs: number
  }>
}

const offersAt = (nowMs: number, odd: boolean) =>
  odd ? [{ roomId: "open", seats: 2, rating: 1500, seenAtMs: nowMs }] : []

const play = (rules: QueueRules, acts: ReadonlyArray<Act>): Played => {
  let state: QueueState = { tickets: [], reserved: [], freeSeats: 0 }
  let [nowMs, made] = [0, 0]
  const passes: Array<Played["passes"][number]> = []
  for (const act of acts) {
    if (act.act === "join") {
      const party =
        act.party === null
          ? null
          : { code: `c${act.party}`, size: 1 + (act.party % 3), expiresAtMs: 40_000 }
      const ticket = {
        ticketId: `t${made++}`,
        playerId: `p${act.player}`,
        rating: act.rating,
        party,
        queuedAtMs: nowMs,
        expiresAtMs: nowMs + act.waitMs
      }
      ;[state] = step(state, QueueEvent.Joined({ ticket, nowMs }))
      continue
    }
    nowMs += act.afterMs
    const before = state.tickets
    const offers = offersAt(nowMs, act.afterMs % 2 === 1)
    const due = QueueEvent.PassDue({ rules, offers, roomable: true, nowMs })
    const [wanted, { matches, expired }] = step(state, due)
    const refused = matches.filter(({ roomId }) => roomId !== null && act.afterMs % 4 === 1)
    const [next] =
      refused.length === 0
        ? [wanted]
        : step(wanted, QueueEvent.SeatsRefused({ matches: refused, nowMs }))
    state = next
    const kept = matches.filter((match) => !refused.includes(match))
    passes.push({ before, after: next.tickets, matches: kept, expired, nowMs })
  }
  return { passes }
}

const anyPlay = fc
  .tuple(fc.constantFrom(...queues), fc.array(anyAct, { minLength: 40, maxLength: 120 }))
  .map(([queue, acts]) => {
    const rules = rulesOf(queue)
    return { rules, ...play(rules, acts) }
  })

const holds = (law: (played: Played & { readonly rules: QueueRules }) => void) => {
  let matches = 0
  fc.assert(
    fc.property(anyPlay, (played) => {
      matches += played.passes.flatMap((pass) => pass.matches).length
      law(played)
    }),
    { numRuns: 400 }
  )
  expect(matches).toBeGreaterThan(400)
}

const all = ({ teams }: Match): ReadonlyArray<Ticket> => teams.flat()

test("[D-31] a ticket ends once, and a player has one ticket: nobody is matched twice", () =>
  holds(({ passes }) => {
    const ended = new Set<string>()
    for (const { before, after, matches, expired } of passes) {
      const gone = [...matches.flatMap(all), ...expired]
      for (const { ticketId } of gone) {
        expect(ended.has(ticketId)).toBe(false)
        ended.add(ticketId)
      }
      expect(new Set(before.map(({ playerId }) => playerId)).size).toBe(before.length)
      expect(gone.length + after.length).toBe(before.length)
      // They wait on in the order in which they came, also those whom a room refuses a seat.
      expect(after.every((ticket) => before.includes(ticket))).toBe(true)
      const came = after.map(({ queuedAtMs }) => queuedAtMs)
      expect(came).toEqual(came.toSorted((one, other) => one - other))
    }
  }))

test("[D-31] a party is in one match, and there in one team", () =>
  holds(({ passes }) => {
    for (const { before, matches, expired } of passes) {
      for (const ticket of matches.flatMap(all)) {
        const code = ticket.party?.code
        if (code === undefined) continue
        const members = before.filter((each) => each.party?.code === code)
        const there = members.filter((member) => !expired.includes(member))
        const teams = matches.flatMap(({ teams }) => teams)
        const team = teams.find((each) => each.includes(ticket)) ?? []
        expect(there.every((member) => team.includes(member))).toBe(true)
      }
    }
  }))

test("[D-53] every team of a new room has the size that the queue declares", () =>
  holds(({ rules, passes }) => {
    for (const { matches, nowMs } of passes) {
      for (const match of matches) {
        if (match.roomId !== null) continue
        const ends = Math.min(...all(match).map(({ expiresAtMs }) => expiresAtMs))
        const last = ends - nowMs <= QueueLimits.matchFillLead.ms
        for (const [at, { min, max, fill }] of rules.teams.entries()) {
          const players = match.teams[at]?.length ?? 0
          expect(players).toBeLessThanOrEqual(max)
          expect(players).toBeGreaterThanOrEqual(fill && !last ? max : min)
        }
        expect(match.teams).toHaveLength(rules.teams.length)
      }
      const filled = matches.filter(({ roomId }) => roomId !== null).flatMap(all)
      expect(filled.length).toBeLessThanOrEqual(2)
    }
  }))

test("[rating.band.growth] each of a match is within the band of each other", () =>
  holds(({ rules, passes }) => {
    if (!rules.skill) return
    for (const { matches, nowMs } of passes) {
      for (const match of matches) {
        const groups = [
          ...Map.groupBy(all(match), ({ party, ticketId }) => party?.code ?? ticketId)
        ]
        const entries = groups.map(([, tickets]) => ({
          rating: tickets.reduce((sum, { rating }) => sum + rating, 0) / tickets.length,
          band: bandOf(nowMs - Math.max(...tickets.map(({ queuedAtMs }) => queuedAtMs)))
        }))
        for (const one of entries) {
          for (const other of entries) {
            expect(Math.abs(one.rating - other.rating)).toBeLessThanOrEqual(one.band)
          }
          if (match.roomId !== null)
            expect(Math.abs(one.rating - 1500)).toBeLessThanOrEqual(one.band)
        }
      }
    }
  }))

test("[C-605] the longest waiting come first: a later ticket is matched only where an earlier one could not be", () => {
  const join = fc.record({ rating: fc.integer({ min: 1300, max: 1700 }), gapMs: fc.nat(4000) })
  fc.assert(
    fc.property(fc.array(join, { maxLength: 60 }), fc.boolean(), (joins, skill) => {
      let nowMs = 0
      const tickets = joins.map(({ rating, gapMs }, at): Ticket => {
        nowMs += gapMs
        const [id, queuedAtMs] = [String(at).padStart(3, "0"), nowMs]
        const expiresAtMs = Infinity
        return { ticketId: id, playerId: id, rating, party: null, queuedAtMs, expiresAtMs }
      })
      const [{ tickets: left }, { matches }] = step(
        { tickets, reserved: [], freeSeats: 0 },
        QueueEvent.PassDue({
          rules: rulesOf({ size: 2, skill }),
          offers: [],
          roomable: true,
          nowMs
        })
      )
      const band = ({ queuedAtMs }: Ticket) => (skill ? bandOf(nowMs - queuedAtMs) : Infinity)
      const meet = (one: Ticket, other: Ticket) =>
        Math.abs(one.rating - other.rating) <= Math.min(band(one), band(other))
      for (const passed of left) {
        const later = matches.filter((match) =>
          all(match).every(({ ticketId }) => ticketId > passed.ticketId)
        )
        for (const match of later) {
          for (const each of all(match)) expect(meet(passed, each)).toBe(false)
        }
        for (const other of left) expect(passed === other || !meet(passed, other)).toBe(true)
      }
    }),
    { numRuns: 400 }
  )
})
