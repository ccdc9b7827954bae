import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"

import { PlayerAccounts } from "@atrium/actors/accounts/PlayerAccounts"
import { JwtSecretStore } from "@atrium/actors/identity/JwtSecretStore"
import { Audiences } from "@atrium/actors/rooms/Audiences"
import { RecentlyRead } from "@atrium/actors/store/RecentlyRead"
import { makeToken, randomHex, Secrets } from "@atrium/actors/store/Secrets"
import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { isViewer, playerRole } from "@atrium/domain/audience/AudienceRole"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { MatchPlace } from "@atrium/domain/match/MatchPlace"
import { isProjectId, type ProjectId } from "@atrium/domain/shared/Ids"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { Clock, Context, Data, Effect, Layer, Schema } from "effect"
import { decodeJwt, decodeProtectedHeader, type JWTPayload, SignJWT } from "jose"

/** The player that a join credential proves. Source: D-25. */
export interface PlayerClaims {
  readonly playerId: string
  readonly name: string | null
  /** `player`, or what the project calls those who only watch. */
  readonly role: string
  /** The place that a match gave the player; `null` = the credential is of no match ticket. */
  readonly match: MatchPlace | null
  /** The identity whose token it is; `null` = the game's backend or the audience has signed. */
  readonly identityId: string | null
}

/** What a token says of whoever joins with it. */
type JoinClaims = Omit<PlayerClaims, "identityId">

/** A player whose identity token has proven it. */
export interface ProvenPlayer {
  readonly projectId: ProjectId
  readonly identityId: string
  /** The player of the account whose device the identity is, else the identity itself. */
  readonly playerId: string
}

/** A player, and the room of the match. */
export interface Matched {
  readonly projectId: ProjectId
  readonly roomId: string
  readonly playerId: string
  readonly queue: string
  /** `null` = the match has filled the room up. */
  readonly team: number | null
  /** The code of the player's party; `null` = the player queued alone. */
  readonly party: string | null
}

/** A room that somebody may watch, and as what. */
export interface Watching {
  readonly projectId: ProjectId
  readonly roomId: string
  readonly role: string
}

/** An identity that is to get a token. */
export interface UnmintedIdentity {
  /** The identity's own id. */
  readonly playerId: string
  /** A login of the developer has proven it. */
  readonly asserted: boolean
  /** Tokens that were minted up to this moment have ended; Unix ms, `null` = none. */
  readonly endedAtMs: number | null
}

/** An identity token, as it was minted. */
export interface MintedIdentity {
  readonly playerId: string
  readonly token: string
  readonly expiresAtMs: number
}

/**
 * Why a credential does not let its bearer in. The client learns no more than this. `identityAlone`: a
 * valid identity of a project whose joins its JWT secret signs.
 */
export class CredentialRefused extends Data.TaggedError("CredentialRefused")<{
  readonly because: "unauthenticated" | "mismatch" | "identityAlone"
}> {}

const mismatch = Effect.fail(new CredentialRefused({ because: "mismatch" }))
const unauthenticated = Effect.fail(new CredentialRefused({ because: "unauthenticated" }))
const identityAlone = Effect.fail(new CredentialRefused({ because: "identityAlone" }))

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
  match: Schema.optionalKey(Schema.Unknown)
})
type ValidClaims = typeof Claims.Type
const decodeClaims = Schema.decodeUnknownEffect(Claims)
const isMatchPlace = Schema.is(MatchPlace)

/** The claim `aud`, which says what a token is for. */
const uses = { join: "rooms", identity: "identity" } as const
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The key that signed a token: a `kid` is one of the project's secrets, the others are the service's. */
type Signer = number | "identity" | "audience" | "match"

/**
 * Join credentials: those that a game's backend signs with the project's secret, those of viewers and
 * of match tickets, and the identity tokens of the service itself: asserted ones always, others for as long as the
 * project has minted no secret.
 */
export class PlayerTokens extends Context.Service<
  PlayerTokens,
  {
    verify(
      token: string,
      wanted: { readonly projectId: string; readonly roomId: string }
    ): Effect.Effect<PlayerClaims, CredentialRefused>
    /** The player that an identity token proves to a project, with the links of accounts. */
    identify(projectId: ProjectId, token: string): Effect.Effect<ProvenPlayer, CredentialRefused>
    /** The token of a player; `asserted` = it joins rooms although the project has a JWT secret. */
    mintIdentity(projectId: ProjectId, identity: UnmintedIdentity): Effect.Effect<MintedIdentity>
    /** A credential that lets its bearer watch one room. Source: D-29. */
    mintAudience(
      watching: Watching
    ): Effect.Effect<{ readonly token: string; readonly expiresAtMs: number }>
    /** A credential that lets the player join the room of the match. Source: D-25, D-31. */
    mintMatch(matched: Matched): Effect.Effect<string>
  }
