import type { Row } from "./Row.ts"
import { atMost, minuteMs, secondMs } from "./Units.ts"

const badRequest = { status: 400, code: "E_BAD_REQUEST" } as const
const safeMax = 9_007_199_254_740_991

/** Leaderboards and accounts. */
const boardLimits: ReadonlyArray<Row> = [
  {
    kind: "boundary",
    ids: ["lb.rows"],
    ...atMost(1_000_000, "count"),
    outcome: { code: "E_BOARD_FULL" }
  },
  {
    kind: "boundary",
    ids: ["lb.name.length"],
    ...atMost(64, "chars"),
    least: 1,
    outcome: badRequest
  },
  {
    kind: "text",
    ids: ["lb.name.charset"],
    pattern: "^[a-z0-9._-]*$",
    good: ["main", "a.b_c-9"],
    bad: ["Main", "a b", "a/b", "ä", "a:b", "a\n"],
    outcome: badRequest
  },
  {
    kind: "boundary",
    ids: ["lb.score"],
    unit: "count",
    accept: safeMax,
    refuse: safeMax + 1,
    least: -safeMax,
    outcome: {}
  },
  { kind: "statement", ids: ["lb.top.default"], is: { rows: 10 } },
  { kind: "boundary", ids: ["lb.top.max"], ...atMost(100, "count"), outcome: badRequest },
  { kind: "statement", ids: ["lb.around.default"], is: { rowsEachSide: 5 } },
  { kind: "boundary", ids: ["lb.around.max"], ...atMost(25, "count"), outcome: badRequest },
  { kind: "statement", ids: ["lb.only-in-room"] },
  {
    kind: "boundary",
    ids: ["account.devices.max"],
    ...atMost(10, "count"),
    outcome: { status: 409, code: "E_DEVICE_LIMIT" }
  },
  {
    kind: "keep",
    ids: ["account.link-code.lifetime"],
    datum: "a link code",
    forMs: 10 * minuteMs,
    becomes: "gone"
  },
  {
    kind: "error",
    ids: ["account.link-code.single-use"],
    outcome: { status: 404, code: "E_LINK_CODE" }
  }
]

/** Quick match. */
const matchLimits: ReadonlyArray<Row> = [
  {
    kind: "boundary",
    ids: ["match.party.queue-range"],
    ...atMost(64, "count"),
    least: 2,
    outcome: badRequest
  },
  {
    kind: "boundary",
    ids: ["match.queue-name.length"],
    ...atMost(32, "chars"),
    least: 1,
    outcome: badRequest
  },
  {
    kind: "text",
    ids: ["match.queue-name.charset"],
    pattern: "^[a-z0-9._-]*$",
    good: ["main", "a.b_c-9"],
    bad: ["Main", "a b", "a/b", "ä", "a:b", "a\n"],
    outcome: badRequest
  },
  { kind: "statement", ids: ["match.wait.default"], is: { waitMs: 30 * secondMs } },
  {
    kind: "boundary",
    ids: ["match.wait.max"],
    ...atMost(2 * minuteMs, "ms"),
    outcome: badRequest
  },
  {
    kind: "move",
    ids: ["match.ticket.one-per-queue"],
    subject: "match",
    from: "waiting",
    trigger: "the same identity queues again",
    to: "retired",
    is: { live: 1 }
  },
  {
    kind: "boundary",
    ids: ["match.party.size"],
    ...atMost(64, "count"),
    least: 2,
    outcome: badRequest
  },
  {
    kind: "keep",
    ids: ["match.party.code-lifetime"],
    datum: "a party code",
    forMs: 10 * minuteMs,
    becomes: "gone"
  },
  { kind: "statement", ids: ["match.party.expiry-keeps-queued"] },
  {
    kind: "boundary",
    ids: ["match.backfill.freshness"],
    ...atMost(10 * secondMs, "ms"),
    outcome: {}
  }
]

/** Skill ratings and prediction. */
const ratingLimits: ReadonlyArray<Row> = [
  {
    kind: "boundary",
    ids: ["rating.report.players"],
    ...atMost(64, "count"),
    least: 2,
    outcome: {}
  },
  { kind: "boundary", ids: ["rating.place"], ...atMost(64, "count"), least: 1, outcome: {} },
  { kind: "statement", ids: ["rating.ties"] },
  { kind: "boundary", ids: ["rating.rows"], ...atMost(1_000_000, "count"), outcome: {} },
  { kind: "statement", ids: ["rating.start"], is: { rating: 1500 } },
  { kind: "statement", ids: ["rating.start.deviation"], is: { deviation: 350 } },
  { kind: "statement", ids: ["rating.band.start"], is: { band: 100, waitedMs: 0 } },
  {
    kind: "statement",
    ids: ["rating.band.growth"],
    is: { step: 100, everyMs: 5 * secondMs }
  },
  {
    kind: "statement",
    ids: ["rating.band.unbounded"],
    is: { afterMs: 60 * secondMs },
    numbers: [60]
  },
  { kind: "statement", ids: ["rating.only-in-room"], is: { call: "room.ratings.report" } },
  {
    kind: "statement",
    ids: ["predict.bodies"],
    is: { maxPredictedBodies: 64, beyond: "Kinematic proxies" }
  },
  {
    kind: "statement",
    ids: ["predict.proxies"],
    is: { maxProxyBodies: 256, beyond: "No local collider" }
  }
]

export const gameRows: ReadonlyArray<Row> = [...boardLimits, ...matchLimits, ...ratingLimits]
