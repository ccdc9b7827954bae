import { Account, LoginRequired, NoApiKey } from "@atrium/domain/http/Credential"
import { SecretPrefix } from "@atrium/domain/shared/Ids"
import { Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"

import { AuditLog } from "../audit/AuditLog.ts"
import { makeLoginCredential } from "./LoginCredential.ts"

/** Lets login credentials of any account through. */
export const LoginAuth = Layer.effect(
  LoginRequired,
  Effect.gen(function* () {
    const login = yield* makeLoginCredential
    const auditLog = yield* AuditLog
    return {
      bearer: Effect.fnUntraced(function* (httpEffect, { credential, endpoint }) {
        const account = yield* login.accountOf(credential)
        if (Option.isNone(account)) return yield* new Unauthenticated()
        const { tokenId: actor, accountId } = account.value
        return yield* Effect.provideService(httpEffect, Account, account.value).pipe(
          auditLog.around(endpoint, { actor, accountId, projectId: null })
        )
      })
    }
  })
)

/** Turns API keys away, whether there is such a key or not: nothing is looked up. */
export const KeylessAuth = Layer.succeed(
  NoApiKey,
  Effect.fnUntraced(function* (httpEffect) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const [, bearer = ""] = /^bearer +(.*)/i.exec(headers["authorization"] ?? "") ?? []
    if (bearer.startsWith(SecretPrefix.apiKey)) return yield* new Unauthenticated()
    return yield* httpEffect
  })
)
