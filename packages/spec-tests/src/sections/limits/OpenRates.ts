import { perAddress, perMinute, perProject, perHour } from "../Literals.ts"
import { section, tierA, tierC } from "../Section.ts"
import {
  burstFromAddress,
  refillOfAddress,
  burstForProject,
  refillOfProject
} from "./OpenAllowances.ts"

/** Lines 449 to 454 of the specification: Open endpoint rate limits, of matches, identities and boards. */
export const openRatesSection = section("Limits / Open endpoint rate limits", {
  "rate.match.join.address.burst": tierA(449, "match.join: burst 10 per address", {
    features: ["match", "openRates"],
    decisions: ["D-26"],
    bucket: perAddress("POST /match", perMinute(30, 10)),
    check: burstFromAddress
  }),
  "rate.match.join.address.refill": tierC(449, "match.join: 30/min per address", {
    hooks: ["clock"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.match.join.address.burst",
    check: refillOfAddress
  }),
  "rate.match.join.project.burst": tierC(449, "match.join: burst 120 per project", {
    hooks: ["address"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    bucket: perProject("POST /match", perMinute(600, 120), "rate.match.join.address.burst"),
    check: burstForProject
  }),
  "rate.match.join.project.refill": tierC(449, "match.join: 600/min per project", {
    hooks: ["address", "clock"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.match.join.project.burst",
    check: refillOfProject
  }),
  "rate.match.party.address.burst": tierA(450, "match.party: burst 5 per address", {
    features: ["match", "openRates"],
    decisions: ["D-26"],
    bucket: perAddress("POST /match/party", perMinute(20, 5)),
    check: burstFromAddress
  }),
  "rate.match.party.address.refill": tierC(450, "match.party: 20/min per address", {
    hooks: ["clock"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.match.party.address.burst",
    check: refillOfAddress
  }),
  "rate.match.party.project.burst": tierC(450, "match.party: burst 60 per project", {
    hooks: ["address"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    bucket: perProject("POST /match/party", perMinute(300, 60), "rate.match.party.address.burst"),
    check: burstForProject
  }),
  "rate.match.party.project.refill": tierC(450, "match.party: 300/min per project", {
    hooks: ["address", "clock"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.match.party.project.burst",
    check: refillOfProject
  }),
  "rate.match.status.address.burst": tierA(451, "match.status: burst 30 per address", {
    features: ["match", "openRates"],
    decisions: ["D-26"],
    bucket: perAddress("GET /match/status", perMinute(300, 30)),
    check: burstFromAddress
  }),
  "rate.match.status.address.refill": tierC(451, "match.status: 300/min per address", {
    hooks: ["clock"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.match.status.address.burst",
    check: refillOfAddress
  }),
  "rate.match.status.project.burst": tierC(451, "match.status: burst 300 per project", {
    hooks: ["address"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    bucket: perProject(
      "GET /match/status",
      perMinute(3000, 300),
      "rate.match.status.address.burst"
    ),
    check: burstForProject
  }),
  "rate.match.status.project.refill": tierC(451, "match.status: 3000/min per project", {
    hooks: ["address", "clock"],
    features: ["match", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.match.status.project.burst",
    check: refillOfProject
  }),
  "rate.identity.mint.address.burst": tierA(452, "identity.mint: burst 30 per address", {
    features: ["openRates"],
    decisions: ["D-26"],
    bucket: perAddress("POST /v1/identity", perHour(60, 30)),
    check: burstFromAddress
  }),
  "rate.identity.mint.address.refill": tierC(452, "identity.mint: 60/hour per address", {
    hooks: ["clock"],
    features: ["openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.identity.mint.address.burst",
    check: refillOfAddress
  }),
  "rate.identity.mint.project.burst": tierC(452, "identity.mint: burst 600 per project", {
    hooks: ["address"],
    features: ["openRates"],
    decisions: ["D-26"],
    bucket: perProject(
      "POST /v1/identity",
      perMinute(600, 600),
      "rate.identity.mint.address.burst"
    ),
    check: burstForProject
  }),
  "rate.identity.mint.project.refill": tierC(452, "identity.mint: 600/min per project", {
    hooks: ["address", "clock"],
    features: ["openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.identity.mint.project.burst",
    check: refillOfProject
  }),
  "rate.identity.assertion.address.burst": tierA(453, "identity.assertion: burst 20 per address", {
    features: ["assertions", "openRates"],
    decisions: ["D-26"],
    bucket: perAddress("POST /v1/identity/assertion", perMinute(60, 20)),
    check: burstFromAddress
  }),
  "rate.identity.assertion.address.refill": tierC(453, "identity.assertion: 60/min per address", {
    hooks: ["clock"],
    features: ["assertions", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.identity.assertion.address.burst",
    check: refillOfAddress
  }),
  "rate.identity.assertion.project.burst": tierC(453, "identity.assertion: burst 300 per project", {
    hooks: ["address"],
    features: ["assertions", "openRates"],
    decisions: ["D-26"],
    bucket: perProject(
      "POST /v1/identity/assertion",
      perMinute(3000, 300),
      "rate.identity.assertion.address.burst"
    ),
    check: burstForProject
  }),
  "rate.identity.assertion.project.refill": tierC(453, "identity.assertion: 3000/min per project", {
    hooks: ["address", "clock"],
    features: ["assertions", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.identity.assertion.project.burst",
    check: refillOfProject
  }),
  "rate.leaderboard.read.address.burst": tierA(454, "leaderboard.read: burst 30 per address", {
    features: ["boards", "openRates"],
    decisions: ["D-26"],
    bucket: perAddress("GET /v1/leaderboard/...", perMinute(120, 30)),
    check: burstFromAddress
  }),
  "rate.leaderboard.read.address.refill": tierC(454, "leaderboard.read: 120/min per address", {
    hooks: ["clock"],
    features: ["boards", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.leaderboard.read.address.burst",
    check: refillOfAddress
  }),
  "rate.leaderboard.read.project.burst": tierC(454, "leaderboard.read: burst 300 per project", {
    hooks: ["address"],
    features: ["boards", "openRates"],
    decisions: ["D-26"],
    bucket: perProject(
      "GET /v1/leaderboard/...",
      perMinute(3000, 300),
      "rate.leaderboard.read.address.burst"
    ),
    check: burstForProject
  }),
  "rate.leaderboard.read.project.refill": tierC(454, "leaderboard.read: 3000/min per project", {
    hooks: ["address", "clock"],
    features: ["boards", "openRates"],
    decisions: ["D-26"],
    literalsOf: "rate.leaderboard.read.project.burst",
    check: refillOfProject
  })
})
