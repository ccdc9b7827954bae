import { Schema } from "effect"

import { RoomLimits } from "../rooms/RoomLimits.ts"

/**
 * `p_` and 16 hex characters, or `dev`: the project of `atrium dev` without a project file. Public,
 * not a credential. Source: spec "project"; D-05.
 */
export const ProjectId = Schema.String.check(Schema.isPattern(/^(?:p_[0-9a-f]{16}|dev)$/)).pipe(
  Schema.brand("ProjectId")
)
export type ProjectId = typeof ProjectId.Type

/** 1 to 128 of `A-Z a-z 0-9 . _ ~ : -`, but `.` and `..`: no address can name those. Source: D-05. */
export const RoomId = Schema.String.check(
  Schema.isPattern(/^(?!\.{1,2}$)[A-Za-z0-9._~:-]+$/),
  Schema.isMaxLength(RoomLimits.roomIdChars.max)
).pipe(Schema.brand("RoomId"))
export type RoomId = typeof RoomId.Type

/** `key_` and 16 hex characters. Source: D-16. */
export const KeyId = Schema.String.check(Schema.isPattern(/^key_[0-9a-f]{16}$/)).pipe(
  Schema.brand("KeyId")
)
export type KeyId = typeof KeyId.Type

export const isKeyId = Schema.is(KeyId)

/** `tok_` and 16 hex characters: the id of a login. */
export const isTokenId = (text: string): boolean => /^tok_[0-9a-f]{16}$/.test(text)

/** `inv_` and 16 hex characters: the id of an invitation, which is not its code. */
export const isInvitationId = (text: string): boolean => /^inv_[0-9a-f]{16}$/.test(text)

/** `rh_` and 16 hex characters: the id of a rehearsal. */
export const isRehearsalId = (text: string): boolean => /^rh_[0-9a-f]{16}$/.test(text)

export const isProjectId = Schema.is(ProjectId)
export const isRoomId = Schema.is(RoomId)

/** A room's address inside the service: the key of its actor. */
export interface RoomKey {
  readonly projectId: ProjectId
  readonly roomId: RoomId
}

/** The actor key of a room. Neither part holds a slash, so it reads back unambiguously. */
export const roomKeyText = (key: RoomKey): string => `${key.projectId}/${key.roomId}`

/** Reads an actor key back; a defect when it was not written by {@link roomKeyText}. */
export const roomKeyOf = (text: string): RoomKey => {
  const slash = text.indexOf("/")
  const projectId = text.slice(0, slash)
  const roomId = text.slice(slash + 1)
  if (slash < 0 || !isProjectId(projectId) || !isRoomId(roomId)) {
    throw new Error(`not a room key: ${text}`)
  }
  return { projectId, roomId }
}

/** One prefix per kind of secret, each followed by 43 base64url characters. Source: D-16. */
export const SecretPrefix = {
  loginToken: "ct_",
  session: "cs_",
  deviceCode: "cd_",
  playerDevice: "cp_",
  invitation: "ci_",
  joinSecret: "js_",
  apiKey: "rk_"
} as const

/** A secret of one kind: its prefix and 43 base64url characters (32 bytes). */
export const isSecret = (kind: keyof typeof SecretPrefix, text: string): boolean =>
  text.startsWith(SecretPrefix[kind]) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(3))

/** The id of a replay (`rp_`) is a credential: it opens the replay. */
const credentialPrefixes = [...Object.values(SecretPrefix), "rp_"]

// Also what is cut off or has a letter too many: it may be most of a secret.
const secretsIn = new RegExp(`(${credentialPrefixes.join("|")})[A-Za-z0-9_-]{20,}`, "g")

/** The text with each secret in it named by its kind alone, so that no message tells one again. */
export const withoutSecrets = (text: string): string => text.replace(secretsIn, "$1…")
