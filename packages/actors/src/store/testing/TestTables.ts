import type { Tier } from "@atrium/domain/meters/Caps"
import { type ProjectId, RoomId, type RoomKey } from "@atrium/domain/shared/Ids"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

import { deviceTable as playerDeviceTable } from "../../accounts/PlayerAccountsInMemory.ts"
import { deploymentTable } from "../../deployments/MemoryDeployments.ts"
import { kvTable, rowKey as kvRowKey } from "../../kv/KvStore.ts"
import { AccountStore } from "../../logins/AccountStore.ts"
import { DeviceLoginState } from "../../logins/DeviceLoginMachine.ts"
import { deviceTable } from "../../logins/DeviceLoginStore.ts"
import { accountTable } from "../../logins/LoginRows.ts"
import { projectTable } from "../../projects/ProjectStore.ts"
import { ratingCountTable } from "../../ratings/MemoryRatings.ts"
import { roomTable, rowKey } from "../../rooms/MemoryRoomTable.ts"
import { playerTable } from "../../rooms/PlayerStore.ts"
import { MemoryDatabase } from "../MemoryDatabase.ts"
import { makeSecret } from "../Secrets.ts"

/** Columns of a room's row that no method of its store shows. */
export interface RoomColumns {
  readonly epoch: number
  readonly slot: number | null
  readonly clients: number
  readonly maxClients: number
  readonly lastSeenMs: number
}

/** What contracts read and write past the stores, on PostgreSQL and in memory alike. */
export class TestTables extends Context.Service<
  TestTables,
  {
    /** The id of an account that may own projects. */
    readonly account: Effect.Effect<string>
    addAccount(accountId: string): Effect.Effect<void>
    countAccounts(name: string): Effect.Effect<number>
    /** Adds so many logins of devices that are not over for ten minutes. */
    addDeviceLogins(count: number): Effect.Effect<void>
    readonly removeDeviceLogins: Effect.Effect<void>
    room(key: RoomKey): Effect.Effect<RoomColumns | undefined>
    readonly removeRooms: Effect.Effect<void>
    /** Adds rooms that are as this one but for their ids, `r0001`, `r0002`, … */
    copyRoom(
      key: RoomKey,
      numbers: { readonly from: number; readonly to: number }
    ): Effect.Effect<void>
    /** Adds so many players with the ids `seed1`, `seed2`, … */
    addPlayers(projectId: ProjectId, players: number): Effect.Effect<void>
    countPlayers(projectId: ProjectId): Effect.Effect<number>
    /** Lets the project have so many ratings more, of players that nobody asks for. */
    addRatings(projectId: ProjectId, ratings: number): Effect.Effect<void>
    /** The project counts so many more rows of KV, as if others had written them. */
    addKvRows(projectId: ProjectId, rows: number): Effect.Effect<void>
    /** The project has so many more devices of players that nobody asks for. */
    addPlayerDevices(projectId: ProjectId, devices: number): Effect.Effect<void>
    setPlan(projectId: ProjectId, plan: Tier): Effect.Effect<void>
    /** The project has no current deployment any more. */
    undeploy(projectId: ProjectId): Effect.Effect<void>
    removeDeployments(projectId: ProjectId): Effect.Effect<void>
  }
