import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { rulesOf } from "@atrium/domain/match/QueueRules"
import type { Queue } from "@atrium/domain/match/Queues"
import { describe, expect, test } from "vitest"

import {
  type Party,
  type QueueState,
  QueueEvent,
  type RoomOffer,
  step,
  type Ticket,
  whyWaiting
} from "./QueueMachine.ts"

const empty: QueueState = { tickets: [], reserved: [], freeSeats: 0 }
const duel = { size: 2 }
const ranked = { size: 2, skill: true }

const ticket = (playerId: string, more: Partial<Ticket> = {}): Ticket => ({
  ticketId: `mt_${playerId}`,
  playerId,
  rating: 1500,
  party: null,
  queuedAtMs: 0,
  expiresAtMs: QueueLimits.matchWaitMax.ms,
  ...more
})

const waiting = (...tickets: ReadonlyArray<Ticket>): QueueState => ({ ...empty, tickets })

interface Pass {
  readonly queue?: Queue
  readonly nowMs?: number
  readonly offers?: ReadonlyArray<RoomOffer>
  readonly roomable?: boolean
}

const pass = (
  state: QueueState,
  { queue = duel, nowMs = 0, offers = [], roomable = true }: Pass = {}
) => {
  const rules = rulesOf(queue)
  const [next, { matches, expired }] = step(
    state,
    QueueEvent.PassDue({ rules, offers, roomable, nowMs })
  )
  const ids = (tickets: ReadonlyArray<Ticket>) => tickets.map(({ playerId }) => playerId)
  return {
    next,
    left: ids(next.tickets),
    expired: ids(expired),
    matches: matches.map(({ roomId, teams }) => [roomId, ...teams.map(ids)])
  }
}

const offer = (more: Partial<RoomOffer> = {}): RoomOffer => ({
  roomId: "open",
  seats: 1,
  rating: 1500,
  seenAtMs: 0,
  ...more
})

describe("a ticket", () => {
  test("[match.ticket.one-per-queue] queueing again retires the player's earlier ticket", () => {
    const first = ticket("ann")
    const again = ticket("ann", { ticketId: "mt_again", queuedAtMs: 7 })
    const [next, answer] = step(
      waiting(first, ticket("bob")),
      QueueEvent.Joined({ ticket: again, nowMs: 7 })
    )
    expect(answer).toMatchObject({ _tag: "Queued", retired: first })
    expect(next.tickets).toEqual([ticket("bob"), again])
  })

  test("[limits.ticketsWaiting] a full queue takes no ticket but that of a player in it", () => {
    const { max } = QueueLimits.ticketsWaiting
    const full = waiting(...Array.from({ length: max }, (_, at) => ticket(`p${at}`)))
    const joined = (playerId: string) =>
      step(full, QueueEvent.Joined({ ticket: ticket(playerId), nowMs: 0 }))
    expect(joined("p0")[1]._tag).toBe("Queued")
    expect(joined("new")).toEqual([full, { _tag: "Refused", code: "E_NOT_READY" }])
  })

  test("[match.wait.default] expires when its wait is over, and not a millisecond earlier", () => {
    const { ms } = QueueLimits.matchWait
    const alone = waiting(ticket("ann", { expiresAtMs: ms }))
    expect(pass(alone, { nowMs: ms - 1 })).toMatchObject({ left: ["ann"], expired: [] })
    expect(pass(alone, { nowMs: ms })).toMatchObject({ left: [], expired: ["ann"] })
  })

  test("[D-54] waits on while the service does not know which room a match gets", () => {
    const two = waiting(ticket("ann"), ticket("bob"))
    expect(pass(two, { roomable: false })).toMatchObject({ left: ["ann", "bob"], matches: [] })
    expect(pass(two).matches).toEqual([[null, ["ann", "bob"]]])
  })
})

describe("the rating band", () => {
  test.each<readonly [id: string, waitedMs: number, apart: number, meets: boolean]>([
    ["rating.band.start", 0, 100, true],
    ["rating.band.start", 0, 101, false],
    ["rating.band.growth", 4999, 101, false],
    ["rating.band.growth", 5000, 200, true],
    ["rating.band.growth", 5000, 201, false],
    ["rating.band.growth", 59_999, 1200, true],
    ["rating.band.growth", 59_999, 1201, false],
    ["rating.band.unbounded", 60_000, 100_000, true]
  ])("[%s] after %i ms, %i points apart: %s", (...[, waitedMs, apart, meets]) => {
    const two = waiting(ticket("ann"), ticket("bob", { rating: 1500 + apart }))
    expect(pass(two, { queue: ranked, nowMs: waitedMs }).matches).toHaveLength(meets ? 1 : 0)
  })

  test("[rating.band.growth] the narrower band of the two counts", () => {
    const two = waiting(ticket("ann"), ticket("bob", { rating: 1700, queuedAtMs: 30_000 }))
    expect(pass(two, { queue: ranked, nowMs: 34_999 }).matches).toHaveLength(0)
    expect(pass(two, { queue: ranked, nowMs: 35_000 }).matches).toHaveLength(1)
  })

  test("[queues.skill.boolean] without skill a rating keeps nobody apart", () => {
    const two = waiting(ticket("ann"), ticket("bob", { rating: 9000 }))
    expect(pass(two).matches).toHaveLength(1)
  })

  test("[C-605] the one that waits longest meets the nearest rating", () => {
    const four = waiting(
      ticket("near", { rating: 1540, queuedAtMs: 3 }),
      ticket("old", { queuedAtMs: 1 }),
      ticket("far", { rating: 1560, queuedAtMs: 2 })
    )
    expect(pass(four, { queue: ranked, nowMs: 5 })).toMatchObject({
      matches: [[null, ["near", "old"]]],
      left: ["far"]
    })
  })
})

