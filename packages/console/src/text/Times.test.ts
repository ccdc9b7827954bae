import { describe, expect, it } from "vitest"

import { awayText, formatsOf, momentText, spanText, utcText } from "./Times.ts"

const at = Date.UTC(2026, 10, 28, 23, 30, 5)

describe("moments", () => {
  it("[C-762] are those of the reader's place, with the day where that is another one", () => {
    const berlin = formatsOf("Europe/Berlin")
    expect(momentText(at, at, berlin)).toBe("00:30:05")
    expect(momentText(at, at + 86_400_000, berlin)).toBe("29 Nov 2026, 00:30:05")
    expect(utcText(at)).toBe("2026-11-28 23:30:05 UTC")
  })

  it.each([
    [400, "0 s"],
    [59_400, "59 s"],
    [60_000, "1 min"],
    [3_600_000, "1 h"],
    [7_800_000, "2 h 10 min"],
    [47 * 3_600_000, "47 h"],
    [72 * 3_600_000, "3 d"]
  ])("[C-762] a span of %d ms is %s", (ms, text) => {
    expect(spanText(ms)).toBe(text)
  })

  it("[C-762] before, now and to come", () => {
    expect([at - 1000, at - 90_000, at + 7_200_000].map((one) => awayText(one, at))).toEqual([
      "now",
      "1 min ago",
      "in 2 h"
    ])
  })
})
