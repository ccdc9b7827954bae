import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { type DeviceLimit, DeviceNotFound, LinkCodeInvalid } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"

import { newPlayerId, subjectTable } from "../identity/IdentityStore.ts"
import {
  atNow,
  byText,
  MemoryDatabase,
  MemoryTable,
  type MemoryTables,
  type PlayerKey
} from "../store/MemoryDatabase.ts"
import {
  alone,
  type Deletion,
  deletionOf,
  type Device,
  deviceLimitOf,
  type IdentityKey,
  newDeviceId,
  type Offer,
  type Redemption,
  type Registration
} from "./AccountRows.ts"
import type { PlayerData } from "./PlayerData.ts"

/** The layer of {@link PlayerAccounts} in memory. */
export const PlayerAccountsInMemory = (data: PlayerData["Service"]) =>
  Effect.map(MemoryDatabase, (database) => {
    const { tables, ask } = database
    const at = atNow(database)
    const devices = deviceTable.rowsIn(tables)
    const ended = endedTable.rowsIn(tables)
    return {
      identity: (key: IdentityKey) =>
        ask("PlayerAccounts.identity", () => {
          const [row, end] = [devices.get(keyText(key)), ended.get(keyText(key))]
          if (row === undefined && end === undefined) return alone
          return { playerId: row?.playerId ?? null, endedAtMs: end?.endedAtMs ?? null }
        }),
      ...linkingIn(database),
      register: Effect.fnUntraced(function* (registration: Registration) {
        const device = yield* at("PlayerAccounts.register", (nowMs) =>
          addIn(tables, [registration], nowMs)
        )
        return "_tag" in device ? yield* device : shownOf(device)
      }),
      bySecret: (projectId: ProjectId, secretHash: Uint8Array) =>
        ask("PlayerAccounts.bySecret", () => {
          const found = [...devices.values()].find(
            (row) =>
              row.projectId === projectId &&
              row.secretHash !== null &&
              Buffer.compare(row.secretHash, secretHash) === 0
          )
          return Option.fromNullishOr(found?.identityId)
        }),
      devices: (projectId: ProjectId, playerId: string) =>
        ask("PlayerAccounts.devices", () =>
          devicesIn(tables, { projectId, playerId }).map(shownOf)
        ),
      revoke: Effect.fnUntraced(function* (
        account: { readonly projectId: ProjectId; readonly playerId: string },
        deviceId: string
      ) {
        const gone = yield* at("PlayerAccounts.revoke", (nowMs) =>
          revokedIn(tables, { ...account, deviceId }, nowMs)
        )
        return gone === null ? yield* new DeviceNotFound() : shownOf(gone)
      }),
      delete: Effect.fnUntraced(function* (player: Deletion) {
        const keptAs = newPlayerId()
        const { projectId, playerId } = player
        const plan = yield* ask("PlayerAccounts.delete", () => deletionIn(tables, player))
        for (const each of plan.erased) {
          const newId = each === playerId ? keptAs : newPlayerId()
          yield* data.erase({ projectId, playerId: each, newId })
        }
        yield* at("PlayerAccounts.end", (nowMs) => endIn(tables, { projectId, ...plan }, nowMs))
        return { identityIds: plan.ended, keptAs }
      })
    }
  })

interface DeviceRow extends Device, Registration {}

/** The devices of accounts, by `<project>/<identity>`. */
export const deviceTable = new MemoryTable<DeviceRow>()

interface CodeRow extends Offer {
  readonly expiresAtMs: number
}

/** The link codes that were offered, by `<project>/<identity>`. */
export const linkCodeTable = new MemoryTable<CodeRow>()

/** The identities that ended lately, by `<project>/<identity>`. */
export const endedTable = new MemoryTable<{
  readonly projectId: string
  readonly endedAtMs: number
  readonly playerDeleted: boolean
}>()

/** Whether a player was deleted lately, so that what a room still writes of it is not kept. */
export const wasDeleted = (
  tables: MemoryTables,
  { projectId, playerId }: PlayerKey,
  nowMs: number
): boolean => {
  const ended = endedTable.rowsIn(tables).get(`${projectId}/${playerId}`)
  const sinceMs = nowMs - AccountLimits.endedKept.ms
  return ended !== undefined && ended.playerDeleted && ended.endedAtMs > sinceMs
}

const keyText = ({ projectId, identityId }: IdentityKey): string => `${projectId}/${identityId}`

const shownOf = ({ deviceId, identityId, label, linkedAtMs }: DeviceRow): Device => ({
  deviceId,
  identityId,
  label,
  linkedAtMs
})

const devicesIn = (
  tables: MemoryTables,
  { projectId, playerId }: { readonly projectId: string; readonly playerId: string }
): ReadonlyArray<DeviceRow> =>
  [...deviceTable.rowsIn(tables).values()]
    .filter((row) => row.projectId === projectId && row.playerId === playerId)
    .toSorted(
      (one, other) => one.linkedAtMs - other.linkedAtMs || byText(one.deviceId, other.deviceId)
    )

