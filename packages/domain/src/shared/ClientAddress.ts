import { Option, Result } from "effect"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"

/** The client of a request, as far as the service can tell. */
export interface ClientAddress {
  /** In its shortest form; `unknown` = the connection has no address of the Internet. */
  readonly text: string
  /** Whose limits count: an IPv4 address, or the /64 network of an IPv6 address. */
  readonly subject: string
  /** The operator wants no limit of an address to count for it. */
  readonly exempt: boolean
}

/** What the operator says of addresses. */
export interface AddressRules {
  /** Networks of proxies whose `x-forwarded-for` is believed. */
  readonly trustedProxies: ReadonlyArray<IpNetwork.IpNetwork>
  readonly exempt: ReadonlyArray<IpNetwork.IpNetwork>
}

/** Nobody's header counts, and everybody's limits do. */
export const noAddressRules: AddressRules = { trustedProxies: [], exempt: [] }

const unknown: ClientAddress = { text: "unknown", subject: "unknown", exempt: false }

/** Bits of an IPv6 address that say whose it is: the rest its owner chooses. Spec: Connection limits. */
const ownerBits = 64

/**
 * The peer, or, when it is a trusted proxy, the right-most address of the header that is none. What
 * stands left of that, or of anything that is no address, may be a lie. Source: D-26.
 *
 * @param peer the other end of the socket, as Node names it
 * @param forwarded `x-forwarded-for`, several of them joined by commas
 */
export const clientAddressOf = (
  peer: string | undefined,
  forwarded: string | undefined,
  rules: AddressRules
): ClientAddress => {
  // A link-local peer comes with the name of its interface.
  let address = readAddress(peer?.split("%", 1)[0] ?? "")
  if (address === null) return unknown
  let rest = forwarded ?? ""
  while (rest !== "" && isIn(rules.trustedProxies, address)) {
    const comma = rest.lastIndexOf(",")
    const before = readHop(rest.slice(comma + 1).trim())
    if (before === null) break
    address = before
    rest = rest.slice(0, Math.max(comma, 0))
  }
  return {
    text: NetAddress.formatIp(address),
    subject: subjectOf(address),
    exempt: isIn(rules.exempt, address)
  }
}

/**
 * Reads addresses and CIDR networks with commas between them.
 *
 * @returns the networks, or the first entry that is neither an address nor a network
 */
export const readNetworks = (
  text: string
): { readonly networks: ReadonlyArray<IpNetwork.IpNetwork> } | { readonly bad: string } => {
  const networks: Array<IpNetwork.IpNetwork> = []
  for (const entry of text.split(",").map((each) => each.trim())) {
    if (entry === "") continue
    const network = readNetwork(entry)
    if (network === null) return { bad: entry }
    networks.push(network)
  }
  return { networks }
}

const readAddress = (text: string): NetAddress.IpAddress | null =>
  Option.getOrNull(
    Option.map(Result.getSuccess(NetAddress.ipFromString(text)), (address) =>
      NetAddress.toCanonical(address)
    )
  )

/** An address in the header. Some proxies write the port behind it. */
const readHop = (text: string): NetAddress.IpAddress | null => {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(text) ?? []
  return readAddress(v6 ?? v4 ?? text)
}

/** Prefix of the IPv6 addresses that stand for IPv4 addresses. */
const mappedBits = 96

/** IPv4 networks that are written as IPv6 become what they are, as addresses do. */
const readNetwork = (entry: string): IpNetwork.IpNetwork | null => {
  const single = readAddress(entry)
  if (single !== null) {
    return IpNetwork.makeUnsafe(single, NetAddress.width(single))
  }
  const network = Option.getOrNull(Result.getSuccess(IpNetwork.fromString(entry)))
  if (network === null || network.prefixLength < mappedBits) return network
  const address = NetAddress.toCanonical(network.address)
  const mapped = NetAddress.width(address) !== NetAddress.width(network.address)
  return mapped ? IpNetwork.makeUnsafe(address, network.prefixLength - mappedBits) : network
}

const isIn = (
  networks: ReadonlyArray<IpNetwork.IpNetwork>,
  address: NetAddress.IpAddress
): boolean => networks.some((network) => IpNetwork.contains(network, address))

const subjectOf = (address: NetAddress.IpAddress): string =>
  NetAddress.isIpv4Address(address)
    ? NetAddress.formatIp(address)
    : IpNetwork.format(IpNetwork.fromAddressUnsafe(address, ownerBits))
