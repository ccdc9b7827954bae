import { randomInt } from "node:crypto"

import { Unsupported } from "../check/Expect.ts"
import type { Config } from "../engine/Config.ts"

/** Addresses of this run, none of them twice: 10.0.0.0/8 from somewhere on. */
let addresses = randomInt(2 ** 23)

/** An address that nobody asked from. */
export const freshAddress = (): string => {
  const n = addresses++
  return ["10", (n >> 16) & 255, (n >> 8) & 255, n & 255].join(".")
}

/**
 * The first four groups of two IPv6 addresses, of which nobody asked: neighbours, of one /63. In the
 * first of them zeros can be left out.
 */
export const freshPrefixes = (): readonly [string, string] => {
  const n = addresses++
  const first = (0xfd00 + ((n >> 16) & 255)).toString(16)
  const shared = `${first}:${(n & 65_535).toString(16)}:0`
  return [`${shared}:0`, `${shared}:1`]
}

/** An IPv6 address of eight groups as it may be written: as it stands, in full, and as short as it goes. */
export const formsOfIpv6 = (groups: ReadonlyArray<string>): ReadonlyArray<string> => {
  const plain = groups.join(":")
  const full = groups.map((group) => group.padStart(4, "0").toUpperCase()).join(":")
  return [plain, full, new URL(`http://[${plain}]`).hostname.slice(1, -1)]
}

/** An IPv4 address as it may be written, by itself and in its IPv6 form. */
export const formsOfIpv4 = (address: string): ReadonlyArray<string> => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
  const groups = ["0", "0", "0", "0", "0", "ffff", ...[a * 256 + b, c * 256 + d].map(hex)]
  return [address, `::ffff:${address}`, ...formsOfIpv6(groups)]
}

const hex = (group: number): string => group.toString(16)

type Headers = Readonly<Record<string, string>>

/** Headers that give a request this client address. Errors: `Unsupported` if no such header is configured. */
export const headersFrom = ({ config }: { readonly config: Config }, address: string): Headers => {
  if (config.addressHeader === undefined) throw new Unsupported("no hook: address")
  return { [config.addressHeader]: address }
}

/**
 * The headers, and an address of its own for each request that names none: a check that asks for no
 * limit of addresses is not to meet one.
 */
export const fromAnywhere = ({ addressHeader }: Config, headers: Headers = {}): Headers =>
  addressHeader === undefined || addressHeader in headers
    ? headers
    : { ...headers, [addressHeader]: freshAddress() }
