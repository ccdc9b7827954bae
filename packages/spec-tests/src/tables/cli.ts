import type { Row } from "./Row.ts"

/** Command-line equivalents; words in angle brackets stand for values. */
export const cliRows: ReadonlyArray<Row> = [
  { kind: "statement", ids: ["cli.keys.jwt-mint"], is: { command: "keys jwt-mint" } },
  {
    kind: "statement",
    ids: ["cli.rooms.list"],
    is: { command: "rooms --idle --idle-longer-than <duration>" }
  },
  { kind: "statement", ids: ["cli.rooms.get"], is: { command: "rooms get <roomId>" } },
  {
    kind: "statement",
    ids: ["cli.rooms.set-retention"],
    is: { command: "rooms set <roomId> --retention <duration or clear>" }
  },
  {
    kind: "statement",
    ids: ["cli.rooms.delete-force"],
    is: { command: "rooms delete <roomId> --force" }
  },
  {
    kind: "statement",
    ids: ["cli.api-keys.mint"],
    is: { command: "api-keys mint --scopes <scope> --label <label>" }
  },
  { kind: "statement", ids: ["cli.api-keys.list"], is: { command: "api-keys list" } },
  { kind: "statement", ids: ["cli.api-keys.revoke"], is: { command: "api-keys revoke <keyId>" } },
  { kind: "statement", ids: ["cli.rooms.saves"], is: { command: "rooms saves" } },
  { kind: "statement", ids: ["cli.rooms.restore"], is: { command: "rooms restore" } },
  { kind: "statement", ids: ["cli.keys.jwt-secret"], is: { command: "keys jwt-secret" } },
  { kind: "statement", ids: ["cli.keys.jwt-secret.not-on-disk"] },
  { kind: "statement", ids: ["cli.rooms.env-key"], is: { variable: "SERVICE_API_KEY" } },
  { kind: "statement", ids: ["cli.key-hosts.allowed"], is: { flag: "--url" } },
  {
    kind: "statement",
    ids: ["cli.key-hosts.env-refused"],
    is: { variable: "SERVICE_CONTROL_URL" }
  }
]
