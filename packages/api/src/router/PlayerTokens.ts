import { createHmac, createSecretKey, type KeyObject } from "node:crypto"

import { PlayerAccounts } from "@atrium/actors/accounts/PlayerAccounts"
import { Audiences } from "@atrium/actors/rooms/Audiences"
import { RecentlyRead } from "@atrium/actors/store/RecentlyRead"
import { makeToken, randomHex, Secrets } from "@atrium/actors/store/Secrets"
import { AudienceLimits } from "@atrium/domain/audience/AudienceLimits"
import { isViewer } from "@atrium/domain/audience/AudienceRole"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { isProjectId, type ProjectId } from "@atrium/domain/shared/Ids"
import { TestPlayerLimits } from "@atrium/domain/testPlayers/TestPlayerLimits"
import { Clock, Context, Data, Effect, Layer } from "effect"
import { SignJWT } from "jose"

import { JoinTerms } from "./JoinTerms.ts"
import {
  type JoinClaims,
  playerOf,
  provenBy,
  readUnproven,
  type Signer,
  signersOf,
  tokenUses,
  type UnprovenToken,
  type ValidClaims
} from "./PlayerCredential.ts"

/** The player that a join credential proves. Source: D-25. */
export interface PlayerClaims extends JoinClaims {
  /** The identity whose token it is; `null` = the game's backend or the audience has signed. */
  readonly identityId: string | null
}

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

/** The room that a credential is to open. */
interface Wanted {
  readonly projectId: string
  readonly roomId: string
}

/** A token, and the project's secrets that may have signed it. */
interface Proving {
  readonly kids: ReadonlyArray<number>
  readonly said: UnprovenToken
  readonly nowMs: number
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

const bytesOf = (text: string) => new TextEncoder().encode(text)

/**
 * Join credentials: those that a game's backend signs with the project's secret, those of viewers, of match tickets and
 * of test players, and the identity tokens of the service itself: asserted ones always, others for as long as the
 * project has minted no secret.
 */
export class PlayerTokens extends Context.Service<
  PlayerTokens,
  {
    verify(token: string, wanted: Wanted): Effect.Effect<PlayerClaims, CredentialRefused>
    /**
     * The same by what this runner has read a moment ago.
     *
     * @returns `null` = {@link verify} is to be asked, which lets the bearer in or says why not
     */
    verifyNow(token: string, wanted: Wanted): PlayerClaims | null
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
    /** A credential of a fresh player for trying one room. Source: D-60. */
    mintTest(room: Pick<Watching, "projectId" | "roomId">): Effect.Effect<MintedIdentity>
  }
>()("@atrium/api/router/PlayerTokens") {
  static readonly layer = Layer.effect(
    PlayerTokens,
    Effect.gen(function* () {
      const terms = yield* JoinTerms
      const clock = yield* Clock.Clock
      const secrets = yield* Secrets
      const audiences = yield* Audiences
      const accounts = yield* PlayerAccounts

      const { keyOf, provenFor } = makeProving(secrets)

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
        const said = readUnproven(token)
        if (said === null) return yield* unauthenticated
        if (said.iss !== projectId || said.aud !== tokenUses.identity) return yield* unauthenticated
        const nowMs = yield* Clock.currentTimeMillis
        const claims = provenBy(keyOf(projectId, "identity"), said, nowMs)
        if (claims === null || claims === "malformed") return yield* unauthenticated
        return yield* resolved(projectId, claims)
      })

      const verify = Effect.fn("PlayerTokens.verify")(function* (token: string, wanted: Wanted) {
        const said = readUnproven(token)
        if (said === null) return yield* unauthenticated
        const { projectId, roomId } = wanted
        if (said.iss !== projectId) return yield* mismatch
        if (!isProjectId(projectId)) return yield* unauthenticated
        const kids = yield* terms.kids.read(projectId)
        if (kids === null) return yield* unauthenticated
        const nowMs = yield* Clock.currentTimeMillis
        const proven = provenFor(projectId, { kids, said, nowMs })
        if (proven === null) return yield* unauthenticated
        const { claims, signer } = proven
        const player = playerOf({ ...proven, roomId, nowMs })
        if (player === "mismatch") return yield* mismatch
        if (player === "unauthenticated") return yield* unauthenticated
        // The reason is for the bearer of a valid identity, and for nobody else.
        const isBare = signer === "identity" && claims.asserted !== true
        if (isBare && kids.length > 0) return yield* identityAlone
        if (signer !== "identity") {
          return { ...(yield* admitted(player, projectId)), identityId: null }
        }
        const { identityId, playerId } = yield* resolved(projectId, claims)
        return { ...player, identityId, playerId }
      })

      const verifyNow = (token: string, { projectId, roomId }: Wanted): PlayerClaims | null => {
        const said = readUnproven(token)
        if (said === null || said.iss !== projectId || !isProjectId(projectId)) return null
        // What is stored of an identity and of an audience is asked at every join.
        if (said.aud === tokenUses.identity || isViewer(said.role)) return null
        const kids = terms.kids.recent(projectId) ?? null
        if (kids === null) return null
        const nowMs = clock.currentTimeMillisUnsafe()
        const proven = provenFor(projectId, { kids, said, nowMs })
        if (proven === null) return null
        const player = playerOf({ ...proven, roomId, nowMs })
        return typeof player === "string" ? null : { ...player, identityId: null }
      }

      return { verify, verifyNow, identify, ...everyMinting(secrets) }
    })
  ).pipe(Layer.provide(Audiences.layer))
}

