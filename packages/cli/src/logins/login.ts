import { hostname } from "node:os"

import { LoginLimits } from "@atrium/domain/logins/LoginLimits"
import { isSecret } from "@atrium/domain/shared/Ids"
import { Clock, Console, Effect, Redacted } from "effect"
import { Command } from "effect/cli"

import { type CommandFailure, hinted, Refused } from "../CommandFailure.ts"
import { json, url } from "../projects/ProjectParameters.ts"
import { openService } from "../service/OpenService.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { serviceAddress, type ServiceAddress, tokenIsNamed } from "../service/ServiceSettings.ts"
import { printable } from "../terminal/Printable.ts"
import { withProgress } from "../terminal/Progress.ts"
import { findLogin, forgetLogin, keepLogin, type Login, loginsPath } from "./LoginsFile.ts"

/** `atrium login`: a person allows this machine in a browser. Source: D-23, D-50. */
export const login = Command.make(
  "login",
  { url, json },
  Effect.fn("atrium.login")(function* (input) {
    const address = yield* serviceAddress(input.url)
    // A file that cannot be used is told before somebody has gone to a browser for it.
    const before = yield* findLogin(address.origin)
    const kept = yield* allowedLogin(yield* openService(address))
    yield* keepLogin(address.origin, kept)
    yield* Console.error(
      `logged in at ${address.origin} as ${printable(kept.name)}; kept in ${yield* loginsPath}`
    )
    if (yield* tokenIsNamed) yield* Console.error("ATRIUM_TOKEN is set, and goes before it")
    if (before !== null) yield* Effect.ignore(revoke(address, before))
    if (!input.json) return
    const { accountId, name, expiresAt } = kept
    const result = { service: address.origin, accountId, name, expiresAt }
    yield* Console.log(JSON.stringify(result))
  })
).pipe(
  Command.withExamples([
    { command: "atrium login", description: "At the service on this machine" },
    { command: "atrium login --url https://rooms.example.com" },
    { command: "atrium login --json", description: "{service, accountId, name, expiresAt}" }
  ])
)

/** `atrium logout`: ends the login of this machine, here and at the service. */
export const logout = Command.make(
  "logout",
  { url, json },
  Effect.fn("atrium.logout")(function* (input) {
    const address = yield* serviceAddress(input.url)
    const { origin } = address
    const kept = yield* findLogin(origin)
    const result = JSON.stringify({ service: origin, loggedOut: kept !== null })
    if (kept === null) {
      yield* Console.error(`nobody is logged in at ${origin}`)
      return yield* input.json ? Console.log(result) : Effect.void
    }
    const revoked = yield* Effect.result(revoke(address, kept))
    yield* forgetLogin(origin)
    const failure = revoked._tag === "Failure" ? revoked.failure : null
    if (failure?._tag === "Refused" && !isOver(failure)) {
      return yield* failure.withHint(
        `the login is forgotten here, but stays valid at ${origin} until it is revoked there`
      )
    }
    yield* Console.error(`logged out at ${origin}`)
    if (input.json) yield* Console.log(result)
  })
).pipe(
  Command.withExamples([
    {
      command: "atrium logout --json",
      description: "{service, loggedOut}; false: nobody was logged in"
    }
  ])
)

/** The service says that there is nothing left to end. */
const isOver = ({ code }: Refused): boolean =>
  code === "E_UNAUTHENTICATED" || code === "E_TOKEN_NOT_FOUND"

const revoke = Effect.fnUntraced(function* (address: ServiceAddress, { token, tokenId }: Login) {
  const credential = { secret: Redacted.make(token), source: "login" as const }
  const { ask, me } = yield* openService({ ...address, credential })
  yield* ask(me.revokeToken({ params: { tokenId }, query: {} }))
})

/** Shows where to go, and waits until somebody has allowed the login there. */
const allowedLogin = Effect.fnUntraced(function* (service: ServiceClient) {
  const { ask, login: routes } = service
  const label = printable(`atrium on ${hostname()}`).slice(0, LoginLimits.loginLabelChars.max)
  const device = yield* ask(routes.startDevice({ query: {}, payload: { label } }))
  yield* Console.error(
    `open  ${printable(device.verificationUri)}\n` + `code  ${printable(device.userCode)}`
  )
  const { deviceCode, expiresIn } = device
  const intervalMs = Math.max(device.interval, 1) * 1000
  const endMs = (yield* Clock.currentTimeMillis) + expiresIn * 1000
  const taken = ask(routes.takeToken({ query: {}, payload: { deviceCode } })).pipe(
    hinted("E_LOGIN_CODE", "it was denied, or is over: run `atrium login` again")
  )
  return yield* polled({ taken, intervalMs, endMs }).pipe(
    withProgress("waiting until it is allowed there", "atOnce")
  )
})

interface Polled {
  readonly taken: Effect.Effect<Login, CommandFailure>
  readonly intervalMs: number
  readonly endMs: number
}

/** Asks until the answer is final, or until it is too late. */
const polled = Effect.fnUntraced(function* ({ taken, intervalMs, endMs }: Polled) {
  for (let waitMs = intervalMs; ;) {
    yield* Effect.sleep(waitMs)
    const answer = yield* Effect.result(taken)
    if (answer._tag === "Success") return yield* checked(answer.success)
    const againMs = pollsAgainAfter(answer.failure, intervalMs)
    if (againMs === null) return yield* answer.failure
    if ((yield* Clock.currentTimeMillis) + againMs > endMs) return yield* overdue
    waitMs = againMs
  }
})

/** How long to wait before the next question; `null` = the answer was final. */
const pollsAgainAfter = (failure: CommandFailure, intervalMs: number): number | null => {
  if (failure._tag === "Misused") return null
  if (failure.code === "E_LOGIN_PENDING") return intervalMs
  if (failure.code !== "E_RATE_LIMITED") return null
  return Math.max(failure.retryAfterMs ?? 0, intervalMs)
}

const overdue = Effect.fail(
  new Refused({ code: null, text: "nobody allowed the login in time; run `atrium login` again" })
)

/** A login that would make the file of logins unusable is not kept. */
const checked = (taken: Login): Effect.Effect<Login, Refused> =>
  isSecret("loginToken", taken.token)
    ? Effect.succeed(taken)
    : Effect.fail(new Refused({ code: null, text: "the service gave no login token" }))
