import { same } from "../../check/Expect.ts"
import type { OpenEndpoint } from "../../codec/OpenCalls.ts"
import { burstCheck } from "../../families/Bucket.ts"
import { freshAddress } from "../../trial/Addresses.ts"
import { openStage } from "../../trial/OpenStage.ts"
import { perMinute, perHour, type Pace, tooManyRequests } from "../Literals.ts"
import { section, tierA, tierC, rowOf, type RowsById } from "../Section.ts"
import { hourMs } from "../Units.ts"
import {
  burstFromAddress,
  refillOfAddress,
  burstForProject,
  refillOfProject,
  spent,
  decision,
  limitedStatus
} from "./OpenAllowances.ts"

/** A line of the table: what one address, and all addresses of a project or room together, may ask. */
interface OpenRate {
  readonly line: number
  readonly route: string
  /** Beside `openRates`. */
  readonly features: ReadonlyArray<string>
  readonly address: Pace
  readonly together: Pace
  readonly key?: "project" | "room"
  /** Beside D-26, of the allowance of all addresses together; asked with its refill. */
  readonly decisions?: ReadonlyArray<string>
}

/** The four rows of a line: bursts and refills of an address, and of the project or room. */
const ratesOf = (endpoint: OpenEndpoint, rate: OpenRate): RowsById => {
  const { line, route, address, together, key = "project", decisions = [] } = rate
  const common = {
    features: [...rate.features, "openRates"].toSorted(),
    decisions: [decision]
  }
  const burst = { address: `rate.${endpoint}.address.burst`, all: `rate.${endpoint}.${key}.burst` }
  const bucket = { endpoint: route, outcome: tooManyRequests }
  return {
    [burst.address]: tierA(line, `${endpoint}: burst ${address.burst} per address`, {
      ...common,
      bucket: { ...bucket, ...address, key: "address" },
      check: burstFromAddress
    }),
    [`rate.${endpoint}.address.refill`]: tierC(
      line,
      `${endpoint}: ${paceText(address)} per address`,
      {
        ...common,
        hooks: ["clock"],
        literalsOf: burst.address,
        check: refillOfAddress
      }
    ),
    [burst.all]: tierC(line, `${endpoint}: burst ${together.burst} per ${key}`, {
      ...common,
      hooks: ["address"],
      bucket: { ...bucket, ...together, key, drawnAfter: burst.address },
      check: burstForProject
    }),
    [`rate.${endpoint}.${key}.refill`]: tierC(
      line,
      `${endpoint}: ${paceText(together)} per ${key}`,
      {
        ...common,
        hooks: ["address", "clock"],
        decisions: [decision, ...decisions],
        literalsOf: burst.all,
        check: refillOfProject
      }
    )
  }
}

const paceText = ({ rate, perMs }: Pace): string => `${rate}/${perMs === hourMs ? "hour" : "min"}`

/** Lines 449 to 460 of the specification: Open endpoint rate limits, each of them. */
export const openRatesSection = section("Limits / Open endpoint rate limits", {
  ...ratesOf("match.join", {
    line: 449,
    route: "POST /match",
    features: ["match"],
    address: perMinute(30, 10),
    together: perMinute(600, 120)
  }),
  ...ratesOf("match.party", {
    line: 450,
    route: "POST /match/party",
    features: ["match"],
    address: perMinute(20, 5),
    together: perMinute(300, 60)
  }),
  ...ratesOf("match.status", {
    line: 451,
    route: "GET /match/status",
    features: ["match"],
    address: perMinute(300, 30),
    together: perMinute(3000, 300)
  }),
  ...ratesOf("identity.mint", {
    line: 452,
    route: "POST /v1/identity",
    features: [],
    address: perHour(60, 30),
    together: perMinute(600, 600)
  }),
  ...ratesOf("identity.assertion", {
    line: 453,
    route: "POST /v1/identity/assertion",
    features: ["assertions"],
    address: perMinute(60, 20),
    together: perMinute(3000, 300)
  }),
  ...ratesOf("leaderboard.read", {
    line: 454,
    route: "GET /v1/leaderboard/...",
    features: ["boards"],
    address: perMinute(120, 30),
    together: perMinute(3000, 300)
  }),
  ...ratesOf("account.linkCode", {
    line: 455,
    route: "POST /v1/account/link-code",
    features: ["accounts"],
    address: perMinute(6, 3),
    together: perMinute(300, 60)
  }),
  ...ratesOf("account.link", {
    line: 456,
    route: "POST /v1/account/link",
    features: ["accounts"],
    address: perMinute(10, 5),
    together: perMinute(300, 60)
  }),
  ...ratesOf("account.manage", {
    line: 457,
    route: "/v1/account, /v1/account/devices",
    features: ["accounts"],
    address: perMinute(30, 10),
    together: perMinute(600, 120)
  }),
  "rate.open.account-shared": tierA(457, "account and devices share one allowance", {
    level: "decided",
    features: ["accounts", "openRates"],
    decisions: ["D-26", "T-50"],
    check: {
      title: "the account and its devices share an allowance",
      needs: ["address"],
      timeoutMs: 60_000,
      run: async (trial) => {
        const stage = await openStage(trial, "account.manage")
        const from = freshAddress()
        const row = rowOf("bucket", "rate.account.manage.address.burst")
        const ask = async () => spent(trial, await stage.call("account.manage", from))
        await burstCheck(trial, row, { fresh: async () => from, ask, decision })
        const { headers, bearer } = (await stage.call("account.manage", from)).request
        const path = `/v1/account/devices?project=${stage.project.id}`
        const answer = await trial.send({
          method: "GET",
          path,
          ...(headers === undefined ? {} : { headers }),
          ...(bearer === undefined ? {} : { bearer })
        })
        same("the devices after the account", answer.status, limitedStatus)
      }
    }
  }),
  ...ratesOf("presence.read", {
    line: 458,
    route: "GET /v1/presence",
    features: ["presence"],
    address: perMinute(120, 30),
    together: perMinute(3000, 300)
  }),
  ...ratesOf("presence.watch", {
    line: 459,
    route: "GET /v1/presence?wait=",
    features: ["presence"],
    address: perMinute(20, 5),
    together: perMinute(600, 120)
  }),
  ...ratesOf("audience.mint", {
    line: 460,
    route: "POST /v1/audience",
    features: ["audience"],
    address: perHour(60, 30),
    together: perHour(600, 512),
    key: "room",
    decisions: ["T-22"]
  })
})
