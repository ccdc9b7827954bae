import { same } from "../../check/Expect.ts"
import { burstCheck } from "../../families/Bucket.ts"
import { freshAddress } from "../../trial/Addresses.ts"
import { openStage } from "../../trial/OpenStage.ts"
import { perAddress, perMinute, perProject, perHour, tooManyRequests } from "../Literals.ts"
import { section, tierA, tierC, rowOf } from "../Section.ts"
import {
  burstFromAddress,
  refillOfAddress,
  burstForProject,
  refillOfProject,
  spent,
  decision,
  limitedStatus
} from "./OpenAllowances.ts"

/** Lines 455 to 460 of the specification: Open endpoint rate limits, of accounts, presence and audiences. */
export const accountRatesSection = section("Limits / Open endpoint rate limits", {
  "rate.account.linkCode.address.burst": tierA(455, "account.linkCode: burst 3 per address", {
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    bucket: perAddress("POST /v1/account/link-code", perMinute(6, 3)),
    check: burstFromAddress
  }),
  "rate.account.linkCode.address.refill": tierC(455, "account.linkCode: 6/min per address", {
    hooks: ["clock"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.account.linkCode.address.burst",
    check: refillOfAddress
  }),
  "rate.account.linkCode.project.burst": tierC(455, "account.linkCode: burst 60 per project", {
    hooks: ["address"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    bucket: perProject(
      "POST /v1/account/link-code",
      perMinute(300, 60),
      "rate.account.linkCode.address.burst"
    ),
    check: burstForProject
  }),
  "rate.account.linkCode.project.refill": tierC(455, "account.linkCode: 300/min per project", {
    hooks: ["address", "clock"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.account.linkCode.project.burst",
    check: refillOfProject
  }),
  "rate.account.link.address.burst": tierA(456, "account.link: burst 5 per address", {
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    bucket: perAddress("POST /v1/account/link", perMinute(10, 5)),
    check: burstFromAddress
  }),
  "rate.account.link.address.refill": tierC(456, "account.link: 10/min per address", {
    hooks: ["clock"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.account.link.address.burst",
    check: refillOfAddress
  }),
  "rate.account.link.project.burst": tierC(456, "account.link: burst 60 per project", {
    hooks: ["address"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    bucket: perProject(
      "POST /v1/account/link",
      perMinute(300, 60),
      "rate.account.link.address.burst"
    ),
    check: burstForProject
  }),
  "rate.account.link.project.refill": tierC(456, "account.link: 300/min per project", {
    hooks: ["address", "clock"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.account.link.project.burst",
    check: refillOfProject
  }),
  "rate.account.manage.address.burst": tierA(457, "account.manage: burst 10 per address", {
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    bucket: perAddress("/v1/account, /v1/account/devices", perMinute(30, 10)),
    check: burstFromAddress
  }),
  "rate.account.manage.address.refill": tierC(457, "account.manage: 30/min per address", {
    hooks: ["clock"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.account.manage.address.burst",
    check: refillOfAddress
  }),
  "rate.account.manage.project.burst": tierC(457, "account.manage: burst 120 per project", {
    hooks: ["address"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    bucket: perProject(
      "/v1/account, /v1/account/devices",
      perMinute(600, 120),
      "rate.account.manage.address.burst"
    ),
    check: burstForProject
  }),
  "rate.account.manage.project.refill": tierC(457, "account.manage: 600/min per project", {
    hooks: ["address", "clock"],
    features: ["accounts", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.account.manage.project.burst",
    check: refillOfProject
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
  "rate.presence.read.address.burst": tierA(458, "presence.read: burst 30 per address", {
    features: ["openRates", "presence"],
    decisions: ["D-26"],
    bucket: perAddress("GET /v1/presence", perMinute(120, 30)),
    check: burstFromAddress
  }),
  "rate.presence.read.address.refill": tierC(458, "presence.read: 120/min per address", {
    hooks: ["clock"],
    features: ["openRates", "presence"],
    decisions: ["D-26"],
    literalsOf: "rate.presence.read.address.burst",
    check: refillOfAddress
  }),
  "rate.presence.read.project.burst": tierC(458, "presence.read: burst 300 per project", {
    hooks: ["address"],
    features: ["openRates", "presence"],
    decisions: ["D-26"],
    bucket: perProject(
      "GET /v1/presence",
      perMinute(3000, 300),
      "rate.presence.read.address.burst"
    ),
    check: burstForProject
  }),
  "rate.presence.read.project.refill": tierC(458, "presence.read: 3000/min per project", {
    hooks: ["address", "clock"],
    features: ["openRates", "presence"],
    decisions: ["D-26"],
    literalsOf: "rate.presence.read.project.burst",
    check: refillOfProject
  }),
  "rate.presence.watch.address.burst": tierA(459, "presence.watch: burst 5 per address", {
    features: ["openRates", "presence"],
    decisions: ["D-26"],
    bucket: perAddress("GET /v1/presence?wait=", perMinute(20, 5)),
    check: burstFromAddress
  }),
  "rate.presence.watch.address.refill": tierC(459, "presence.watch: 20/min per address", {
    hooks: ["clock"],
    features: ["openRates", "presence"],
    decisions: ["D-26"],
    literalsOf: "rate.presence.watch.address.burst",
    check: refillOfAddress
  }),
  "rate.presence.watch.project.burst": tierC(459, "presence.watch: burst 120 per project", {
    hooks: ["address"],
    features: ["openRates", "presence"],
    decisions: ["D-26"],
    bucket: perProject(
      "GET /v1/presence?wait=",
      perMinute(600, 120),
      "rate.presence.watch.address.burst"
    ),
    check: burstForProject
  }),
  "rate.presence.watch.project.refill": tierC(459, "presence.watch: 600/min per project", {
    hooks: ["address", "clock"],
    features: ["openRates", "presence"],
    decisions: ["D-26"],
    literalsOf: "rate.presence.watch.project.burst",
    check: refillOfProject
  }),
  "rate.audience.mint.address.burst": tierA(460, "audience.mint: burst 30 per address", {
    features: ["audience", "openRates"],
    decisions: ["D-26"],
    bucket: {
      endpoint: "POST /v1/audience",
      key: "address",
      ...perHour(60, 30),
      outcome: tooManyRequests
    },
    check: burstFromAddress
  }),
  "rate.audience.mint.address.refill": tierC(460, "audience.mint: 60/hour per address", {
    hooks: ["clock"],
    features: ["audience", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.audience.mint.address.burst",
    check: refillOfAddress
  }),
  "rate.audience.mint.room.burst": tierC(460, "audience.mint: burst 512 per room", {
    hooks: ["address"],
    features: ["audience", "openRates"],
    decisions: ["D-26", "T-22"],
    bucket: {
      endpoint: "POST /v1/audience",
      key: "room",
      ...perHour(600, 512),
      outcome: tooManyRequests,
      drawnAfter: "rate.audience.mint.address.burst"
    },
    check: burstForProject
  }),
  "rate.audience.mint.room.refill": tierC(460, "audience.mint: 600/hour per room", {
    hooks: ["address", "clock"],
    features: ["audience", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.audience.mint.room.burst",
    check: refillOfProject
  })
})
