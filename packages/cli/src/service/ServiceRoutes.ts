import { PlayersApi } from "@atrium/domain/accounts/PlayersApi"
import { AuditApi } from "@atrium/domain/audit/AuditApi"
import { BoardsApi } from "@atrium/domain/boards/BoardsApi"
import { BranchesApi } from "@atrium/domain/branches/BranchesApi"
import { DeploymentsApi } from "@atrium/domain/deployments/DeploymentsApi"
import { FleetApi } from "@atrium/domain/fleet/FleetApi"
import { IdentityProvidersApi } from "@atrium/domain/identity/IdentityProvidersApi"
import { InspectApi } from "@atrium/domain/inspect/InspectApi"
import { KeysApi } from "@atrium/domain/keys/KeysApi"
import { KvApi } from "@atrium/domain/kv/KvApi"
import { LifeApi } from "@atrium/domain/life/LifeApi"
import { LoginApi } from "@atrium/domain/logins/LoginApi"
import { MeApi } from "@atrium/domain/logins/MeApi"
import { LogsApi } from "@atrium/domain/logs/LogsApi"
import { TicketsApi } from "@atrium/domain/match/TicketsApi"
import { CapsApi } from "@atrium/domain/meters/CapsApi"
import { PlansApi } from "@atrium/domain/meters/PlansApi"
import { UsageApi } from "@atrium/domain/meters/UsageApi"
import { MetricsApi } from "@atrium/domain/metrics/MetricsApi"
import { RehearsalsApi } from "@atrium/domain/migrations/RehearsalsApi"
import { ObjectsApi } from "@atrium/domain/objects/ObjectsApi"
import { ProjectsApi } from "@atrium/domain/projects/ProjectsApi"
import { ReplaysApi, WatchApi } from "@atrium/domain/replay/ReplaysApi"
import { RoomsApi } from "@atrium/domain/rooms/RoomsApi"
import { SitesApi } from "@atrium/domain/sites/SitesApi"
import { TestPlayersApi } from "@atrium/domain/testPlayers/TestPlayersApi"
import { Effect } from "effect"
import type { HttpClient } from "effect/http"
import { HttpApi, HttpApiClient } from "effect/http-api"

/**
 * The part of the contract that commands use. Not `Api` itself: that refuses what it does not know,
 * and a newer service may say more than this command knows. Source: D-47.
 */
class CommandApi extends HttpApi.make("atrium-cli").add(
  ProjectsApi,
  DeploymentsApi,
  RehearsalsApi,
  RoomsApi,
  BranchesApi,
  InspectApi,
  TestPlayersApi,
  LifeApi,
  MetricsApi,
  CapsApi,
  UsageApi,
  PlansApi,
  KeysApi,
  TicketsApi,
  KvApi,
  PlayersApi,
  BoardsApi,
  ReplaysApi,
  WatchApi,
  IdentityProvidersApi,
  AuditApi,
  FleetApi,
  ObjectsApi,
  LogsApi,
  LoginApi,
  MeApi,
  SitesApi
) {}

/**
 * The routes of the contract, by their groups. A command calls one or two groups: to build the others takes a seventh of
 * the processor time of a short command, so that a group is built when its first route is called.
 *
 * @param transformResponse what becomes of an answer that the contract does not know
 */
export const serviceRoutes = <E>(
  httpClient: HttpClient.HttpClient.With<E>,
  transformResponse: (
    read: Effect.Effect<unknown, unknown, unknown>
  ) => Effect.Effect<unknown, unknown, unknown>
) => {
  const given = { httpClient, transformResponse }
  return {
    projects: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "projects" })),
    deployments: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "deployments" })),
    rehearsals: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "rehearsals" })),
    rooms: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "rooms" })),
    branches: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "branches" })),
    inspect: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "inspect" })),
    testplayers: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "testplayers" })),
    life: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "life" })),
    metrics: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "metrics" })),
    caps: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "caps" })),
    usage: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "usage" })),
    plans: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "plans" })),
    keys: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "keys" })),
    tickets: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "tickets" })),
    kv: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "kv" })),
    players: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "players" })),
    boards: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "boards" })),
    replays: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "replays" })),
    watch: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "watch" })),
    providers: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "providers" })),
    audit: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "audit" })),
    fleet: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "fleet" })),
    objects: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "objects" })),
    logs: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "logs" })),
    login: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "login" })),
    me: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "me" })),
    sites: atFirstCall(HttpApiClient.group(CommandApi, { ...given, group: "sites" }))
  }
}

/** The routes of a group, which are built when one of them is first asked for. */
const atFirstCall = <Routes extends object>(build: Effect.Effect<Routes>): Routes => {
  let built: Routes | null = null
  // The target is empty, and nobody reads it: each route is that of the built group.
  return new Proxy({} as Routes, {
    get: (_, name) => Reflect.get((built ??= Effect.runSync(build)), name)
  })
}
