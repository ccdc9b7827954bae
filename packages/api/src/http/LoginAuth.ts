import { AccountStore } from "@atrium/actors/store/AccountStore"
import { Account, LoginRequired } from "@atrium/domain/http/Credential"
import { isSecret } from "@atrium/domain/Ids"
import { Unauthenticated } from "@atrium/domain/Refusal"
import { Effect, Layer, Option, Redacted } from "effect"

/** Login tokens of developers: known by their SHA-256 only. */
export const LoginAuth = Layer.effect(
  LoginRequired,
  Effect.gen(function* () {
    const accounts = yield* AccountStore
    return {
      bearer: Effect.fnUntraced(function* (httpEffect, { credential }) {
        const token = Redacted.value(credential)
        const account = isSecret("loginToken", token)
          ? yield* accounts.accountOf(token)
          : Option.none()
        if (Option.isNone(account)) return yield* new Unauthenticated()
        return yield* Effect.provideService(httpEffect, Account, account.value)
      })
    }
  })
)
