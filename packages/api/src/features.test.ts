import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { migrationsOf } from "@atrium/actors/store/Migrations"
import { allTables } from "@atrium/actors/store/testing/AllTables"
import { LoginRequired, NoApiKey, ProjectAccess } from "@atrium/domain/http/Credential"
import { expect, test } from "vitest"

import { features } from "./features.ts"
import { Api } from "./http/Api.ts"
import { isLoginPath } from "./http/UnroutedPaths.ts"

test("[C-269] the list holds the feature of every folder once, under the name of its folder", () => {
  const folders = globSync("*/feature.ts", { cwd: import.meta.dirname }).map((path) =>
    path.replace("/feature.ts", "")
  )
  expect(features.map(({ noun }) => noun).toSorted()).toEqual(folders.toSorted())
})

test("[C-269] the list holds the tables of every noun once", () => {
  const listed = features.map(({ tables }) => tables)
  for (const tables of allTables) {
    expect(listed.filter((each) => each === tables)).toHaveLength(1)
  }
})

test("[C-269] the list holds each entity and singleton of the actors once", () => {
  const actors = join(import.meta.dirname, "../../actors/src")
  const made = globSync("*/*.ts", { cwd: actors }).flatMap((path) =>
    [
      ...readFileSync(join(actors, path), "utf8").matchAll(
        /^export const (\w+) = (?:Singleton\.make|\w+\.toLayer)\(/gm
      )
    ].map(([, name = ""]) => name)
  )
  expect(made.length).toBeGreaterThan(7)
  const listed = globSync("*/feature.ts", { cwd: import.meta.dirname }).flatMap((path) => {
    const text = readFileSync(join(import.meta.dirname, path), "utf8")
    return made.filter((name) => /actors: ([^\n]*)/.exec(text)?.[1]?.match(`\\b${name}\\b`))
  })
  expect(listed.toSorted()).toEqual(made.toSorted())
})

/** Migrations that landed. Add a row for a new one; never change a row. */
const landed = [
  ["0001_accounts", 1],
  ["0002_rooms", 2],
  ["0003_logins", 3],
  ["0004_management", 4],
  ["0005_meters", 5],
  ["0006_start_checks", 5],
  ["0007_dev_leases", 5],
  ["0008_audit", 5],
  ["0009_rooms_entered", 5],
  ["0010_logs", 5],
  ["0011_rollbacks", 5],
  ["0012_sites", 5],
  ["0013_runners", 5],
  ["0014_homes", 5],
  ["0015_objects_elsewhere", 5],
  ["0016_runner_protocols", 5],
  ["0017_runner_objects", 5],
  ["0018_meter_days", 5],
  ["0019_alerts", 5],
  ["0020_identities", 5],
  ["0021_player_accounts", 5],
  ["0022_lobby_metadata", 5],
  ["0023_kv", 5],
  ["0024_boards", 5],
  ["0025_ratings", 5],
  ["0026_match", 5],
  ["0027_runner_plans", 5],
  ["0029_device_counts", 5],
  ["0030_room_revision", 5],
  ["0031_replays", 5],
  ["0032_version_steps", 5],
  ["0033_room_lives", 5],
  ["0034_rehearsals", 5],
  ["0035_rooms_quarantined", 5],
  ["0036_room_branches", 5]
]

test("[C-270] migrations run in the order in which they landed", () => {
  const migrations = migrationsOf(features.map(({ tables }) => tables))
  const steps = Object.entries(migrations).map(([name, { oldest }]) => [name, oldest])
  expect(steps).toEqual(landed)
})

test("[C-288] every route of a login lies below the paths of developers, but the routes that make one", () => {
  const guarded = Object.values(Api.groups).flatMap((group) =>
    Object.values(group.endpoints)
      .filter(({ middlewares }) => [ProjectAccess, LoginRequired].some((it) => middlewares.has(it)))
      .map(({ path }) => path)
  )
  expect(guarded.length).toBeGreaterThan(20)
  const outside = guarded.filter((path) => !isLoginPath(path))
  expect(outside).toEqual(["/v1/login/device/:userCode", "/v1/login/approve", "/v1/login/logout"])
  for (const path of ["/v1/fleet", "/v1/billing/x", "/v1/me?a=1"])
    expect(isLoginPath(path)).toBe(true)
  for (const path of ["/v1/fleets", "/v1/identity", "/v1", "/"])
    expect(isLoginPath(path)).toBe(false)
})

test("[auth.login.required] every route of a developer is guarded", () => {
  const guards = [ProjectAccess, LoginRequired, NoApiKey]
  const unguarded = Object.values(Api.groups).flatMap((group) =>
    Object.values(group.endpoints)
      .filter(({ middlewares }) => !guards.some((guard) => middlewares.has(guard)))
      .map(({ method, path }) => `${method} ${path}`)
  )
  // The project id is the credential of these. Source: D-26.
  expect(unguarded.toSorted()).toEqual([
    "DELETE /v1/account",
    "DELETE /v1/account/devices/:deviceId",
    "GET /match/status",
    "GET /match/ticket/:ticket",
    "GET /v1/account",
    "GET /v1/account/devices",
    "GET /v1/account/export",
    "GET /v1/leaderboard/:board/around/:playerId",
    "GET /v1/leaderboard/:board/top",
    "GET /v1/lobby",
    "GET /v1/presence",
    "GET /v1/replays/:replayId",
    "GET /v1/replays/:replayId/chunks/:index",
    "POST /match",
    "POST /match/party",
    "POST /v1/account/devices",
    "POST /v1/account/link",
    "POST /v1/account/link-code",
    "POST /v1/audience",
    "POST /v1/identity",
    "POST /v1/identity/assertion"
  ])
})
