import { expect, layer } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"

import { makeSecret } from "../store/Secrets.ts"
import { AccountStore } from "./AccountStore.ts"
import { LoginStore } from "./LoginStore.ts"

const tokens = Array.from({ length: 8 }, () => makeSecret("loginToken"))

/**
 * The behaviour of every layer of `AccountStore`.
 * @param name of the layer, as the report shows it
 */
export const accountStoreContract = (
  name: string,
  stores: Layer.Layer<AccountStore | LoginStore, unknown>
): void =>
  layer(stores)(name, (it) => {
    it.effect("[D-50] eight first starts at once make one owner, by one of their tokens", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        expect(Option.isNone(yield* accounts.owner)).toBe(true)
        const starts = yield* Effect.forEach(tokens, (token) => accounts.bootstrap(token), {
          concurrency: 8
        })
        const winner = starts.findIndex(({ created }) => created)
        expect(starts.filter(({ created }) => created)).toHaveLength(1)
        const logins = yield* LoginStore
        const found = yield* Effect.forEach(tokens, (token) => logins.find(token))
        expect(found.findIndex(Option.isSome)).toBe(winner)
        expect(found.filter(Option.isSome)).toHaveLength(1)
        expect(Option.map(found[winner] ?? Option.none(), ({ account }) => account)).toEqual(
          yield* accounts.owner
        )
        expect(yield* accounts.bootstrap(tokens[winner] ?? "")).toEqual({ created: false })
        for (const wrong of ["", "ct_", makeSecret("loginToken")]) {
          expect(Option.isNone(yield* logins.find(wrong))).toBe(true)
        }
      })
    )
  })
