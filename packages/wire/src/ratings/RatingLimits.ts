import { count, DayMs, MinuteMs, range, rate, size, span } from "../limits/Limit.ts"

/** Skill ratings. Spec: Skill rating limits. */
export const RatingLimits = {
  ratingReportPlayers: range("Players in one result report", {
    min: 2,
    max: 64,
    per: "report",
    past: "E_CALL_INVALID"
  }),
  ratingPlace: range("Finishing place in a result report", {
    min: 1,
    max: 64,
    per: "player and report",
    past: "E_CALL_INVALID"
  }),
  ratings: count("Rating rows across the queues of a project", {
    max: 1_000_000,
    per: "project",
    past: "E_RATINGS_FULL"
  }),
  ratingsRead: range("Players whose ratings one call reads (C-594)", {
    min: 1,
    max: 64,
    per: "call",
    past: "E_CALL_INVALID"
  }),
  ratingReportIdBytes: size("Id of a result report (C-593)", {
    max: 128,
    per: "report",
    past: "E_CALL_INVALID"
  }),
  ratingReportKept: span("How long the id of a counted result report is remembered (C-593)", {
    ms: DayMs,
    per: "report",
    past: "a report with the same id counts again"
  }),
  ratingReports: rate("Result reports of a room (C-594)", {
    burst: 60,
    tokens: 120,
    everyMs: MinuteMs,
    per: "room",
    past: "E_CALL_RATE"
  }),
  ratingBatch: count("Result reports that are stored together (C-640)", {
    max: 32,
    per: "project and runner",
    past: "the next ones are stored after them"
  }),
  ratingSweepBatch: count("Ids of old result reports that are removed at once", {
    max: 1000,
    per: "query",
    past: "the rest goes with the next query"
  })
} as const
