import { KiB, MinuteMs, SecondMs, count, size, span } from "@atrium/wire/limits/Limit"

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
  }),
  rehearsalsKept: count("Rehearsals that are kept with their reports (C-710)", {
    max: 10,
    per: "project",
    past: "the oldest one goes"
  }),
  rehearsalSample: count("Rooms that a rehearsal of some rooms draws (C-710)", {
    max: 1000,
    per: "rehearsal",
    past: "E_BAD_REQUEST"
  }),
  rehearsalFailures: count("Rooms whose failures a rehearsal lists (C-712)", {
    max: 1000,
    per: "rehearsal",
    past: "the rehearsal ends as failed"
  }),
  rehearsalKinds: count("Kinds of failures that a rehearsal tells apart (C-712)", {
    max: 20,
    per: "rehearsal",
    past: "the failure is counted with the others"
  }),
  rehearsalDiffs: count("Rooms whose changes a rehearsal shows (C-712)", {
    max: 3,
    per: "rehearsal",
    past: "the changes of the room are not shown"
  }),
  rehearsalDiffBytes: size("State, before and after, whose changes a rehearsal shows (C-712)", {
    max: 64 * KiB,
    per: "state",
    past: "another room is shown"
  }),
  rehearsalDiffLines: count("Lines of the changes that a rehearsal shows of a room (C-712)", {
    max: 40,
    per: "room",
    past: "a line says how many are left out"
  }),
  rehearsalPage: count("Rooms that a rehearsal looks up at once", {
    max: 200,
    per: "rehearsal",
    past: "it looks again"
  }),
  rehearsalProgress: span("Time between two writes of how far a rehearsal is (C-711)", {
    ms: 500,
    per: "rehearsal",
    past: "what was rehearsed since is rehearsed anew after a crash"
  }),
  rehearsedState: span("Time that a state is expected to take before one was rehearsed (C-710)", {
    ms: 10,
    per: "state",
    past: "the estimate grows"
  }),
  rehearsalTurn: span("Time that a rehearsal runs before another one has its turn (C-711)", {
    ms: SecondMs,
    per: "rehearsal",
    past: "the next one runs"
  }),
  rehearsalLook: span("Time between two looks for rehearsals that another runner has begun", {
    ms: 2 * SecondMs,
    per: "service",
    past: "it looks again"
  }),
  rehearsalAwaited: span("Time that a deploy waits for its rehearsal (C-713)", {
    ms: 3 * SecondMs,
    per: "deployment",
    past: "E_NOT_READY"
  }),
  rehearsalAwaitedLook: span("Time between two looks of a deploy at its rehearsal (C-713)", {
    ms: 100,
    per: "deployment",
    past: "it looks again"
  }),
  rehearsalDiffChars: count("UTF-16 units of a value in the changes of a rehearsal (C-712)", {
    max: 80,
    per: "value",
    past: "cut"
  }),
  rehearsalCounts: span("Time that a rehearsal that is over counts for a deploy (C-713)", {
    ms: 10 * MinuteMs,
    per: "rehearsal",
    past: "the deploy rehearses anew"
  })
} as const
