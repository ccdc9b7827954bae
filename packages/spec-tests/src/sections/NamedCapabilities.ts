import type { Capability } from "./Capability.ts"

type ByRequirement = Readonly<Record<string, ReadonlyArray<Capability>>>

const openRoutes: ReadonlyArray<Capability> = [
  "route POST /match",
  "route POST /match/party",
  "route GET /match/status",
  "route POST /v1/identity",
  "route POST /v1/identity/assertion",
  "route GET /v1/leaderboard",
  "route POST /v1/account/link-code",
  "route POST /v1/account/link",
  "route GET /v1/account",
  "route GET /v1/presence",
  "route POST /v1/audience"
]

const project = "/v1/projects/:id"
const keyRoutes: ReadonlyArray<Capability> = [
  `route POST ${project}/keys`,
  `route GET ${project}/keys`,
  `route DELETE ${project}/keys/:keyId`
]
const settingRoutes: ReadonlyArray<Capability> = [
  `route PATCH ${project}`,
  `route PATCH ${project}/caps`,
  `route GET ${project}/caps`
]
const readingRoutes: ReadonlyArray<Capability> = [
  `route GET ${project}/rooms`,
  `route GET ${project}/rooms/:roomId`,
  `route GET ${project}/rooms/:roomId/saves`,
  `route GET ${project}/rooms/:roomId/saves/:saveId/bytes`
]
const writingRoutes: ReadonlyArray<Capability> = [
  `route PATCH ${project}/rooms/:roomId`,
  `route DELETE ${project}/rooms/:roomId`,
  `route POST ${project}/rooms/:roomId/restore`
]
const roomRoutes = [...readingRoutes, ...writingRoutes]

/** Capabilities that a statement names in prose only: neither its row nor its form shows them. */
export const namedBeside: ByRequirement = {
  "overview.routes-cover-management": [...keyRoutes, ...settingRoutes, ...roomRoutes],
  "overview.open-endpoints-browser": ["behaviour the origin list", ...openRoutes],
  "overview.meters": [
    "meter roomHours",
    "meter voiceMinutes",
    "meter storageBytes",
    "meter dataOutBytes"
  ],
  "project.id.public": ["behaviour the origin list"],
  "project.connections.env": ["behaviour the variable of a server's environment"],
  "queues.skill.boolean": ["behaviour rating-based matching"],
  "audienceRole.synced": ["command deploy --static"],
  "file.reads.others": [
    "command migrate create",
    "command rollback",
    "command logs",
    "command rooms",
    "command keys jwt-secret",
    "command keys jwt-mint"
  ],
  "scope.read.reaches": readingRoutes,
  "scope.write.reaches": roomRoutes,
  "scope.write-implies-read": readingRoutes,
  "keys.routes.api-key-refused": keyRoutes,
  "auth.bearer-api-key": roomRoutes,
  "auth.login.required": [...keyRoutes, ...settingRoutes],
  "auth.key.cannot.mint": [`route POST ${project}/keys`],
  "auth.key.cannot.list": [`route GET ${project}/keys`],
  "auth.key.cannot.revoke": [`route DELETE ${project}/keys/:keyId`],
  "auth.key.cannot.revoke-self": [`route DELETE ${project}/keys/:keyId`],
  "auth.key.cannot.deploy": ["behaviour the owner's deploy"],
  "auth.key.cannot.rollback": ["behaviour the owner's rollback"],
  "auth.key.cannot.usage": ["behaviour the owner's usage"],
  "auth.key.cannot.billing": ["behaviour the owner's billing"],
  "auth.key.cannot.fleet": ["behaviour the owner's fleet"],
  "auth.key.cannot.account": ["behaviour the owner's account"],
  "auth.key.cannot.cli-token": ["behaviour the owner's cliToken"],
  "auth.key.cannot.player-data": ["behaviour the owner's playerData"],
  "auth.key.cannot.project-patch": [`route PATCH ${project}`],
  "auth.key.cannot.caps": [`route PATCH ${project}/caps`, `route GET ${project}/caps`],
  "auth.open.anyone-with-id": openRoutes,
  "open.payloads": openRoutes,
  "error.room.E_TENANT_WAKING": ["behaviour clients that come back after E_TENANT_WAKING"],
  "slow.refused-bytes-unbilled": ["meter dataOutBytes"],
  "rate.open.endpoint-isolation": openRoutes,
  "version.v1-prefix": [
    ...keyRoutes,
    `route PATCH ${project}`,
    `route GET ${project}/rooms`,
    "route POST /v1/identity",
    "route GET /v1/leaderboard",
    "route GET /v1/account",
    "route GET /v1/presence",
    "route POST /v1/audience"
  ]
}

/** Words of a statement that mean something else than the command of that name. */
export const namedButNotNeeded: ByRequirement = {
  // The keys of the project file.
  "file.unknown-keys-ignored": ["command keys"]
}
