import { randomInt } from "node:crypto"

import { call, makeHome, type RunningService } from "@atrium/api/testing/RunningService"
import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, test } from "vitest"

import { floodOf, mostOf, newAddress } from "./FloodParts.ts"

const home = await makeHome()
let service: RunningService

beforeAll(async () => {
  service = await home.start({ env: { ATRIUM_TRUSTED_PROXIES: "127.0.0.1" } })
})
afterAll(() => home.remove())

interface Player {
  readonly project: string
  readonly token: string
}

/** Asks as somebody at an address of its own. */
const post = async (path: string, body: object, token?: string) => {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "x-forwarded-for": newAddress()
  }
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`
  const answer = await fetch(service.url + path, {
    method: "POST",
    headers,
    body: JSON.stringify(body)
  })
  return { status: answer.status, body: Object(await answer.json()) }
}

const newProject = async (name: string): Promise<string> => {
  const { url, token } = service
  const { body } = await call(url, "/v1/projects", { token, body: { name } })
  return String(body["id"])
}
const newPlayer = async (project: string): Promise<Player> => {
  const { body } = await post("/v1/identity", { project })
  return { project, token: String(body.token) }
}
const codeOf = async ({ project, token }: Player): Promise<string> =>
  String((await post("/v1/account/link-code", { project }, token)).body.code)
const redeems = ({ project, token }: Player, code: string) =>
  post("/v1/account/link", { project, code }, token)

const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const anyCode = (): string =>
  Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join("")

test("[D-28] 10,000 guesses of a link code, each from an address of its own, are held to the project's rate", async () => {
  const [attacked, calm] = [await newProject("attacked"), await newProject("calm")]
  const [ann, phone, eve] = [
    await newPlayer(attacked),
    await newPlayer(attacked),
    await newPlayer(attacked)
  ]
  const code = await codeOf(ann)
  let beside = 0
  const { counts, seconds } = await floodOf({ requests: 10_000, lanes: 48 }, async (nth) => {
    if (nth % 2500 === 1) {
      const [one, other] = [await newPlayer(calm), await newPlayer(calm)]
      beside += (await redeems(other, await codeOf(one))).status === 200 ? 1 : 0
    }
    const guess = anyCode()
    return (await redeems(eve, guess === code ? "00000000" : guess)).status
  })
  process.stdout.write(`${JSON.stringify({ counts: Object.fromEntries(counts), seconds })}\n`)
  const refused = counts.get(429) ?? 0
  expect(refused).toBeGreaterThan(0)
  expect(counts.get(404)).toBe(10_000 - refused)
  expect(10_000 - refused).toBeLessThanOrEqual(mostOf(AccountLimits.links, seconds))
  // Players of another project link their devices meanwhile.
  expect(beside).toBe(4)
  await until("the owner's own device is linked", async () => {
    const { status } = await redeems(phone, code)
    expect([200, 429]).toContain(status)
    return status === 200
  })
})
