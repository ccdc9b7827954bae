import { isSecret } from "@atrium/domain/Ids"
import { type Endpoint, endpointOf } from "@atrium/sdk/client/Endpoint"
import { Config, Effect, Option, Redacted } from "effect"

import { Misused } from "./CommandFailure.ts"

/** Which service a command talks to, and as whom. */
export interface ServiceSettings {
  readonly endpoint: Endpoint
  readonly token: Redacted.Redacted
}

const defaultUrl = "http://127.0.0.1:8787"

/**
 * The address: `--url`, then `ATRIUM_URL`, then this machine. The login token: `ATRIUM_TOKEN` only,
 * as a command line can be read by every process of the machine.
 */
export const serviceSettings = Effect.fn("ServiceSettings.read")(function* (
  url: Option.Option<string>
) {
  const environment = yield* Effect.orDie(variables)
  const source = Option.isSome(url) ? "--url" : "ATRIUM_URL"
  const address = Option.getOrElse(
    Option.orElse(url, () => environment.url),
    () => defaultUrl
  )
  const endpoint = yield* Effect.try({
    try: () => endpointOf(address),
    catch: (error) =>
      new Misused({ message: `${source}: ${error instanceof Error ? error.message : address}` })
  })
  if (Option.isNone(environment.token)) {
    return yield* new Misused({
      message:
        "ATRIUM_TOKEN is not set: the service shows your login token (ct_…) at its first start; " +
        "then run: export ATRIUM_TOKEN=ct_…"
    })
  }
  const token = environment.token.value
  if (!isSecret("loginToken", Redacted.value(token))) {
    return yield* new Misused({
      message: "ATRIUM_TOKEN is no login token: that is ct_ and 43 characters of A-Z a-z 0-9 _ -"
    })
  }
  const settings: ServiceSettings = { endpoint, token }
  return settings
})

/** A variable that is set to nothing is as good as one that is not set. */
const variables = Config.all({
  url: Config.map(
    Config.option(Config.String("ATRIUM_URL")),
    Option.filter((url) => url !== "")
  ),
  token: Config.map(
    Config.option(Config.Redacted("ATRIUM_TOKEN")),
    Option.filter((token) => Redacted.value(token) !== "")
  )
})
