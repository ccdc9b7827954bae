import { ServicePeakMaxMiB } from "@atrium/api/testing/HogJudgement"
import { anonMiB, bombComment } from "@atrium/api/testing/HogStage"
import { escapes } from "@atrium/api/testing/rooms/escapes"
import { call, deploy, uploadBundle } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { expect, it } from "vitest"

const service = serviceUnderTest({ env: { ATRIUM_LOG_FORMAT: "json" } })

/** A service that parsed the map itself stood still for 5 s on a machine without other work. */
const HealthMaxMs = 2500
/** Two copies of an upload, while it is read. */
const UploadMiB = 64

it("[C-171] the service answers, and keeps its memory, while a deployment with a bomb is refused", async () => {
  const { url, token, pid } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "bombs" } })
  const body = Buffer.from(`throw new Error("no room")\n${bombComment()}`)
  let isRefused = false
  const target = { url, token, project: String(made.body["id"]) }
  const refusal = uploadBundle(target, body).finally(() => (isRefused = true))
  let slowestMs = 0
  let peakMiB = 0
  for (let asked = 0; !isRefused || asked < 20; asked++) {
    const beginMs = performance.now()
    expect((await fetch(`${url}/health`)).status).toBe(200)
    slowestMs = Math.max(slowestMs, performance.now() - beginMs)
    peakMiB = Math.max(peakMiB, anonMiB(pid))
  }
  expect((await refusal).status).toBe(400)
  expect(slowestMs).toBeLessThan(HealthMaxMs)
  expect(peakMiB).toBeLessThan(ServicePeakMaxMiB + UploadMiB)
})

it("[C-173] a room's lines are JSON without a control, with its stack's sources", async () => {
  const { url, token } = service
  const made = await call(url, "/v1/projects", { token, body: { name: "escapes" } })
  const project = String(made.body["id"])
  const target = { ...service, url, token, project }
  expect((await deploy(target, ["rooms/escapes.ts"])).status).toBe(201)
  await expect(
    new Client(url, { project, reconnectForMs: 0 }).joinOrCreate(escapes)
  ).rejects.toMatchObject({ code: "E_ROOM_CRASHED" })
  const stack = await until("the line", () =>
    service
      .output()
      .split("\n")
      .find((line) => line.includes("level=ERROR message=forged"))
  )
  expect(JSON.parse(stack)).toMatchObject({
    level: "ERROR",
    message: expect.stringMatching(/gone\nlevel=ERROR message=forged\n {4}at .*escapes\.ts:13:\d+/),
    annotations: { project }
  })
  await until("the line in the log", () =>
    service.output().includes("\\u001b]0;title\\u0007\\u009b2J\\u202e")
  )
  expect(service.output()).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
})
