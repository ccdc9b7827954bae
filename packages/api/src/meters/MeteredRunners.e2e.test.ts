// @module-tag thorough

import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { until } from "@atrium/domain/testing/Until"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { HourMs } from "@atrium/wire/limits/Limit"
import { afterAll, beforeAll, expect, it } from "vitest"

import { RawClient } from "../testing/RawClient.ts"
import { holderFirst, shareShards, startRunner } from "../testing/Runners.ts"
import { call, makeHome, type RunningService, type ServiceHome } from "../testing/RunningService.ts"

let home: ServiceHome
const runners: Array<RunningService> = []

beforeAll(async () => {
  home = await makeHome()
  for (let started = 0; started < 2; started++) runners.push(await startRunner(home))
})

afterAll(() => home.remove())

/** Clocks of runners follow that of the database, and are apart from this one by so much at most. */
const clocksApartMs = 250

/** The clients that a room of the project has let in. */
const seated: Array<RawClient> = []
let answered = 0

/** Everything that the project has sent: to the clients in its room, and over an open endpoint. */
const received = (): number => seated.reduce((sum, { bytes }) => sum + bytes, answered)

const join = async (on: RunningService): Promise<RawClient> => {
  const response = await fetch(`${on.url}/v1/identity`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ project: on.project })
  })
  const text = await response.text()
  answered += Buffer.byteLength(text)
  const client = new RawClient(`${on.url.replace("http", "ws")}/v1/rooms/${on.project}/metered`)
  const [type] = await client.hello(String(Object(JSON.parse(text)).token), "probe")
  if (type !== ServerFrame.welcome) throw new Error("the room did not let the client in")
  seated.push(client)
  return client
}

/** The client gets some ten thousand bytes more. */
const play = async (client: RawClient): Promise<void> => {
  for (let round = 0; round < 10; round++) {
    await client.send([ClientFrame.ping, Buffer.alloc(1000, round)])
    await client.next(([type]) => type === ServerFrame.pong)
  }
}

const used = async (on: RunningService) => {
  const { body } = await call(on.url, `/v1/projects/${on.project}/caps`, { token: on.token })
  const { dataOutBytes, roomHours } = Object(body["meters"])
  return { bytes: Number(dataOutBytes.used), roomMs: Number(roomHours.used) * HourMs }
}

it("[C-491] [C-492] [C-493] a killed runner loses what it had not reported, and nothing counts twice", async () => {
  await shareShards(runners)
  const [one, two] = runners
  if (one === undefined || two === undefined) throw new Error("no runners")
  // Two real processes meter by the machine's clock, so true use is between two readings of it around each step.
  const beganAfterMs = Date.now()
  // The frames of one of them are forwarded from its own runner.
  const clients = [await join(one), await join(two)]
  const beganBeforeMs = Date.now()
  for (const client of clients) await play(client)
  await until("every byte is metered", async () => (await used(one)).bytes === received())

  const [holder, other] = await holderFirst(runners)
  if (other === undefined) throw new Error("no other runner")
  const reported = received()
  for (const client of clients) await play(client)
  const killedAfterMs = Date.now()
  await holder.stop("SIGKILL")
  const killedBeforeMs = Date.now()
  await Promise.all(clients.map(({ closed }) => closed))
  const unreported = received() - reported

  let wokeAfterMs = 0
  const again = await until("the room is back", () => {
    // The try that succeeds is the last one: the room has not run again before it.
    wokeAfterMs = Date.now()
    return join(other).catch(() => null)
  })
  const wokeBeforeMs = Date.now()
  await play(again)
  await until(
    "the rest is metered",
    async () => (await used(other)).bytes >= received() - unreported
  )
  const endsAfterMs = Date.now()
  const { bytes, roomMs } = await used(other)
  const endsBeforeMs = Date.now()
  expect(bytes).toBeLessThanOrEqual(received())

  const mostMs = killedBeforeMs - beganAfterMs + endsBeforeMs - wokeAfterMs
  const leastMs = killedAfterMs - beganBeforeMs + endsAfterMs - wokeBeforeMs
  expect(roomMs).toBeLessThanOrEqual(mostMs + 2 * clocksApartMs)
  // What the killed runner had not reported, and what the other one has not reported yet.
  expect(roomMs).toBeGreaterThanOrEqual(leastMs - 2 * (MeterLimits.report.ms + clocksApartMs))
})
