import { ratingRow } from "../RowKinds.ts"
import { section, tierB, tierC } from "../Section.ts"
import { atMost, secondMs } from "../Units.ts"

/** A row about the ratings that are matched after some time. */
const bandRow = tierC.taking({ hooks: ["clock", "fixture"], features: ["ratings"] })

/** Lines 492 to 498 of the specification: Skill rating limits. */
export const skillRatingsSection = section("Limits / Skill rating limits", {
  "rating.report.players": ratingRow(492, "2 to 64 players in a report", {
    boundary: { ...atMost(64, "count"), least: 2, outcome: {} }
  }),
  "rating.place": ratingRow(493, "place whole 1 to 64", {
    boundary: { ...atMost(64, "count"), least: 1, outcome: {} }
  }),
  "rating.ties": ratingRow(493, "ties share a place"),
  "rating.rows": tierC(494, "1,000,000 rating rows per project", {
    probe: ["ws"],
    hooks: ["fixture", "seed"],
    features: ["ratings"],
    boundary: { ...atMost(1_000_000, "count"), outcome: {} }
  }),
  "rating.start": ratingRow(495, "starting rating 1500", { is: { rating: 1500 } }),
  "rating.start.deviation": ratingRow(495, "starting deviation 350", { is: { deviation: 350 } }),
  "rating.band.start": bandRow(496, "band 100 at 0 s waited", { is: { band: 100, waitedMs: 0 } }),
  "rating.band.growth": bandRow(496, "plus 100 every 5 seconds", {
    is: { step: 100, everyMs: 5 * secondMs }
  }),
  "rating.band.unbounded": bandRow(496, "unbounded after 60 seconds", {
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
