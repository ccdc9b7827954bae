import { expect, test } from "vitest"

import { countsIn } from "./RoomCounts.ts"

test("[D-51] reads the two gauges among others", () => {
  const text = [
    "# HELP atrium_rooms Rooms with a row, by status",
    "# TYPE atrium_rooms gauge",
    'atrium_rooms{status="awake"} 7',
    'atrium_rooms{server="srv_1",status="hibernated"} 12',
    "# TYPE atrium_rooms_awake gauge",
    "atrium_rooms_awake 3",
    ""
  ].join("\n")
  expect(countsIn(text)).toEqual({ awake: 3, hibernated: 12 })
})

test("[D-51] a state without a line counts as 0", () => {
  expect(countsIn("")).toEqual({ awake: 0, hibernated: 0 })
  expect(countsIn('atrium_rooms{status="not hibernated"} 4')).toEqual({ awake: 0, hibernated: 0 })
})
