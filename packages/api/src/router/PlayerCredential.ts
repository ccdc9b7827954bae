import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"

import { isViewer, playerRole } from "@atrium/domain/audience/AudienceRole"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { MatchPlace } from "@atrium/domain/match/MatchPlace"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { Option, Schema } from "effect"
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose"

/** The claims of a token about its bearer. */
export interface JoinClaims {
  readonly playerId: string
  readonly name: string | null
  /** `player`, or what the project calls those who only watch. */
  readonly role: string
  /** The place that a match gave the player; `null` = the credential is of no match ticket. */
  readonly match: MatchPlace | null
  /** The service has minted it for trying a room. */
  readonly test: boolean
}

const Claims = Schema.Struct({
  iss: Schema.String,
  sub: Schema.String.check(Schema.isMinLength(1)),
  iat: Schema.Number,
  exp: Schema.Number,
  nbf: Schema.optionalKey(Schema.Number),
  room: Schema.optionalKey(Schema.String),
  role: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  asserted: Schema.optionalKey(Schema.Boolean),
  /** A `MatchPlace` in a ticket's credential; others may use the name for what they like. */
  match: Schema.optionalKey(Schema.Unknown),
  /** In the credential of a test player; others may use the name for what they like. */
  test: Schema.optionalKey(Schema.Unknown)
})
export type ValidClaims = typeof Claims.Type
const decodeClaims = Schema.decodeUnknownOption(Claims)
const isMatchPlace = Schema.is(MatchPlace)

/** The claim `aud`, which says what a token is for. */
export const tokenUses = { join: "rooms", identity: "identity" } as const

/** The key that signed a token: a `kid` is one of the project's secrets, the others are the service's. */
export type Signer = number | "identity" | "audience" | "match" | "test"

/** A token before its signature is checked. */
export interface UnprovenToken {
  readonly token: string
  readonly iss: string
  readonly aud: string
  readonly role: unknown
  readonly test: unknown
  readonly payload: JWTPayload
}

/** @returns `null` = it is no token that anybody here signs */
export const readUnproven = (token: string): UnprovenToken | null => {
  const read = decoded(token)
  // What a header says must be understood (RFC 7515, 4.1.11) is not understood here.
  if (read === null || read.header.alg !== "HS256" || read.header.crit !== undefined) return null
  const { payload } = read
  const { iss, aud, role, test } = payload
  if (typeof iss !== "string" || typeof aud !== "string") return null
  return { token, iss, aud, role, test, payload }
}

const decoded = (token: string) => {
  try {
    return { header: decodeProtectedHeader(token), payload: decodeJwt(token) }
  } catch {
    // Not a JWT: anybody may send anything.
    return null
  }
}

/** The signers that a token with these claims may have, the newest secret first. */
export const signersOf = (
  kids: ReadonlyArray<number>,
  { aud, role, test }: UnprovenToken
): ReadonlyArray<Signer> => {
  if (aud === tokenUses.join) {
    return [...kids, isViewer(role) ? "audience" : test === true ? "test" : "match"]
  }
  return aud === tokenUses.identity ? ["identity"] : []
}

/**
 * The claims of a token that this key has signed and that is valid now.
 *
 * @returns `null` = it has not, or the token is not valid now; `malformed` = no other key makes it valid either
 */
export const provenBy = (
  key: KeyObject,
  { token, payload }: UnprovenToken,
  nowMs: number
): ValidClaims | "malformed" | null => {
  if (!isSigned(token, key)) return null
  const claims = Option.getOrNull(decodeClaims(payload))
  if (claims === null) return "malformed"
  const nowS = Math.floor(nowMs / 1000)
  const leewayS = IdentityLimits.clockLeeway.ms / 1000
  const { exp, nbf = nowS } = claims
  return exp > nowS - leewayS && nbf <= nowS + leewayS ? claims : null
}

/** Computed in place: every join waits for it, and WebCrypto takes a thread and eleven times as long. */
const isSigned = (token: string, key: KeyObject): boolean => {
  const end = token.lastIndexOf(".")
  const signature = createHmac("sha256", key).update(token.slice(0, end)).digest("base64url")
  const [told, right] = [Buffer.from(token.slice(end + 1)), Buffer.from(signature)]
  return told.length === right.length && timingSafeEqual(told, right)
}

interface Proven {
  readonly claims: ValidClaims
  readonly signer: Signer
  readonly roomId: string
  readonly nowMs: number
}

/** The player or viewer of a valid token, or why it does not open this room. */
export const playerOf = ({
  claims,
  signer,
  roomId,
  nowMs
}: Proven): JoinClaims | "unauthenticated" | "mismatch" => {
  const lifeMs = (claims.exp - claims.iat) * 1000
  if (lifeMs > IdentityLimits.joinTokenLife.ms) return "unauthenticated"
  // Without this a token from the future would live longer than any may.
  if (claims.iat * 1000 > nowMs + IdentityLimits.clockLeeway.ms) return "unauthenticated"
  // The service mints and verifies by one clock: no leeway, and to the millisecond.
  const isShort = signer === "audience" || signer === "test"
  if (isShort && Math.round(claims.exp * 1000) <= nowMs) return "unauthenticated"
  if (Buffer.byteLength(claims.sub) > FrameLimits.playerIdBytes.max) return "unauthenticated"
  const { sub: playerId, name = null, role = playerRole, room = "*" } = claims
  // Matches are the service's: a claim of this name that a game's backend signs means nothing.
  const match = signer === "match" && isMatchPlace(claims.match) ? claims.match : null
  // A viewer's credential is for one room, never for all of them.
  if (room === "*" && isViewer(role)) return "unauthenticated"
  if (room !== "*" && room !== roomId) return "mismatch"
  return { playerId, name, role, match, test: signer === "test" }
}
