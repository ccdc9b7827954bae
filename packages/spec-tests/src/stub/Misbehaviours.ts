/** What the stub can be told to do wrong, and the requirements that must then fail: these alone. */
export const misbehaviours = {
  "answer-of-before": [
    "project.patch.vmMemMib.min",
    "project.patch.response",
    "project.patch.vmMemMib.max",
    "limits.vmMemMib"
  ],
  "any-filter": [
    "duration.no-spaces",
    "duration.no-fractions",
    "duration.grammar",
    "duration.no-compounds",
    "duration.min",
    "duration.max.days",
    "duration.max.hours",
    "duration.max.minutes",
    "rooms.list.bad-duration",
    "error.http.E_BAD_REQUEST",
    "error.http.400-names"
  ],
  "any-queues": [
    "project.patch.queues-boards-same-form",
    "match.queue-name.length",
    "match.queue-name.charset",
    "queues.max-32",
    "queues.size.min",
    "queues.size.max",
    "match.party.queue-range",
    "queues.skill.boolean",
    "queues.teams.shape",
    "queues.size-and-teams-refused",
    "lb.name.length",
    "lb.name.charset",
    "boards.direction.required",
    "boards.period.values"
  ],
  "any-scope": ["keys.mint.scopes"],
  "bare-key": ["auth.bearer-api-key"],
  "caps-stay": ["caps.null-clears"],
  "cut-in-character": [
    "error.message.96-bytes",
    "error.message.cut-on-character",
    "error.message.ellipsis"
  ],
  "foreign-403": [
    "auth.key.other-project-404",
    "auth.key.other-vs-nonexistent-identical",
    "error.http.E_NOT_FOUND"
  ],
  "key-as-login": [
    "auth.key.cannot.project-patch",
    "auth.key.cannot.caps",
    "auth.key.cannot.deploy",
    "auth.key.cannot.mint",
    "auth.key.cannot.list",
    "auth.key.cannot.revoke",
    "auth.key.cannot.revoke-self",
    "keys.routes.api-key-refused",
    "auth.key.cannot.rollback",
    "auth.key.cannot.usage",
    "auth.key.cannot.billing",
    "auth.key.cannot.fleet",
    "auth.key.cannot.account",
    "auth.key.cannot.cli-token",
    "auth.login.required",
    "error.http.E_UNAUTHENTICATED",
    "route.keys.mint",
    "route.keys.list",
    "route.keys.revoke",
    "route.project.patch",
    "route.caps.patch",
    "route.caps.get"
  ],
  "key-ids-of-words": ["keys.secret.form", "keys.id.form"],
  "keys-in-object": [
    "route.keys.list",
    "keys.secret.form",
    "keys.id.form",
    "keys.row.label",
    "keys.row.scopes",
    "keys.list.array",
    "keys.row.lastUsed",
    "keys.mint.label",
    "keys.row.revoked-time",
    "keys.row.stays-after-revoke",
    "state.key.delete-revoked"
  ],
  "long-messages": [
    "error.message.96-bytes",
    "error.message.cut-on-character",
    "error.message.ellipsis"
  ],
  "memory-4097": ["project.patch.vmMemMib.max", "limits.vmMemMib"],
  "memory-in-parts": ["project.patch.vmMemMib.type", "limits.vmMemMib"],
  "name-optional": ["project.patch.name.required"],
  "never-used": ["keys.row.lastUsed"],
  "project-echoed": ["auth.key.other-vs-nonexistent-identical", "auth.key.order-404-before-403"],
  "read-writes": [
    "auth.403.scope",
    "scope.rooms.patch",
    "scope.rooms.delete",
    "scope.saves.restore",
    "scope.read.reaches",
    "error.http.E_SCOPE"
  ],
  "revoke-deletes-row": [
    "keys.row.revoked-time",
    "keys.row.stays-after-revoke",
    "state.key.delete-revoked",
    "keys.list.no-material"
  ],
  "revoked-own-words": ["auth.401.identical-wording"],
  "revoked-untold": [
    "keys.row.revoked-time",
    "keys.row.stays-after-revoke",
    "state.key.delete-revoked"
  ],
  "revoked-works": [
    "auth.401.revoked",
    "auth.401.identical-wording",
    "state.key.post-active",
    "state.key.revoked-401"
  ],
  "room-like-project": [
    "auth.bearer-api-key",
    "scope.rooms.get",
    "scope.rooms.patch",
    "scope.rooms.delete",
    "scope.saves.list",
    "scope.saves.bytes",
    "scope.saves.restore",
    "scope.read.reaches",
    "scope.write-implies-read",
    "scope.write.reaches",
    "rooms.get.not-found",
    "error.http.E_ROOM_NOT_FOUND",
    "overview.routes-cover-management"
  ],
  "rooms-everywhere": [
    "rooms.get.not-found",
    "error.http.E_ROOM_NOT_FOUND",
    "overview.routes-cover-management",
    "keys.secret.once",
    "auth.key.no-recovery",
    "rooms.detail.exact-keys"
  ],
  "rooms-in-object": [
    "rooms.list.array",
    "rooms.patch.not-found",
    "rooms.delete.not-found",
    "rooms.saves.not-found",
    "rooms.get.not-found",
    "rooms.restore.not-found",
    "rooms.row.exact-keys"
  ],
  "scope-unnamed": [
    "auth.403.scope",
    "scope.rooms.patch",
    "scope.rooms.delete",
    "scope.saves.restore",
    "scope.read.reaches",
    "error.http.E_SCOPE"
  ],
  "secret-in-list": ["keys.secret.once", "auth.key.no-recovery", "keys.list.no-material"],
  "short-secrets": ["keys.secret.form", "keys.id.form"],
  "ten-years-and-a-day": ["duration.max.days", "duration.max.hours", "duration.max.minutes"],
  "three-dots": [
    "error.message.96-bytes",
    "error.message.cut-on-character",
    "error.message.ellipsis"
  ],
  "trim-label": [
    "keys.row.label",
    "keys.row.scopes",
    "keys.list.array",
    "keys.row.revoked-time",
    "keys.row.stays-after-revoke",
    "state.key.delete-revoked"
  ],
  "unknown-query": [
    "rooms.list.unknown-param",
    "error.http.E_BAD_REQUEST",
    "error.http.400-names",
    "error.message.96-bytes",
    "error.message.cut-on-character",
    "error.message.ellipsis"
  ],
  "write-reads-not": [
    "scope.rooms.list",
    "scope.rooms.get",
    "scope.saves.list",
    "scope.saves.bytes",
    "scope.write-implies-read",
    "scope.write.reaches",
    "keys.row.revoked-time",
    "keys.row.stays-after-revoke",
    "state.key.delete-revoked"
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type Misbehaviour = keyof typeof misbehaviours
