import type { Bucket, Row } from "./Row.ts"
import { hourMs, minuteMs } from "./Units.ts"

const limited = { status: 429, code: "E_RATE_LIMITED" } as const

/** `rate` in each `perMs`, of which `burst` may come at once. */
interface Pace {
  readonly rate: number
  readonly perMs: number
  readonly burst: number
}

const perMinute = (rate: number, burst: number): Pace => ({ rate, perMs: minuteMs, burst })
const perHour = (rate: number, burst: number): Pace => ({ rate, perMs: hourMs, burst })

/** The pair of a line: the address's allowance, then the project's. */
const pair = (
  name: string,
  endpoint: string,
  { address, project }: { readonly address: Pace; readonly project: Pace }
): ReadonlyArray<Bucket> => [
  {
    kind: "bucket",
    ids: [`rate.${name}.address.burst`, `rate.${name}.address.refill`],
    endpoint,
    key: "address",
    ...address,
    outcome: limited
  },
  {
    kind: "bucket",
    ids: [`rate.${name}.project.burst`, `rate.${name}.project.refill`],
    endpoint,
    key: "project",
    ...project,
    outcome: limited,
    drawnAfter: `rate.${name}.address.burst`
  }
]

/** Open endpoint rate limits. */
export const rateRows: ReadonlyArray<Row> = [
  { kind: "statement", ids: ["rate.open.ipv6-64"], is: { prefixBits: 64 } },
  { kind: "statement", ids: ["rate.open.address-first"] },
  { kind: "statement", ids: ["rate.open.project-only-existing"] },
  { kind: "statement", ids: ["rate.open.assertion-valid-only"] },
  { kind: "statement", ids: ["rate.open.link-every-guess"] },
  { kind: "statement", ids: ["rate.open.project-isolation"] },
  { kind: "statement", ids: ["rate.open.endpoint-isolation"] },
  { kind: "statement", ids: ["rate.open.account-shared"] },
  ...pair("match.join", "POST /match", {
    address: perMinute(30, 10),
    project: perMinute(600, 120)
  }),
  ...pair("match.party", "POST /match/party", {
    address: perMinute(20, 5),
    project: perMinute(300, 60)
  }),
  ...pair("match.status", "GET /match/status", {
    address: perMinute(300, 30),
    project: perMinute(3000, 300)
  }),
  ...pair("identity.mint", "POST /v1/identity", {
    address: perHour(60, 30),
    project: perMinute(600, 600)
  }),
  ...pair("identity.assertion", "POST /v1/identity/assertion", {
    address: perMinute(60, 20),
    project: perMinute(3000, 300)
  }),
  ...pair("leaderboard.read", "GET /v1/leaderboard/...", {
    address: perMinute(120, 30),
    project: perMinute(3000, 300)
  }),
  ...pair("account.linkCode", "POST /v1/account/link-code", {
    address: perMinute(6, 3),
    project: perMinute(300, 60)
  }),
  ...pair("account.link", "POST /v1/account/link", {
    address: perMinute(10, 5),
    project: perMinute(300, 60)
  }),
  ...pair("account.manage", "/v1/account, /v1/account/devices", {
    address: perMinute(30, 10),
    project: perMinute(600, 120)
  }),
  ...pair("presence.read", "GET /v1/presence", {
    address: perMinute(120, 30),
    project: perMinute(3000, 300)
  }),
  ...pair("presence.watch", "GET /v1/presence?wait=", {
    address: perMinute(20, 5),
    project: perMinute(600, 120)
  }),
  {
    kind: "bucket",
    ids: [
      "rate.audience.mint.address.burst",
      "rate.audience.mint.address.refill",
      "limits.audience.mint.ip.burst",
      "limits.audience.mint.ip.refill"
    ],
    endpoint: "POST /v1/audience",
    key: "address",
    ...perHour(60, 30),
    outcome: limited
  },
  {
    kind: "bucket",
    ids: [
      "rate.audience.mint.room.burst",
      "rate.audience.mint.room.refill",
      "limits.audience.mint.room.burst",
      "limits.audience.mint.room.refill"
    ],
    endpoint: "POST /v1/audience",
    key: "room",
    ...perHour(600, 512),
    outcome: limited,
    drawnAfter: "rate.audience.mint.address.burst"
  }
]
