import fc from "fast-check"
import { describe, expect, test } from "vitest"

import {
  allowances,
  billingPeriod,
  Meters,
  type MeterUse,
  refusedAtWall,
  WakeMeters,
  type Standing,
  standingOf,
  Tiers,
  wallText
} from "./Caps.ts"

const free = (used: number, ceiling: number | null = null): MeterUse => ({
  tier: "free",
  used,
  allowance: 100,
  ceiling
})
const card = (used: number, ceiling: number | null = null): MeterUse => ({
  tier: "card",
  used,
  allowance: 100,
  ceiling
})

test.each<readonly [id: string, use: MeterUse, standing: Standing]>([
  ["caps.free.wall", free(0), "ok"],
  ["caps.free.wall", free(99.9), "ok"],
  ["caps.free.wall", free(100), "walled"],
  ["caps.free.wall", free(1e9), "walled"],
  ["caps.card.continues", card(99), "ok"],
  ["caps.card.continues", card(100), "warned"],
  ["caps.card.continues", card(1e9), "warned"],
  ["caps.owner-ceiling.wall", card(49, 50), "ok"],
  ["caps.owner-ceiling.wall", card(50, 50), "walled"],
  ["caps.owner-ceiling.wall", card(51, 50), "walled"],
  ["caps.owner-ceiling.wall", free(49, 50), "ok"],
  ["caps.owner-ceiling.wall", free(50, 50), "walled"],
  // A ceiling above the allowance lifts nothing.
  ["caps.owner-ceiling.wall", free(100, 200), "walled"],
  ["caps.owner-ceiling.wall", card(100, 200), "warned"],
  ["caps.owner-ceiling.wall", card(199, 200), "warned"],
  ["caps.owner-ceiling.wall", card(200, 200), "walled"],
  // A ceiling of nothing allows nothing.
  ["C-70", card(0, 0), "walled"],
  ["C-70", free(0, 0), "walled"]
])("[%s] %j is %s", (_id, use, standing) => {
  expect(standingOf(use)).toBe(standing)
})

test("[caps.owner-ceiling.wall] more use never opens a wall, and a ceiling never lifts one", () => {
  const amount = fc.nat(300)
  const severity = { ok: 0, warned: 1, walled: 2 }
  fc.assert(
    fc.property(
      fc.record({ tier: fc.constantFrom(...Tiers), used: amount, allowance: amount }),
      fc.option(amount),
      amount,
      (use, ceiling, more) => {
        const now = severity[standingOf({ ...use, ceiling })]
        const later = severity[standingOf({ ...use, ceiling, used: use.used + more })]
        const unbounded = severity[standingOf({ ...use, ceiling: null })]
        expect(later).toBeGreaterThanOrEqual(now)
        expect(now).toBeGreaterThanOrEqual(unbounded)
        if (use.tier === "card" && ceiling === null) expect(now).toBeLessThan(severity.walled)
      }
    )
  )
})

describe("[D-45] walls", () => {
  const wallsOf = (work: string) =>
    Meters.filter((meter) => refusedAtWall[meter].some((refused) => refused === work))

  test("[caps.room-hours.refuses-new-rooms] [T-101] the walls of room hours and data out refuse rooms that would start, no other does", () => {
    for (const work of ["new rooms", "rooms that would wake"]) {
      expect(wallsOf(work).toSorted()).toEqual([...WakeMeters].toSorted())
    }
  })

  test("[caps.storage.refuses-writes] a storage cap refuses what is stored, and no deploy of others", () => {
    for (const work of refusedAtWall.storageBytes) expect(wallsOf(work)).toEqual(["storageBytes"])
    expect(refusedAtWall.storageBytes).toContain("KV writes")
  })

  test("[caps.voice.refuses-new-calls] a voice wall refuses new calls only", () => {
    expect(refusedAtWall.voiceMinutes).toEqual(["new calls"])
  })

  test("[caps.existing-rooms-accept-joins] no wall refuses joins, messages, reads or deletes", () => {
    const refused = Meters.flatMap((meter) => [...refusedAtWall[meter]]).join()
    expect(refused).not.toMatch(/join|message|read|delet/)
  })
})

test("[D-39] [C-500] every plan has an allowance of each meter", () => {
  expect(allowances).toEqual({
    free: {
      roomHours: 100,
      voiceMinutes: 1000,
      storageBytes: 1024 ** 3,
      dataOutBytes: 10 * 1024 ** 3
    },
    card: {
      roomHours: 10_000,
      voiceMinutes: 1_000_000,
      storageBytes: 1024 ** 4,
      dataOutBytes: 10 * 1024 ** 4
    }
  })
})

test("[C-501] a refusal names the meter, the cap and the end of the period within 96 bytes", () => {
  const endMs = Date.parse("2026-12-01T00:00:00Z")
  expect(wallText({ meter: "roomHours", cap: 100, endMs })).toBe(
    "roomHours: the cap of 100 is reached; the period ends 2026-12-01T00:00:00.000Z"
  )
  for (const meter of Meters) {
    const text = wallText({ meter, cap: Number.MAX_SAFE_INTEGER, endMs })
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(96)
  }
})

describe("billingPeriod", () => {
  const at = (text: string): number => Date.parse(text)
  test.each([
    ["2026-11-21T11:44:00.123Z", "2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"],
    ["2026-11-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"],
    ["2026-10-31T23:59:59.999Z", "2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z"],
    ["2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    ["2027-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z"],
    ["2027-01-31T12:00:00.000Z", "2027-01-01T00:00:00.000Z", "2027-02-01T00:00:00.000Z"],
    ["2027-02-28T23:59:59.999Z", "2027-02-01T00:00:00.000Z", "2027-03-01T00:00:00.000Z"],
    ["2028-02-29T23:59:59.999Z", "2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"],
    ["2100-02-28T23:59:59.999Z", "2100-02-01T00:00:00.000Z", "2100-03-01T00:00:00.000Z"],
    ["2000-02-29T00:00:00.000Z", "2000-02-01T00:00:00.000Z", "2000-03-01T00:00:00.000Z"],
    ["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z", "1970-02-01T00:00:00.000Z"]
  ])("[caps.read-shape] %s is in the month from %s", (now, start, end) => {
    expect(billingPeriod(at(now))).toEqual({ startMs: at(start), endMs: at(end) })
  })

  test("[caps.read-shape] periods follow each other without a gap, 28 to 31 days each", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("2400-01-01"), noInvalidDate: true }),
        (date) => {
          const nowMs = date.getTime()
          const { startMs, endMs } = billingPeriod(nowMs)
          expect(startMs <= nowMs && nowMs < endMs).toBe(true)
          expect([28, 29, 30, 31]).toContain((endMs - startMs) / 86_400_000)
          expect(billingPeriod(endMs).startMs).toBe(endMs)
          expect(billingPeriod(startMs - 1).endMs).toBe(startMs)
        }
      )
    )
  })
})
