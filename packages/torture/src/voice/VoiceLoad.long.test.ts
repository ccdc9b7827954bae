import { makeNeighbour, type Neighbour } from "@atrium/api/testing/Neighbour"
import { mediaProcessesOf } from "@atrium/api/testing/ProcessTree"
import { call, deploy } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { inspectable, ServiceInspector } from "../soak/ServiceInspector.ts"
import { probeLag } from "./LagProbe.ts"
import { flood, makeTalkers, type Talkers } from "./Talkers.ts"

const talking = 10
/** Beside the ports of other tests; a port for each player is open while the players talk. */
const open = Array.from({ length: talking }, (_, at) => 40_600 + at)
const closed = open.map((port) => port + 20)

const service = serviceUnderTest({
  env: {
    ...inspectable,
    ATRIUM_VOICE_PORTS: `${open[0]}-${open.at(-1)}`
  }
})

const p99 = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? 0

/** Half a tick: a p99 below it is that of a machine at rest. */
const noiseMs = 8

const rounded = (ms: number): number => Math.round(ms * 100) / 100

let neighbour: Neighbour
let talkers: Talkers

beforeAll(async () => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "neighbour" } })
  const project = String(made.body["id"])
  const { status } = await deploy({ url, token, project }, ["rooms/metronome.ts"])
  if (status !== 201) throw new Error(`the metronome is not deployed: ${status}`)
  neighbour = await makeNeighbour({ url, project })
  talkers = await makeTalkers({ url, token, count: talking })
})

afterAll(async () => {
  await talkers?.leave()
  await neighbour?.leave()
})

describe("a call of ten who all speak", () => {
  it("[C-897] keeps the service's event loop as prompt as it is without the call", async () => {
    const inside = await ServiceInspector.open(service)
    const probe = await probeLag(inside)
    /** Timers of this many of the neighbour's ticks: eight seconds. */
    const looks = async () => {
      await probe.lateMs()
      await neighbour.lateness()
      await neighbour.lateness(480)
      return probe.lateMs()
    }
    const without: Array<number> = []
    const within: Array<number> = []
    // What else the machine does changes in the meantime: each is measured twice.
    for (let round = 0; round < 2; round++) {
      without.push(...(await looks()))
      await talkers.talk()
      await talkers.heard()
      within.push(...(await looks()))
      expect(await talkers.heard()).toBeGreaterThan(talking * 300)
      await talkers.hangUp()
    }
    inside.close()
    const [withoutMs, withinMs] = [p99(without), p99(within)]
    process.stdout.write(
      `lag p99 ${rounded(withoutMs)} ms without a call, ${rounded(withinMs)} ms with it\n`
    )
    expect(Math.min(without.length, within.length)).toBeGreaterThan(1000)
    expect(withinMs).toBeLessThanOrEqual(Math.max(1.2 * withoutMs, withoutMs + 2))
  })

  it("[C-898] goes on under 10,000 RTP packets/s of nobody for 10 s, and neighbours' ticks are as late as beside the same flood to closed ports", async () => {
    await talkers.talk()
    const [pid] = mediaProcessesOf(service.pid)
    const lateness = async (ports: ReadonlyArray<number>) => {
      await neighbour.lateness()
      expect(await flood({ packetsPerSecond: 10_000, forMs: 10_000, ports })).toBe(100_000)
      const { lateMs, arrivedLateMs } = await neighbour.lateness()
      expect(lateMs.length).toBeGreaterThan(500)
      return { lateMs: p99(lateMs), arrivedLateMs: p99(arrivedLateMs) }
    }
    const atClosed = await lateness(closed)
    await talkers.heard()
    const atOpen = await lateness(open)
    const heard = await talkers.heard()
    process.stdout.write(
      `neighbour beside a flood ${JSON.stringify({ atClosed, atOpen, heard })}\n`
    )
    // The call itself goes on meanwhile: three speakers are heard by nine others, 50 packets a second each.
    expect(heard).toBeGreaterThan(talking * 3 * 50 * 5)
    expect(mediaProcessesOf(service.pid)).toEqual([pid])
    expect(atOpen.lateMs).toBeLessThanOrEqual(Math.max(2 * atClosed.lateMs, noiseMs))
    expect(atOpen.arrivedLateMs).toBeLessThanOrEqual(Math.max(2 * atClosed.arrivedLateMs, noiseMs))
    await talkers.hangUp()
  })
})
