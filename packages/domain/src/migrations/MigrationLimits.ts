import { SecondMs, count, span } from "@atrium/wire/limits/Limit"

/** Migrations of stored rooms and players. */
export const MigrationLimits = {
  stateMigration: span("Time for the migrations of a bundle to lead one stored state on (C-706)", {
    ms: 5 * SecondMs,
    per: "state",
    past: "the state stays on its version"
  }),
  migratorsAtOnce: count("Stored states that migrations lead on at once (C-706)", {
    max: 2,
    per: "runner",
    past: "the next one waits"
  }),
  migratorIdle: span("Time that a process for migrations waits for the next state", {
    ms: 5 * SecondMs,
    per: "process",
    past: "it is ended"
  })
} as const
