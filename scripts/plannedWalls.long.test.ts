import { join } from "node:path"

import { controlOf } from "@atrium/api/testing/ControlUnderTest"
import { call, deploy } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { billingPeriod, type Meter, Meters } from "@atrium/domain/meters/Caps"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import { defaultCalibration } from "@atrium/sim/calibration/DefaultCalibration"
import { type Arrival, Arrivals } from "@atrium/sim/plan/engine/Arrivals"
import type { RunInput } from "@atrium/sim/plan/engine/Ground"
import { Run } from "@atrium/sim/plan/engine/Run"
import { planPeriod } from "@atrium/sim/plan/PlanPeriod"
import { readScenario } from "@atrium/sim/scenario/ScenarioText"
import { DayMs, HourMs, MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"
import { Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { steady, steadyBytes } from "./plannedWalls/SteadyRooms.ts"

const callsHz = 0.1
const lookMs = 15 * SecondMs

/** How late the service may be: less than the specification allows it, which is 95 s, 17 min and 5 GB. */
const growingLagMs = MeterLimits.report.ms + MeterLimits.alertLook.ms + lookMs
const storageLagMs = MeterLimits.storageLook.ms + MeterLimits.alertLook.ms + lookMs

/** Players who come one a minute, each into a room of their own, and stay for five minutes. */
const loadWith = (caps: Partial<Record<Meter, number>>): RunInput => {
  const scenario = Result.getOrThrow(
    readScenario(
      JSON.stringify({
        game: {
          maxClients: 1,
          patchBytes: steadyBytes,
          up: { hz: callsHz, bytes: 10 },
          stateBytes: steadyBytes,
          hibernateAfter: "0s"
        },
        players: { daily: 1440, shape: "flat", shared: { share: 0 } },
        session: { minutes: 5 },
        plan: { tier: "card", caps },
        fleet: { runner: { cores: 4, memory: "8GB" }, postgres: { writesPerSecond: 3000 } }
      })
    )
  )
  const period = planPeriod(scenario)
  return { scenario, calibration: defaultCalibration, period, seed: "walls", skippedMs: 0 }
}

const plannedMs = HourMs

/** When a meter warns and reaches its ceiling by the plan, ms after the load has begun, and when its wall stands at the latest. */
const planned = (load: RunInput, meter: Meter) => {
  const run = new Run(load)
  run.through(plannedMs)
  const { warnedAtMs, ceilingAtMs, walledAtMs } = run.result().meters[meter]
  if (warnedAtMs === null || ceilingAtMs === null) throw new Error(`${meter}: no wall is planned`)
  const { startMs } = load.period
  return {
    warned: warnedAtMs - startMs,
    walled: ceilingAtMs - startMs,
    // 5 GB later is past what is planned.
    latest: (walledAtMs ?? Infinity) - startMs
  }
}

/** The players of the plan, whom the service meets at the same moments. */
const arrivalsOf = (load: RunInput): Array<Arrival> => {
  const arrivals = new Arrivals(load)
  const all: Array<Arrival> = []
  while (arrivals.nextAtMs < load.period.startMs + plannedMs) all.push(arrivals.take())
  return all
}

const service = serviceUnderTest({ args: ["--control-port", "0"] })
const control = controlOf(service)
const nowMs = async (): Promise<number> => Number((await control.ask("clock/now")).body["nowMs"])
const advance = async (ms: number): Promise<void> => {
  expect((await control.ask("clock/advance", { ms })).status).toBe(200)
}

const ask = (path: string, request: { method?: string; body?: unknown } = {}) =>
  call(service.url, path, { token: service.token, ...request })

/** A project with these ceilings. Of stored bytes the plan leaves the bundle out: the ceiling is as much higher. */
const cappedProject = async (caps: Partial<Record<Meter, number>>): Promise<string> => {
  const project = String((await ask("/v1/projects", { body: { name: "planned" } })).body["id"])
  const folder = join(import.meta.dirname, "plannedWalls")
  const { url, token } = service
  const deployed = await deploy({ url, token, project }, ["SteadyRooms.ts"], folder)
  expect(deployed.status).toBe(201)
  const { body } = await control.ask("storage/list", { project })
  const objects = Array.isArray(body["objects"]) ? body["objects"] : []
  const bundle = objects.reduce((sum, object) => sum + Number(Object(object)["bytes"]), 0)
  const { storageBytes, ...others } = caps
  const ceilings =
    storageBytes === undefined ? others : { ...caps, storageBytes: storageBytes + bundle }
  const set = await ask(`/v1/projects/${project}/caps`, {
    method: "PATCH",
    body: { caps: ceilings }
  })
  expect(set.status).toBe(200)
  return project
}

/** The meters that have an alert of 80 percent, and those at a wall. */
const standing = async (project: string) => {
  const caps = Object((await ask(`/v1/projects/${project}/caps`)).body["meters"])
  const { alerts } = Object((await ask("/v1/billing")).body)
  const list: ReadonlyArray<unknown> = Array.isArray(alerts) ? alerts : []
  return {
    isWarned: (meter: Meter) =>
      list.some((alert) => {
        const { project: of, meter: on, percent } = Object(alert)
        return of === project && on === meter && percent === MeterLimits.alertPercent.max
      }),
    isWalled: (meter: Meter) => Object(caps[meter])["state"] === "walled"
  }
}

interface Seat {
  readonly room: ClientRoom<typeof steady>
  readonly leavesAtMs: number
  /** Calls that it has still to make; less than one is left for later. */
  due: number
}

/** The players of a load on the service, in the time of its clock since the load has begun. */
class Play {
  readonly #project: string
  readonly #arrivals: Array<Arrival>
  readonly #startMs: number
  #seats: Array<Seat> = []
  #atMs = 0
  #made = 0

  constructor(project: string, load: RunInput) {
    this.#project = project
    this.#arrivals = arrivalsOf(load)
    this.#startMs = load.period.startMs
  }

  /** Lets the clock go to the next moment at which somebody comes or leaves, or that is looked at. */
  async step(looksAtMs: ReadonlyArray<number>): Promise<number> {
    const nextLookMs = Math.min(...looksAtMs.filter((atMs) => atMs > this.#atMs))
    const comesMs = (this.#arrivals[0]?.atMs ?? Infinity) - this.#startMs
    const leavesMs = Math.min(...this.#seats.map(({ leavesAtMs }) => leavesAtMs))
    const untilMs = Math.ceil(Math.min(nextLookMs, comesMs, leavesMs))
    const forMs = untilMs - this.#atMs
    if (forMs > 0) await advance(forMs)
    this.#atMs = untilMs
    for (const seat of this.#seats) await this.#play(seat, forMs)
    for (const { room, leavesAtMs } of this.#seats) if (leavesAtMs <= untilMs) await room.leave()
    this.#seats = this.#seats.filter(({ leavesAtMs }) => leavesAtMs > untilMs)
    while ((this.#arrivals[0]?.atMs ?? Infinity) - this.#startMs <= untilMs) await this.#come()
    return this.#atMs
  }

  async #play(seat: Seat, forMs: number): Promise<void> {
    seat.due += (forMs / SecondMs) * callsHz
    for (; seat.due >= 1 && seat.room.connected; seat.due--) await seat.room.request("write", {})
  }

  async #come(): Promise<void> {
    const { lengthMs = 0 } = this.#arrivals.shift() ?? {}
    const client = new Client(service.url, { project: this.#project })
    const joining = client.joinOrCreate(steady, { roomId: `steady-${this.#made++}` })
    const room = await joining.catch((error: unknown) => {
      // The wall stands, and has not been looked at.
      if (Object(error)["code"] === "E_CAP_REACHED") return null
      throw error
    })
    if (room !== null) this.#seats.push({ room, leavesAtMs: this.#atMs + lengthMs, due: 0 })
  }

  async end(): Promise<void> {
    for (const { room } of this.#seats) await room.leave()
  }
}

/** When the service shows the warning and the wall of a meter, ms after the load has begun. */
interface Moments {
  readonly warned: number
  readonly walled: number
}

/** Every minute, and every 15 s while the warning or the wall of a meter may come. */
const looksFor = (plans: Iterable<ReturnType<typeof planned>>): ReadonlyArray<number> => {
  const moments = [...plans].flatMap(({ warned, walled }) => [warned, walled])
  const isNear = (atMs: number): boolean =>
    moments.some((moment) => Math.abs(moment - atMs) <= growingLagMs + lookMs)
  const looks = Array.from({ length: plannedMs / lookMs }, (_, at) => (at + 1) * lookMs)
  return looks.filter((atMs) => atMs % MinuteMs === 0 || isNear(atMs))
}

/** Plays a load until all of these meters are at their walls, and looks at what stands at each step. */
const served = async (load: RunInput, plans: ReadonlyMap<Meter, ReturnType<typeof planned>>) => {
  const meters = [...plans.keys()]
  const looksAtMs = looksFor(plans.values())
  const project = await cappedProject(load.scenario.plan.caps)
  const play = new Play(project, load)
  const [warned, walled] = [new Map<Meter, number>(), new Map<Meter, number>()]
  while (meters.some((meter) => !walled.has(meter) || !warned.has(meter))) {
    const atMs = await play.step(looksAtMs)
    expect(atMs).toBeLessThan(plannedMs)
    const now = await standing(project)
    for (const meter of meters) {
      if (now.isWarned(meter) && !warned.has(meter)) warned.set(meter, atMs)
      if (now.isWalled(meter) && !walled.has(meter)) walled.set(meter, atMs)
    }
  }
  await play.end()
  return (meter: Meter): Moments => ({
    warned: warned.get(meter) ?? NaN,
    walled: walled.get(meter) ?? NaN
  })
}

const shown: Array<Readonly<Record<string, string>>> = []
const minutes = (ms: number): string => `${(ms / MinuteMs).toFixed(2)} min`

/** The service warns and walls neither earlier nor later than the plan says, but for the lag. */
const meet = async (caps: Partial<Record<Meter, number>>): Promise<void> => {
  const load = loadWith(caps)
  const plans = new Map(
    Meters.filter((meter) => caps[meter] !== undefined).map(
      (meter) => [meter, planned(load, meter)] as const
    )
  )
  const momentsOf = await served(load, plans)
  for (const [meter, plan] of plans) {
    const is = momentsOf(meter)
    expect(is.walled).toBeLessThanOrEqual(plan.latest)
    const lagMs = meter === "storageBytes" ? storageLagMs : growingLagMs
    for (const mark of ["warned", "walled"] as const) {
      shown.push({ meter, mark, planned: minutes(plan[mark]), served: minutes(is[mark]) })
      expect(Math.abs(is[mark] - plan[mark]), `${meter} ${mark}`).toBeLessThanOrEqual(lagMs)
    }
  }
}

afterAll(() => console.table(shown))

describe("the walls of a plan", () => {
  beforeAll(async () => {
    await control.ask("clock/hold", { held: true })
    // The load ends in the month in which it begins.
    const now = await nowMs()
    const { endMs } = billingPeriod(now)
    if (endMs - now < DayMs) await advance(endMs - now)
  })

  it("[C-527] of storage and of room hours come when the service meets them with the same players", async () => {
    await meet({ storageBytes: 1_500_000, roomHours: 3 })
  })

  it("[C-527] of data out comes when the service meets it with the same players", async () => {
    await meet({ dataOutBytes: 15_000_000 })
  })
})
