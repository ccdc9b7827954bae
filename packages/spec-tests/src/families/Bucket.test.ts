import { describe, expect, it } from "vitest"

import type { Bucket } from "../sections/Row.ts"
import { rows } from "../sections/Sections.ts"
import { hourMs, minuteMs } from "../sections/Units.ts"
import { type BucketBench, bucketChecks, burstCheck } from "./Bucket.ts"
import { drawOrderCheck, prefixCheck } from "./Draw.ts"
import { type Outcome, taken } from "./Outcome.ts"
import { groupsOf, testTrial, verdictOf } from "./TestTrial.ts"

const limited = { status: 429, code: "E_RATE_LIMITED" } as const
const row: Bucket = {
  kind: "bucket",
  ids: ["rate.match.join.address.burst"],
  endpoint: "POST /match",
  key: "address",
  rate: 30,
  perMs: minuteMs,
  burst: 10,
  outcome: limited
}

interface Rules {
  readonly burst: number
  readonly tokenMs: number
  /** Never more than the burst comes back. */
  readonly capped: boolean
  /** Everybody draws from the same. */
  readonly shared: boolean
  /** All endpoints draw from the same. */
  readonly everywhere: boolean
  /** A fixed window in place of tokens. */
  readonly windowMs: number | null
  readonly refusal: Outcome | null
  /** The wait that the refusal names, computed from the real wait. */
  readonly says: (waitMs: number) => number | null
}

const right: Rules = {
  burst: 10,
  tokenMs: 2000,
  capped: true,
  shared: false,
  everywhere: false,
  windowMs: null,
  refusal: null,
  says: (waitMs) => Math.ceil(waitMs / 1000) * 1000
}

/** A limiter that may be wrong in one way. */
const limiter = (rules: Rules, nowMs: () => number) => {
  const tokens = new Map<string, { left: number; atMs: number }>()
  return (subject: string, cost = 1): Outcome => {
    const key = rules.shared ? "all" : subject
    const held = tokens.get(key) ?? { left: rules.burst, atMs: nowMs() }
    tokens.set(key, held)
    if (rules.windowMs === null) {
      const grown = held.left + (nowMs() - held.atMs) / rules.tokenMs
      held.left = rules.capped ? Math.min(rules.burst, grown) : grown
      held.atMs = nowMs()
    } else if (nowMs() - held.atMs >= rules.windowMs) {
      Object.assign(held, { left: rules.burst, atMs: nowMs() })
    }
    if (held.left >= cost - 1e-9) {
      held.left -= cost
      return taken
    }
    const waitMs = Math.ceil((cost - held.left) * rules.tokenMs)
    return rules.refusal ?? { taken: false, refused: limited, retryAfterMs: rules.says(waitMs) }
  }
}

const check = (
  rules: Partial<Rules>,
  more: Partial<BucketBench<string>> = {},
  of: Bucket = row
): Promise<string | null> => {
  const trial = testTrial()
  const all = { ...right, ...rules }
  const take = limiter(all, trial.nowMs)
  let subjects = 0
  const fresh = () => Promise.resolve(`10.0.0.${++subjects}`)
  return verdictOf(
    bucketChecks(trial, of, {
      fresh,
      ask: (subject) => Promise.resolve(take(subject, more.cost)),
      elsewhere: (subject) => Promise.resolve(take(all.everywhere ? subject : `else ${subject}`)),
      ...more
    })
  )
}

describe("allowances on a clock that stands", () => {
  it("[C-90] pass an implementation that keeps burst and pace", async () => {
    expect(await check({})).toBeNull()
    expect(await check({ says: (waitMs) => waitMs })).toBeNull()
  })

  it.each<[string, Partial<Rules>]>([
    ["one less at once", { burst: 9 }],
    ["one more at once", { burst: 11 }],
    ["the rate at once", { burst: 30 }],
    ["twice as fast", { tokenMs: 1000 }],
    ["a little too fast", { tokenMs: 1999 }],
    ["a little too slow", { tokenMs: 2001 }],
    ["never full", { capped: false }],
    ["one for everybody", { shared: true }],
    ["one for all endpoints", { everywhere: true }],
    ["windows", { windowMs: 20_000 }],
    ["short windows", { windowMs: 2000 }],
    ["503", { refusal: { taken: false, refused: { ...limited, status: 503 } } }],
    ["another code", { refusal: { taken: false, refused: { ...limited, code: "E_SLOW" } } }],
    ["waits that are too short", { says: () => 1000 }],
    ["waits that are too long", { says: (waitMs) => waitMs + 1000 }],
    ["no wait", { says: () => null }],
    ["never", { refusal: taken }]
  ])("[C-90] find what is not: %s", async (_, rules) => {
    expect(await check(rules)).not.toBeNull()
  })

  it("[C-90] pass tokens that are no whole milliseconds, and askings that cost more than one", async () => {
    const frames: Bucket = { ...row, rate: 240, perMs: 1000, burst: 480 }
    expect(await check({ burst: 480, tokenMs: 1000 / 240 }, {}, frames)).toBeNull()
    expect(await check({ burst: 480, tokenMs: 1000 / 250 }, {}, frames)).not.toBeNull()
    const bytes: Bucket = { ...row, rate: 262_144, perMs: 1000, burst: 1_048_576 }
    const cost = { cost: 65_536 }
    const perByte = { burst: 1_048_576, tokenMs: 1000 / 262_144 }
    expect(await check(perByte, cost, bytes)).toBeNull()
    expect(await check({ ...perByte, burst: 1_000_000 }, cost, bytes)).not.toBeNull()
    await expect(check(perByte, {}, bytes)).rejects.toThrow("must cost more")
  })

  it("[C-90] fill a single subject by time", async () => {
    const only = { single: true, fresh: () => Promise.resolve("me") } as const
    expect(await check({}, only)).toBeNull()
    expect(await check({ tokenMs: 1000 }, only)).not.toBeNull()
  })

  it("[C-90] let the clock run again after a check that throws", async () => {
    const trial = testTrial()
    const holds: Array<boolean> = []
    const control = {
      hold: async (held: boolean) => void holds.push(held),
      advance: () => Promise.reject(new Error("the run is over"))
    }
    const bench = { fresh: async () => "me", ask: async () => taken }
    const checked = bucketChecks({ ...trial, control }, row, bench)
    await expect(checked).rejects.toThrow("the run is over")
    expect(holds).toEqual([true, false])
  })

  it("[C-90] hold for every row of the open endpoints", async () => {
    const open = rows.flatMap((some) =>
      some.kind === "bucket" && some.ids[0].startsWith("rate.") ? [some] : []
    )
    expect(open.length).toBe(24)
    for (const some of open) {
      const rules = { burst: some.burst, tokenMs: some.perMs / some.rate }
      expect(await check(rules, {}, some)).toBeNull()
      expect(await check({ ...rules, tokenMs: rules.tokenMs / 2 }, {}, some)).not.toBeNull()
      expect(await check({ ...rules, burst: some.burst + 1 }, {}, some)).not.toBeNull()
    }
  })
})