describe("a party", () => {
  const party: Party = { code: "PARTY", size: 2, expiresAtMs: 600_000 }
  const member = (playerId: string, more: Partial<Ticket> = {}) =>
    ticket(playerId, { party, expiresAtMs: 700_000, ...more })
  const joins = (state: QueueState, nowMs: number) =>
    step(state, QueueEvent.Joined({ ticket: member("cat"), nowMs }))[1]

  test("[match.party.size] takes as many as it is for, and no more", () => {
    expect(joins(waiting(member("ann")), 0)._tag).toBe("Queued")
    const full = waiting(member("ann"), member("bob"))
    expect(joins(full, 0)).toEqual({ _tag: "Refused", code: "E_PARTY_FULL" })
  })

  test("[match.party.code-lifetime] takes nobody from the end of its code on", () => {
    expect(joins(waiting(member("ann")), 599_999)._tag).toBe("Queued")
    expect(joins(waiting(member("ann")), 600_000)).toEqual({
      _tag: "Refused",
      code: "E_PARTY_CODE"
    })
  })

  test("[match.party.expiry-keeps-queued] waits until it is whole, or its code is over", () => {
    const queue = { size: 2 }
    const alone = waiting(member("ann"), ticket("eve", { expiresAtMs: 700_000 }))
    expect(pass(alone, { queue, nowMs: 599_999 })).toMatchObject({ matches: [], expired: [] })
    expect(pass(alone, { queue, nowMs: 600_000 }).matches).toEqual([[null, ["ann", "eve"]]])
    const whole = waiting(member("ann"), ticket("eve"), member("bob"))
    expect(pass(whole, { queue }).matches).toEqual([[null, ["ann", "bob"]]])
  })

  test("[D-31] of three does not go into a match of two, and is not split", () => {
    const three: Party = { ...party, size: 3 }
    const members = ["ann", "bob", "cat"].map((id) => ticket(id, { party: three }))
    const queue = { size: 4 }
    const state = waiting(...members, ticket("dan"), ticket("eve"))
    expect(pass(state, { queue })).toMatchObject({
      matches: [[null, ["ann", "bob", "cat", "dan"]]],
      left: ["eve"]
    })
    const couple = ["u", "v"].map((id) => ticket(id, { party }))
    const odd = pass(waiting(...members, ...couple), { queue })
    expect(odd).toMatchObject({ matches: [], left: ["ann", "bob", "cat", "u", "v"] })
  })

  test("[C-601] is in one team", () => {
    const members = ["ann", "bob"].map((id) => ticket(id, { party }))
    const queue = { teams: [{ size: 2, count: 2 }] }
    const state = waiting(ticket("x"), ...members, ticket("y"))
    expect(pass(state, { queue }).matches).toEqual([[null, ["ann", "bob"], ["x", "y"]]])
  })
})

describe("teams", () => {
  const range = (fill: boolean): Queue => ({ teams: [{ minSize: 1, maxSize: 2, count: 2, fill }] })
  const two = (expiresAtMs: number) => waiting(ticket("a", { expiresAtMs }), ticket("b"))

  test("[D-53] without fill a match starts as soon as every team has its minimum", () => {
    expect(pass(two(60_000), { queue: range(false) }).matches).toEqual([[null, ["a"], ["b"]]])
  })

  test("[limits.matchFillLead] [D-53] with fill it waits for the maximum until a wait runs out", () => {
    const { ms } = QueueLimits.matchFillLead
    const queue = range(true)
    expect(pass(two(60_000), { queue, nowMs: 59_999 - ms }).matches).toEqual([])
    expect(pass(two(60_000), { queue, nowMs: 60_000 - ms }).matches).toEqual([[null, ["a"], ["b"]]])
    const four = ["a", "b", "c", "d"].map((id) => ticket(id))
    expect(pass(waiting(...four), { queue }).matches).toEqual([[null, ["a", "c"], ["b", "d"]]])
  })

  test("[D-33] are as even as one swap makes them", () => {
    const ratings = [1590, 1570, 1560, 1500]
    const players = ratings.map((rating) => ticket(String(rating), { rating }))
    const queue = { skill: true, teams: [{ size: 2, count: 2 }] }
    expect(pass(waiting(...players), { queue }).matches).toEqual([
      [null, ["1590", "1500"], ["1570", "1560"]]
    ])
  })
})

