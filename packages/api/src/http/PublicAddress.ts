import { BadRequest } from "@atrium/domain/shared/Refusal"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"

import { ClientAddresses } from "./ClientAddresses.ts"

type Headers = Readonly<Record<string, string | undefined>>

/**
 * Whether the browser speaks https, which this service does not: its own pages say so by their
 * origin, and a proxy by `x-forwarded-proto`. A client that lies about it only loses a cookie. Source: C-67.
 */
export const isHttps = (headers: Headers): boolean =>
  headers["origin"]?.startsWith("https://") === true ||
  headers["x-forwarded-proto"]?.split(",", 1)[0]?.trim() === "https"

/** `https://atrium.example` as the caller knows it; `null` = no host that could be put into a link. */
export const publicUrlOf = (headers: Headers): string | null => {
  const host = headers["host"] ?? ""
  const fits = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/.test(host)
  return fits ? `${isHttps(headers) ? "https" : "http"}://${host}` : null
}

/** Where this service is, for the one who asks. */
export const publicUrl = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
  const url = publicUrlOf(headers)
  return url === null
    ? Effect.fail(new BadRequest({ message: "header host: not a host name" }))
    : Effect.succeed(url)
})

/** The address of the caller. Source: D-26. */
export const clientAddress = Effect.gen(function* () {
  const { headers, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
  const addresses = yield* ClientAddresses
  return addresses.of(Option.getOrUndefined(remoteAddress), headers)
})
