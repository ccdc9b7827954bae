import type { Row } from "./Row.ts"

/** What the service does. */
export const overviewRows: ReadonlyArray<Row> = [
  { kind: "statement", ids: ["overview.server-per-project"] },
  { kind: "statement", ids: ["overview.routes-cover-management"] },
  { kind: "statement", ids: ["overview.http-cannot-change-live-state"] },
  {
    kind: "statement",
    ids: ["overview.cli-mirrors-api"],
    is: { commands: ["rooms", "keys", "logs", "deploy"] }
  },
  { kind: "statement", ids: ["overview.open-endpoints-browser"] },
  {
    kind: "statement",
    ids: ["overview.meters"],
    is: { meters: ["room hours", "voice participant-minutes", "storage", "data out"] }
  }
]
