// @module-tag thorough

import type { RoomClient } from "@atrium/domain/inspect/InspectApi"
import type { SeriesPoint } from "@atrium/domain/metrics/MetricsApi"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

import { as, ask } from "../testing/KeysUnderTest.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { holderFirst, shareShards, startRunner } from "../testing/Runners.ts"
import { makeHome, type RunningService, type ServiceHome } from "../testing/RunningService.ts"
import { counterIn, followState } from "../testing/StateReader.ts"

let home: ServiceHome | null = null
const runners: Array<RunningService> = []

beforeAll(async () => {
  home = await makeHome()
  for (let started = 0; started < 2; started++) runners.push(await startRunner(home))
  await shareShards(runners)
})

afterAll(async () => {
  await home?.remove()
})

it("[C-423] [C-768] [C-770] [C-771] whichever runner is asked tells what goes on in a room, and kicks", async () => {
  const [one] = runners
  if (one === undefined) throw new Error("no runner")
  const room = await roomsOf(one).join("anywhere")
  const [holder, other] = await holderFirst(runners)
  const second = await roomsOf(other ?? one).join("anywhere")
  const base = `/v1/projects/${one.project}/rooms/anywhere`
  const read = async <A>(from: RunningService, path: string): Promise<A> => {
    const answer = await ask(from, path, as(from.token))
    expect(answer.status, answer.text).toBe(200)
    return JSON.parse(answer.text)
  }
  const readers = await Promise.all(runners.map((each) => followState(each, "anywhere")))
  await room.request("add", { by: 9 })
  await until("both runners tell the change", () =>
    readers.every(({ looks }) => looks.some((look) => look.live && counterIn(look) === 9))
  )
  for (const { close, ended } of readers) {
    close()
    await ended
  }

  for (const each of runners) {
    const clients = await read<ReadonlyArray<RoomClient>>(each, `${base}/clients`)
    expect(clients.map(({ clientId }) => clientId)).toEqual([room.sessionId, second.sessionId])
    // Each client's own runner knows what waits for it.
    expect(clients.map(({ backlogBytes }) => backlogBytes)).toEqual([0, 0])
    await until("each client's bytes, which its runner tells now and then", async () =>
      (await read<ReadonlyArray<RoomClient>>(each, `${base}/clients`)).every(
        ({ egressBytes }) => egressBytes > 20
      )
    )
  }
  const series = `/v1/projects/${one.project}/metrics/series`
  for (const each of runners) {
    await until("a point with both players", async () => {
      const points = await read<ReadonlyArray<SeriesPoint>>(each, series)
      return points.some(({ players, roomsByState }) => players === 2 && roomsByState.awake === 1)
    })
  }

  const ends: Array<number> = []
  room.onLeave((code) => ends.push(code))
  const asked = other ?? holder
  const kicked = await ask(
    asked,
    `${base}/clients/${room.sessionId}/kick`,
    as(asked.token, { method: "POST" })
  )
  expect(kicked.status, kicked.text).toBe(200)
  await until("the client is told", () => ends[0] === 4410)
  await second.leave()
})
