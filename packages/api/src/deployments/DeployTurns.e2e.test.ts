// @module-tag thorough

import { type ClientRequest, request } from "node:http"

import { until } from "@atrium/domain/testing/Until"
import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { expect, it } from "vitest"

import { roomProcessesOf } from "../testing/ProcessTree.ts"
import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest()

/** A bundle that keeps its process busy for a second and is none then. */
const busyBundle = "const from = Date.now(); while (Date.now() - from < 1000);"

const newProjects = (count: number): Promise<ReadonlyArray<string>> =>
  Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const body = { name: `side by side ${at}` }
      return String(
        (await call(service.url, "/v1/projects", { token: service.token, body })).body["id"]
      )
    })
  )

const upload = (project: string, bytes = busyBundle.length): ClientRequest => {
  const headers = {
    authorization: `Bearer ${service.token}`,
    "content-type": "application/javascript",
    "content-length": bytes
  }
  const url = `${service.url}/v1/projects/${project}/deployments`
  return request(url, { method: "POST", headers, agent: false })
}

const statusOf = (sent: ClientRequest): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    sent.on("response", (response) => resolve(response.resume().statusCode))
    sent.on("error", reject)
  })

it("[C-212] ten deployments at once are described two at a time", async () => {
  const projects = await newProjects(10)
  const before = roomProcessesOf(service.pid).length
  let most = 0
  let answered = 0
  const uploads = projects.map(async (project) => {
    const sent = upload(project)
    const status = statusOf(sent)
    sent.end(busyBundle)
    expect(await status).toBe(400)
    answered++
  })
  await until("all answers", () => {
    most = Math.max(most, roomProcessesOf(service.pid).length)
    return answered === projects.length
  })
  await Promise.all(uploads)
  // One more may be started meanwhile for the room that wakes next.
  expect([most > before, most <= before + 3]).toEqual([true, true])
})

it("[C-212] a turn comes before the bundle is read, and ends with the connection", async () => {
  const [first = "", second = "", third = ""] = await newProjects(3)
  const { max } = BundleLimits.bundleBytes
  const slow = [upload(first, max), upload(second, max)]
  // So much is taken only by a service that reads it: their turns have come. The last byte never does.
  const most = Buffer.alloc(max - 1, " ")
  await Promise.all(
    slow.map((each) => {
      each.on("error", () => undefined)
      return new Promise((sent) => each.write(most, sent))
    })
  )
  let status: number | undefined
  let isRead = false
  const last = upload(third, max)
  const answer = statusOf(last).then((code) => (status = code))
  last.end(busyBundle.padEnd(max), () => (isRead = true))
  const other = await call(service.url, `/v1/projects/${third}`, { token: service.token })
  expect([other.status, status]).toEqual([200, undefined])
  const askedAt = performance.now()
  await until("time for an answer", () => performance.now() - askedAt > 2_500)
  expect([status, isRead]).toEqual([undefined, false])
  slow[0]?.destroy()
  expect(await answer).toBe(400)
  slow[1]?.destroy()
})
