import type { RoomListRow } from "@atrium/domain/rooms/RoomsApi"
import { until } from "@atrium/domain/testing/Until"
import { expect, it } from "vitest"

import { as, ask, mintKey } from "../testing/KeysUnderTest.ts"
import { followList } from "../testing/LiveReader.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

const follow = (query: string, bearer = service.token) =>
  followList<RoomListRow>(service, {
    path: `/v1/projects/${service.project}/rooms${query}`,
    keyOf: ({ roomId }) => roomId,
    bearer
  })

it("[C-769] the list of rooms tells what changes, to a login and to a key that may read it", async () => {
  const rooms = roomsOf(service)
  await rooms.asleep("before", 1)
  const { secret } = await mintKey(service, ["rooms:read"])
  const [all, awake] = [await follow("", secret), await follow("?active=true")]
  await until("both are whole", () => all.whole() && awake.whole())
  expect([...all.rows.keys(), ...awake.rows.keys()]).toEqual(["before"])
  const path = `/v1/projects/${service.project}/rooms`
  const plain: ReadonlyArray<RoomListRow> = JSON.parse(
    (await ask(service, path, as(service.token))).text
  )
  expect([...all.rows.values()]).toEqual(plain)

  const room = await rooms.join("now")
  await until("the room and its player are told", () => awake.rows.get("now")?.clients === 1)
  await until("to the other reader, too", () => all.rows.get("now")?.status === "awake")
  await rooms.ask("/before", { method: "PATCH", body: { retention: "2d" } })
  await until("the retention is told", () => all.rows.get("before")?.retention === "2d")
  await room.leave()
  await until("it is awake no more", () => !awake.rows.has("now"))
  await rooms.ask("/before", { method: "DELETE" })
  await until("a deleted room is gone", () => !all.rows.has("before"))
  expect(all.rows.get("now")?.status).toMatch(/hibernated|draining/)
  for (const reader of [all, awake]) {
    reader.close()
    await reader.ended
  }
})
