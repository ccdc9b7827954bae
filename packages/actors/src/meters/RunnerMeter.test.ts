import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { DayMs } from "@atrium/wire/limits/Limit"
import fc from "fast-check"
import { describe, expect, test } from "vitest"

import { type Metered, MeterCounts } from "./RunnerMeter.ts"

const projectId = ProjectId.make("p_0123456789abcdef")
const other = ProjectId.make("p_00000000000000ff")

const room = (lapsed = () => false): Metered => ({ projectId, meter: "roomHours", lapsed })

/** What a look finds, as meter, day and amount. */
const look = (counts: MeterCounts, nowMs: number) =>
  counts.look(nowMs).map((sum) => [sum.meter, sum.dayStartsAtMs / DayMs, sum.amount])

describe("the time of awake rooms", () => {
  test("[C-493] counts by the millisecond, from the beginning to the end, however often somebody looks", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(3 * DayMs), { maxLength: 8 }),
        fc.nat(3 * DayMs),
        (looks, end) => {
          const counts = new MeterCounts()
          const awake = room()
          counts.began(awake, 5)
          const found = looks
            .filter((atMs) => atMs < end)
            .toSorted((one, two) => one - two)
            .flatMap((atMs) => counts.look(5 + atMs))
          counts.ended(awake, 5 + end)
          counts.ended(awake, 5 + end + 1)
          const all = [...found, ...counts.look(5 + end + DayMs)]
          expect(all.reduce((ms, { amount }) => ms + amount, 0)).toBe(end)
          for (const { dayStartsAtMs } of all) {
            const inDay = all.filter((sum) => sum.dayStartsAtMs === dayStartsAtMs)
            expect(inDay.reduce((ms, { amount }) => ms + amount, 0)).toBeLessThanOrEqual(DayMs)
          }
        }
      )
    )
  })

  test("[C-493] is split at midnight, in UTC", () => {
    const counts = new MeterCounts()
    counts.began(room(), DayMs - 1)
    expect(look(counts, 3 * DayMs + 2)).toEqual([
      ["roomHours", 0, 1],
      ["roomHours", 1, DayMs],
      ["roomHours", 2, DayMs],
      ["roomHours", 3, 2]
    ])
  })

  test("[C-493] of several rooms of a project adds up; a room that sleeps accrues none", () => {
    const counts = new MeterCounts()
    const [one, two] = [room(), room()]
    counts.began(one, 0)
    counts.began(two, 4)
    counts.ended(two, 6)
    expect(look(counts, 10)).toEqual([["roomHours", 0, 12]])
    counts.ended(one, 10)
    expect(look(counts, 1_000_000)).toEqual([])
  })

  test("[C-493] is another runner's once the lease is over", () => {
    const counts = new MeterCounts()
    let over = false
    const awake = room(() => over)
    counts.began(awake, 0)
    expect(look(counts, 10)).toEqual([["roomHours", 0, 10]])
    over = true
    expect(look(counts, 20)).toEqual([])
    counts.ended(awake, 30)
    expect(look(counts, 40)).toEqual([])
  })

  test("[C-493] stands still while a clock that was set back is behind", () => {
    const counts = new MeterCounts()
    counts.began(room(), 100)
    expect(look(counts, 50)).toEqual([])
    expect(look(counts, 103)).toEqual([["roomHours", 0, 3]])
  })
})

describe("the bytes that go out", () => {
  test("[C-492] of a room count from its beginning, each once, and those told late", () => {
    const counts = new MeterCounts()
    const awake = { key: { projectId }, gate: { egressBytes: 0 } }
    counts.roomCame(awake)
    awake.gate.egressBytes += 7
    expect(look(counts, 1)).toEqual([["dataOutBytes", 0, 7]])
    expect(look(counts, 2)).toEqual([])
    awake.gate.egressBytes += 3
    counts.roomWent(awake, 3)
    expect(look(counts, 3)).toEqual([["dataOutBytes", 0, 3]])
    const { ms } = MeterLimits.lateBytes
    awake.gate.egressBytes += 2
    expect(look(counts, 3 + ms)).toEqual([["dataOutBytes", 0, 2]])
    awake.gate.egressBytes += 1
    expect(look(counts, 3 + ms + 1)).toEqual([["dataOutBytes", 0, 1]])
    awake.gate.egressBytes += 1
    expect(look(counts, 3 + ms + 2)).toEqual([])
  })

  test("[C-492] of sites and open endpoints count beside those of rooms, by project", () => {
    const counts = new MeterCounts()
    const awake = { key: { projectId }, gate: { egressBytes: 5 } }
    counts.roomCame(awake)
    awake.gate.egressBytes = 9
    counts.sent(projectId, 100)
    counts.sent(other, 20)
    counts.sent(projectId, 0)
    const found = counts.look(DayMs).map((sum) => [sum.projectId, sum.amount, sum.dayStartsAtMs])
    expect(found).toEqual([
      [projectId, 104, DayMs],
      [other, 20, DayMs]
    ])
  })
})
