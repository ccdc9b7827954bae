import { expect, it } from "vitest"

import { withEvents } from "./LogEntries.ts"

const line = (id: number) => ({
  event: "line",
  id: String(id),
  data: JSON.stringify({
    at: "2026-11-28T10:00:00.000Z",
    roomId: "a",
    level: "info",
    line: `${id}`
  })
})

it("[C-775] a log takes lines as they come, says where some are missing, and lets the oldest go", () => {
  const missed = { event: "missed", data: '{"lines":null}' }
  const ping = { event: "ping", data: "" }
  const first = withEvents([], [ping, line(1), missed, line(2)])
  expect(first.map((entry) => (entry._tag === "Line" ? entry.line : entry.lines))).toEqual([
    "1",
    null,
    "2"
  ])
  expect(withEvents(first, [ping])).toBe(first)
  const many = Array.from({ length: 499 }, (_, at) => line(at + 3))
  const full = withEvents(first, many)
  expect([full.length, full[0]?._tag, full.at(-1)?.key]).toEqual([500, "Line", "501"])
  expect(withEvents(full, [line(500), line(501)])).toBe(full)
  expect(withEvents(full, [line(500), line(502)]).at(-1)?.key).toBe("502")
  // Keys tell entries apart, also where two parts of a stream miss something.
  const twice = withEvents(withEvents(first, [missed]), [missed])
  expect(new Set(twice.map(({ key }) => key)).size).toBe(twice.length)
})