/** Makes identities devices of one account, all or none. @returns the last one */
const addIn = (
  tables: MemoryTables,
  registrations: readonly [Registration, ...ReadonlyArray<Registration>],
  nowMs: number
): DeviceRow | DeviceLimit => {
  const devices = deviceTable.rowsIn(tables)
  const rowOf = (given: Registration): DeviceRow => {
    const before = devices.get(keyText(given))
    return {
      ...given,
      deviceId: before?.deviceId ?? newDeviceId(),
      linkedAtMs: before?.linkedAtMs ?? nowMs,
      label: given.label ?? before?.label ?? null,
      secretHash: given.secretHash ?? before?.secretHash ?? null
    }
  }
  const [first, ...more] = registrations
  const rows = [first, ...more].map(rowOf)
  const all = [...devicesIn(tables, first), ...rows].map(({ identityId }) => identityId)
  let ofProject = rows.filter((row) => !devices.has(keyText(row))).length
  for (const { projectId } of devices.values()) if (projectId === first.projectId) ofProject++
  const limit = deviceLimitOf({ ofAccount: new Set(all).size, ofProject })
  if (limit !== null) return limit
  for (const row of rows) devices.set(keyText(row), row)
  return rows.at(-1) ?? rowOf(first)
}

const linkingIn = (database: MemoryDatabase["Service"]) => {
  const { tables } = database
  const at = atNow(database)
  const codes = linkCodeTable.rowsIn(tables)
  return {
    offer: (given: Offer) =>
      at("PlayerAccounts.offer", (nowMs) => {
        for (const [key, row] of codes) {
          if (row.projectId === given.projectId && row.expiresAtMs <= nowMs) codes.delete(key)
        }
        codes.set(keyText(given), { ...given, expiresAtMs: nowMs + AccountLimits.linkCodeLife.ms })
      }),
    redeem: Effect.fnUntraced(function* ({ projectId, identityId, codeHash, label }: Redemption) {
      const outcome = yield* at("PlayerAccounts.redeem", (nowMs) => {
        const offered = [...codes.values()].find(
          (row) =>
            row.projectId === projectId &&
            Buffer.compare(row.codeHash, codeHash) === 0 &&
            row.expiresAtMs > nowMs
        )
        if (offered === undefined) return new LinkCodeInvalid()
        const account = { projectId, playerId: offered.playerId, secretHash: null }
        const first = { ...account, identityId: offered.identityId, label: null }
        const added = addIn(tables, [first, { ...account, identityId, label }], nowMs)
        if ("_tag" in added) return added
        codes.delete(keyText(offered))
        return account.playerId
      })
      return typeof outcome === "string" ? outcome : yield* outcome
    })
  }
}

interface Revocation {
  readonly projectId: ProjectId
  readonly playerId: string
  readonly deviceId: string
}

const revokedIn = (
  tables: MemoryTables,
  { projectId, playerId, deviceId }: Revocation,
  nowMs: number
): DeviceRow | null => {
  const device = devicesIn(tables, { projectId, playerId }).find((row) => row.deviceId === deviceId)
  if (device === undefined) return null
  const { identityId } = device
  deviceTable.rowsIn(tables).delete(keyText(device))
  linkCodeTable.rowsIn(tables).delete(keyText(device))
  for (const [key, row] of subjectTable.rowsIn(tables)) {
    const isIts = row.projectId === projectId && row.playerId === identityId
    if (isIts && identityId !== playerId) subjectTable.rowsIn(tables).delete(key)
  }
  endIn(tables, { projectId, ended: [identityId], erased: [] }, nowMs)
  return device
}

const deletionIn = (tables: MemoryTables, player: Deletion) => {
  const { projectId, playerId } = player
  const linked = devicesIn(tables, player).map(({ identityId }) => ({
    identityId,
    hasOthers:
      identityId !== playerId && devicesIn(tables, { projectId, playerId: identityId }).length > 0
  }))
  const first = deviceTable.rowsIn(tables).get(keyText({ projectId, identityId: playerId }))
  return deletionOf(player, linked, first !== undefined && first.playerId !== playerId)
}

interface Ends {
  readonly projectId: ProjectId
  readonly ended: ReadonlyArray<string>
  readonly erased: ReadonlyArray<string>
}

const endIn = (tables: MemoryTables, { projectId, ended, erased }: Ends, nowMs: number): void => {
  const rows = endedTable.rowsIn(tables)
  for (const [key, row] of rows) {
    const isOver = row.endedAtMs <= nowMs - AccountLimits.endedKept.ms
    if (row.projectId === projectId && isOver) rows.delete(key)
  }
  for (const identityId of ended) {
    const key = keyText({ projectId, identityId })
    const playerDeleted = erased.includes(identityId) || rows.get(key)?.playerDeleted === true
    rows.set(key, { projectId, endedAtMs: nowMs, playerDeleted })
  }
}
