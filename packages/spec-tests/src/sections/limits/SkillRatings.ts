import { section, tierB, tierC } from "../Section.ts"
import { atMost, secondMs } from "../Units.ts"

/** Lines 492 to 498 of the specification: Skill rating limits. */
export const skillRatingsSection = section("Limits / Skill rating limits", {
  "rating.report.players": tierB(492, "2 to 64 players in a report", {
    probe: ["ws"],
    features: ["ratings"],
    boundary: { ...atMost(64, "count"), least: 2, outcome: {} }
  }),
  "rating.place": tierB(493, "place whole 1 to 64", {
    probe: ["ws"],
    features: ["ratings"],
    boundary: { ...atMost(64, "count"), least: 1, outcome: {} }
  }),
  "rating.ties": tierB(493, "ties share a place", { probe: ["ws"], features: ["ratings"] }),
  "rating.rows": tierC(494, "1,000,000 rating rows per project", {
    probe: ["ws"],
    hooks: ["fixture", "seed"],
    features: ["ratings"],
    boundary: { ...atMost(1_000_000, "count"), outcome: {} }
  }),
  "rating.start": tierB(495, "starting rating 1500", {
    probe: ["ws"],
    features: ["ratings"],
    is: { rating: 1500 }
  }),
  "rating.start.deviation": tierB(495, "starting deviation 350", {
    probe: ["ws"],
    features: ["ratings"],
    is: { deviation: 350 }
  }),
  "rating.band.start": tierC(496, "band 100 at 0 s waited", {
    hooks: ["clock", "fixture"],
    features: ["ratings"],
    is: { band: 100, waitedMs: 0 }
  }),
  "rating.band.growth": tierC(496, "plus 100 every 5 seconds", {
    hooks: ["clock", "fixture"],
    features: ["ratings"],
    is: { step: 100, everyMs: 5 * secondMs }
  }),
  "rating.band.unbounded": tierC(496, "unbounded after 60 seconds", {
    hooks: ["clock", "fixture"],
    features: ["ratings"],
    decisions: ["D-31"],
    is: { afterMs: 60 * secondMs },
    numbers: [60]
  }),
  "rating.only-in-room": tierB(498, "ratings are written only by room.ratings.report", {
    probe: ["http", "ws"],
    features: ["ratings"],
    is: { call: "room.ratings.report" }
  }),
  "lb.only-in-room": tierB(498, "leaderboards are written only in-room", {
    probe: ["http", "ws"],
    features: ["boards"]
  })
})
