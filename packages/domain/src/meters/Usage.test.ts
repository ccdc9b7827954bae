import { expect, test } from "vitest"

import { usageCsv, usageSpan, usedDay, wantsCsv } from "./Usage.ts"

const at = (text: string): number => Date.parse(text)

test.each([
  ["2026-11-23T20:00:00Z", "2025-11-01T00:00:00Z", "2026-12-01T00:00:00Z"],
  ["2026-12-31T23:59:59.999Z", "2025-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
  ["2028-02-29T00:00:00Z", "2027-02-01T00:00:00Z", "2028-03-01T00:00:00Z"]
])("[C-508] at %s usage is shown from %s to %s", (now, from, to) => {
  expect(usageSpan(at(now))).toEqual({ fromMs: at(from), toMs: at(to) })
})

test("[C-508] the table has a line for each day", () => {
  const uses = { roomHours: 1.5, voiceMinutes: 0, storageBytes: 1024, dataOutBytes: 7 }
  expect(usageCsv([usedDay(at("2026-11-23T00:00:00Z"), uses)])).toBe(
    "day,roomHours,voiceMinutes,storageBytes,dataOutBytes\r\n2026-11-23,1.5,0,1024,7\r\n"
  )
})

test.each([
  [undefined, false],
  ["*/*", false],
  ["application/json", false],
  ["text/csv", true],
  ["TEXT/CSV", true],
  ["text/*", true],
  ["text/csv, application/json;q=0.9", true],
  ["text/csv;q=0.5, application/json", false],
  ["text/csv, application/json", false],
  ["text/csv;q=0", false],
  ["text/csv;q=2", false],
  ["text/html", false]
])("[C-508] accept: %s asks for the table: %s", (accept, wants) => {
  expect(wantsCsv(accept)).toBe(wants)
})
