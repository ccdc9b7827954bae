import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

import { programOf } from "@atrium/api/testing/BuiltPrograms"
import { controlOf } from "@atrium/api/testing/ControlUnderTest"
import { call, deploy, uploadBundle } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { billingPeriod, type Meter } from "@atrium/domain/meters/Caps"
import { MeterLimits } from "@atrium/domain/meters/MeterLimits"
import { until } from "@atrium/domain/testing/Until"
import { bundleRooms } from "@atrium/sdk/bundle"
import { Client } from "@atrium/sdk/client"
import { DayMs, GiB, HourMs, MiB, MinuteMs, SecondMs } from "@atrium/wire/limits/Limit"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parse } from "yaml"

import { flood, sleepless } from "./runaways/FaultyRooms.ts"

const root = join(import.meta.dirname, "..")
/** Whose prices the story has. */
const scenario = join(root, "examples/sim/arena.yaml")
const monthMs = 31 * DayMs

/** The longest times and the most bytes that the specification allows after a cap is reached. */
const roomHoursLagMs = 95 * SecondMs
const storageLagMs = 17 * MinuteMs
const overshootBytes = 5e9

const service = serviceUnderTest({ args: ["--control-port", "0"] })
const control = controlOf(service)
const nowMs = async (): Promise<number> => Number((await control.ask("clock/now")).body["nowMs"])
const advance = async (ms: number): Promise<void> => {
  expect((await control.ask("clock/advance", { ms })).status).toBe(200)
}
const hold = (held: boolean) => control.ask("clock/hold", { held })

const folder = join(import.meta.dirname, "runaways")

/** A project of its own for each fault, with the ceilings that its owner has set. */
const cappedProject = async (caps: Partial<Record<Meter, number>>) => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "runaway" } })
  const project = String(made.body["id"])
  expect(await deploy({ url, token, project }, ["FaultyRooms.ts"], folder)).toMatchObject({
    status: 201
  })
  const ask = (path: string, request: { method?: string; body?: unknown } = {}) =>
    call(url, `/v1/projects/${project}${path}`, { token, ...request })
  expect((await ask("/caps", { method: "PATCH", body: { caps } })).status).toBe(200)
  return {
    url,
    token,
    project,
    ask,
    client: () => new Client(url, { project }),
    meter: async (name: Meter) => {
      const { used, state } = Object(Object((await ask("/caps")).body["meters"])[name])
      return { used: Number(used), state: String(state) }
    }
  }
}

/** A fault, what stopped it, and what it cost: in a month without the ceiling, and as it was. */
interface Story {
  readonly fault: string
  readonly ceiling: string
  readonly stoppedAfter: string
  readonly monthWithout: string
  readonly used: string
}
const stories: Array<Story> = []

const money = (value: number): string => value.toFixed(value < 0.1 ? 4 : 2)
const sizeText = (bytes: number): string =>
  bytes < GiB ? `${(bytes / MiB).toFixed(1)} MiB` : `${Math.round(bytes / GiB)} GiB`

/** What `atrium sim plan` says of the same loop in a month, with the ceiling and without. */
const plannedLoop = async (rooms: number, roomHours: number) => {
  const changes = [
    "players.daily=1",
    "session.minutes=1",
    "game.hibernateAfter=30s",
    `events=[{ at: day 1, kind: runawayLoop, rooms: ${rooms} }]`,
    `plan.caps={ roomHours: ${roomHours} }`
  ]
  const whatIf = changes.flatMap((change) => ["--what-if", change])
  const plan = ["sim", "plan", scenario, "--runs", "1", "--json", ...whatIf]
  const { stdout } = await promisify(execFile)(process.execPath, [programOf("cli"), ...plan], {
    maxBuffer: 64 * MiB
  })
  const { withCaps, withoutCaps } = Object(Object(Object(JSON.parse(stdout))["cost"])["runaway"])
  return {
    hoursAtCeiling: Number(Object(withCaps)["roomHours"]),
    hours: Number(Object(withoutCaps)["roomHours"]),
    worth: Number(Object(withoutCaps)["worth"])
  }
}

const fleet = Object(parse(readFileSync(scenario, "utf8")))["fleet"]
const egressPrice = (bytes: number): number => (bytes / GiB) * Number(Object(fleet)["egressPerGB"])

afterAll(() => {
  console.log("What a runaway costs, at the prices of examples/sim/arena.yaml")
  console.table(stories)
})

