import { isProjectId, type ProjectId } from "@atrium/domain/Ids"
import { Limits } from "@atrium/domain/Limits"
import { ProjectStore } from "@atrium/actors/store/ProjectStore"
import { makeToken, randomHex, Secrets } from "@atrium/actors/store/Secrets"
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

const mismatch = new CredentialRefused({ because: "mismatch" })
const unauthenticated = new CredentialRefused({ because: "unauthenticated" })

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
const bytesOf = (text: string): number => new TextEncoder().encode(text).length
const key = (secret: string): Uint8Array => new TextEncoder().encode(secret)

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
      const projects = yield* ProjectStore
      const secrets = yield* Secrets

      /** Keys that may have signed a token for this audience, newest first. */
      const keysOf = Effect.fnUntraced(function* (projectId: ProjectId, audience: unknown) {
        const kids = yield* projects.validKids(projectId)
        if (audience === audiences.join) {
          return kids.map((kid) => key(secrets.joinSecret(projectId, kid)))
        }
        return audience === audiences.identity && kids.length === 0
          ? [secrets.identityKey(projectId)]
          : []
      })

      const verifyWith = Effect.fnUntraced(function* (
        token: string,
        keys: ReadonlyArray<Uint8Array>,
        expected: { readonly issuer: string; readonly audience: string }
      ) {
        const nowMs = yield* Clock.currentTimeMillis
        const attempts = keys.map((candidate) =>
          Effect.tryPromise({
            try: () =>
              jwtVerify(token, candidate, {
                ...expected,
                algorithms: ["HS256"],
                clockTolerance: Limits.clockLeeway.ms / 1000,
                currentDate: new Date(nowMs)
              }),
            catch: () => unauthenticated
          })
        )
        const [first, ...others] = attempts
        if (first === undefined) return yield* unauthenticated
        return (yield* Effect.firstSuccessOf([first, ...others])).payload
      })

      const verify = Effect.fn("PlayerTokens.verify")(function* (
        token: string,
        wanted: { readonly projectId: string; readonly roomId: string }
      ) {
        const unverified = yield* Effect.try({
          try: () => decodeJwt(token),
          catch: () => unauthenticated
        })
        if (typeof unverified.iss !== "string" || typeof unverified.aud !== "string") {
          return yield* unauthenticated
        }
        if (unverified.iss !== wanted.projectId) return yield* mismatch
        if (!isProjectId(wanted.projectId)) return yield* unauthenticated
        const keys = yield* keysOf(wanted.projectId, unverified.aud)
        const payload = yield* verifyWith(token, keys, {
          issuer: wanted.projectId,
          audience: unverified.aud
        })
        const claims = yield* Effect.mapError(decodeClaims(payload), () => unauthenticated)
        const lifeMs = (claims.exp - claims.iat) * 1000
        if (lifeMs > Limits.joinTokenLife.ms) return yield* unauthenticated
        if (bytesOf(claims.sub) > Limits.playerIdBytes.max) return yield* unauthenticated
        const room = claims.room ?? "*"
        if (room !== "*" && room !== wanted.roomId) return yield* mismatch
        return { playerId: claims.sub, name: claims.name ?? null, role: claims.role ?? "player" }
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
