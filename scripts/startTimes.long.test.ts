import { expect, test } from "vitest"

import { measureStarts, startsText, timesMax } from "./startTimes/StartTimes.ts"

test("[C-366] the packed command starts within four times the CPU of node -e 0", async () => {
  const starts = await measureStarts(15)
  const slow = starts.filter(({ judged, times }) => judged && times > timesMax)
  expect(slow, startsText(starts)).toEqual([])
  expect(starts.filter(({ judged }) => judged)).toHaveLength(4)
})
