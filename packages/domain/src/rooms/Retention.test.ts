import { describe, expect, test } from "vitest"

import { deletesAtMs, retentionInForce } from "./Retention.ts"

const minute = 60_000

describe("the window in force", () => {
  test.each([
    ["rooms.patch.retention.null", null, null, [null, null]],
    ["state.room.retention.type-or-override", null, "10m", ["10m", 10 * minute]],
    ["rooms.patch.retention.duration", "5m", null, ["5m", 5 * minute]],
    ["rooms.patch.retention.wins-both-ways", "5m", "10m", ["5m", 5 * minute]],
    ["rooms.patch.retention.wins-both-ways", "1h", "10m", ["1h", 60 * minute]],
    ["rooms.patch.retention.forever", "forever", "10m", [null, null]]
  ])("[%s] override %s, declared %s", (...row) => {
    const [, override, declared, [retention, windowMs]] = row
    const inForce = retentionInForce({ override, declared })
    expect(inForce).toEqual({ retention, retentionOverride: override, windowMs })
    const expected = typeof windowMs === "number" ? 1000 + windowMs : null
    expect(deletesAtMs(inForce, 1000)).toBe(expected)
  })
})
