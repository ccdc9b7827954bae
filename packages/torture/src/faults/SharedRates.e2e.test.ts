// @module-tag thorough

import { figures, shareShards, startRunner } from "@atrium/api/testing/Runners"
import {
  call,
  makeHome,
  type RunningService,
  type ServiceHome
} from "@atrium/api/testing/RunningService"
import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import { BoardLimits } from "@atrium/domain/boards/BoardLimits"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { heldMax } from "@atrium/domain/rates/RateOwner"
import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, expect, it } from "vitest"

let home: ServiceHome
let runners: ReadonlyArray<RunningService> = []

const start = (): Promise<RunningService> =>
  startRunner(home, { env: { ATRIUM_TRUSTED_PROXIES: "127.0.0.1" } })

beforeAll(async () => {
  home = await makeHome()
  runners = [await start(), await start()]
  await shareShards(runners)
})

afterAll(() => home.remove())

/** Requests that are under way at once. */
const atOnce = 8

/** Asks the runners in turn. @returns the statuses */
const inTurn = async (
  times: number,
  ask: (url: string, at: number) => Promise<number>
): Promise<ReadonlyArray<number>> => {
  const statuses: Array<number> = []
  for (let from = 0; from < times; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, times - from) }, (_, index) => {
      const at = from + index
      return ask(runners[at % runners.length]?.url ?? "", at)
    })
    statuses.push(...(await Promise.all(some)))
  }
  return statuses
}

const passed = (statuses: ReadonlyArray<number>): number =>
  statuses.filter((status) => status < 300).length

it("[C-379] an address has its small burst once, whichever runner it asks", async () => {
  const { burst } = IdentityLimits.identityMintsByAddress
  const project = runners[0]?.project
  const mintFrom = async (url: string, address: string): Promise<number> => {
    const headers = { "content-type": "application/json", "x-forwarded-for": address }
    const body = JSON.stringify({ project })
    return (await fetch(`${url}/v1/identity`, { method: "POST", headers, body })).status
  }
  // Runners that have just begun may answer late, and are asked again after a while.
  let round = 0
  await until("every owner answers in time", async () => {
    round++
    const before = await figures(runners, "atrium_rates_alone_total")
    await inTurn(64, (url, at) => mintFrom(url, `203.0.${round}.${Math.floor(at / 2)}`))
    return (await figures(runners, "atrium_rates_alone_total")).join() === before.join()
  })
  const mint = (url: string): Promise<number> => mintFrom(url, "198.51.100.7")
  const statuses = await inTurn(2 * burst, mint)
  expect(passed(statuses)).toBe(burst)
  expect(statuses.filter((status) => status === 429)).toHaveLength(burst)
  for (const { url } of runners) expect(await mint(url)).toBe(429)
})

it("[C-379] a project has its large burst once within a tenth, and a runner alone has all of it", async () => {
  const { boardReads, boardReadsByAddress } = BoardLimits
  const token = runners[0]?.token ?? ""
  const projectNamed = async (name: string): Promise<string> => {
    const { body } = await call(runners[0]?.url ?? "", "/v1/projects", { token, body: { name } })
    return String(body["id"])
  }
  let from = 0
  const read =
    (project: string) =>
    async (url: string, at: number): Promise<number> => {
      // No address comes to its own limit.
      const address = `198.51.100.${from + Math.floor(at / boardReadsByAddress.burst)}`
      const headers = { "x-forwarded-for": address }
      return (await fetch(`${url}/v1/lobby?project=${project}`, { headers })).status
    }
  const both = await projectNamed("both")
  const beganMs = performance.now()
  const through = passed(await inTurn(2 * boardReads.burst, read(both)))
  const tookMs = performance.now() - beganMs
  const allowed = boardReads.burst + (boardReads.tokens * tookMs) / boardReads.everyMs
  expect(through).toBeGreaterThanOrEqual(boardReads.burst - heldMax(boardReads))
  expect(through).toBeLessThanOrEqual(allowed + heldMax(boardReads) + 1)

  from = 100
  const one = await projectNamed("one")
  const [first] = runners
  const alone = await inTurn(boardReads.burst, (_, at) => read(one)(first?.url ?? "", at))
  expect(passed(alone)).toBe(boardReads.burst)
})

it("[C-644] guesses of link codes share the project's allowance, from however many addresses they come", async () => {
  const { links } = AccountLimits
  const project = runners[0]?.project
  const minted = await call(runners[0]?.url ?? "", "/v1/identity", { body: { project } })
  const token = String(minted.body["token"])
  const beganMs = performance.now()
  const statuses = await inTurn(3 * links.burst, async (url, at) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-forwarded-for": `203.0.113.${at}`
    }
    const body = JSON.stringify({ project, code: String(at).padStart(8, "0") })
    return (await fetch(`${url}/v1/account/link`, { method: "POST", headers, body })).status
  })
  const tookMs = performance.now() - beganMs
  const guessed = statuses.filter((status) => status === 404).length
  const allowed = links.burst + (links.tokens * tookMs) / links.everyMs
  expect(guessed).toBeGreaterThanOrEqual(links.burst - heldMax(links))
  expect(guessed).toBeLessThanOrEqual(allowed + heldMax(links) + 1)
  expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - guessed)
})
