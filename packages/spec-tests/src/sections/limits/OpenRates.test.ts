import { describe, expect, it } from "vitest"

import type { Check } from "../../check/Check.ts"
import { groupsOf, testTrial, verdictOf } from "../../families/TestTrial.ts"
import type { HttpAnswer, HttpRequest } from "../../trial/HttpProbe.ts"
import type { Project } from "../../trial/Project.ts"
import type { Trial } from "../../trial/Trial.ts"
import type { Bucket } from "../Row.ts"
import { checks, rows } from "../Sections.ts"

/** Ways of a service with open endpoints. */
interface Ways {
  /** The subject that an address is counted as: itself, or its network. */
  readonly key: (address: string) => string
  readonly unknownSpends: boolean
  readonly projectFirst: boolean
  readonly guessesSpend: boolean
  readonly badAssertionsSpend: boolean
  readonly devicesApart: boolean
  readonly oneForAll: boolean
  readonly oneProject: boolean
  /** Rooms of a project share an allowance. */
  readonly oneRoom: boolean
  readonly pace: (bucket: Bucket) => { readonly burst: number; readonly tokenMs: number }
}

const right: Ways = {
  key: (address) => {
    const groups = groupsOf(address)
    return groups.slice(0, groups[5] === "ffff" && groups[0] === "0" ? 8 : 4).join(":")
  },
  unknownSpends: false,
  projectFirst: false,
  guessesSpend: true,
  badAssertionsSpend: false,
  devicesApart: false,
  oneForAll: false,
  oneProject: false,
  oneRoom: false,
  pace: ({ burst, perMs, rate }) => ({ burst, tokenMs: perMs / rate })
}

const rateChecks = checks.filter(({ ids: [id] }) => id.startsWith("rate."))

const buckets = rows.flatMap((row) => (row.kind === "bucket" ? [row] : []))
const bucketOf = (name: string, key: "address" | "project" | "room"): Bucket | undefined =>
  buckets.find(({ ids: [id] }) => id === `rate.${name}.${key}.burst`)

const nameOf = ({ method, path }: HttpRequest): string => {
  const [route = "", query = ""] = path.split("?")
  if (route.startsWith("/v1/account/devices")) return "account.devices"
  const names: Readonly<Record<string, string>> = {
    "POST /match": "match.join",
    "POST /match/party": "match.party",
    "GET /match/status": "match.status",
    "POST /v1/identity": "identity.mint",
    "POST /v1/identity/assertion": "identity.assertion",
    "POST /v1/account/link-code": "account.linkCode",
    "POST /v1/account/link": "account.link",
    "GET /v1/account": "account.manage",
    "POST /v1/audience": "audience.mint",
    "GET /v1/presence": query.includes("wait=") ? "presence.watch" : "presence.read"
  }
  return names[`${method} ${route}`] ?? "leaderboard.read"
}

/** A service whose open endpoints have allowances, on a clock of its own. */
const service = (
  ways: Ways,
  { addressHeader = "x-address" }: { addressHeader?: string | null } = {}
) => {
  const base = testTrial()
  const held = new Map<string, { left: number; atMs: number }>()
  let projects = 0
  const draw = (key: string, bucket: Bucket): number => {
    const { burst, tokenMs } = ways.pace(bucket)
    const tokens = held.get(key) ?? { left: burst, atMs: base.nowMs() }
    held.set(key, tokens)
    tokens.left = Math.min(burst, tokens.left + (base.nowMs() - tokens.atMs) / tokenMs)
    tokens.atMs = base.nowMs()
    if (tokens.left < 1 - 1e-9) return Math.ceil((1 - tokens.left) * tokenMs)
    tokens.left--
    return 0
  }
  const drawn = (request: HttpRequest, status: number): number => {
    const name = nameOf(request)
    const row = name === "account.devices" ? "account.manage" : name
    const apart = ways.devicesApart ? name : row
    const address = bucketOf(row, "address")
    const project = bucketOf(row, "project") ?? bucketOf(row, "room")
    const from = ways.key(request.headers?.["x-address"] ?? "127.0.0.1")
    const id = /p_\w+/.exec(`${request.path} ${JSON.stringify(request.body)}`)?.[0] ?? ""
    const spends =
      (status !== 404 || ways.unknownSpends || row === "account.link") &&
      (status !== 401 || ways.badAssertionsSpend)
    const room = ways.oneRoom ? "" : String(Object(request.body)["roomId"])
    const whose = `${room} ${ways.oneProject || (status === 404 && ways.unknownSpends) ? "" : id} ${row}`
    const ofAddress = () =>
      address === undefined || (row === "account.link" && !ways.guessesSpend)
        ? 0
        : draw(`${from} ${ways.oneForAll ? "" : apart}`, address)
    const ofProject = () => (project === undefined || !spends ? 0 : draw(`of ${whose}`, project))
    return ways.projectFirst ? ofProject() || ofAddress() : ofAddress() || ofProject()
  }
  const answered = (
    request: HttpRequest,
    { status, json, waitMs = 0 }: { status: number; json: unknown; waitMs?: number }
  ): HttpAnswer => {
    const text = JSON.stringify(json)
    const headers: Record<string, string> =
      waitMs === 0 ? {} : { "retry-after": String(Math.ceil(waitMs / 1000)) }
    return { request, status, headers, bytes: Buffer.from(text), text, json, tookMs: 0 }
  }
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const text = `${request.path} ${JSON.stringify(request.body)}`
    if (request.path.startsWith("/v1/projects/")) {
      return answered(request, { status: 200, json: { secret: `js_${"x".repeat(43)}` } })
    }
    const isNotFound = text.includes("p_0000000000000000") || text.includes('"code"')
    const status = isNotFound ? 404 : text.includes("not.a.token") ? 401 : 200
    const waitMs = drawn(request, status)
    const refusal = { error: { code: "E_RATE_LIMITED", message: "wait", retryAfterMs: waitMs } }
    return waitMs > 0
      ? answered(request, { status: 429, json: refusal, waitMs })
      : answered(request, { status, json: { playerId: "pl_1", token: "t" } })
  }
  const project = async (): Promise<Project> => {
    const id = `p_${String(++projects).padStart(16, "1")}`
    const ask = (path: string) => send({ method: "PATCH", path: `/v1/projects/${id}${path}` })
    const key = () => Promise.reject(new Error("no keys"))
    return { id, name: "conformance", login: "ct_x", key, ask }
  }
  const control = { ...base.control, has: () => true, nowMs: async () => base.nowMs() }
  const config = addressHeader === null ? {} : { addressHeader }
  // Only what checks of rates use is there.
  const fixtures = { deploy: async () => undefined }
  const socket = async () => ({ join: async () => ({}) })
  const whole = { ...base, config, control, fixtures, project, send, socket }
  return { ...whole, later: () => undefined } as unknown as Trial
}