>()("@atrium/actors/store/testing/TestTables") {
  static readonly layerSql = Layer.effect(
    TestTables,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* AccountStore
      const run = (statement: Effect.Effect<unknown, unknown>) =>
        Effect.asVoid(Effect.orDie(statement))
      return {
        account: accountOf(accounts),
        countAccounts: (name) =>
          Effect.orDie(
            Effect.map(sql`select 1 from accounts where name = ${name}`, (rows) => rows.length)
          ),
        addDeviceLogins: (count) =>
          Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
            run(sql`insert into device_logins
                (device_hash, user_code, label, state, created_at_ms, expires_at_ms)
              select sha256(n::text::bytea), n::text, 'others', 'Waiting', 0,
                ${nowMs + 600_000}::bigint
              from generate_series(1, ${count}::int) n`)
          ),
        removeDeviceLogins: run(sql`delete from device_logins`),
        addAccount: (accountId) =>
          run(sql`insert into accounts (account_id, name, created_at_ms)
            values (${accountId}, ${accountId}, 0)`),
        room: (key) =>
          Effect.orDie(
            Effect.map(
              sql<RoomColumns>`
                select epoch::integer as epoch, slot, clients, max_clients as "maxClients",
                  last_seen_ms::double precision as "lastSeenMs"
                from rooms where project_id = ${key.projectId} and room_id = ${key.roomId}`,
              (rows) => rows[0]
            )
          ),
        removeRooms: run(sql`delete from rooms`),
        copyRoom: (key, { from, to }) =>
          run(sql`insert into rooms
            select (jsonb_populate_record(room,
              jsonb_build_object('room_id', 'r' || lpad(n::text, 4, '0')))).*
            from rooms room, generate_series(${from}::int, ${to}::int) n
            where room.project_id = ${key.projectId} and room.room_id = ${key.roomId}`),
        addPlayers: (projectId, players) =>
          run(sql`insert into players (project_id, player_id, fields, written_at_ms)
            select ${projectId}, 'seed' || number, ''::bytea, 0
            from generate_series(1, ${players}::int) number`),
        countPlayers: (projectId) =>
          Effect.orDie(
            Effect.map(
              sql<{ readonly players: number }>`
                select count(*)::int as players from players where project_id = ${projectId}`,
              (rows) => rows[0]?.players ?? 0
            )
          ),
        addRatings: (projectId, ratings) =>
          run(sql`insert into rating_counts as known (project_id, ratings)
            values (${projectId}, ${ratings})
            on conflict (project_id) do update set ratings = known.ratings + excluded.ratings`),
        addKvRows: (projectId, rows) =>
          run(sql`insert into player_kv_sums values (${projectId}, 0, ${rows}, 0)
            on conflict (project_id, part) do update
              set entries = player_kv_sums.entries + excluded.entries`),
        addPlayerDevices: (projectId, devices) =>
          run(sql`insert into player_device_counts as known (project_id, devices)
            values (${projectId}, ${devices})
            on conflict (project_id) do update set devices = known.devices + excluded.devices`),
        setPlan: (projectId, plan) =>
          run(sql`update projects set plan = ${plan} where project_id = ${projectId}`),
        undeploy: (projectId) =>
          run(sql`update projects set current_version = null where project_id = ${projectId}`),
        removeDeployments: (projectId) =>
          run(sql`delete from deployments where project_id = ${projectId}`)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    TestTables,
    Effect.gen(function* () {
      const { tables } = yield* MemoryDatabase
      const accounts = yield* AccountStore
      const projects = projectTable.rowsIn(tables)
      const players = playerTable.rowsIn(tables)
      return {
        account: accountOf(accounts),
        addAccount: (accountId) =>
          Effect.sync(() => {
            const account = { accountId, name: accountId, createdAtMs: 0 }
            accountTable.rowsIn(tables).set(accountId, account)
          }),
        countAccounts: (name) =>
          Effect.sync(
            () =>
              [...accountTable.rowsIn(tables).values()].filter((row) => row.name === name).length
          ),
        addDeviceLogins: (count) =>
          Effect.map(Clock.currentTimeMillis, (nowMs) => {
            const expiresAtMs = nowMs + 600_000
            for (let at = 1; at <= count; at++) {
              deviceTable.rowsIn(tables).set(`${at}`, {
                asking: { userCode: `${at}`, label: "others", expiresAtMs },
                state: DeviceLoginState.Waiting({ expiresAtMs, polledAtMs: null })
              })
            }
          }),
        removeDeviceLogins: Effect.sync(() => deviceTable.rowsIn(tables).clear()),
        room: (key) =>
          Effect.sync(() => {
            const row = roomTable.rowsIn(tables).get(rowKey(key))
            if (row === undefined) return undefined
            const { epoch, slot, clients, maxClients, lastSeenMs } = row
            return { epoch, slot, clients, maxClients, lastSeenMs }
          }),
        removeRooms: Effect.sync(() => roomTable.rowsIn(tables).clear()),
        copyRoom: ({ projectId, roomId }, { from, to }) =>
          Effect.sync(() => {
            const rows = roomTable.rowsIn(tables)
            const row = rows.get(rowKey({ projectId, roomId }))
            for (let n = from; row !== undefined && n <= to; n++) {
              const key = { projectId, roomId: RoomId.make(`r${String(n).padStart(4, "0")}`) }
              rows.set(rowKey(key), { ...row, key })
            }
          }),
        addPlayers: (projectId, count) =>
          Effect.sync(() => {
            for (let seed = 1; seed <= count; seed++) {
              const row = { projectId, fields: new Uint8Array(), since: 0, writtenAtMs: 0 }
              players.set(`${projectId}/seed${seed}`, row)
            }
          }),
        countPlayers: (projectId) =>
          Effect.sync(
            () => [...players.values()].filter((row) => row.projectId === projectId).length
          ),
        addRatings: (projectId, ratings) =>
          Effect.sync(() => {
            const counts = ratingCountTable.rowsIn(tables)
            counts.set(projectId, (counts.get(projectId) ?? 0) + ratings)
          }),
        addKvRows: (projectId, rows) =>
          Effect.sync(() => {
            for (let at = 0; at < rows; at++) {
              const row = { projectId, playerId: `seed${at}`, key: "k" }
              const entry = { ...row, value: "1", version: 1, writtenAtMs: 0 }
              kvTable.rowsIn(tables).set(kvRowKey(row), entry)
            }
          }),
        addPlayerDevices: (projectId, devices) =>
          Effect.sync(() => {
            const rows = playerDeviceTable.rowsIn(tables)
            const device = { label: null, secretHash: null, linkedAtMs: 0 }
            for (let at = 0; at < devices; at++) {
              const id = `seed${at}`
              const row = { ...device, projectId, playerId: id, identityId: id, deviceId: id }
              rows.set(`${projectId}/${id}`, row)
            }
          }),
        setPlan: (projectId, plan) =>
          Effect.sync(() => {
            const project = projects.get(projectId)
            if (project !== undefined) projects.set(projectId, { ...project, plan })
          }),
        undeploy: (projectId) =>
          Effect.sync(() => {
            const project = projects.get(projectId)
            if (project !== undefined) projects.set(projectId, { ...project, currentVersion: null })
          }),
        removeDeployments: (projectId) =>
          Effect.sync(() => {
            deploymentTable.rowsIn(tables).delete(projectId)
          })
      }
    })
  )
}

const accountOf = (accounts: AccountStore["Service"]): Effect.Effect<string> =>
  Effect.gen(function* () {
    yield* accounts.bootstrap(makeSecret("loginToken"))
    return Option.getOrThrow(yield* accounts.owner).accountId
  })