>()("@atrium/api/router/PlayerTokens") {
  static readonly layer = Layer.effect(
    PlayerTokens,
    Effect.gen(function* () {
      const jwtSecrets = yield* JwtSecretStore
      const secrets = yield* Secrets
      const audiences = yield* Audiences
      const accounts = yield* PlayerAccounts

      const known = new RecentlyRead<KeyObject>({
        weightMax: IdentityLimits.signingKeysKept.max,
        weightOf: () => 1
      })

      const secretOf = (projectId: ProjectId, signer: Signer): Uint8Array<ArrayBuffer> => {
        if (signer === "identity") return secrets.identityKey(projectId)
        if (signer === "audience") return secrets.audienceKey(projectId)
        if (signer === "match") return secrets.matchKey(projectId)
        return bytesOf(secrets.joinSecret(projectId, signer))
      }

      const keyOf = (projectId: ProjectId, signer: Signer): KeyObject => {
        const name = `${projectId}/${signer}`
        const kept = known.get(name)
        if (kept !== undefined) return kept
        const made = createSecretKey(secretOf(projectId, signer))
        known.set(name, made)
        return made
      }

      /** Viewers are whom the project says, now: not when their credential was signed. */
      const admitted = Effect.fnUntraced(function* (claims: JoinClaims, projectId: ProjectId) {
        if (!isViewer(claims.role)) return claims
        const role = yield* audiences.roleOf(projectId)
        return role === claims.role ? claims : yield* unauthenticated
      })

      /** The player that a valid identity is now, unless its tokens have ended. */
      const resolved = Effect.fnUntraced(function* (projectId: ProjectId, claims: ValidClaims) {
        const { sub: identityId, iat } = claims
        const { playerId, endedAtMs } = yield* accounts.identity({ projectId, identityId })
        if (endedAtMs !== null && iat * 1000 <= endedAtMs) return yield* unauthenticated
        return { projectId, identityId, playerId: playerId ?? identityId }
      })

      const identify = Effect.fn("PlayerTokens.identify")(function* (
        projectId: ProjectId,
        token: string
      ) {
        const { iss, aud, payload } = yield* readUnverified(token)
        if (iss !== projectId || aud !== uses.identity) return yield* unauthenticated
        const claims = yield* signedBy(keyOf(projectId, "identity"), token, payload)
        return claims === null ? yield* unauthenticated : yield* resolved(projectId, claims)
      })

      const verify = Effect.fn("PlayerTokens.verify")(function* (
        token: string,
        wanted: { readonly projectId: string; readonly roomId: string }
      ) {
        const { iss, payload, ...said } = yield* readUnverified(token)
        const { projectId, roomId } = wanted
        if (iss !== projectId) return yield* mismatch
        if (!isProjectId(projectId)) return yield* unauthenticated
        const kids = yield* jwtSecrets.validKids(projectId)
        if (kids === null) return yield* unauthenticated
        for (const signer of signersOf(kids, said)) {
          const claims = yield* signedBy(keyOf(projectId, signer), token, payload)
          if (claims === null) continue
          const valid = { claims, roomId, nowMs: yield* Clock.currentTimeMillis, signer }
          const player = yield* playerOf(valid)
          // The reason is for the bearer of a valid identity, and for nobody else.
          const isBare = signer === "identity" && claims.asserted !== true
          if (isBare && kids.length > 0) return yield* identityAlone
          if (signer !== "identity") {
            return { ...(yield* admitted(player, projectId)), identityId: null }
          }
          const { identityId, playerId } = yield* resolved(projectId, claims)
          return { ...player, identityId, playerId }
        }
        return yield* unauthenticated
      })

      return { verify, identify, ...minting(secrets), ...mintingMatches(secrets) }
    })
  ).pipe(Layer.provide(Audiences.layer))
}

/** The credentials that the service itself issues. */
const minting = (secrets: Secrets["Service"]) => {
  const mintIdentity = Effect.fn("PlayerTokens.mintIdentity")(function* (
    projectId: ProjectId,
    { playerId, asserted, endedAtMs }: UnmintedIdentity
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    // Whole seconds: a token of the second in which earlier ones ended would have ended with them.
    const firstS = endedAtMs === null ? 0 : Math.floor(endedAtMs / 1000) + 1
    const issuedAt = Math.max(Math.floor(nowMs / 1000), firstS)
    const expiresAt = issuedAt + IdentityLimits.joinTokenLife.ms / 1000
    const token = yield* signed(secrets.identityKey(projectId), {
      iss: projectId,
      aud: uses.identity,
      sub: playerId,
      iat: issuedAt,
      exp: expiresAt,
      ...(asserted ? { asserted } : {})
    })
    return { playerId, token, expiresAtMs: expiresAt * 1000 }
  })

  const mintAudience = Effect.fn("PlayerTokens.mintAudience")(function* ({
    projectId,
    roomId: room,
    role
  }: Watching) {
    const nowMs = yield* Clock.currentTimeMillis
    const expiresAtMs = nowMs + AudienceLimits.audienceTokenLife.ms
    const token = yield* signed(secrets.audienceKey(projectId), {
      iss: projectId,
      aud: uses.join,
      sub: `av_${randomHex(16)}`,
      room,
      role,
      iat: nowMs / 1000,
      exp: expiresAtMs / 1000
    })
    return { token, expiresAtMs }
  })

  return { mintIdentity, mintAudience }
}

