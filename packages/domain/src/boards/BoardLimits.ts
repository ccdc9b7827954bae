import { DayMs, MinuteMs, count, range, rate, size, span } from "@atrium/wire/limits/Limit"

/** Leaderboards. */
export const BoardLimits = {
  boardReadsByAddress: rate("Reads of leaderboards, or of the public registry, from an address", {
    burst: 30,
    tokens: 120,
    everyMs: MinuteMs,
    per: "client address",
    past: "E_RATE_LIMITED"
  }),
  boardReads: rate("Reads of a project's leaderboards, or of its public registry", {
    burst: 300,
    tokens: 3000,
    everyMs: MinuteMs,
    per: "project",
    past: "E_RATE_LIMITED"
  }),
  boards: count("Boards per project", { max: 256, per: "project", past: "E_BAD_REQUEST" }),
  boardNameChars: count("Characters of a board's name", {
    max: 64,
    per: "board",
    past: "E_BAD_REQUEST"
  }),
  seasonNameChars: count("Characters of a season's name (D-34)", {
    max: 64,
    per: "board",
    past: "E_BAD_REQUEST"
  }),
  boardKeep: range("Past periods of a board that are kept (D-34)", {
    min: 1,
    max: 120,
    per: "board",
    past: "E_BAD_REQUEST"
  }),
  boardKeepDefault: count("Past periods of a board that are kept when it does not say", {
    max: 12,
    per: "board",
    past: "the oldest goes with its scores"
  }),

  // Scores (spec: Leaderboard limits).
  boardRows: count("Scores of a project, over all its boards, periods and buckets", {
    max: 1_000_000,
    per: "project",
    past: "E_BOARD_FULL"
  }),
  topRows: range("Rows of one top read", {
    min: 1,
    max: 100,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  topRowsDefault: count("Rows of a top read that does not say", {
    max: 10,
    per: "request",
    past: "the read says more"
  }),
  aroundRows: range("Neighbours on each side of one around read", {
    min: 1,
    max: 25,
    per: "request",
    past: "E_BAD_REQUEST"
  }),
  aroundRowsDefault: count("Neighbours on each side of an around read that does not say", {
    max: 5,
    per: "request",
    past: "the read says more"
  }),
  boardSubmits: rate("Calls of room.leaderboard.submit()", {
    burst: 256,
    tokens: 600,
    everyMs: MinuteMs,
    per: "room",
    past: "E_CALL_RATE"
  }),
  bucketNameChars: count("Characters of a bucket's name", {
    max: 64,
    per: "bucket",
    past: "E_CALL_INVALID"
  }),
  submitIdBytes: size("Id of a submitted score", {
    max: 256,
    per: "submit",
    past: "E_CALL_INVALID"
  }),
  submitIdKept: span("Time for which the id of a submitted score counts once", {
    ms: DayMs,
    per: "submit",
    past: "the same id counts again"
  }),
  submitBatch: count("Submitted scores of a project that are stored together", {
    max: 64,
    per: "transaction",
    past: "the others follow in the next transaction"
  }),
  boardScoreBytes: size("Bytes that a score counts as its project's storage", {
    max: 128,
    per: "score",
    past: "the storage cap refuses submits"
  }),
  boardStep: range("Scores of a board that one step counts", {
    min: 256,
    max: 4096,
    per: "step",
    past: "the step is split, or joined with the one before it"
  }),
  boardSweepRows: count("Scores or ids of removed boards and periods that go together", {
    max: 1000,
    per: "transaction",
    past: "the next transaction removes them"
  })
} as const
