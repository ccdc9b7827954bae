import { createPublicKey, type KeyObject } from "node:crypto"

import { RecentlyRead } from "@atrium/actors/store/RecentlyRead"
import { SharedReads } from "@atrium/actors/store/SharedReads"
import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { type JwksReadings, jwksStep } from "@atrium/domain/identity/JwksAge"
import { ProviderUnreachable } from "@atrium/domain/shared/Refusal"
import { Clock, Context, Effect, Layer, Option, Result, Schema, Semaphore } from "effect"

import { fetchJwks, JwksHosts } from "./JwksFetch.ts"

/** The algorithms of assertions that a provider's key has signed. */
export type ProviderAlgorithm = "RS256" | "ES256"

/** The key that an assertion says has signed it; `kid` absent = it says none. */
interface Wanted {
  readonly alg: ProviderAlgorithm
  readonly kid: string | undefined
}

/** A public key of a provider. */
interface ProviderKey extends Wanted {
  readonly key: KeyObject
}

interface Known extends JwksReadings {
  readonly keys: ReadonlyArray<ProviderKey>
}

const nothing: Known = { readAtMs: null, triedAtMs: null, keys: [] }

/** The public keys of identity providers, read from their JWKS addresses and kept for a while. Source: C-542. */
export class JwksKeys extends Context.Service<
  JwksKeys,
  {
    /** The key that has signed, if it is one of the address; `null` = it is none of them. */
    find(jwksUrl: string, wanted: Wanted): Effect.Effect<KeyObject | null, ProviderUnreachable>
  }
>()("@atrium/api/identity/JwksKeys") {
  static readonly layer = Layer.effect(
    JwksKeys,
    Effect.gen(function* () {
      const hosts = yield* JwksHosts
      const turns = Semaphore.makeUnsafe(IdentityLimits.jwksReads.max)
      const known = new RecentlyRead<Known>({
        weightMax: IdentityLimits.jwksAddressesKept.max,
        weightOf: () => 1
      })

      const read = Effect.fnUntraced(function* (url: string) {
        const before = known.get(url) ?? nothing
        const nowMs = yield* Clock.currentTimeMillis
        // Another assertion has read it while this one waited.
        if (jwksStep(before, { nowMs, hasKey: false }) !== "read") return before
        const read = yield* turns
          .withPermit(fetchJwks(url, hosts))
          .pipe(Effect.flatMap(keysOf), Effect.result)
        if (Result.isFailure(read)) {
          yield* Effect.logWarning(`JWKS address ${url}: ${read.failure.why}`)
        }
        const after = Result.match(read, {
          onSuccess: (keys): Known => ({ keys, readAtMs: nowMs, triedAtMs: nowMs }),
          onFailure: (): Known => ({ ...before, triedAtMs: nowMs })
        })
        known.set(url, after)
        return after
      })
      const reads = new SharedReads<Known>({
        load: read,
        run: Effect.runForkWith(yield* Effect.context<never>())
      })

      return {
        find: Effect.fn("JwksKeys.find")(function* (url: string, wanted: Wanted) {
          const before = known.get(url) ?? nothing
          const hasKey = keyIn(before.keys, wanted) !== null
          const step = jwksStep(before, { nowMs: yield* Clock.currentTimeMillis, hasKey })
          const now = step === "read" ? yield* reads.read(url) : before
          const usable = jwksStep(now, { nowMs: yield* Clock.currentTimeMillis, hasKey: true })
          if (usable === "refuse" || now.readAtMs === null) return yield* unreachable
          return keyIn(now.keys, wanted)
        })
      }
    })
  )
}

const unreachable = Effect.suspend(() =>
  Effect.fail(new ProviderUnreachable({ message: "the provider's keys could not be read" }))
)

/** Without a `kid` there must be no choice. */
const keyIn = (keys: ReadonlyArray<ProviderKey>, { alg, kid }: Wanted): KeyObject | null => {
  const fitting = keys.filter((each) => each.alg === alg && (kid === undefined || each.kid === kid))
  const [only] = fitting
  return only !== undefined && (kid !== undefined || fitting.length === 1) ? only.key : null
}

const Jwks = Schema.Struct({ keys: Schema.Array(Schema.Unknown) })
const decodeJwks = Schema.decodeUnknownOption(Schema.fromJsonString(Jwks))

const common = {
  use: Schema.optionalKey(Schema.Literal("sig")),
  kid: Schema.optionalKey(Schema.String)
}
/** Moduli of 2048 to 4096 bits and small exponents: what a signature costs is bounded. */
const Rsa = Schema.Struct({
  ...common,
  kty: Schema.Literal("RSA"),
  alg: Schema.optionalKey(Schema.Literal("RS256")),
  n: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{340,684}$/)),
  e: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{2,6}$/))
})
const Ec = Schema.Struct({
  ...common,
  kty: Schema.Literal("EC"),
  alg: Schema.optionalKey(Schema.Literal("ES256")),
  crv: Schema.Literal("P-256"),
  x: Schema.String,
  y: Schema.String
})
const decodeKey = Schema.decodeUnknownOption(Schema.Union([Rsa, Ec]))

/** The keys that may sign assertions; others in the answer are left out. */
const keysOf = (
  text: string
): Effect.Effect<ReadonlyArray<ProviderKey>, { readonly why: string }> =>
  Option.match(decodeJwks(text), {
    onNone: () => Effect.fail({ why: "its answer is no JWKS" }),
    onSome: ({ keys }) => Effect.succeed(keys.slice(0, IdentityLimits.jwksKeys.max).flatMap(keyOf))
  })

const keyOf = (given: unknown): ReadonlyArray<ProviderKey> =>
  Option.match(decodeKey(given), {
    onNone: () => [],
    onSome: ({ kid, use: _use, alg: _alg, ...key }) => {
      const made = Result.try(() => createPublicKey({ key, format: "jwk" }))
      const alg = key.kty === "RSA" ? "RS256" : "ES256"
      return Result.isSuccess(made) ? [{ alg, kid, key: made.success }] : []
    }
  })
