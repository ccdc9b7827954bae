import { DeviceLoginStore } from "@atrium/actors/logins/DeviceLoginStore"
import { InvitationStore } from "@atrium/actors/logins/InvitationStore"
import type { IssuedLogin } from "@atrium/actors/logins/LoginRows"
import { LoginStore } from "@atrium/actors/logins/LoginStore"
import { SharedRates } from "@atrium/actors/rates/SharedRates"
import { apiOf } from "@atrium/domain/http/Api"
import { Account, sessionCookie } from "@atrium/domain/http/Credential"
import { ApprovalApi, LoginApi } from "@atrium/domain/logins/LoginApi"
import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { endsAtLogout } from "@atrium/domain/logins/LoginToken"
import { readUserCode } from "@atrium/domain/logins/UserCode"
import { isSecret } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { LoginCodeUnknown, Unauthenticated } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSecurity } from "effect/http-api"

import { clientAddress, isHttps, publicUrl } from "../http/PublicAddress.ts"
import { RateGate } from "../http/RateGate.ts"
import { foreignSession, isSameOrigin } from "../http/SameOrigin.ts"

const security = HttpApiSecurity.apiKey({ key: sessionCookie, in: "cookie" })

const setCookie = (secret: string, maxAgeMs: number) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    HttpApiBuilder.securitySetCookie(security, secret, {
      httpOnly: true,
      sameSite: "strict",
      secure: isHttps(headers),
      path: "/",
      maxAge: maxAgeMs
    })
  )

/** Gives the browser its session; no script of any page can read it. Source: D-23. */
const giveSession = (secret: string) => setCookie(secret, LoginLimits.sessionLife.ms)

/**
 * Refuses what a page of another origin asks for: it could log its visitor in as somebody else.
 * Programs name no origin, and may.
 */
const ownPagesOnly = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const isPage = headers["origin"] !== undefined || headers["sec-fetch-site"] !== undefined
  return isPage && !isSameOrigin(headers) ? Effect.fail(foreignSession()) : Effect.void
})

/** Takes the browser's session away. */
const takeSession = setCookie("", 0)

const tokenOf = ({ account, login, secret }: IssuedLogin) => ({
  token: secret,
  tokenId: login.tokenId,
  accountId: account.accountId,
  name: account.name,
  expiresAt: login.expiresAtMs === null ? null : isoOf(login.expiresAtMs)
})

/** How logins are obtained. */
export const LoginHandlers = HttpApiBuilder.group(
  apiOf(LoginApi),
  "login",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* DeviceLoginStore
    const invitations = yield* InvitationStore
    const logins = yield* LoginStore
    const starts = new RateGate((yield* SharedRates).of(LoginLimits.deviceStarts))
    return handlers.handleAll({
      startDevice: Effect.fn("login.startDevice")(function* ({ payload }) {
        const url = yield* publicUrl
        yield* starts.pass((yield* clientAddress).subject)
        const { deviceCode, userCode } = yield* devices.start(payload.label ?? "command line")
        return {
          deviceCode,
          userCode,
          verificationUri: `${url}/login?code=${userCode}`,
          expiresIn: LoginLimits.deviceLoginLife.ms / 1000,
          interval: LoginLimits.devicePoll.ms / 1000
        }
      }),
      takeToken: Effect.fn("login.takeToken")(function* ({ payload }) {
        return tokenOf(yield* devices.poll(payload.deviceCode))
      }),
      startSession: Effect.fn("login.startSession")(function* ({ payload: { token } }) {
        yield* ownPagesOnly
        const found = isSecret("loginToken", token) ? yield* logins.find(token) : Option.none()
        if (Option.isNone(found)) return yield* new Unauthenticated()
        yield* logins.used(found.value.login)
        const { accountId } = found.value.account
        const issued = yield* logins.issue({ accountId, kind: "session", label: "browser" })
        yield* giveSession(issued.secret)
        const { name, expiresAt } = tokenOf(issued)
        return { accountId, name, expiresAt }
      }),
      acceptInvitation: Effect.fn("login.acceptInvitation")(function* ({ payload }) {
        return tokenOf(yield* invitations.accept(payload))
      })
    })
  })
)

/** What a person who is logged in does with logins. */
export const ApprovalHandlers = HttpApiBuilder.group(
  apiOf(ApprovalApi),
  "approval",
  Effect.fnUntraced(function* (handlers) {
    const devices = yield* DeviceLoginStore
    const logins = yield* LoginStore
    const tries = new RateGate((yield* SharedRates).of(LoginLimits.userCodeTries))
    const codeOf = Effect.fnUntraced(function* (typed: string) {
      const { accountId } = yield* Account
      yield* tries.pass(accountId)
      const userCode = readUserCode(typed)
      if (userCode === null) return yield* new LoginCodeUnknown()
      return { userCode, accountId }
    })
    return handlers.handleAll({
      readDevice: Effect.fn("login.readDevice")(function* ({ params }) {
        const { userCode } = yield* codeOf(params.userCode)
        const { label, expiresAtMs } = yield* devices.look(userCode)
        return { userCode, label, expiresAt: isoOf(expiresAtMs) }
      }),
      decide: Effect.fn("login.decide")(function* ({ payload: { userCode: typed, allow } }) {
        const code = yield* codeOf(typed)
        const { label } = yield* devices.decide({ ...code, allow })
        return { userCode: code.userCode, label, allow }
      }),
      logout: Effect.fn("login.logout")(function* () {
        const { accountId, tokenId, kind } = yield* Account
        yield* takeSession
        if (endsAtLogout(kind)) yield* Effect.ignore(logins.revoke(accountId, tokenId))
      })
    })
  })
)
