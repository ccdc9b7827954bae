import { expect, test } from "vitest"

import { playQueue } from "./testing/QueuePlay.ts"

const perSecond = 500
const seconds = 120

/** CPU of this process: others use the machine, too. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const quantile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(part * (values.length - 1))] ?? 0

const play = (seed: number) => playQueue({ seed, perSecond, seconds, parties: [] }, cpuMs)

test("[docs.performance] a queue matches 500 tickets a second into rooms of ten", () => {
  play(7)
  const { busyMs, worstPassMs, met, left } = play(11)
  const waits = met.map(({ waitMs }) => waitMs)
  const spreads = met.map(({ spread }) => spread)
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
