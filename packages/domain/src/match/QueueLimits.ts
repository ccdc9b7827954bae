import { count, range } from "@atrium/wire/limits/Limit"

/** Queues of quick match. */
export const QueueLimits = {
  queues: count("Queues per project", { max: 32, per: "project", past: "E_BAD_REQUEST" }),
  queueSize: range("Players in a match of a queue", {
    min: 2,
    max: 64,
    per: "queue",
    past: "E_BAD_REQUEST"
  }),
  queueTeams: range("Teams in a match of a queue (D-33)", {
    min: 2,
    max: 16,
    per: "queue",
    past: "E_BAD_REQUEST"
  }),
  teamSize: range("Players in a team (D-33)", {
    min: 1,
    max: 32,
    per: "team",
    past: "E_BAD_REQUEST"
  })
} as const
