import { Account, LoginRequired } from "@atrium/domain/http/Credential"
import { Unauthenticated } from "@atrium/domain/Refusal"
import { Effect, Layer, Option } from "effect"

import { makeLoginCredential } from "./LoginCredential.ts"

/** Lets login credentials through, whoever's they are. */
export const LoginAuth = Layer.effect(
  LoginRequired,
  Effect.gen(function* () {
    const login = yield* makeLoginCredential
    return {
      bearer: Effect.fnUntraced(function* (httpEffect, { credential }) {
        const account = yield* login.accountOf(credential)
        if (Option.isNone(account)) return yield* new Unauthenticated()
        return yield* Effect.provideService(httpEffect, Account, account.value)
      })
    }
  })
)
