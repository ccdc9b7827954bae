import { isSecret } from "@atrium/domain/shared/Ids"
import { type Endpoint, endpointOf } from "@atrium/sdk/client/Endpoint"
import { Config, Effect, Option, Redacted } from "effect"

import { Misused } from "../CommandFailure.ts"
import {
  type AddressSource,
  defaultAddress,
  keyDestination,
  originOf
} from "../keys/KeyDestination.ts"
import { findLogin } from "../logins/LoginsFile.ts"

/** Where a command's credential is from. */
export type CredentialSource = "SERVICE_API_KEY" | "ATRIUM_TOKEN" | "login"

/** The service that a command talks to. */
export interface ServiceAddress {
  readonly endpoint: Endpoint
  /** As logins are kept. */
  readonly origin: string
}

/** The service that a command talks to, and its credential. */
export interface ServiceSettings extends ServiceAddress {
  readonly credential: { readonly secret: Redacted.Redacted; readonly source: CredentialSource }
}

/**
 * The address: `--url`, then `SERVICE_CONTROL_URL`, then `ATRIUM_URL`, then this machine. Refused when
 * it is one that no credential may be sent to. Spec: Command-line equivalents; C-74.
 */
export const serviceAddress = Effect.fn("ServiceSettings.address")(function* (
  url: Option.Option<string>
) {
  const { address, source } = yield* addressOf(url)
  const destination = yield* Effect.try({
    try: () => ({ may: keyDestination(address, source), origin: originOf(address) }),
    catch: (error) =>
      new Misused({ message: `${source}: ${error instanceof Error ? error.message : address}` })
  })
  const { may, origin } = destination
  if (may === "afterLogin" && (yield* findLogin(origin)) === null) {
    const message =
      `${source} names ${origin}, and no credential is sent to a host that only the environment names: ` +
      `say --url ${origin}, or once: atrium login --url ${origin}`
    return yield* new Misused({ message })
  }
  const found: ServiceAddress = { endpoint: endpointOf(address), origin }
  return found
})

/**
 * The settings of a command that only an account may run: the login token of `ATRIUM_TOKEN`, else the stored login.
 * No token stands on the command line, as every process of the machine can read that. Source: C-28.
 */
export const loginSettings = Effect.fn("ServiceSettings.login")(function* (
  url: Option.Option<string>
) {
  const address = yield* serviceAddress(url)
  const credential = yield* loginAt(address.origin)
  if (credential === null) {
    const message =
      `ATRIUM_TOKEN is not set, and nobody is logged in at ${address.origin}: run ` +
      `\`${loginCommand(address)}\`, or export the token (ct_…) that the service showed at its first start`
    return yield* new Misused({ message })
  }
  const settings: ServiceSettings = { ...address, credential }
  return settings
})

/** The settings of a command on rooms: the API key of `SERVICE_API_KEY`, else a login. Spec: Command-line equivalents; C-73. */
export const roomSettings = Effect.fn("ServiceSettings.rooms")(function* (
  url: Option.Option<string>
) {
  const address = yield* serviceAddress(url)
  const key = yield* secretOf("SERVICE_API_KEY")
  const credential = key ?? (yield* loginAt(address.origin))
  if (credential === null) {
    const message =
      `SERVICE_API_KEY is not set, and nobody is logged in at ${address.origin}: export a key ` +
      `(\`atrium api-keys mint\` makes one), or run \`${loginCommand(address)}\``
    return yield* new Misused({ message })
  }
  const settings: ServiceSettings = { ...address, credential }
  return settings
})

/** Whether the environment says a login token, which goes before a stored one. */
export const tokenIsNamed = Effect.suspend(() =>
  Effect.map(
    given(Config.String("ATRIUM_TOKEN"), (value) => value),
    Option.isSome
  )
)

const loginAt = Effect.fnUntraced(function* (origin: string) {
  const named = yield* secretOf("ATRIUM_TOKEN")
  if (named !== null) return named
  const login = yield* findLogin(origin)
  return login === null ? null : { secret: Redacted.make(login.token), source: "login" as const }
})

const loginCommand = ({ origin }: ServiceAddress): string =>
  origin === defaultAddress ? "atrium login" : `atrium login --url ${origin}`

const variables = {
  SERVICE_API_KEY: { kind: "apiKey", form: "no API key: that is rk_" },
  ATRIUM_TOKEN: { kind: "loginToken", form: "no login token: that is ct_" }
} as const

/** The secret in a variable, if any; one of another form is refused unseen. */
const secretOf = Effect.fnUntraced(function* (source: keyof typeof variables) {
  const { kind, form } = variables[source]
  const secret = yield* given(Config.Redacted(source), (value) => Redacted.value(value))
  if (Option.isNone(secret)) return null
  if (!isSecret(kind, Redacted.value(secret.value))) {
    const message = `${source} is ${form} and 43 characters of A-Z a-z 0-9 _ -`
    return yield* new Misused({ message })
  }
  return { secret: secret.value, source }
})

const addressOf = Effect.fnUntraced(function* (url: Option.Option<string>) {
  const named = (address: string, source: AddressSource) => ({ address, source })
  if (Option.isSome(url)) return named(url.value, "--url")
  for (const source of ["SERVICE_CONTROL_URL", "ATRIUM_URL"] as const) {
    const address = yield* given(Config.String(source), (value) => value)
    if (Option.isSome(address)) return named(address.value, source)
  }
  return named(defaultAddress, "default")
})

/** A variable that is set to nothing is as good as one that is not set. */
const given = <A>(variable: Config.Config<A>, textOf: (value: A) => string) =>
  Effect.map(
    Effect.orDie(Config.option(variable)),
    Option.filter((value) => textOf(value) !== "")
  )
