import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { expect, layer } from "@effect/vitest"
import { Clock, Effect, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"

import { makeSecret } from "../store/Secrets.ts"
import { AccountStore } from "./AccountStore.ts"
import { LoginStore } from "./LoginStore.ts"

const dayMs = 86_400_000

/** An account of its own, and its logins. */
const given = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const { accountId } = yield* accounts.create("Ann")
  return { accountId, logins: yield* LoginStore }
})

/**
 * The behaviour of every layer of `LoginStore`.
 * @param name of the layer, as the report shows it
 */
export const loginStoreContract = (
  name: string,
  stores: Layer.Layer<AccountStore | LoginStore, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[D-23] a login is found by its secret alone", () =>
      Effect.gen(function* () {
        const createdAtMs = yield* Clock.currentTimeMillis
        const { accountId, logins } = yield* given
        yield* TestClock.adjust(1234)
        const made = yield* logins.issue({ accountId, kind: "cli", label: "laptop" })
        expect(made).toEqual({
          account: { accountId, name: "Ann", createdAtMs },
          login: {
            tokenId: made.login.tokenId,
            label: "laptop",
            kind: "cli",
            createdAtMs: createdAtMs + 1234,
            lastUsedMs: null,
            expiresAtMs: createdAtMs + 1234 + 90 * dayMs
          },
          secret: made.secret
        })
        expect(made.secret).toMatch(/^ct_[A-Za-z0-9_-]{43}$/)
        const { secret, ...known } = made
        expect(yield* logins.find(secret)).toEqual(Option.some(known))
        const session = yield* logins.issue({ accountId, kind: "session", label: "browser" })
        expect(session.secret).toMatch(/^cs_[A-Za-z0-9_-]{43}$/)
        for (const wrong of ["", makeSecret("loginToken"), `cs_${secret.slice(3)}`]) {
          expect(yield* logins.find(wrong)).toEqual(Option.none())
        }
      })
    )

    it.effect(
      "[D-23] a CLI token lives 90 days from its last use, a session 30 from its login",
      () =>
        Effect.gen(function* () {
          const { accountId, logins } = yield* given
          const account = yield* logins.issue({ accountId, kind: "account", label: "first" })
          const cli = yield* logins.issue({ accountId, kind: "cli", label: "laptop" })
          const session = yield* logins.issue({ accountId, kind: "session", label: "browser" })
          const valid = Effect.forEach([account, cli, session], ({ secret }) =>
            Effect.map(logins.find(secret), Option.isSome)
          )
          const use = (secret: string) =>
            Effect.flatMap(logins.find(secret), (found) =>
              logins.used(Option.getOrThrow(found).login)
            )
          yield* TestClock.adjust(30 * dayMs - 1)
          yield* Effect.forEach([account, cli, session], ({ secret }) => use(secret))
          expect(yield* valid).toEqual([true, true, true])
          yield* TestClock.adjust(1)
          expect(yield* valid).toEqual([true, true, false])
          yield* TestClock.adjust(90 * dayMs - 2)
          expect(yield* valid).toEqual([true, true, false])
          yield* TestClock.adjust(1)
          expect(yield* valid).toEqual([true, false, false])
          expect((yield* logins.list(accountId)).map(({ kind }) => kind)).toEqual(["account"])
        })
    )

    it.effect("[D-23] the last use is written once a minute at most", () =>
      Effect.gen(function* () {
        const { accountId, logins } = yield* given
        const { secret } = yield* logins.issue({ accountId, kind: "cli", label: "laptop" })
        const usedAfter = (ms: number) =>
          Effect.gen(function* () {
            yield* TestClock.adjust(ms)
            yield* logins.used(Option.getOrThrow(yield* logins.find(secret)).login)
            return Option.getOrThrow(yield* logins.find(secret)).login.lastUsedMs
          })
        const everyMs = LoginLimits.loginUseWrites.ms
        const startMs = yield* Clock.currentTimeMillis
        expect(yield* usedAfter(5)).toBe(startMs + 5)
        expect(yield* usedAfter(everyMs - 1)).toBe(startMs + 5)
        expect(yield* usedAfter(1)).toBe(startMs + 5 + everyMs)
      })
    )

    it.effect("[D-23] a revoked token is no login any more, and no account revokes another's", () =>
      Effect.gen(function* () {
        const { accountId, logins } = yield* given
        const { accountId: strangerId } = yield* given
        const first = yield* logins.issue({ accountId, kind: "cli", label: "first" })
        yield* TestClock.adjust(1)
        const second = yield* logins.issue({ accountId, kind: "cli", label: "second" })
        const { tokenId } = first.login
        const strangers = yield* Effect.flip(logins.revoke(strangerId, tokenId))
        expect(strangers._tag).toBe("E_TOKEN_NOT_FOUND")
        expect(Option.isSome(yield* logins.find(first.secret))).toBe(true)
        expect((yield* logins.list(accountId)).map(({ label }) => label)).toEqual([
          "second",
          "first"
        ])
        expect(yield* logins.revoke(accountId, tokenId)).toEqual(first.login)
        expect((yield* Effect.flip(logins.revoke(accountId, tokenId)))._tag).toBe(
          "E_TOKEN_NOT_FOUND"
        )
        expect(yield* logins.find(first.secret)).toEqual(Option.none())
        // A use that was under way does not bring it back.
        yield* logins.used(first.login)
        expect(yield* logins.find(first.secret)).toEqual(Option.none())
        expect(yield* logins.list(accountId)).toEqual([second.login])
        expect(yield* logins.list(strangerId)).toEqual([])
      })
    )

    it.effect("[D-23] past the most logins of an account the one used longest ago ends", () =>
      Effect.gen(function* () {
        const { accountId, logins } = yield* given
        const owner = yield* logins.issue({ accountId, kind: "account", label: "owner" })
        const { max } = LoginLimits.logins
        const made = yield* Effect.forEach(Array.from({ length: max }), (_, at) =>
          Effect.andThen(
            TestClock.adjust(1),
            logins.issue({ accountId, kind: at % 2 === 0 ? "cli" : "session", label: `${at}` })
          )
        )
        expect(yield* logins.list(accountId)).toHaveLength(max + 1)
        yield* TestClock.adjust(1)
        const [oldest, next] = made
        if (oldest === undefined || next === undefined) throw new Error("none was made")
        yield* logins.used(oldest.login)
        yield* logins.issue({ accountId, kind: "cli", label: "one more" })
        const left = yield* logins.list(accountId)
        expect(left).toHaveLength(max + 1)
        const ids = left.map(({ tokenId }) => tokenId)
        expect(ids).toContain(owner.login.tokenId)
        expect(ids).toContain(oldest.login.tokenId)
        expect(ids).not.toContain(next.login.tokenId)
      })
    )
  })