describe("allowances in real time", () => {
  const ask = (max: number) => {
    let count = 0
    return verdictOf(
      burstCheck(
        testTrial(),
        { ...row, rate: 1, perMs: hourMs },
        {
          fresh: () => Promise.resolve("me"),
          ask: () => Promise.resolve(count++ < max ? taken : { taken: false, refused: limited })
        }
      )
    )
  }
  it("[C-90] are the burst, and what came back meanwhile", async () => {
    expect(await ask(10)).toBeNull()
    expect(await ask(11)).toBeNull()
    expect(await ask(9)).toContain("10 are taken at once")
    expect(await ask(13)).toContain("at most")
    expect(await ask(Infinity)).toContain("at most")
  })
})

describe("the allowance that is drawn first", () => {
  const address: Bucket = { ...row, burst: 10 }
  const project: Bucket = { ...row, ids: ["rate.match.join.project.burst"], burst: 25 }
  const drawn = (
    order: "address first" | "project first" | "no project" | "project at once",
    trial = testTrial()
  ) => {
    const ofAddress = limiter({ ...right, burst: 10 }, trial.nowMs)
    const ofProject = limiter({ ...right, burst: 25 }, trial.nowMs)
    let addresses = 0
    const ask = (from: string): Outcome => {
      if (order === "no project") return ofAddress(from)
      if (order === "address first") {
        const first = ofAddress(from)
        return first.taken ? ofProject("p") : first
      }
      const first = ofProject("p")
      return first.taken || order === "project at once" ? ofAddress(from) : first
    }
    const bench = { address: () => `10.0.0.${++addresses}`, ask: async (from: string) => ask(from) }
    return verdictOf(drawOrderCheck(trial, { address, project }, bench))
  }
  it("[C-90] is the address's, so that a refused address spends nothing of the project's", async () => {
    expect(await drawn("address first")).toBeNull()
    expect(await drawn("project first")).not.toBeNull()
    expect(await drawn("no project")).not.toBeNull()
    expect(await drawn("project at once")).not.toBeNull()
  })

  const prefixed = (keyOf: (address: string) => string, trial = testTrial()) => {
    const take = limiter(right, trial.nowMs)
    const ask = async (address: string) => take(keyOf(address))
    return verdictOf(
      prefixCheck(trial, row, {
        ask,
        prefix: "2001:db8:0:0",
        otherPrefix: "2001:db8:0:1",
        plain: ["192.0.2.1", "192.0.2.2"]
      })
    )
  }
  const isIpv4 = (address: string): boolean =>
    groupsOf(address).slice(0, 6).join(":") === "0:0:0:0:0:ffff"
  const groups = (count: number) => (address: string) =>
    isIpv4(address)
      ? groupsOf(address).slice(6).join(":")
      : groupsOf(address).slice(0, count).join(":")
  it("[C-90] a service that does not count IPv6 addresses by /64 fails", async () => {
    expect(await prefixed(groups(4))).toBeNull()
    expect(await prefixed(groups(8))).toContain("one more of the /64")
    expect(await prefixed(groups(5))).not.toBeNull()
    expect(await prefixed(groups(3))).toContain("another /64")
    const asText = (address: string) => address.toLowerCase().split(":").slice(0, 4).join(":")
    expect(await prefixed(asText)).not.toBeNull()
    const asIpv6 = (address: string) => (address.includes(".") ? address : groups(4)(address))
    expect(await prefixed(asIpv6)).toContain("as 192.0.2.1")
    const mapped = (address: string) => (isIpv4(address) ? "mapped" : groups(4)(address))
    expect(await prefixed(mapped)).toContain("another IPv4 address")
  })
})
