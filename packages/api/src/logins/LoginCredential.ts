import { LoginStore } from "@atrium/actors/logins/LoginStore"
import { type Account, sessionCookie } from "@atrium/domain/http/Credential"
import { isSecret } from "@atrium/domain/shared/Ids"
import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"

import { foreignSession, isSameOrigin, mayRead } from "../http/SameOrigin.ts"

/**
 * The account whose login credential a request bears: no other place knows the kinds of credentials. A text that
 * has not the form of one is no question to the store. The cookie counts only where no `authorization`
 * is sent, and only for the service's own pages; an address that a person types or opens reads, too.
 */
export const makeLoginCredential = Effect.gen(function* () {
  const logins = yield* LoginStore
  const accountOf = Effect.fnUntraced(function* (bearer: Redacted.Redacted) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const fromCookie = request.headers["authorization"] === undefined
    const secret = fromCookie ? (request.cookies[sessionCookie] ?? "") : Redacted.value(bearer)
    // A page of a sibling name or of another port brings the cookie, too. It has no credential here.
    if (fromCookie && reads.has(request.method) && !mayRead(request.headers)) {
      return Option.none<Account["Service"]>()
    }
    const known = isSecret("session", secret) || (!fromCookie && isSecret("loginToken", secret))
    const found = known ? yield* logins.find(secret) : Option.none()
    if (Option.isNone(found)) return Option.none<Account["Service"]>()
    const { account, login } = found.value
    if (fromCookie && !reads.has(request.method) && !isSameOrigin(request.headers)) {
      return yield* foreignSession()
    }
    yield* logins.used(login)
    return Option.some({ ...account, tokenId: login.tokenId, kind: login.kind })
  })
  return { accountOf }
})

const reads: ReadonlySet<string> = new Set(["GET", "HEAD"])
