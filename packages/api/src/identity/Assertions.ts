import { createHmac, timingSafeEqual, verify as isSignedBy } from "node:crypto"

import { IdentityStore, type Subject } from "@atrium/actors/identity/IdentityStore"
import { JwtSecretStore } from "@atrium/actors/identity/JwtSecretStore"
import { Secrets } from "@atrium/actors/store/Secrets"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { AssertionInvalid, type ProviderUnreachable } from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"

import { JwksKeys, type ProviderAlgorithm } from "./JwksKeys.ts"

const Header = Schema.fromJsonString(
  Schema.Struct({
    alg: Schema.Literals(["HS256", "RS256", "ES256"]),
    kid: Schema.optionalKey(Schema.String),
    crit: Schema.optionalKey(Schema.Unknown)
  })
)
const Claims = Schema.fromJsonString(
  Schema.Struct({
    iss: Schema.String,
    sub: Schema.String.check(Schema.isMinLength(1)),
    aud: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
    exp: Schema.Number,
    iat: Schema.optionalKey(Schema.Number),
    nbf: Schema.optionalKey(Schema.Number)
  })
)
const decodeHeader = Schema.decodeUnknownOption(Header)
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** What a token says, before anything of it is proven. */
interface Said {
  readonly header: typeof Header.Type
  readonly claims: typeof Claims.Type
  /** The part that is signed. */
  readonly signed: string
  readonly signature: Buffer
}

/** The audience of an assertion that the project's own secret has signed. Source: C-541. */
const ownAudience = "identity"

const invalid = Effect.suspend(() => Effect.fail(new AssertionInvalid()))

/**
 * Proves assertions: HS256 by a secret of the project, whose issuer is the project; RS256 and ES256 by
 * the keys of an identity provider of the project. Source: D-27, C-541.
 */
export class Assertions extends Context.Service<
  Assertions,
  {
    /** Whom a valid assertion of the project is about. */
    verify(
      projectId: ProjectId,
      assertion: string
    ): Effect.Effect<Subject, AssertionInvalid | ProviderUnreachable>
  }
>()("@atrium/api/identity/Assertions") {
  static readonly layer = Layer.effect(
    Assertions,
    Effect.gen(function* () {
      const store = yield* IdentityStore
      const keys = yield* JwksKeys
      const jwtSecrets = yield* JwtSecretStore
      const secrets = yield* Secrets

      const bySecret = Effect.fnUntraced(function* (projectId: ProjectId, said: Said) {
        if (said.claims.iss !== projectId || said.claims.aud !== ownAudience) return false
        const kids = (yield* jwtSecrets.validKids(projectId)) ?? []
        return kids.some((kid) => hasMac(said, secrets.joinSecret(projectId, kid)))
      })

      const byProvider = Effect.fnUntraced(function* (
        projectId: ProjectId,
        said: Said,
        alg: ProviderAlgorithm
      ) {
        const { iss, aud } = said.claims
        for (const { issuer, audience, jwksUrl } of yield* store.providers(projectId)) {
          if (issuer !== iss || !audiencesOf(aud).includes(audience)) continue
          const key = yield* keys.find(jwksUrl, { alg, kid: said.header.kid })
          if (key === null) continue
          // The signature of ES256 in a JWT is two numbers, not the list of ASN.1 that is usual elsewhere.
          const by = alg === "ES256" ? { key, dsaEncoding: "ieee-p1363" as const } : key
          if (isSignedBy("sha256", Buffer.from(said.signed), by, said.signature)) return true
        }
        return false
      })

      return {
        verify: Effect.fn("Assertions.verify")(function* (projectId, assertion) {
          const said = saidOf(assertion)
          if (said === null) return yield* invalid
          const nowS = (yield* Clock.currentTimeMillis) / 1000
          if (!isValidAt(said.claims, nowS)) return yield* invalid
          const { alg } = said.header
          const proven = yield* alg === "HS256"
            ? bySecret(projectId, said)
            : byProvider(projectId, said, alg)
          if (!proven) return yield* invalid
          return { issuer: said.claims.iss, subject: said.claims.sub }
        })
      }
    })
  ).pipe(Layer.provide(JwksKeys.layer))
}

/** A token in three parts with what it must say; `null` = it is none, or too long. */
const saidOf = (token: string): Said | null => {
  if (token.length > IdentityLimits.assertionBytes.max) return null
  const [head = "", body = "", signature = "", ...more] = token.split(".")
  if (more.length > 0 || !/^[A-Za-z0-9_.-]+$/.test(token)) return null
  const header = Option.getOrNull(decodeHeader(textOf(head)))
  const claims = Option.getOrNull(decodeClaims(textOf(body)))
  // What a header says must be understood (RFC 7515, 4.1.11) is not understood here.
  if (header === null || claims === null || header.crit !== undefined) return null
  if (Buffer.byteLength(claims.sub) > IdentityLimits.subjectBytes.max) return null
  return {
    header,
    claims,
    signed: `${head}.${body}`,
    signature: Buffer.from(signature, "base64url")
  }
}

const audiencesOf = (aud: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof aud === "string" ? [aud] : aud

const textOf = (part: string): string => Buffer.from(part, "base64url").toString("utf8")

const isValidAt = ({ exp, iat = 0, nbf = 0 }: typeof Claims.Type, nowS: number): boolean => {
  const leewayS = IdentityLimits.clockLeeway.ms / 1000
  return exp > nowS - leewayS && nbf <= nowS + leewayS && iat <= nowS + leewayS
}

const hasMac = ({ signed, signature }: Said, secret: string): boolean => {
  const right = createHmac("sha256", secret).update(signed).digest()
  return signature.length === right.length && timingSafeEqual(signature, right)
}
