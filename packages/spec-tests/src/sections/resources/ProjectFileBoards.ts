import fc from "fast-check"

import { same } from "../../check/Expect.ts"
import { forAll } from "../../check/ForAll.ts"
import type { Outcome } from "../../families/Outcome.ts"
import { textChecks } from "../../families/Texts.ts"
import { projectFileHeading } from "../Headings.ts"
import {
  keepsPeriods,
  losesRemovedBoards,
  ranksByDirection,
  separatesBuckets,
  separatesPeriods
} from "../limits/LeaderboardProbes.ts"
import { badRequest } from "../Literals.ts"
import type { Json } from "../Row.ts"
import { fileBoardRow, fileSyncRow } from "../RowKinds.ts"
import { section, tierA, tierB, tierC, rowOf } from "../Section.ts"
import { declaring } from "./Declaring.ts"
import { isSynced } from "./SyncedKeys.ts"

/** Lines 136 to 141 of the specification: Project file `service.json`, boards. */
export const projectFileBoardsSection = section(projectFileHeading, {
  "boards.direction.required": tierA(136, "direction is higher or lower and mandatory", {
    probe: ["cli"],
    literalsOf: "file.validate.boards-direction",
    check: {
      title: "a board says higher or lower, and one that says neither is refused by name",
      ...declaring("boards", async (on, trial) => {
        for (const direction of ["higher", "lower"]) await on.taken({ main: { direction } })
        const { bad } = rowOf("file", "file.validate.boards-direction")
        for (const value of bad) await on.refused(value, "main")
        for (const value of rowOf("file", "file.validate.boards-type").bad) {
          await on.refused(value, "boards")
        }
        const notOne = fc.jsonValue().filter((value) => value !== "higher" && value !== "lower")
        const look = async (direction: Json): Promise<void> =>
          on.refused({ main: { direction } }, "main")
        await forAll(trial, { of: notOne.map(jsonOf), runs: 15 }, look)
        const inForce = await on.inForce()
        trial.chosen("D-13", () =>
          same("the boards in force", inForce, { main: { direction: "lower" } })
        )
      })
    }
  }),
  "boards.direction.effect": tierB(136, "direction decides which score ranks first", {
    probe: ["http", "ws"],
    features: ["boards"],
    is: { values: ["higher", "lower"] },
    check: ranksByDirection
  }),
  "boards.period.values": tierA(137, "period: daily, weekly, monthly or season:<name>", {
    probe: ["cli"],
    decisions: ["D-34"],
    text: {
      pattern: "^(daily|weekly|monthly|season:.+)$",
      good: ["daily", "weekly", "monthly", "season:one"],
      bad: ["", "yearly", "hourly", "Daily", "season", "season:"],
      outcome: badRequest
    },
    check: {
      title: "a period is daily, weekly, monthly or of a season",
      ...declaring("boards", async (on, trial) => {
        const attempt = (period: string): Promise<Outcome> =>
          on.attempt({ main: { direction: "higher", period } })
        const row = rowOf("text", "boards.period.values")
        // The specification does not name the characters of a season, so no season is drawn by chance.
        await textChecks(trial, row, { attempt, runs: 0 })
        for (const [name, isTakenByUs] of [
          ["a.b_c-9", true],
          ["x".repeat(64), true],
          ["x".repeat(65), false],
          ["Spring", false],
          ["a b", false]
        ] as const) {
          const got = await attempt(`season:${name}`)
          trial.chosen("D-34", () => same(`the season ${name} is taken`, got.taken, isTakenByUs))
        }
        for (const period of [5, null, true, [], {}]) {
          await on.refused({ main: { direction: "higher", period } }, "main")
        }
        for (const [keep, isTakenByUs] of [
          [1, true],
          [120, true],
          [0, false],
          [121, false],
          [2.5, false]
        ] as const) {
          const got = await on.attempt({ main: { direction: "higher", keep } })
          trial.chosen("D-34", () => same(`keep: ${keep} is taken`, got.taken, isTakenByUs))
        }
      })
    }
  }),
  "boards.period.separates": tierC(137, "a period separates scores", {
    probe: ["http", "ws"],
    hooks: ["clock", "fixture"],
    features: ["boards"],
    decisions: ["D-34"],
    check: separatesPeriods
  }),
  "boards.buckets.default-false": tierA(138, "buckets defaults to false", {
    probe: ["cli"],
    features: ["boards", "cli", "projectFile"],
    is: { default: false },
    provedBy: "boards.buckets.separates"
  }),
  "boards.buckets.separates": tierB(138, "buckets separate scores by name", {
    probe: ["http", "ws"],
    features: ["boards"],
    check: separatesBuckets
  }),
  "boards.keep.default": tierC(139, "keep defaults to 12 past periods", {
    probe: ["cli"],
    hooks: ["clock", "fixture"],
    features: ["boards", "cli", "projectFile"],
    keep: { datum: "past periods of a board", forMs: "forever", newest: 12, becomes: "gone" },
    check: keepsPeriods(null)
  }),
  "boards.keep.declared": tierC(139, "a declared keep is honoured", {
    hooks: ["clock", "fixture"],
    features: ["boards"],
    check: keepsPeriods(3)
  }),
  "boards.source-of-truth": fileSyncRow(141, "a declared map is synced on every deploy", {
    check: isSynced("boards", {
      declared: { kills: { direction: "higher" }, laps: { direction: "lower", period: "daily" } },
      other: { coins: { direction: "higher", keep: 3 } },
      empty: {}
    })
  }),
  "boards.removed-deleted-with-scores": fileBoardRow(
    141,
    "a board removed from the map goes away with its scores on the next deploy",
    { check: losesRemovedBoards }
  ),
  "boards.empty-removes-all": fileSyncRow(141, "an empty map removes every board", {
    provedBy: "boards.source-of-truth"
  }),
  "boards.omitted-untouched": fileSyncRow(141, "omitting the key never touches boards", {
    provedBy: "boards.source-of-truth"
  })
})

/** fast-check's JSON has -0 and the like, which is not what is sent. */
const jsonOf = (value: unknown): Json => JSON.parse(JSON.stringify(value))
