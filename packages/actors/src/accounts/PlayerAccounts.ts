import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { type DeviceLimit, DeviceNotFound, LinkCodeInvalid } from "@atrium/domain/shared/Refusal"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"

import { newPlayerId } from "../identity/IdentityStore.ts"
import { GatheredReads } from "../store/GatheredReads.ts"
import { answeredWithin } from "../store/StoreAnswer.ts"
import {
  alone,
  type Deleted,
  type Deletion,
  deletionOf,
  type Device,
  deviceLimitOf,
  type IdentityKey,
  type IdentityRecord,
  type LinkedIdentity,
  newDeviceId,
  type Offer,
  type Redemption,
  type Registration
} from "./AccountRows.ts"
import { PlayerAccountsInMemory } from "./PlayerAccountsInMemory.ts"
import { PlayerData } from "./PlayerData.ts"

/**
 * Accounts of players: several devices that are one player. A failing store is a defect. Source: D-28.
 */
export class PlayerAccounts extends Context.Service<
  PlayerAccounts,
  {
    /** What is stored of an identity now; many may ask at once. */
    identity(key: IdentityKey): Effect.Effect<IdentityRecord>
    /** Keeps a link code, in the place of an earlier one of the identity. */
    offer(offer: Offer): Effect.Effect<void>
    /** Makes an identity a device of the account that has offered the code, which is used up by that. */
    redeem(redemption: Redemption): Effect.Effect<string, LinkCodeInvalid | DeviceLimit>
    /** Gives an identity of the account a credential, and a new label if it comes with one. */
    register(registration: Registration): Effect.Effect<Device, DeviceLimit>
    /** Whose credential it is. */
    bySecret(projectId: ProjectId, secretHash: Uint8Array): Effect.Effect<Option.Option<string>>
    /** The devices of an account, the first one first. */
    devices(projectId: ProjectId, playerId: string): Effect.Effect<ReadonlyArray<Device>>
    /** Ends the identity of a device at once. @returns the device that was */
    revoke(
      account: { readonly projectId: ProjectId; readonly playerId: string },
      deviceId: string
    ): Effect.Effect<Device, DeviceNotFound>
    /** Removes the player and all that is kept of it, and ends its identities. */
    delete(player: Deletion): Effect.Effect<Deleted>
  }