/** Ids of the checks that fail. */
const failing = async (ways: Partial<Ways>, of: ReadonlyArray<Check> = rateChecks) => {
  const failed: Array<string> = []
  for (const check of of) {
    const verdict = await verdictOf(check.run(service({ ...right, ...ways })))
    if (verdict !== null) failed.push(check.ids[0])
  }
  return failed
}

describe("checks of the open endpoints' rates", () => {
  it("[C-90] prove all requirements of them, and no others", () => {
    const ids = [...new Set(rateChecks.flatMap((check) => check.ids))]
    const all = rows.flatMap((row) => row.ids).filter((id) => id.startsWith("rate."))
    expect(ids.toSorted()).toEqual(all.toSorted())
  })

  it("[C-90] pass a service that holds them", async () => {
    expect(await failing({})).toEqual([])
  })

  it("[C-90] pass it without synthetic addresses, as far as they can ask it", async () => {
    const ours = rateChecks.filter(({ ids: [id] }) => /^rate\.\w+\.\w+\.address\./.test(id))
    for (const check of ours) {
      expect(await verdictOf(check.run(service(right, { addressHeader: null })))).toBeNull()
    }
  })

  it.each<[string, Partial<Ways>, RegExp]>([
    [
      "bursts of the rate",
      { pace: ({ rate, perMs }) => ({ burst: rate, tokenMs: perMs / rate }) },
      /^rate\.match\.join\.address\.burst$/
    ],
    [
      "twice the pace",
      { pace: ({ burst, rate, perMs }) => ({ burst, tokenMs: perMs / rate / 2 }) },
      /^rate\.(match\.join|presence\.watch)\.(address|project)\.refill$/
    ],
    ["unknown projects spend", { unknownSpends: true }, /^rate\.open\.project-only-existing$/],
    ["addresses by /128", { key: (address) => address }, /^rate\.open\.ipv6-64$/],
    [
      "IPv4 in IPv6 form by /64",
      { key: (address) => address.split(":").slice(0, 4).join(":") },
      /^rate\.open\.ipv6-64$/
    ],
    [
      "all of IPv4 in IPv6 form as one",
      {
        key: (address) =>
          address
            .replace(/^::ffff:.*/, "mapped")
            .split(":")
            .slice(0, 4)
            .join(":")
      },
      /^rate\.open\.ipv6-64$/
    ],
    [
      "one /48",
      { key: (address) => address.split(":").slice(0, 1).join() },
      /^rate\.open\.ipv6-64$/
    ],
    [
      "an hour of audience credentials at once",
      { pace: ({ perMs, rate }) => ({ burst: rate, tokenMs: perMs / rate }) },
      /^rate\.audience\.mint\.(address|room)\.(burst|refill)$/
    ],
    ["the project first", { projectFirst: true }, /^rate\.open\.address-first$/],
    ["guesses for nothing", { guessesSpend: false }, /^rate\.open\.link-every-guess$/],
    ["bad assertions spend", { badAssertionsSpend: true }, /^rate\.open\.assertion-valid-only$/],
    ["devices apart", { devicesApart: true }, /^rate\.open\.account-shared$/],
    ["one for all endpoints", { oneForAll: true }, /^rate\.open\.endpoint-isolation$/],
    ["one for all projects", { oneProject: true }, /^rate\.open\.project-isolation$/],
    ["one for all rooms of a project", { oneRoom: true }, /^rate\.audience\.mint\.room\.refill$/]
  ])("[C-90] fail %s", async (_, ways, named) => {
    const asked = rateChecks.filter(({ ids: [id] }) => named.test(id))
    expect(asked.length).toBeGreaterThan(0)
    // A check that waits for a refusal that never comes ends by its burst's own bound.
    expect((await failing(ways, asked)).length).toBe(asked.length)
  })
})