/** The keys that sign tokens, and the look at who has signed one. */
const makeProving = (secrets: Secrets["Service"]) => {
  const known = new RecentlyRead<KeyObject>({
    weightMax: IdentityLimits.signingKeysKept.max,
    weightOf: () => 1
  })

  const secretOf = (projectId: ProjectId, signer: Signer): Uint8Array<ArrayBuffer> => {
    if (signer === "identity") return secrets.identityKey(projectId)
    if (signer === "audience") return secrets.audienceKey(projectId)
    if (signer === "match") return secrets.matchKey(projectId)
    if (signer === "test") return secrets.testKey(projectId)
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

  /** What the token claims, and who has signed it; `null` = nobody that may, or it is not valid now. */
  const provenFor = (projectId: ProjectId, { kids, said, nowMs }: Proving) => {
    for (const signer of signersOf(kids, said)) {
      const claims = provenBy(keyOf(projectId, signer), said, nowMs)
      if (claims === "malformed") return null
      if (claims !== null) return { claims, signer }
    }
    return null
  }

  return { keyOf, provenFor }
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
      aud: tokenUses.identity,
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
      aud: tokenUses.join,
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
      aud: tokenUses.join,
      sub: playerId,
      room,
      match: { queue, team, party: party === null ? null : partyLabel(key, party) },
      iat: issuedAt,
      exp: issuedAt + IdentityLimits.joinTokenLife.ms / 1000
    })
  })

  return { mintMatch }
}

/** Players who try rooms: each is a new one. */
const mintingTests = (secrets: Secrets["Service"]) => {
  const mintTest = Effect.fn("PlayerTokens.mintTest")(function* ({
    projectId,
    roomId: room
  }: Pick<Watching, "projectId" | "roomId">) {
    const nowMs = yield* Clock.currentTimeMillis
    const expiresAtMs = nowMs + TestPlayerLimits.testTokenLife.ms
    const playerId = `pl_test_${randomHex(16)}`
    const token = yield* signed(secrets.testKey(projectId), {
      iss: projectId,
      aud: tokenUses.join,
      sub: playerId,
      room,
      test: true,
      iat: nowMs / 1000,
      exp: expiresAtMs / 1000
    })
    return { playerId, token, expiresAtMs }
  })

  return { mintTest }
}

const everyMinting = (secrets: Secrets["Service"]) => ({
  ...minting(secrets),
  ...mintingMatches(secrets),
  ...mintingTests(secrets)
})

/** Room code may show it to anybody: the code itself still takes players. */
const partyLabel = (key: Uint8Array, code: string): string =>
  createHmac("sha256", key).update(`party/${code}`).digest("base64url").slice(0, 16)

const signed = (
  key: Uint8Array<ArrayBuffer>,
  claims: ValidClaims & { readonly aud: string }
): Effect.Effect<string> =>
  Effect.promise(() =>
    new SignJWT({ ...claims, jti: makeToken() }).setProtectedHeader({ alg: "HS256" }).sign(key)
  )
