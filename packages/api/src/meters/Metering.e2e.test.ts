import { billingPeriod } from "@atrium/domain/meters/Caps"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { HourMs, MinuteMs } from "@atrium/wire/limits/Limit"
import { beforeAll, describe, expect, it } from "vitest"

import { controlOf } from "../testing/ControlUnderTest.ts"
import { recorded } from "../testing/rooms/recordedSchema.ts"
import { roomsOf } from "../testing/RoomsUnderTest.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"
import { askHost, siteSteps } from "../testing/SiteSteps.ts"

const service = serviceUnderTest({ args: ["--control-port", "0"] })
const control = controlOf(service)
const rooms = () => roomsOf(service)

/** What a project has used, by meter. */
const usedOf = async (project: string): Promise<Record<string, number>> => {
  const { body } = await call(service.url, `/v1/projects/${project}/caps`, { token: service.token })
  return Object.fromEntries(
    Object.entries(Object(body["meters"])).map(([meter, standing]) => [
      meter,
      Number(Object(standing).used)
    ])
  )
}

const nowMs = async (): Promise<number> => Number((await control.ask("clock/now")).body["nowMs"])
const advance = async (ms: number): Promise<void> => {
  expect((await control.ask("clock/advance", { ms })).status).toBe(200)
}

describe("with time held", () => {
  beforeAll(async () => {
    await control.ask("clock/hold", { held: true })
    // The tests end in the month in which they begin.
    const now = await nowMs()
    const { endMs } = billingPeriod(now)
    if (endMs - now < 24 * HourMs) await advance(endMs - now)
  })

  it("[C-493] an awake room counts to the millisecond, one that sleeps not at all", async () => {
    const { project } = service
    const roomMs = async () => Number((await usedOf(project))["roomHours"]) * HourMs
    const room = await rooms().join("timed")
    // So long a step ends with a report.
    await advance(HourMs)
    const begun = await roomMs()
    await advance(HourMs + 1)
    expect((await roomMs()) - begun).toBeCloseTo(HourMs + 1, 3)
    await room.leave()
    await until("it sleeps", async () => {
      await advance(1_000)
      return (await rooms().status("timed")) === "hibernated"
    })
    await advance(5_000)
    const slept = await roomMs()
    await advance(10 * HourMs)
    expect(await roomMs()).toBe(slept)
  })

  it("[C-490] participants of calls count by the millisecond, over the port of voice", async () => {
    const { project } = service
    const inCalls = (participants: number) => control.ask("meters/voice", { project, participants })
    expect((await inCalls(2)).body).toEqual({ participants: 2 })
    await advance(MinuteMs)
    await inCalls(1)
    await advance(MinuteMs / 2)
    await inCalls(0)
    await advance(HourMs)
    expect((await usedOf(project))["voiceMinutes"]).toBe(2.5)
    expect((await inCalls(33)).status).toBe(400)
  })

  it("[C-494] what is stored counts within minutes, and what is deleted no more", async () => {
    const { project } = service
    const stored = async () => {
      const { body } = await control.ask("storage/list", { project })
      const objects = Array.isArray(body["objects"]) ? body["objects"] : []
      return objects.reduce((sum, object) => sum + Number(Object(object).bytes), 0)
    }
    await advance(5 * MinuteMs)
    const before = await stored()
    expect(before).toBeGreaterThan(10_000)
    expect((await usedOf(project))["storageBytes"]).toBe(before)
    const room = await rooms().join("kept")
    await room.request("add", { by: 1 })
    await room.leave()
    await until("it sleeps", async () => {
      await advance(1_000)
      return (await rooms().status("kept")) === "hibernated"
    })
    await advance(5 * MinuteMs)
    expect(await stored()).toBeGreaterThan(before)
    expect((await usedOf(project))["storageBytes"]).toBe(await stored())
    expect((await rooms().ask("/kept", { method: "DELETE" })).status).toBe(200)
    await advance(5 * MinuteMs)
    expect((await usedOf(project))["storageBytes"]).toBe(before)
  })

  it("[C-492] a site's and an open endpoint's answers are data out, management answers are not", async () => {
    const { token } = service
    const made = await call(service.url, "/v1/projects", { token, body: { name: "sends" } })
    const project = String(made.body["id"])
    const file = "metered\n".repeat(100_000)
    await siteSteps(service, () => project).deploy({ "index.html": file }, { label: "metered" })
    const ask = (method: string, headers: Record<string, string> = {}) =>
      askHost(service.url, { host: "metered.localhost:8787", path: "/", method, headers })
    const answers = [
      await ask("GET"),
      await ask("HEAD"),
      await ask("GET", { range: "bytes=0-9" }),
      await ask("GET", { "accept-encoding": "br" })
    ]
    const etag = String(answers[0]?.headers["etag"])
    answers.push(await ask("GET", { "if-none-match": etag }))
    expect(answers.map(({ status, body }) => [status, body.length])).toEqual([
      [200, file.length],
      [200, 0],
      [206, 10],
      [200, expect.any(Number)],
      [304, 0]
    ])
    const sent = answers.reduce((sum, { body }) => sum + body.length, 0)
    const identity = await fetch(`${service.url}/v1/identity`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ project })
    })
    const text = await identity.text()
    await call(service.url, `/v1/projects/${project}/rooms`, { token })
    await advance(5_000)
    expect((await usedOf(project))["dataOutBytes"]).toBe(sent + Buffer.byteLength(text))
  })

  it("[D-57] a clip is data out each time that it is watched; a watcher who has it is sent nothing", async () => {
    const { token, url } = service
    const made = await call(url, "/v1/projects", { token, body: { name: "watched" } })
    const project = String(made.body["id"])
    expect((await deploy({ url, token, project }, ["rooms/recorded.ts"])).status).toBe(201)
    const { body } = await call(url, "/v1/identity", { body: { project } })
    const client = new Client(url, { project, token: String(body["token"]) })
    const room = await client.joinOrCreate(recorded, { roomId: "watched" })
    await room.request("show", { text: "shown" })
    const clipId = String(Object(await room.request("clip", {})).clipId)
    await room.leave()
    const path = `/v1/projects/${project}/rooms/watched`
    await until("it sleeps, and sends no more", async () => {
      await advance(1_000)
      return (await call(url, path, { token })).body["status"] === "hibernated"
    })
    const sent = async (): Promise<number> => {
      await advance(5_000)
      return (await usedOf(project))["dataOutBytes"] ?? 0
    }
    const watch = (headers: Record<string, string>) =>
      askHost(url, {
        host: new URL(url).host,
        path: `/v1/replays/${clipId}/chunks/0`,
        method: "GET",
        headers: { "accept-encoding": "zstd", ...headers }
      })
    const before = await sent()
    const first = await watch({})
    expect(first.status).toBe(200)
    expect((await sent()) - before).toBe(first.body.length)
    const known = await watch({ "if-none-match": String(first.headers["etag"]) })
    expect([known.status, known.body.length]).toEqual([304, 0])
    expect((await sent()) - before).toBe(first.body.length)
    await watch({})
    expect((await sent()) - before).toBe(2 * first.body.length)
  })
})
