import { RecentlyRead } from "@atrium/actors/store/RecentlyRead"
import { HttpLimits } from "@atrium/domain/http/HttpLimits"
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
    Layer.sync(ClientAddresses, () => {
      // Reading an address is slow, and most callers come again.
      const known = new RecentlyRead<ClientAddress>({
        weightMax: HttpLimits.rateSubjects.max,
        weightOf: () => 1
      })
      return {
        of: (peer, headers) => {
          const forwarded = forwardedIn(headers)
          if (forwarded !== undefined || peer === undefined)
            return clientAddressOf(peer, forwarded, rules)
          const kept = known.get(peer)
          if (kept !== undefined) return kept
          const read = clientAddressOf(peer, undefined, rules)
          known.set(peer, read)
          return read
        }
      }
    })
}

/** Node joins several headers of this name by commas. */
const forwardedIn = (headers: Headers): string | undefined => {
  const given = headers["x-forwarded-for"]
  return typeof given === "string" ? given : undefined
}
