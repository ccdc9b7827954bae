import type { SeriesPoint } from "@atrium/domain/metrics/MetricsApi"
import { until } from "@atrium/domain/testing/Until"
import { expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { as, ask, errorOf, mintKey } from "../testing/KeysUnderTest.ts"
import { followList } from "../testing/LiveReader.ts"
import { probe } from "../testing/rooms/probeSchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService("controlled")
const path = () => `/v1/projects/${service.project}/metrics/series`

const points = async (): Promise<ReadonlyArray<SeriesPoint>> => {
  const answer = await ask(service, path(), as(service.token))
  expect(answer.status, answer.text).toBe(200)
  return JSON.parse(answer.text)
}

/** The clock goes on until a point is there that fits. */
const pointWhere = (what: string, fits: (point: SeriesPoint) => boolean): Promise<SeriesPoint> =>
  until(what, async () => {
    await controlOf(service).ask("clock/advance", { ms: 10_000 })
    return (await points()).find(fits) ?? false
  })

it("[C-768] a project has a point for every ten seconds in which it was used, also as it comes", async () => {
  expect(await points()).toEqual([])
  const rooms = roomsOf(service)
  const live = await followList<SeriesPoint>(service, { path: path(), keyOf: ({ at }) => at })
  await until("the list is whole", live.whole)
  const room = await rooms.join("measured")
  await room.request("crash", {}).catch(() => undefined)
  const joined = await pointWhere("a join", ({ joins }) => joins > 0)
  expect(joined).toMatchObject({ joins: 1, refused: {} })
  expect(joined.at).toMatch(/:\d0\.000Z$/)
  const crashed = await pointWhere("the crash", ({ exits }) => exits > 0)
  expect(crashed.exits).toBe(1)
  const player = await rooms.player()
  await player.joinById("nowhere", probe).catch(() => undefined)
  const refused = await pointWhere("a refusal", (point) => Object.keys(point.refused).length > 0)
  expect(refused.refused).toEqual({ E_ROOM_NOT_FOUND: 1 })
  await room.leave()
  const left = await pointWhere("an empty project", ({ sockets }) => sockets === 0)
  expect(left).toMatchObject({ players: 0, joins: 0 })
  const all = await points()
  const ends = all.map(({ at }) => Date.parse(at))
  expect(ends).toEqual(ends.toSorted((a, b) => a - b))
  expect(ends.every((end) => end % 10_000 === 0)).toBe(true)
  expect(all.reduce((sum, { egressBytes }) => sum + egressBytes, 0)).toBeGreaterThan(100)
  await until("the live list has them", () => live.rows.get(left.at)?.sockets === 0)
  live.close()
  await live.ended
})

it("[D-03] [auth.key.cannot.usage] the series are the developer's own", async () => {
  const { secret } = await mintKey(service, ["rooms:read", "rooms:write"])
  expect((await ask(service, path())).status).toBe(401)
  expect((await ask(service, path(), as(secret))).status).toBe(401)
  const foreign = await ask(
    service,
    "/v1/projects/p_00000000000000ee/metrics/series",
    as(service.token)
  )
  expect([foreign.status, errorOf(foreign).code]).toEqual([404, "E_NOT_FOUND"])
  expect((await ask(service, `${path()}?since=x`, as(service.token))).status).toBe(400)
})
