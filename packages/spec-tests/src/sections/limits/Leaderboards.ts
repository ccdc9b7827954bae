import { linkCodeLifetime, linkCodeOnce, tenDevices } from "../endpoints/AccountProbes.ts"
import { badRequest } from "../Literals.ts"
import { takesNames } from "../resources/Declaring.ts"
import { section, tierC, tierA, tierB } from "../Section.ts"
import { atMost, minuteMs } from "../Units.ts"
import { countsRows, showsMostRows, takesScores } from "./LeaderboardProbes.ts"

const safeMax = 9_007_199_254_740_991

/** Lines 466 to 472 of the specification: Leaderboard limits. */
export const leaderboardsSection = section("Limits / Leaderboard limits", {
  "lb.rows": tierC(466, "1,000,000 board rows per project over all boards", {
    probe: ["ws"],
    hooks: ["fixture", "seed"],
    features: ["boards"],
    decisions: ["D-34"],
    boundary: { ...atMost(1_000_000, "count"), outcome: { code: "E_BOARD_FULL" } },
    check: countsRows
  }),
  "lb.name.length": tierA(467, "board name 1-64", {
    probe: ["cli", "http"],
    boundary: { ...atMost(64, "chars"), least: 1, outcome: badRequest },
    check: takesNames("boards", "lb.name.charset")
  }),
  "lb.name.charset": tierA(467, "a-z 0-9 . _ -", {
    probe: ["cli", "http"],
    text: {
      pattern: "^[a-z0-9._-]*$",
      good: ["main", "a.b_c-9"],
      bad: ["Main", "a b", "a/b", "ä", "a:b", "a\n"],
      outcome: badRequest
    },
    provedBy: "lb.name.length"
  }),
  "lb.score": tierB(468, "score is a whole number in safe-integer range", {
    probe: ["ws"],
    features: ["boards"],
    boundary: { unit: "count", accept: safeMax, refuse: safeMax + 1, least: -safeMax, outcome: {} },
    check: takesScores
  }),
  "lb.top.default": tierB(469, "top read returns 10 by default", {
    features: ["boards"],
    is: { rows: 10 },
    check: showsMostRows("lb.top")
  }),
  "lb.top.max": tierB(469, "100 at most", {
    features: ["boards"],
    decisions: ["D-34", "T-83"],
    boundary: { ...atMost(100, "count"), outcome: badRequest },
    provedBy: "lb.top.default"
  }),
  "lb.around.default": tierB(470, "5 neighbours each side by default", {
    features: ["boards"],
    is: { rowsEachSide: 5 },
    check: showsMostRows("lb.around")
  }),
  "lb.around.max": tierB(470, "25 each side at most", {
    features: ["boards"],
    decisions: ["D-34", "T-83"],
    boundary: { ...atMost(25, "count"), outcome: badRequest },
    provedBy: "lb.around.default"
  }),
  "account.devices.max": tierA(471, "10 device credentials per account", {
    features: ["accounts"],
    decisions: ["D-28"],
    boundary: { ...atMost(10, "count"), outcome: { status: 409, code: "E_DEVICE_LIMIT" } },
    check: {
      title: "the tenth device is linked, the eleventh is not",
      timeoutMs: 60_000,
      run: tenDevices
    }
  }),
  "account.link-code.lifetime": tierC(472, "a link code lives 10 minutes", {
    hooks: ["clock"],
    features: ["accounts"],
    keep: { datum: "a link code", forMs: 10 * minuteMs, becomes: "gone" },
    check: {
      title: "a link code links a second before its ten minutes are over, and not a second after",
      alone: true,
      run: linkCodeLifetime
    }
  }),
  "account.link-code.single-use": tierA(472, "single use", {
    features: ["accounts"],
    error: { outcome: { status: 404, code: "E_LINK_CODE" } },
    check: { title: "a link code links once", run: linkCodeOnce }
  })
})
