// @module-tag thorough

import {
  type GivenPostgres,
  makeGivenPostgres,
  startOnPostgres
} from "@atrium/api/testing/GivenPostgres"
import { as, ask, mintKey } from "@atrium/api/testing/KeysUnderTest"
import type { RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

let database: GivenPostgres
let service: RunningService
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ database, service, remove } = await startOnPostgres(await makeGivenPostgres()))
})

afterAll(() => remove())

it("[C-64] while the store is away no key is called bad, and none is revoked", async () => {
  const { keyId, secret } = await mintKey(service, ["rooms:write"])
  const rooms = `/v1/projects/${service.project}/rooms`
  const revoke = () =>
    ask(
      service,
      `/v1/projects/${service.project}/keys/${keyId}`,
      as(service.token, { method: "DELETE" })
    )
  const statusOf = async (bearer: string) => (await ask(service, rooms, as(bearer))).status
  const unknown = `rk_${"a".repeat(43)}`
  expect([await statusOf(secret), await statusOf(unknown)]).toEqual([200, 401])
  await database.kill()
  await until("not ready", async () => (await ask(service, "/ready")).status === 503)
  for (const answer of [
    await ask(service, rooms, as(secret)),
    await ask(service, rooms, as(unknown)),
    await revoke()
  ]) {
    expect(answer.text).toBe(
      '{"error":{"code":"E_NOT_READY","message":"the store does not answer"}}'
    )
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"])
  }
  // A malformed credential is refused without the store.
  expect([await statusOf(""), await statusOf("rk_short")]).toEqual([401, 401])
  await database.start()
  await until("the key works again", async () => (await statusOf(secret)) === 200)
  expect(await statusOf(unknown)).toBe(401)
  expect((await revoke()).status).toBe(200)
  expect(await statusOf(secret)).toBe(401)
})
