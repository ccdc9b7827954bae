import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { type ListedRoom, rooms } from "@atrium/sdk/rooms"
import { expect, it } from "vitest"

import { probe } from "../testing/rooms/probeSchema.ts"
import { codeOf, roomsOf } from "../testing/RoomsUnderTest.ts"
import { call } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

it("[D-21] the registry of a project that is not there", async () => {
  const answer = await call(service.url, "/v1/lobby?project=p_ffffffffffffffff")
  expect([answer.status, codeOf(answer)]).toEqual([404, "E_NOT_FOUND"])
})

it("[C-563] [C-564] the list of rooms shows what a room's code sets, also while the room sleeps", async () => {
  const client = new Client(service.url, { project: service.project })
  const list = rooms(client, probe, { filter: ({ roomId }) => roomId === "shown" })
  const shown = (holds: (room: ListedRoom) => boolean) =>
    until("the list shows the room", () => list.rooms?.some(holds) === true)
  try {
    const room = await roomsOf(service).join("shown")
    await room.request("list", {})
    await room.request("show", { json: JSON.stringify({ map: "ice", level: 3 }) })
    await shown(({ clients, metadata }) => clients === 1 && Object(metadata).map === "ice")
    await expect(room.request("show", { json: `"${"x".repeat(1023)}"` })).rejects.toThrow()
    await room.leave()
    const { status } = roomsOf(service)
    await until("the room sleeps", async () => (await status("shown")) === "hibernated")
    // It wakes with what it showed, so the same value again is no change, and another one is.
    const again = await roomsOf(service).join("shown")
    await again.request("show", { json: JSON.stringify({ map: "ice", level: 3 }) })
    await shown(({ metadata }) => Object(metadata).level === 3)
    await again.request("show", { json: "null" })
    await shown(({ metadata }) => metadata === null)
    await again.leave()
  } finally {
    list.stop()
  }
})
