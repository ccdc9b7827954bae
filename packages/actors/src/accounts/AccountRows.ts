import { AccountLimits } from "@atrium/domain/accounts/AccountLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { DeviceLimit } from "@atrium/domain/shared/Refusal"

import { randomHex } from "../store/Secrets.ts"

/** An identity: what a token of `POST /v1/identity` proves. Several of them may be one player. */
export interface IdentityKey {
  readonly projectId: ProjectId
  readonly identityId: string
}

/** What is stored of an identity. */
export interface IdentityRecord {
  /** The player of the account whose device it is; `null` = it is a player by itself. */
  readonly playerId: string | null
  /** Tokens that were minted up to this moment are not valid; Unix ms, `null` = none ended. */
  readonly endedAtMs: number | null
}

/** An identity and the player that it is now. */
export interface PlayersIdentity extends IdentityKey {
  readonly playerId: string
}

/** A device of an account. */
export interface Device {
  readonly deviceId: string
  readonly identityId: string
  readonly label: string | null
  readonly linkedAtMs: number
}

export interface Offer extends PlayersIdentity {
  readonly codeHash: Uint8Array
}

export interface Redemption extends IdentityKey {
  readonly codeHash: Uint8Array
  readonly label: string | null
}

export interface Registration extends PlayersIdentity {
  readonly label: string | null
  /** SHA-256 of the credential with which the device stays the same player; `null` = it has none. */
  readonly secretHash: Uint8Array | null
}

/** What a deletion ended: the identities of the account, and the id under which scores and ratings stay. */
export interface Deleted {
  readonly identityIds: ReadonlyArray<string>
  readonly keptAs: string
}

/** Why an identity becomes no device: its account has too many, or the whole project. */
export const deviceLimitOf = (count: {
  readonly ofAccount: number
  readonly ofProject: number
}): DeviceLimit | null => {
  const { devices, projectDevices } = AccountLimits
  if (count.ofAccount > devices.max) {
    return new DeviceLimit({
      message: `the account has ${devices.max} devices; revoke one of them first`
    })
  }
  return count.ofProject > projectDevices.max
    ? new DeviceLimit({ message: `the project has ${projectDevices.max} devices` })
    : null
}

/** The record of an identity of which nothing is stored. */
export const alone: IdentityRecord = { playerId: null, endedAtMs: null }

/** A new id of a device. */
export const newDeviceId = (): string => `dev_${randomHex(16)}`

export const isDeviceId = (text: string): boolean => /^dev_[0-9a-f]{16}$/.test(text)

/** An identity that is a device of an account. */
export interface LinkedIdentity {
  readonly identityId: string
  /** Devices of another account are the player that this identity was before. */
  readonly hasOthers: boolean
}

/** A player to delete. */
export interface Deletion {
  readonly projectId: ProjectId
  readonly playerId: string
  /** The identity of the player that asks for it; `null` = the owner of the project asks. */
  readonly identityId: string | null
}

/**
 * The ids to erase and the identities to end when a player is deleted. An identity that was a player before it was
 * linked is erased as well, unless devices of another account are that player.
 *
 * @param moved the player's first identity is a device of another account now
 */
export const deletionOf = (
  { playerId, identityId }: Pick<Deletion, "playerId" | "identityId">,
  linked: ReadonlyArray<LinkedIdentity>,
  moved: boolean
): { readonly erased: ReadonlyArray<string>; readonly ended: ReadonlyArray<string> } => {
  const own = linked.filter(({ hasOthers }) => !hasOthers).map((each) => each.identityId)
  const asker = identityId === null ? [] : [identityId]
  const ended = [...asker, ...linked.map((each) => each.identityId)]
  return {
    erased: [...new Set([playerId, ...own])],
    ended: [...new Set(moved ? ended : [playerId, ...ended])]
  }
}
