import type { Row } from "./Row.ts"
import { hourMs } from "./Units.ts"

const unauthenticated = { status: 401, code: "E_UNAUTHENTICATED" } as const
const notFound = { status: 404, code: "E_NOT_FOUND" } as const

/** Authentication: keys, scopes, logins and what an API key cannot do. */
export const authRows: ReadonlyArray<Row> = [
  { kind: "statement", ids: ["auth.bearer-api-key"], is: { header: "authorization: Bearer" } },
  {
    kind: "statement",
    ids: ["scope.read.reaches"],
    is: { scope: "rooms:read", routes: ["rooms.list", "rooms.get", "saves.list", "saves.bytes"] }
  },
  {
    kind: "statement",
    ids: ["scope.write.reaches"],
    is: { scope: "rooms:write", routes: ["rooms.patch", "saves.restore", "rooms.delete"] }
  },
  { kind: "statement", ids: ["scope.write-implies-read"] },
  { kind: "error", ids: ["auth.key.other-project-404"], outcome: notFound },
  {
    kind: "error",
    ids: ["auth.key.other-vs-nonexistent-identical"],
    outcome: notFound,
    identicalTo: "auth.key.other-project-404"
  },
  {
    kind: "error",
    ids: ["auth.key.order-404-before-403"],
    outcome: notFound,
    identicalTo: "auth.key.other-project-404"
  },
  {
    kind: "error",
    ids: [
      "auth.key.cannot.mint",
      "auth.key.cannot.list",
      "auth.key.cannot.revoke",
      "auth.key.cannot.revoke-self",
      "auth.key.cannot.deploy",
      "auth.key.cannot.rollback",
      "auth.key.cannot.usage",
      "auth.key.cannot.billing",
      "auth.key.cannot.fleet",
      "auth.key.cannot.account",
      "auth.key.cannot.cli-token",
      "auth.key.cannot.project-patch",
      "auth.key.cannot.caps"
    ],
    outcome: unauthenticated
  },
  {
    kind: "statement",
    ids: ["auth.key.cannot.player-data", "auth.key.cannot.leaderboards", "auth.key.cannot.ratings"]
  },
  { kind: "statement", ids: ["auth.login.required"] },
  { kind: "error", ids: ["auth.login.other-account"], outcome: notFound },
  {
    kind: "statement",
    ids: ["auth.login.obtaining"],
    is: { expiresInMs: 600_000, intervalMs: 5000, livesForMs: 90 * 24 * hourMs }
  },
  {
    kind: "error",
    ids: ["auth.401.missing", "auth.401.unknown", "auth.401.revoked"],
    outcome: unauthenticated
  },
  {
    kind: "error",
    ids: ["auth.401.identical-wording"],
    outcome: unauthenticated,
    identicalTo: "auth.401.missing"
  },
  {
    kind: "error",
    ids: ["auth.403.scope"],
    outcome: { status: 403, code: "E_SCOPE" },
    names: "the scope"
  },
  { kind: "statement", ids: ["auth.key.lastUsed-shows-use"], is: { field: "lastUsed" } },
  { kind: "statement", ids: ["auth.key.no-recovery"] },
  { kind: "statement", ids: ["project.id.public"] },
  { kind: "statement", ids: ["auth.jwt-secret.once"] },
  {
    kind: "statement",
    ids: ["auth.join-credential.format"],
    is: {
      algorithm: "HS256",
      audience: "rooms",
      longestMs: 24 * hourMs,
      leewayMs: 60_000,
      playerBytes: 256
    }
  },
  { kind: "statement", ids: ["auth.join.credential-protects"] },
  { kind: "statement", ids: ["auth.game-server.router-only"] },
  { kind: "statement", ids: ["auth.open.anyone-with-id"] },
  { kind: "statement", ids: ["auth.audience.scope"] },
  {
    kind: "keep",
    ids: ["auth.audience.lifetime-3h", "limits.audience.lifetime"],
    datum: "an audience credential",
    forMs: 3 * hourMs,
    becomes: "gone"
  }
]
