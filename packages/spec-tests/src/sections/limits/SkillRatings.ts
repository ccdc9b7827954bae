import { holds, same } from "../../check/Expect.ts"
import { ratingRow } from "../RowKinds.ts"
import { rowOf, section, tierB, tierC } from "../Section.ts"
import { atMost, secondMs } from "../Units.ts"
import { writtenInRoomsOnly } from "./LeaderboardProbes.ts"
import { bandGrowth, bandStart, bandUnbounded } from "./MatchProbes.ts"
import { noRouteTakes, placed, withRatings } from "./RatingProbes.ts"

/** A row about the ratings that are matched after some time. */
const bandRow = tierC.taking({
  hooks: ["clock", "fixture", "seed"],
  features: ["match", "ratings"]
})

/** Lines 492 to 498 of the specification: Skill rating limits. */
export const skillRatingsSection = section("Limits / Skill rating limits", {
  "rating.report.players": ratingRow(492, "2 to 64 players in a report", {
    boundary: { ...atMost(64, "count"), least: 2, outcome: {} },
    check: {
      title: "a report of 2 or of 64 players moves ratings; one of 1 or 65 is refused",
      run: withRatings(async (stage) => {
        const { least = 0, accept, refuse } = rowOf("boundary", "rating.report.players")
        await stage.accepts("the smallest report", placed(least, "few"))
        await stage.accepts("the largest report", placed(accept, "many"))
        await stage.refuses("one player less", placed(least - 1, "alone"))
        await stage.refuses("one player more", placed(refuse, "crowd"))
      })
    }
  }),
  "rating.place": ratingRow(493, "place whole 1 to 64", {
    boundary: { ...atMost(64, "count"), least: 1, outcome: {} },
    check: {
      title: "places 1 and 64 are taken; 0, 65 and 1.5 are refused",
      run: withRatings(async (stage) => {
        const { least = 0, accept, refuse } = rowOf("boundary", "rating.place")
        const pair = (name: string, ...places: ReadonlyArray<number>) =>
          places.map((place, index) => ({ player: `${name} ${index + 1}`, place }))
        await stage.accepts("the first and the last place", pair("both", least, accept))
        await stage.refuses("a place before the first", pair("early", least - 1, accept))
        await stage.refuses("a place after the last", pair("late", least, refuse))
        await stage.refuses("half a place", pair("half", least + 0.5, accept))
      })
    }
  }),
  "rating.ties": ratingRow(493, "ties share a place", {
    check: {
      title: "newcomers who share a place move alike; a tie brings a pair together by equal steps",
      run: withRatings(async (stage) => {
        const tied = ["one", "two"].map((player) => ({ player, place: 1 }))
        await stage.accepts("a report with a tie", [...tied, { player: "three", place: 3 }])
        const [one, two] = await stage.ratings("one", "two")
        same("the ratings of the tied", { ...one, player: "two" }, two)
        await stage.accepts("a report without one", placed(2, "pair"))
        const before = await stage.ratings("pair 1", "pair 2")
        const pair = before.map(({ player }) => ({ player, place: 2 }))
        same("whether the pair may tie", await stage.takes(pair), true)
        const after = await stage.ratings("pair 1", "pair 2")
        const [down = 0, up = 0] = after.map(({ rating }, at) => rating - (before[at]?.rating ?? 0))
        const meet = down < 0 && up > 0 && Math.abs(down + up) < 1e-6
        holds("they meet by equal steps", meet, { before, after })
      })
    }
  }),
  "rating.rows": tierC(494, "1,000,000 rating rows per project", {
    probe: ["ws"],
    hooks: ["fixture", "seed"],
    features: ["ratings"],
    boundary: { ...atMost(1_000_000, "count"), outcome: {} },
    check: {
      timeoutMs: 60_000,
      title: "a project keeps 1,000,000 ratings; a report that would need one more is refused",
      run: withRatings(async (stage, trial) => {
        const { accept } = rowOf("boundary", "rating.rows")
        const rows = { counter: "ratings", count: accept - 2 }
        await trial.control.seed(stage.project.id, rows)
        await stage.accepts("the last two rows", placed(2, "last"))
        await stage.refuses("one row more", [
          { player: "last 1", place: 1 },
          { player: "over", place: 2 }
        ])
        same("a report of those who have a rating", await stage.takes(placed(2, "last")), true)
      })
    }
  }),
  "rating.start": ratingRow(495, "starting rating 1500", {
    is: { rating: 1500 },
    check: {
      title: "a player of whom no result was reported has rating 1500",
      run: withRatings(async (stage) => {
        const { rating } = await stage.rating("newcomer")
        same(
          "the rating of a new player",
          rating,
          rowOf("statement", "rating.start").is?.["rating"]
        )
      })
    }
  }),
  "rating.start.deviation": ratingRow(495, "starting deviation 350", {
    is: { deviation: 350 },
    check: {
      title: "a player of whom no result was reported has deviation 350; a result lowers it",
      run: withRatings(async (stage) => {
        const { is } = rowOf("statement", "rating.start.deviation")
        const start = is?.["deviation"]
        same("the deviation of a new player", (await stage.rating("newcomer")).deviation, start)
        await stage.takes(placed(2, "newcomer"))
        const { deviation } = await stage.rating("newcomer 1")
        same("whether a result lowers it", deviation < Number(start), true)
      })
    }
  }),
  "rating.band.start": bandRow(496, "band 100 at 0 s waited", {
    is: { band: 100, waitedMs: 0 },
    check: () => bandStart(Number(rowOf("statement", "rating.band.start").is?.["band"]))
  }),
  "rating.band.growth": bandRow(496, "plus 100 every 5 seconds", {
    is: { step: 100, everyMs: 5 * secondMs },
    check: () => {
      const { step, everyMs } = Object(rowOf("statement", "rating.band.growth").is)
      return bandGrowth(Number(step), Number(everyMs))
    }
  }),
  "rating.band.unbounded": bandRow(496, "unbounded after 60 seconds", {
    decisions: ["D-31"],
    is: { afterMs: 60 * secondMs },
    numbers: [60],
    check: () => bandUnbounded(Number(rowOf("statement", "rating.band.unbounded").is?.["afterMs"]))
  }),
  "rating.only-in-room": tierB(498, "ratings are written only by room.ratings.report", {
    probe: ["http", "ws"],
    features: ["ratings"],
    is: { call: "room.ratings.report" },
    check: {
      title: "a report of room code moves a rating; no route and no frame of a client does",
      run: withRatings(async (stage, trial) => {
        await stage.accepts("a report of the room", [
          { player: "winner", place: 1 },
          { player: "loser", place: 2 }
        ])
        const before = await stage.numbers("winner", "loser")
        await noRouteTakes(trial, stage.project.id, trial.login(0))
        await stage.sendReports([
          { player: "loser", place: 1 },
          { player: "winner", place: 2 }
        ])
        same("the ratings afterwards", await stage.numbers("winner", "loser"), before)
      })
    }
  }),
  "lb.only-in-room": tierB(498, "leaderboards are written only in-room", {
    probe: ["http", "ws"],
    features: ["boards"],
    check: writtenInRoomsOnly
  })
})
