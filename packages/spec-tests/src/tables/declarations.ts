import type { Row } from "./Row.ts"
import { atMost, dayMs } from "./Units.ts"

const badRequest = { status: 400, code: "E_BAD_REQUEST" } as const

/** What the project file declares: queues, boards, origins, the audience's role, pre-release. */
export const declarationRows: ReadonlyArray<Row> = [
  {
    kind: "boundary",
    ids: ["queues.size.min"],
    unit: "count",
    accept: 2,
    refuse: 1,
    outcome: badRequest
  },
  {
    kind: "boundary",
    ids: ["queues.size.max"],
    ...atMost(64, "count"),
    outcome: badRequest
  },
  { kind: "statement", ids: ["queues.skill.boolean"] },
  {
    kind: "shape",
    ids: ["queues.teams.shape"],
    of: "an element of teams",
    fields: {
      size: { type: ["integer"] },
      minSize: { type: ["integer"] },
      maxSize: { type: ["integer"] },
      count: { type: ["integer"] },
      fill: { type: ["boolean", "string", "integer", "object"] }
    },
    exact: true
  },
  { kind: "error", ids: ["queues.size-and-teams-refused"], outcome: badRequest },
  {
    kind: "statement",
    ids: ["queues.teams.limits"],
    is: { teamsLeast: 2, teamsMost: 16, playersMost: 32, seats: 64 }
  },
  { kind: "statement", ids: ["queues.source-of-truth"] },
  { kind: "statement", ids: ["queues.empty-clears"], is: { defaultSize: 2 } },
  { kind: "statement", ids: ["queues.omitted-untouched"] },
  {
    kind: "boundary",
    ids: ["queues.max-32", "limits.queues", "match.queues.max"],
    ...atMost(32, "count"),
    outcome: badRequest
  },
  { kind: "statement", ids: ["queues.same-message-as-dashboard"] },
  { kind: "statement", ids: ["boards.direction.effect"], is: { values: ["higher", "lower"] } },
  {
    kind: "text",
    ids: ["boards.period.values"],
    pattern: "^(daily|weekly|monthly|season:.+)$",
    good: ["daily", "weekly", "monthly", "season:one"],
    bad: ["", "yearly", "hourly", "Daily", "season", "season:"],
    outcome: badRequest
  },
  { kind: "statement", ids: ["boards.period.separates"] },
  { kind: "statement", ids: ["boards.buckets.default-false"], is: { default: false } },
  { kind: "statement", ids: ["boards.buckets.separates"] },
  {
    kind: "keep",
    ids: ["boards.keep.default"],
    datum: "past periods of a board",
    forMs: "forever",
    newest: 12,
    becomes: "gone"
  },
  { kind: "statement", ids: ["boards.keep.declared"] },
  { kind: "statement", ids: ["boards.source-of-truth"] },
  { kind: "statement", ids: ["boards.removed-deleted-with-scores"] },
  { kind: "statement", ids: ["boards.empty-removes-all"] },
  { kind: "statement", ids: ["boards.omitted-untouched"] },
  { kind: "statement", ids: ["origins.star"], is: { all: "*" } },
  { kind: "statement", ids: ["origins.exact-compare"] },
  { kind: "statement", ids: ["origins.localhost-always"], is: { host: "localhost" } },
  { kind: "statement", ids: ["origins.replaces-on-deploy"] },
  { kind: "statement", ids: ["origins.first-deploy-no-prompt"] },
  { kind: "statement", ids: ["origins.static-adds-site"] },
  { kind: "statement", ids: ["origins.next-room-deploy-removes-site"] },
  { kind: "statement", ids: ["origins.omitted-untouched"] },
  {
    kind: "boundary",
    ids: ["audienceRole.length"],
    ...atMost(32, "chars"),
    least: 1,
    outcome: badRequest
  },
  {
    kind: "text",
    ids: ["audienceRole.charset"],
    pattern: "^[A-Za-z0-9_.:-]*$",
    good: ["viewer", "A-b_c.d:9"],
    bad: ["a b", "a/b", "a@b", "ä", "a\n", "a,b"],
    outcome: badRequest
  },
  { kind: "statement", ids: ["audienceRole.enables-viewers"] },
  { kind: "statement", ids: ["audienceRole.null-disables"], is: { off: null } },
  { kind: "statement", ids: ["audienceRole.synced"] },
  { kind: "statement", ids: ["audience.needs-room-scoped-credential"] },
  { kind: "statement", ids: ["preRelease.synced"] },
  { kind: "statement", ids: ["preRelease.breaking-without-flags"] },
  {
    kind: "statement",
    ids: ["preRelease.default-strategy-migrate"],
    is: { flag: "--strategy migrate" }
  },
  { kind: "statement", ids: ["preRelease.closes-older-rooms"] },
  { kind: "statement", ids: ["preRelease.hibernated-discarded-at-wake"] },
  { kind: "statement", ids: ["preRelease.saves-lost"] },
  { kind: "statement", ids: ["version.snapshot-across-versions"] },
  { kind: "statement", ids: ["version.old-snapshots-decode"] },
  {
    kind: "statement",
    ids: ["version.breaking-needs-flag"],
    is: { flag: "--allow-breaking" }
  },
  { kind: "statement", ids: ["version.policy"], is: { announcedMs: 180 * dayMs } }
]
