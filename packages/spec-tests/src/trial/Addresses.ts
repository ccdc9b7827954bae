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

/** The first four groups of two IPv6 addresses, of which nobody asked: neighbours, of one /63. */
export const freshPrefixes = (): readonly [string, string] => {
  const n = addresses++
  const shared = `fd00:${((n >> 16) & 255).toString(16)}:${(n & 65_535).toString(16)}`
  return [`${shared}:2`, `${shared}:3`]
}

type Headers = Readonly<Record<string, string>>

/** What says that a request comes from there. `Unsupported` where the service can be told no address. */
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
