import { describe, expect, test } from "vitest"

import { isPeriodName, periodAt } from "./BoardPeriods.ts"

const at = (text: string): number => Date.parse(text)

describe("the period of a board at a moment", () => {
  test.each<readonly [kind: "daily" | "weekly" | "monthly", now: string, period: string]>([
    ["daily", "2026-11-23T00:00:00.000Z", "2026-11-23 from 2026-11-23"],
    ["daily", "2026-11-23T23:59:59.999Z", "2026-11-23 from 2026-11-23"],
    ["weekly", "2026-11-22T23:59:59.999Z", "2026-W47 from 2026-11-16"],
    ["weekly", "2026-11-23T00:00:00.000Z", "2026-W48 from 2026-11-23"],
    ["weekly", "2027-01-01T00:00:00.000Z", "2026-W53 from 2026-12-28"],
    ["weekly", "2027-01-04T00:00:00.000Z", "2027-W01 from 2027-01-04"],
    ["weekly", "2024-12-30T12:00:00.000Z", "2025-W01 from 2024-12-30"],
    ["monthly", "2026-11-30T23:59:59.999Z", "2026-11 from 2026-11-01"],
    ["monthly", "2026-12-01T00:00:00.000Z", "2026-12 from 2026-12-01"]
  ])("[D-34] %s at %s is %s", (kind, now, period) => {
    const [name = "", starts = ""] = period.split(" from ")
    expect(periodAt(kind, at(now))).toEqual({ name, startsAtMs: at(`${starts}T00:00:00Z`) })
    expect(isPeriodName(name)).toBe(true)
  })

  test("[D-34] a season is its own name, and a board without periods has one without a name", () => {
    expect(periodAt("season:one", 5)).toEqual({ name: "season:one", startsAtMs: 5 })
    expect(periodAt(undefined, 5)).toEqual({ name: "", startsAtMs: 5 })
  })

  test.each(["", "2026", "2026-1", "2026-W5", "season:", "season:A", "one", "2026-11-23\n"])(
    "[D-34] %j is no name of a period",
    (text) => expect(isPeriodName(text)).toBe(false)
  )
})