>()("@atrium/actors/accounts/PlayerAccounts") {
  static readonly layerSql = Layer.effect(
    PlayerAccounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reads = new GatheredReads<IdentityKey, IdentityRecord>({
        load: identitiesIn(sql),
        textOf: ({ projectId, identityId }) => `${projectId}/${identityId}`,
        most: AccountLimits.identitiesRead.max,
        run: Effect.runForkWith(yield* Effect.context<never>())
      })
      return {
        identity: (key) => Effect.map(reads.read(key), (found) => found ?? alone),
        ...linkingIn(sql),
        ...devicesIn(sql),
        ...endsIn(sql, yield* PlayerData)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    PlayerAccounts,
    Effect.flatMap(PlayerData, PlayerAccountsInMemory)
  )
}

const identitiesIn = (sql: SqlClient.SqlClient) =>
  Effect.fn("PlayerAccounts.identities")(function* (keys: ReadonlyArray<IdentityKey>) {
    const rows = yield* Effect.orDie(
      answeredWithin(StoreLimits.storeAnswer.ms)(
        Effect.orDie(sql<{
          readonly project_id: string
          readonly identity_id: string
          readonly player_id: string | null
          readonly ended_at_ms: bigint | null
        }>`
          select project_id, identity_id, player_id, ended_at_ms
          from unnest(${keys.map(({ projectId }) => projectId)}::text[],
              ${keys.map(({ identityId }) => identityId)}::text[]) as asked (project_id, identity_id)
            left join player_devices using (project_id, identity_id)
            left join ended_identities using (project_id, identity_id)`)
      )
    )
    return new Map(
      rows.map((row) => [
        `${row.project_id}/${row.identity_id}`,
        {
          playerId: row.player_id,
          endedAtMs: row.ended_at_ms === null ? null : Number(row.ended_at_ms)
        }
      ])
    )
  })

const DeviceColumns = Schema.Array(
  Schema.Struct({
    device_id: Schema.String,
    identity_id: Schema.String,
    label: Schema.NullOr(Schema.String),
    linked_at_ms: Schema.BigInt
  })
)
const decodeDevices = Schema.decodeUnknownEffect(Schema.toType(DeviceColumns))

const devicesOf = <E>(query: Effect.Effect<unknown, E>): Effect.Effect<ReadonlyArray<Device>> =>
  query.pipe(
    Effect.flatMap(decodeDevices),
    Effect.orDie,
    Effect.map((rows) =>
      rows.map((row) => ({
        deviceId: row.device_id,
        identityId: row.identity_id,
        label: row.label,
        linkedAtMs: Number(row.linked_at_ms)
      }))
    )
  )

/** The devices of one account are changed one after the other: no two of them take the same last place. */
const lockAccount = (sql: SqlClient.SqlClient, projectId: string, playerId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`devices/${projectId}/${playerId}`}, 0))`

/** Within the account's lock: an identity is one of its devices. Errors: `DeviceLimit`, of account or project. */
const addIn = (
  sql: SqlClient.SqlClient,
  { projectId, identityId, playerId, label, secretHash }: Registration
) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const [device] = yield* devicesOf(sql`
      insert into player_devices
        (project_id, identity_id, player_id, device_id, label, secret_hash, linked_at_ms)
      values (${projectId}, ${identityId}, ${playerId}, ${newDeviceId()}, ${label}, ${secretHash},
        ${nowMs})
      on conflict (project_id, identity_id) do update set player_id = excluded.player_id,
        label = coalesce(excluded.label, player_devices.label),
        secret_hash = coalesce(excluded.secret_hash, player_devices.secret_hash)
      returning device_id, identity_id, label, linked_at_ms`)
    const [counted] = yield* Effect.orDie(sql<{
      readonly ofAccount: number
      readonly ofProject: number
    }>`
      select count(*)::int as "ofAccount", (
        select devices::int from player_device_counts where project_id = ${projectId}
      ) as "ofProject"
      from player_devices where project_id = ${projectId} and player_id = ${playerId}`)
    if (device === undefined || counted === undefined) {
      return yield* Effect.die(new Error("no device was written"))
    }
    const limit = deviceLimitOf(counted)
    return limit === null ? device : yield* limit
  })

const linkingIn = (sql: SqlClient.SqlClient) => {
  const offer = Effect.fn("PlayerAccounts.offer")(function* (given: Offer) {
    const { projectId, identityId, playerId, codeHash } = given
    const nowMs = yield* Clock.currentTimeMillis
    yield* Effect.orDie(sql`
      delete from link_codes where project_id = ${projectId} and expires_at_ms <= ${nowMs}`)
    yield* Effect.orDie(sql`
      insert into link_codes (project_id, identity_id, player_id, code_hash, expires_at_ms)
      values (${projectId}, ${identityId}, ${playerId}, ${codeHash},
        ${nowMs + AccountLimits.linkCodeLife.ms})
      on conflict (project_id, identity_id) do update set player_id = excluded.player_id,
        code_hash = excluded.code_hash, expires_at_ms = excluded.expires_at_ms`)
  })

  const redeem = Effect.fn("PlayerAccounts.redeem")(function* (redemption: Redemption) {
    const { projectId, identityId, codeHash, label } = redemption
    const nowMs = yield* Clock.currentTimeMillis
    const write = Effect.gen(function* () {
      const [offered] = yield* sql<{ readonly identity_id: string; readonly player_id: string }>`
        delete from link_codes where project_id = ${projectId} and code_hash = ${codeHash}
          and expires_at_ms > ${nowMs}
        returning identity_id, player_id`
      if (offered === undefined) return yield* new LinkCodeInvalid()
      const account = { projectId, playerId: offered.player_id, secretHash: null }
      yield* lockAccount(sql, projectId, account.playerId)
      yield* addIn(sql, { ...account, identityId: offered.identity_id, label: null })
      yield* addIn(sql, { ...account, identityId, label })
      return account.playerId
    })
    return yield* sql.withTransaction(write).pipe(Effect.catchTag("SqlError", Effect.die))
  })

  return { offer, redeem }
}

const devicesIn = (sql: SqlClient.SqlClient) => ({
  register: Effect.fn("PlayerAccounts.register")(function* (registration: Registration) {
    const { projectId, playerId } = registration
    const write = Effect.andThen(lockAccount(sql, projectId, playerId), addIn(sql, registration))
    return yield* sql.withTransaction(write).pipe(Effect.catchTag("SqlError", Effect.die))
  }),

  bySecret: Effect.fn("PlayerAccounts.bySecret")(function* (
    projectId: ProjectId,
    secretHash: Uint8Array
  ) {
    const rows = yield* Effect.orDie(sql<{ readonly identity_id: string }>`
      select identity_id from player_devices
      where project_id = ${projectId} and secret_hash = ${secretHash}`)
    return Option.fromNullishOr(rows[0]?.identity_id)
  }),

  devices: Effect.fn("PlayerAccounts.devices")((projectId: ProjectId, playerId: string) =>
    devicesOf(sql`
      select device_id, identity_id, label, linked_at_ms from player_devices
      where project_id = ${projectId} and player_id = ${playerId}
      order by linked_at_ms, device_id`)
  )
})

const endsIn = (sql: SqlClient.SqlClient, data: PlayerData["Service"]) => {
  const end = Effect.fnUntraced(function* (
    projectId: ProjectId,
    ids: { readonly ended: ReadonlyArray<string>; readonly erased: ReadonlyArray<string> }
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    yield* sql`delete from ended_identities
      where project_id = ${projectId} and ended_at_ms <= ${nowMs - AccountLimits.endedKept.ms}`
    yield* sql`insert into ended_identities (project_id, identity_id, ended_at_ms, player_deleted)
      select ${projectId}, identity_id, ${nowMs}::bigint, identity_id = any(${ids.erased}::text[])
      from unnest(${ids.ended}::text[]) as identity_id
      on conflict (project_id, identity_id) do update set ended_at_ms = excluded.ended_at_ms,
        player_deleted = excluded.player_deleted or ended_identities.player_deleted`
  })

  const revoke = Effect.fn("PlayerAccounts.revoke")(function* (
    { projectId, playerId }: { readonly projectId: ProjectId; readonly playerId: string },
    deviceId: string
  ) {
    const write = Effect.gen(function* () {
      const [device] = yield* devicesOf(sql`
        delete from player_devices where project_id = ${projectId} and player_id = ${playerId}
          and device_id = ${deviceId}
        returning device_id, identity_id, label, linked_at_ms`)
      if (device === undefined) return yield* new DeviceNotFound()
      const { identityId } = device
      yield* sql`delete from link_codes
        where project_id = ${projectId} and identity_id = ${identityId}`
      // The login of another player, which was linked to this one, is a new player from now on.
      yield* sql`delete from identity_subjects where project_id = ${projectId}
        and player_id = ${identityId} and player_id <> ${playerId}`
      yield* end(projectId, { ended: [identityId], erased: [] })
      return device
    })
    return yield* sql.withTransaction(write).pipe(Effect.catchTag("SqlError", Effect.die))
  })

  const remove = Effect.fn("PlayerAccounts.delete")(function* (player: Deletion) {
    const { projectId, playerId } = player
    const keptAs = newPlayerId()
    const write = Effect.gen(function* () {
      yield* lockAccount(sql, projectId, playerId)
      const linked = yield* sql<LinkedIdentity>`
        select identity_id as "identityId", exists (select 1 from player_devices other
            where other.project_id = device.project_id and other.player_id = device.identity_id
              and other.player_id <> ${playerId}) as "hasOthers"
        from player_devices device where project_id = ${projectId} and player_id = ${playerId}`
      const [moved] = yield* sql`select 1 from player_devices where project_id = ${projectId}
        and identity_id = ${playerId} and player_id <> ${playerId}`
      const { erased, ended } = deletionOf(player, linked, moved !== undefined)
      for (const each of erased) {
        const newId = each === playerId ? keptAs : newPlayerId()
        yield* data.erase({ projectId, playerId: each, newId })
      }
      yield* end(projectId, { ended, erased })
      return { identityIds: ended, keptAs }
    })
    return yield* Effect.orDie(sql.withTransaction(write))
  })

  return { revoke, delete: remove }
}
