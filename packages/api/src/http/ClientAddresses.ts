import {
  type AddressRules,
  type ClientAddress,
  clientAddressOf
} from "@atrium/domain/shared/ClientAddress"
import { Context, Layer } from "effect"

type Headers = Readonly<Record<string, unknown>>

/** Tells who calls, by what the operator says of proxies. Source: D-26, C-130. */
export class ClientAddresses extends Context.Service<
  ClientAddresses,
  {
    /**
     * @param peer the other end of the socket
     * @param headers of the request, names in lower case
     */
    of(peer: string | undefined, headers: Headers): ClientAddress
  }
>()("@atrium/api/http/ClientAddresses") {
  static readonly layer = (rules: AddressRules) =>
    Layer.succeed(ClientAddresses, {
      of: (peer, headers) => clientAddressOf(peer, forwardedIn(headers), rules)
    })
}

/** Node joins several headers of this name by commas. */
const forwardedIn = (headers: Headers): string | undefined => {
  const given = headers["x-forwarded-for"]
  return typeof given === "string" ? given : undefined
}
