import type { Rehearsal } from "@atrium/domain/migrations/RehearsalsApi"

/** A rehearsal as a service shows it: three of fifty rooms fail, unless it has passed. */
export const rehearsalOf = (changed: Partial<Rehearsal> = {}): Rehearsal => ({
  rehearsalId: "rh_0123456789abcdef",
  state: "failed",
  createdAt: "2026-01-01T00:00:00.000Z",
  version: 3,
  sample: null,
  rooms: { total: 50, done: 50, failed: 3, again: 0 },
  states: { done: 96, skipped: 4 },
  estimateMs: 0,
  bytes: { before: 2048, after: 3072 },
  wakeMs: { mean: 3.2, max: 15.1, roomId: "good" },
  failures: [
    {
      message: "the migration to version 3 failed: bad-1 has fallen",
      stack: "Error: bad-1 has fallen\n    at migrate (migrations/0003-duel.ts:9:13)",
      roomId: "bad-1",
      saveId: null,
      version: 2,
      rooms: 2
    },
    {
      message: "it takes more than 5000 ms",
      stack: "",
      roomId: "bad-3",
      saveId: "sv_0123456789abcdef",
      version: 1,
      rooms: 1
    }
  ],
  failedRooms: ["bad-1", "bad-2", "bad-3"],
  diffs: [
    {
      roomId: "good",
      type: "duel",
      version: 2,
      lines: ["- fighters[1].hp: 50", "+ fighters[1].health: 0.5"]
    }
  ],
  ...changed
})
