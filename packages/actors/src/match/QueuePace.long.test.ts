import { rulesOf } from "@atrium/domain/match/QueueRules"
import { expect, test } from "vitest"

import { QueueEvent, type QueueState, step } from "./QueueMachine.ts"

const perSecond = 500
const seconds = 120

/** Numbers that look like chance, and are the same in each run. */
const chance = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

/** Ratings as people have them: around 1500, two thirds within 300. */
const ratingOf = (random: () => number): number =>
  1500 + 300 * Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())

/** CPU of this process: others use the machine, too. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(part * (values.length - 1))] ?? 0

const play = (random: () => number) => {
  const rules = rulesOf({ size: 10, skill: true })
  let state: QueueState = { tickets: [], reserved: [], freeSeats: 0 }
  let [busyMs, worstPassMs, made] = [0, 0, 0]
  const waits: Array<number> = []
  const spreads: Array<number> = []
  for (let second = 0; second < seconds; second++) {
    const arrivals = Array.from({ length: perSecond }, () => second * 1000 + random() * 1000)
    const beganMs = cpuMs()
    for (const queuedAtMs of arrivals.toSorted((one, other) => one - other)) {
      const id = String(made++)
      const rating = ratingOf(random)
      const ticket = { ticketId: id, playerId: id, rating, party: null, queuedAtMs }
      const joined = { ...ticket, expiresAtMs: queuedAtMs + 30_000 }
      ;[state] = step(state, QueueEvent.Joined({ ticket: joined, nowMs: queuedAtMs }))
    }
    const passMs = cpuMs()
    const nowMs = (second + 1) * 1000
    const due = QueueEvent.PassDue({ rules, offers: [], roomable: true, nowMs })
    const [next, { matches }] = step(state, due)
    state = next
    busyMs += cpuMs() - beganMs
    worstPassMs = Math.max(worstPassMs, cpuMs() - passMs)
    for (const players of matches.map(({ teams }) => teams.flat())) {
      for (const { queuedAtMs } of players) waits.push(nowMs - queuedAtMs)
      const ratings = players.map(({ rating }) => rating)
      spreads.push(Math.max(...ratings) - Math.min(...ratings))
    }
  }
  return { busyMs, worstPassMs, waits, spreads, left: state.tickets.length }
}

test("[docs.performance] a queue matches 500 tickets a second into rooms of ten", () => {
  play(chance(7))
  const { busyMs, worstPassMs, waits, spreads, left } = play(chance(11))
  const figures = {
    perCent: (busyMs / (seconds * 1000)) * 100,
    worstPassMs,
    waitP50: quantile(waits, 0.5),
    waitP99: quantile(waits, 0.99),
    waitMost: Math.max(...waits),
    spreadP50: quantile(spreads, 0.5),
    spreadP99: quantile(spreads, 0.99),
    left
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`)
  expect(figures.waitP99).toBeLessThanOrEqual(3000)
  expect(figures.perCent).toBeLessThan(2)
  expect(left).toBeLessThan(perSecond)
})