/** Match tickets bear the credential of one player for one room. */
const mintingMatches = (secrets: Secrets["Service"]) => {
  const mintMatch = Effect.fn("PlayerTokens.mintMatch")(function* ({
    projectId,
    roomId: room,
    playerId,
    queue,
    team,
    party
  }: Matched) {
    const key = secrets.matchKey(projectId)
    const issuedAt = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    return yield* signed(key, {
      iss: projectId,
      aud: uses.join,
      sub: playerId,
      room,
      match: { queue, team, party: party === null ? null : partyLabel(key, party) },
      iat: issuedAt,
      exp: issuedAt + IdentityLimits.joinTokenLife.ms / 1000
    })
  })

  return { mintMatch }
}

/** Room code may show it to anybody: the code itself still takes players. */
const partyLabel = (key: Uint8Array, code: string): string =>
  createHmac("sha256", key).update(`party/${code}`).digest("base64url").slice(0, 16)

const signed = (
  key: Uint8Array<ArrayBuffer>,
  claims: typeof Claims.Type & { readonly aud: string }
): Effect.Effect<string> =>
  Effect.promise(() =>
    new SignJWT({ ...claims, jti: makeToken() }).setProtectedHeader({ alg: "HS256" }).sign(key)
  )

/** Claims of a token before its signature is checked. */
interface Said {
  readonly aud: string
  readonly role: unknown
}

/** The signers that a token with these claims may have, the newest secret first. */
const signersOf = (kids: ReadonlyArray<number>, { aud, role }: Said): ReadonlyArray<Signer> => {
  if (aud === uses.join) return [...kids, isViewer(role) ? "audience" : "match"]
  return aud === uses.identity ? ["identity"] : []
}

const readUnverified = Effect.fnUntraced(function* (token: string) {
  const { header, payload } = yield* Effect.try({
    try: () => ({ header: decodeProtectedHeader(token), payload: decodeJwt(token) }),
    catch: () => new CredentialRefused({ because: "unauthenticated" })
  })
  // What a header says must be understood (RFC 7515, 4.1.11) is not understood here.
  if (header.alg !== "HS256" || header.crit !== undefined) return yield* unauthenticated
  const { iss, aud, role } = payload
  if (typeof iss !== "string" || typeof aud !== "string") return yield* unauthenticated
  return { iss, aud, role, payload }
})

/** The claims of a token that this key has signed and that is valid now; `null` = it has not, or is not. */
const signedBy = Effect.fnUntraced(function* (key: KeyObject, token: string, payload: JWTPayload) {
  if (!isSigned(token, key)) return null
  const claims = yield* Effect.catch(decodeClaims(payload), () => unauthenticated)
  const nowS = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const leewayS = IdentityLimits.clockLeeway.ms / 1000
  const { exp, nbf = nowS } = claims
  return exp > nowS - leewayS && nbf <= nowS + leewayS ? claims : null
})

/** Computed in place: every join waits for it, and WebCrypto takes a thread and eleven times as long. */
const isSigned = (token: string, key: KeyObject): boolean => {
  const end = token.lastIndexOf(".")
  const signature = createHmac("sha256", key).update(token.slice(0, end)).digest("base64url")
  const [told, right] = [Buffer.from(token.slice(end + 1)), Buffer.from(signature)]
  return told.length === right.length && timingSafeEqual(told, right)
}

interface Valid {
  readonly claims: typeof Claims.Type
  readonly signer: Signer
  readonly roomId: string
  readonly nowMs: number
}

/** The player or viewer of a valid token, if the token is for this room. */
const playerOf = ({
  claims,
  signer,
  roomId,
  nowMs
}: Valid): Effect.Effect<JoinClaims, CredentialRefused> => {
  const lifeMs = (claims.exp - claims.iat) * 1000
  if (lifeMs > IdentityLimits.joinTokenLife.ms) return unauthenticated
  // Without this a token from the future would live longer than any may.
  if (claims.iat * 1000 > nowMs + IdentityLimits.clockLeeway.ms) return unauthenticated
  // The service mints and verifies by one clock: no leeway, and to the millisecond.
  if (signer === "audience" && Math.round(claims.exp * 1000) <= nowMs) return unauthenticated
  if (bytesOf(claims.sub).length > FrameLimits.playerIdBytes.max) return unauthenticated
  const { sub: playerId, name = null, role = playerRole, room = "*" } = claims
  // Matches are the service's: a claim of this name that a game's backend signs means nothing.
  const match = signer === "match" && isMatchPlace(claims.match) ? claims.match : null
  const player = { playerId, name, role, match }
  // A viewer's credential is for one room, never for all of them.
  if (room === "*") return isViewer(role) ? unauthenticated : Effect.succeed(player)
  return room === roomId ? Effect.succeed(player) : mismatch
}