describe("a runaway in a project with an owner's ceiling", () => {
  beforeAll(async () => {
    await hold(true)
    // The stories end in the month in which they begin.
    const now = await nowMs()
    const { endMs } = billingPeriod(now)
    if (endMs - now < 4 * DayMs) await advance(endMs - now)
  })

  it("[caps.lag.room-hours] rooms that wake as they sleep are stopped within 95 s of the ceiling of room hours", async () => {
    const [rooms, ceiling] = [10, 1]
    const { client, meter, ask } = await cappedProject({ roomHours: ceiling })
    for (let room = 0; room < rooms; room++) {
      await (await client().joinOrCreate(sleepless, { roomId: `loop-${room}` })).leave()
    }
    const used = async () => (await meter("roomHours")).used
    while ((await used()) < 0.9 * ceiling) await advance(20 * SecondMs)

    const stepMs = 5 * SecondMs
    let before = await used()
    let belowAtMs = 0
    let grewAtMs = 0
    for (let quietMs = 0; quietMs < 4 * stepMs;) {
      if (before < ceiling) belowAtMs = await nowMs()
      await advance(stepMs)
      const after = await used()
      if (after > before) grewAtMs = await nowMs()
      quietMs = after < ceiling || after > before ? 0 : quietMs + stepMs
      before = after
    }
    // What is shown is at most one report old.
    const lagMs = grewAtMs - (belowAtMs - MeterLimits.report.ms)
    expect(lagMs).toBeLessThanOrEqual(roomHoursLagMs)
    expect(await meter("roomHours")).toEqual({ used: before, state: "walled" })
    expect((await ask("/rooms?active=true")).body).toEqual([])
    await advance(2 * DayMs)
    expect(await used()).toBe(before)

    const plan = await plannedLoop(rooms, ceiling)
    expect(before).toBeLessThanOrEqual(plan.hoursAtCeiling)
    const price = plan.worth / plan.hours
    expect(price * before).toBeLessThan(plan.worth)
    stories.push({
      fault: `${rooms} rooms that wake as they sleep`,
      ceiling: `${ceiling} room hour`,
      stoppedAfter: `${lagMs / SecondMs} s`,
      monthWithout: `${plan.hours} room hours: ${money(plan.worth)}`,
      used: `${before.toFixed(2)} room hours: ${money(price * before)}`
    })
  })

  it("[caps.lag.storage] a writer is stopped within 17 min of the ceiling of storage", async () => {
    const ceiling = 5 * MiB
    const { meter, url, token, project } = await cappedProject({ storageBytes: ceiling })
    const { bytes } = await bundleRooms({ entries: ["FaultyRooms.ts"], resolveDir: folder })
    /** A build that deploys again and again: every version is kept. */
    const write = async () => {
      const padding = randomBytes(256 * 1024).toString("base64")
      const bundle = Buffer.concat([bytes, Buffer.from(`\n// ${padding}`)])
      const { status, body } = await uploadBundle({ url, token, project }, bundle)
      return { status, code: Object(body["error"])["code"] }
    }
    const stored = async () => {
      const { body } = await control.ask("storage/list", { project })
      const objects = Array.isArray(body["objects"]) ? body["objects"] : []
      return objects.reduce((sum, object) => sum + Number(Object(object)["bytes"]), 0)
    }
    const [beganAtMs, beganWith] = [await nowMs(), await stored()]
    let reachedAtMs = 0
    let answer = await write()
    while (answer.status === 201) {
      if (reachedAtMs === 0 && (await stored()) >= ceiling) reachedAtMs = await nowMs()
      await advance(MinuteMs)
      answer = await write()
    }
    expect(answer).toEqual({ status: 402, code: "E_CAP_REACHED" })
    const stoppedAtMs = await nowMs()
    expect(reachedAtMs).toBeGreaterThan(0)
    expect(stoppedAtMs - reachedAtMs).toBeLessThanOrEqual(storageLagMs)
    const used = await stored()
    await advance(DayMs)
    expect((await write()).status).toBe(402)
    expect(await meter("storageBytes")).toEqual({ used, state: "walled" })

    const month = ((used - beganWith) * monthMs) / (stoppedAtMs - beganAtMs)
    expect(month).toBeGreaterThan(used)
    stories.push({
      fault: "a build that deploys each minute",
      ceiling: sizeText(ceiling),
      stoppedAfter: `${(stoppedAtMs - reachedAtMs) / MinuteMs} min`,
      monthWithout: `${sizeText(month)} stored`,
      used: `${sizeText(used)} stored`
    })
  })

  it("[caps.dataout.overshoot] a flood of data out is stopped within 5 GB of its ceiling", async () => {
    await hold(false)
    const ceiling = 20 * MiB
    const { client, meter, ask } = await cappedProject({ dataOutBytes: ceiling })
    const closings: Array<Promise<number>> = []
    const beganMs = performance.now()
    for (let seat = 0; seat < 10; seat++) {
      const room = await client().joinOrCreate(flood, { roomId: "flood" })
      closings.push(new Promise((resolve) => room.onLeave((code) => resolve(code))))
    }
    expect(new Set(await Promise.all(closings))).toEqual(new Set([4290]))
    const forMs = performance.now() - beganMs
    await until("the room sleeps", async () => {
      return (await ask("/rooms/flood")).body["status"] === "hibernated"
    })
    await expect(client().joinOrCreate(flood, { roomId: "flood" })).rejects.toMatchObject({
      code: "E_CAP_REACHED",
      closeCode: 4402
    })
    // The last report, and the bytes that connections tell late.
    await advance(MinuteMs)
    const { used, state } = await meter("dataOutBytes")
    expect([state, used >= ceiling]).toEqual(["walled", true])
    expect(used - ceiling).toBeLessThanOrEqual(overshootBytes)
    await advance(HourMs)
    expect((await meter("dataOutBytes")).used).toBe(used)

    // Past the sustained rate messages are dropped, and cost nothing.
    const perSecond = Math.min((used * SecondMs) / forMs, MeterLimits.sustainedRate.burst)
    const month = (perSecond * monthMs) / SecondMs
    expect(egressPrice(used)).toBeLessThan(egressPrice(month))
    stories.push({
      fault: "a flood of data out",
      ceiling: sizeText(ceiling),
      stoppedAfter: `${sizeText(used - ceiling)} more`,
      monthWithout: `${sizeText(month)}: ${money(egressPrice(month))}`,
      used: `${sizeText(used)}: ${money(egressPrice(used))}`
    })
  })
})