describe("a room that asks for players", () => {
  test("[C-606] goes before a new room, and its seats are given once", () => {
    const three = waiting(ticket("ann"), ticket("bob"), ticket("cat"))
    const { next, matches, left } = pass(three, { offers: [offer()] })
    expect(matches).toEqual([
      ["open", ["ann"]],
      [null, ["bob", "cat"]]
    ])
    expect(left).toEqual([])
    expect(next.reserved).toEqual([{ roomId: "open", seats: 1, untilMs: 15_000 }])
  })

  test("[limits.seatReserved] a seat that somebody is on the way to is offered 15 s later", () => {
    const { ms } = QueueLimits.seatReserved
    const reserved = [{ roomId: "open", seats: 1, untilMs: ms }]
    const state = { ...waiting(ticket("ann")), reserved }
    const at = (nowMs: number) => pass(state, { offers: [offer({ seenAtMs: nowMs })], nowMs })
    expect(at(ms - 1).matches).toEqual([])
    expect(at(ms).matches).toEqual([["open", ["ann"]]])
  })

  test("[match.backfill.freshness] counts by an occupancy of 10 s, not by an older one", () => {
    const { ms } = QueueLimits.backfillFresh
    const at = (nowMs: number) => pass(waiting(ticket("ann")), { offers: [offer()], nowMs }).matches
    expect(at(ms)).toEqual([["open", ["ann"]]])
    expect(at(ms + 1)).toEqual([])
  })

  test("[C-606] takes a party whole or not at all, and only within its band", () => {
    const party: Party = { code: "PARTY", size: 2, expiresAtMs: 600_000 }
    const state = waiting(ticket("ann", { party }), ticket("bob", { party }))
    expect(pass(state, { queue: { size: 4 }, offers: [offer()] }).matches).toEqual([])
    const offers = [offer({ seats: 2 })]
    expect(pass(state, { queue: { size: 4 }, offers }).matches).toEqual([["open", ["ann", "bob"]]])
    const far = [offer({ rating: 1601 })]
    expect(pass(waiting(ticket("ann")), { queue: ranked, offers: far }).matches).toEqual([])
  })
})

describe("a room that has no seats after all", () => {
  const sent = (nowMs: number) => {
    const three = waiting(ticket("ann"), ticket("bob"), ticket("cat", { queuedAtMs: 1 }))
    const due = { rules: rulesOf(duel), roomable: true, nowMs }
    const offers = [offer({ seenAtMs: nowMs })]
    const [next, { matches }] = step(three, QueueEvent.PassDue({ ...due, offers }))
    const [filled] = matches.filter(({ roomId }) => roomId !== null)
    if (filled === undefined) throw new Error("the room is not filled")
    return step(next, QueueEvent.SeatsRefused({ matches: [filled], nowMs }))[0]
  }

  test("[C-631] leaves its players waiting in their place, and is asked again 10 s later", () => {
    const { ms } = QueueLimits.backfillFresh
    const state = sent(5000)
    expect(state.tickets).toEqual([ticket("ann")])
    const at = (nowMs: number) => pass(state, { offers: [offer({ seenAtMs: nowMs })], nowMs })
    expect(at(5000 + ms - 1).matches).toEqual([])
    expect(at(5000 + ms).matches).toEqual([["open", ["ann"]]])
  })
})

test("[D-31] a waiting ticket says why it waits", () => {
  const why = (state: QueueState, queue: Queue, nowMs = 0) =>
    whyWaiting(state, { ticketId: "mt_ann", rules: rulesOf(queue), nowMs })
  const four = { size: 4, skill: true }
  const ann = ticket("ann", { rating: 1550 })
  const party: Party = { code: "PARTY", size: 3, expiresAtMs: 600_000 }
  const near = ["b", "c"].map((id) => ticket(id, { rating: 1560 }))
  const three = ["x", "y", "z"].map((id) => ticket(id, { rating: 1600, party }))
  const noRoom = "no room with a free seat"
  expect(why(waiting(ann, ...near, ...three), four)).toBe(
    `band 1450–1650 has 3 of 4; a party of 3 does not fit; ${noRoom}`
  )
  expect(why(waiting(ann), four, 60_000)).toBe(`the queue has 1 of 4; ${noRoom}`)
  expect(why(waiting(ann), duel)).toBe(`the queue has 1 of 2; ${noRoom}`)
  expect(why({ ...waiting(ann), freeSeats: 1 }, duel)).toBe("the queue has 1 of 2")
  expect(why(waiting(ticket("ann", { party })), duel)).toBe("the party has 1 of 3")
  expect(why(waiting(...near), duel)).toBe(null)
})
