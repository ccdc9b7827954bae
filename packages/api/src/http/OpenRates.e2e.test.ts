import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { describe, expect, it } from "vitest"

import { call } from "../testing/RunningService.ts"
import { serviceUnderTest } from "../testing/ServiceUnderTest.ts"

const service = serviceUnderTest({
  env: { ATRIUM_TRUSTED_PROXIES: "127.0.0.1", ATRIUM_EXEMPT_ADDRESSES: "198.51.100.0/24" }
})

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly error?: { readonly code: string; readonly retryAfterMs?: number } }
}

const ask = async (path: string, from: string, body?: object): Promise<Answer> => {
  const response = await fetch(`${service.url}${path}`, {
    headers: { "content-type": "application/json", "x-forwarded-for": from },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  // Only this service answers.
  const json = (await response.json()) as Answer["body"]
  return { status: response.status, headers: response.headers, body: json }
}

const mint = (from: string, project = service.project): Promise<Answer> =>
  ask("/v1/identity", from, { project })
const watch = (from: string, project: string, roomId = "lobby"): Promise<Answer> =>
  ask("/v1/audience", from, { project, roomId })

const statuses = async (times: number, asked: () => Promise<Answer>): Promise<Set<number>> => {
  const seen = new Set<number>()
  for (let n = 0; n < times; n++) seen.add((await asked()).status)
  return seen
}

const { burst } = IdentityLimits.identityMintsByAddress

describe("an address that asks too often", () => {
  it("[rate.identity.mint.address.burst] [D-26] is told when to come again, and others are served", async () => {
    const from = "203.0.113.1"
    expect(await statuses(burst, () => mint(from))).toEqual(new Set([201]))
    const { status, headers, body } = await mint(from)
    const { code, retryAfterMs = 0 } = body.error ?? {}
    expect([status, code]).toEqual([429, "E_RATE_LIMITED"])
    expect(retryAfterMs).toBeGreaterThan(50_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
    expect(headers.get("retry-after")).toBe(String(Math.ceil(retryAfterMs / 1000)))
    expect((await mint("203.0.113.2")).status).toBe(201)
    expect((await ask(`/v1/lobby?project=${service.project}`, from)).status).toBe(200)
  })

  it("[C-130] asks as it likes where the operator exempts it", async () => {
    expect(await statuses(2 * burst, () => mint("198.51.100.7"))).toEqual(new Set([201]))
  })
})

describe("an audience credential", () => {
  it("[D-29] [C-121] is refused for projects that are not there, or have no relay rooms", async () => {
    const missing = await watch("203.0.113.5", "p_0000000000000000")
    expect([missing.status, missing.body.error?.code]).toEqual([404, "E_NOT_FOUND"])
    const path = `/v1/projects/${service.project}`
    const { body: project } = await call(service.url, path, { token: service.token })
    for (const audienceRole of [null, "viewer"]) {
      const set = { name: project["name"], audienceRole }
      const { status } = await call(service.url, path, {
        token: service.token,
        method: "PATCH",
        body: set
      })
      expect(status).toBe(200)
      const { status: refused, body } = await watch("203.0.113.5", service.project)
      expect([refused, body.error?.code]).toEqual([403, "E_AUDIENCE_DISABLED"])
    }
  })
})
