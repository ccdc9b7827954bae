import { Option, Result } from "effect"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"

const networks = (list: string): ReadonlyArray<IpNetwork.IpNetwork> =>
  list.split(" ").map((text) => Result.getOrThrow(IpNetwork.fromString(text)))

/** IPv4 networks that are not of the public Internet (RFC 6890), and those for many receivers. */
const notPublic4 = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 " +
    "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 " +
    "224.0.0.0/4 240.0.0.0/4"
)

/** All IPv6 addresses of the public Internet are in here. */
const public6 = networks("2000::/3")

/** Of them those of tunnels, which carry IPv4 addresses, and those of examples. */
const notPublic6 = networks("2001::/23 2001:db8::/32 2002::/16 3fff::/20")

/**
 * Whether an address is one of the public Internet: neither this machine, nor its networks, nor an
 * IPv4 address in the clothes of IPv6. Text that is no address is none. Source: C-542.
 */
export const isPublicAddress = (text: string): boolean => {
  const address = Option.getOrNull(Result.getSuccess(NetAddress.ipFromString(text)))
  if (address === null) return false
  const isIn = (list: ReadonlyArray<IpNetwork.IpNetwork>): boolean =>
    list.some((network) => IpNetwork.contains(network, address))
  return NetAddress.isIpv4Address(address) ? !isIn(notPublic4) : isIn(public6) && !isIn(notPublic6)
}
