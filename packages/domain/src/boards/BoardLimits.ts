import { MinuteMs, count, range, rate } from "@atrium/wire/limits/Limit"

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
  })
} as const
