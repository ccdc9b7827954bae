// @module-tag thorough

import {
  type GivenPostgres,
  makeGivenPostgres,
  startOnPostgres
} from "@atrium/api/testing/GivenPostgres"
import { as, mintKey } from "@atrium/api/testing/KeysUnderTest"
import type { RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

let database: GivenPostgres
let service: RunningService
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ database, service, remove } = await startOnPostgres(await makeGivenPostgres()))
})

afterAll(async () => {
  database.freeze(false)
  await remove()
})

const json = (token: string | null, method: string, body: unknown): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: {
    "content-type": "application/json",
    ...(token === null ? {} : { authorization: `Bearer ${token}` })
  }
})

it("[C-213] while the database stands still every route that asks it answers 503 in time, and once it goes on as before", async () => {
  const { token, project, url } = service
  const { secret } = await mintKey(service, ["rooms:read", "rooms:write"])
  const at = `/v1/projects/${project}`
  const bundle = {
    ...json(token, "POST", {}),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/javascript" }
  }
  const asked: ReadonlyArray<readonly [string, RequestInit]> = [
    ["/v1/projects", as(token)],
    ["/v1/projects", json(token, "POST", { name: "frozen" })],
    [at, as(token)],
    [at, json(token, "PATCH", { name: "e2e" })],
    [`${at}/name`, json(token, "PUT", { name: "e2e" })],
    [`${at}/deployments`, as(token)],
    [`${at}/deployments`, bundle],
    [`${at}/caps`, as(token)],
    [`${at}/metrics`, as(token)],
    [`${at}/keys`, as(token)],
    [`${at}/keys`, json(token, "POST", { scopes: ["rooms:read"], label: "frozen" })],
    [`${at}/jwt-secret`, json(token, "POST", {})],
    [`${at}/rooms`, as(token)],
    [`${at}/rooms`, as(secret)],
    [`${at}/rooms/room`, json(secret, "PATCH", { public: true })],
    [`${at}/rooms/room`, as(secret, { method: "DELETE" })],
    ["/v1/me", as(token)],
    ["/v1/me/tokens", as(token)],
    ["/v1/login/device", json(null, "POST", {})],
    ["/v1/identity", json(null, "POST", { project })],
    [`/v1/lobby?project=${project}`, {}],
    ["/metrics", as(token)],
    ["/v1/projects/none/nothing", as(token)]
  ]
  // More than the service has connections to its database.
  const requests = [...asked, ...asked, ...asked]
  database.freeze(true)
  const startedAt = performance.now()
  const answers = await Promise.all(
    requests.map(async ([path, init]) => {
      const response = await fetch(`${url}${path}`, init)
      const tookMs = performance.now() - startedAt
      const answer = { status: response.status, retryAfter: response.headers.get("retry-after") }
      return { path, ...answer, text: await response.text(), late: tookMs > 8_000 }
    })
  )
  for (const { text, ...answer } of answers) {
    expect(answer).toEqual({ path: answer.path, status: 503, retryAfter: "1", late: false })
    expect(JSON.parse(text)).toMatchObject({ error: { code: "E_NOT_READY" } })
  }
  // Routes that do not ask the store answer as ever.
  expect((await fetch(`${url}/health`)).status).toBe(200)
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
  expect((await fetch(`${url}/ready`)).status).toBe(503)
  database.freeze(false)
  await until("ready", async () => (await fetch(`${url}/ready`)).status === 200)
  const again = await Promise.all(
    ["/v1/projects", `${at}/rooms`, "/v1/me"].map((path) => fetch(`${url}${path}`, as(token)))
  )
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200])
})
