import { JwtSecretStore } from "@atrium/actors/store/JwtSecretStore"
import { RecentlyRead } from "@atrium/actors/store/RecentlyRead"
import { makeToken, randomHex, Secrets } from "@atrium/actors/store/Secrets"
import { isProjectId, type ProjectId } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { Clock, Context, Data, Effect, Layer, Schema } from "effect"
import { decodeJwt, jwtVerify, SignJWT } from "jose"

/** Who wants into a room, proven by a join credential. Source: D-25. */
export interface PlayerClaims {
  readonly playerId: string
  readonly name: string | null
  readonly role: string
}

/** Why a credential does not let its bearer in. The client learns no more than this. */
export class CredentialRefused extends Data.TaggedError("CredentialRefused")<{
  readonly because: "unauthenticated" | "mismatch"
}> {}

const mismatch = Effect.fail(new CredentialRefused({ because: "mismatch" }))
const unauthenticated = Effect.fail(new CredentialRefused({ because: "unauthenticated" }))

const Claims = Schema.Struct({
  iss: Schema.String,
  sub: Schema.String.check(Schema.isMinLength(1)),
  iat: Schema.Number,
  exp: Schema.Number,
  room: Schema.optionalKey(Schema.String),
  role: Schema.optionalKey(Schema.Literal("player")),
  name: Schema.optionalKey(Schema.String)
})
const decodeClaims = Schema.decodeUnknownEffect(Claims)

const audiences = { join: "rooms", identity: "identity" } as const
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** What verifies tokens that were signed with these bytes. */
const signingKey = (secret: Uint8Array<ArrayBuffer>): Effect.Effect<CryptoKey> =>
  Effect.promise(() =>
    crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
  )

/**
 * Join credentials: those that a game's backend signs with the project's secret, and the identity
 * tokens of the service itself for as long as the project has minted no secret.
 */
export class PlayerTokens extends Context.Service<
  PlayerTokens,
  {
    verify(
      token: string,
      wanted: { readonly projectId: string; readonly roomId: string }
    ): Effect.Effect<PlayerClaims, CredentialRefused>
    mintIdentity(projectId: ProjectId): Effect.Effect<{
      readonly playerId: string
      readonly token: string
      readonly expiresAtMs: number
    }>
  }
>()("@atrium/api/router/PlayerTokens") {
  static readonly layer = Layer.effect(
    PlayerTokens,
    Effect.gen(function* () {
      const jwtSecrets = yield* JwtSecretStore
      const secrets = yield* Secrets

      const known = new RecentlyRead<CryptoKey>({
        weightMax: Limits.signingKeysKept.max,
        weightOf: () => 1
      })

      const keyOf = Effect.fnUntraced(function* (projectId: ProjectId, kid: number | "identity") {
        const name = `${projectId}/${kid}`
        const kept = known.get(name)
        if (kept !== undefined) return kept
        const secret =
          kid === "identity" ? secrets.identityKey(projectId) : secrets.joinSecret(projectId, kid)
        const made = yield* signingKey(typeof secret === "string" ? bytesOf(secret) : secret)
        known.set(name, made)
        return made
      })

      /** Keys that may have signed a token for this audience, newest first. */
      const keysOf = Effect.fnUntraced(function* (projectId: ProjectId, audience: unknown) {
        const kids = yield* jwtSecrets.validKids(projectId)
        if (kids === null) return []
        if (audience === audiences.join) {
          return yield* Effect.forEach(kids, (kid) => keyOf(projectId, kid))
        }
        return audience === audiences.identity && kids.length === 0
          ? [yield* keyOf(projectId, "identity")]
          : []
      })

      const verify = Effect.fn("PlayerTokens.verify")(function* (
        token: string,
        wanted: { readonly projectId: string; readonly roomId: string }
      ) {
        const unverified = yield* Effect.try({
          try: () => decodeJwt(token),
          catch: () => new CredentialRefused({ because: "unauthenticated" })
        })
        if (typeof unverified.iss !== "string" || typeof unverified.aud !== "string") {
          return yield* unauthenticated
        }
        if (unverified.iss !== wanted.projectId) return yield* mismatch
        if (!isProjectId(wanted.projectId)) return yield* unauthenticated
        const keys = yield* keysOf(wanted.projectId, unverified.aud)
        const expected = { issuer: wanted.projectId, audience: unverified.aud }
        const payload = yield* verifyWith(token, keys, expected)
        const claims = yield* Effect.catch(decodeClaims(payload), () => unauthenticated)
        return yield* playerOf(claims, wanted.roomId, yield* Clock.currentTimeMillis)
      })

      const mintIdentity = Effect.fn("PlayerTokens.mintIdentity")(function* (projectId: ProjectId) {
        const nowMs = yield* Clock.currentTimeMillis
        const issuedAt = Math.floor(nowMs / 1000)
        const expiresAt = issuedAt + Limits.joinTokenLife.ms / 1000
        const playerId = `pl_${randomHex(16)}`
        const token = yield* Effect.promise(() =>
          new SignJWT({})
            .setProtectedHeader({ alg: "HS256" })
            .setIssuer(projectId)
            .setAudience(audiences.identity)
            .setSubject(playerId)
            .setIssuedAt(issuedAt)
            .setExpirationTime(expiresAt)
            .setJti(makeToken())
            .sign(secrets.identityKey(projectId))
        )
        return { playerId, token, expiresAtMs: expiresAt * 1000 }
      })

      return { verify, mintIdentity }
    })
  )
}

/** The claims of a token that one of the keys has signed and that is valid now. */
const verifyWith = Effect.fnUntraced(function* (
  token: string,
  keys: ReadonlyArray<CryptoKey>,
  expected: { readonly issuer: string; readonly audience: string }
) {
  const currentDate = new Date(yield* Clock.currentTimeMillis)
  const clockTolerance = Limits.clockLeeway.ms / 1000
  const options = { ...expected, currentDate, clockTolerance, algorithms: ["HS256"] }
  for (const candidate of keys) {
    const verified = yield* Effect.promise(() =>
      jwtVerify(token, candidate, options).then(
        ({ payload }) => payload,
        () => null
      )
    )
    if (verified !== null) return verified
  }
  return yield* unauthenticated
})

/** What a valid token says of its bearer, if it is for this room. */
const playerOf = (
  claims: typeof Claims.Type,
  roomId: string,
  nowMs: number
): Effect.Effect<PlayerClaims, CredentialRefused> => {
  const lifeMs = (claims.exp - claims.iat) * 1000
  if (lifeMs > Limits.joinTokenLife.ms) return unauthenticated
  // Without this a token from the future would live longer than any may.
  if (claims.iat * 1000 > nowMs + Limits.clockLeeway.ms) return unauthenticated
  if (bytesOf(claims.sub).length > Limits.playerIdBytes.max) return unauthenticated
  const room = claims.room ?? "*"
  if (room !== "*" && room !== roomId) return mismatch
  const { sub: playerId, name = null, role = "player" } = claims
  return Effect.succeed({ playerId, name, role })
}
