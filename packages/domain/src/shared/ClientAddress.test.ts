import fc from "fast-check"
import { describe, expect, test } from "vitest"

import {
  type AddressRules,
  clientAddressOf,
  noAddressRules,
  readNetworks
} from "./ClientAddress.ts"

const networks = (text: string): AddressRules["exempt"] => {
  const read = readNetworks(text)
  if ("bad" in read) throw new Error(read.bad)
  return read.networks
}
const rules = (trusted: string, exempt = ""): AddressRules => ({
  trustedProxies: networks(trusted),
  exempt: networks(exempt)
})
const behindProxies = rules("10.0.0.0/8, 192.0.2.1, fd00::/8")

const anyV4 = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
  .map((octets) => octets.join("."))
const anyV6 = fc
  .array(fc.nat(65_535), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(":"))

describe("the address of a client", () => {
  test.each<[says: string, peer: string | undefined, ...Array<string | undefined>]>([
    ["no proxy, no header", "198.51.100.7", undefined, "198.51.100.7"],
    ["a header of nobody's", "198.51.100.7", "203.0.113.9", "198.51.100.7"],
    ["a proxy", "10.0.0.2", "203.0.113.9", "203.0.113.9"],
    ["a proxy, IPv4 as IPv6", "::ffff:10.0.0.2", "203.0.113.9", "203.0.113.9"],
    ["a proxy without the header", "10.0.0.2", undefined, "10.0.0.2"],
    ["a proxy with an empty header", "10.0.0.2", "", "10.0.0.2"],
    ["two proxies", "10.0.0.2", "203.0.113.9, 192.0.2.1", "203.0.113.9"],
    ["a lie before the client", "10.0.0.2", "1.2.3.4, 203.0.113.9", "203.0.113.9"],
    ["a lie that names a proxy", "10.0.0.2", "1.2.3.4,10.9.9.9,203.0.113.9", "203.0.113.9"],
    ["a proxy of nobody's", "10.0.0.2", "1.2.3.4, 192.0.2.2", "192.0.2.2"],
    ["only proxies", "10.0.0.2", "10.0.0.4, 10.0.0.3", "10.0.0.4"],
    ["no address", "10.0.0.2", "1.2.3.4, nonsense", "10.0.0.2"],
    ["no address behind a proxy", "10.0.0.2", "1.2.3.4, unknown, 192.0.2.1", "192.0.2.1"],
    ["an address with a zone", "10.0.0.2", "fe80::1%eth0", "10.0.0.2"],
    ["nothing between commas", "10.0.0.2", "1.2.3.4,,", "10.0.0.2"],
    ["a port", "10.0.0.2", "203.0.113.9:4711", "203.0.113.9"],
    ["a port of IPv6", "10.0.0.2", "[2001:db8::1]:4711", "2001:db8::1"],
    ["brackets", "10.0.0.2", "[2001:db8::1]", "2001:db8::1"],
    ["IPv4 as IPv6", "10.0.0.2", "::ffff:203.0.113.9", "203.0.113.9"],
    ["a network", "10.0.0.2", "203.0.113.0/24", "10.0.0.2"],
    ["a peer with a zone", "fe80::1%eth0", undefined, "fe80::1"],
    ["a Unix socket", undefined, "203.0.113.9", "unknown"],
    ["IPv6", "2001:DB8:0:0:0:0:0:1", undefined, "2001:db8::1"]
  ])("[D-26] %s: %s, %s", (_, peer, ...[forwarded, text]) => {
    expect(clientAddressOf(peer, forwarded, behindProxies).text).toBe(text)
  })

  test("[D-26] by default no proxy's header counts", () => {
    for (const peer of ["127.0.0.1", "::1", "10.0.0.1"]) {
      expect(clientAddressOf(peer, "203.0.113.9", noAddressRules).text).toBe(peer)
    }
  })

  test("[D-26] entries left of the client change nothing", () => {
    fc.assert(
      fc.property(anyV4, fc.string(), (client, lies) => {
        fc.pre(!client.startsWith("10.") && client !== "192.0.2.1")
        const told = clientAddressOf("10.0.0.2", `${lies}, ${client}, 10.3.3.3`, behindProxies)
        expect(told.text).toBe(client)
      })
    )
  })

  test("[D-26] any header has an answer, which is the peer's or an address", () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const { text } = clientAddressOf("10.0.0.2", header, behindProxies)
        expect(text).toMatch(/^[0-9a-f.:]+$/)
      })
    )
  })
})

describe("whose limits count", () => {
  test.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["::ffff:cb00:7109", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::", "2001:db8:1:3::/64"],
    ["::1", "::/64"],
    [undefined, "unknown"]
  ])("[limits.connections.ipv6] %s counts as %s", (peer, subject) => {
    expect(clientAddressOf(peer, undefined, noAddressRules).subject).toBe(subject)
  })

  test("[limits.connections.ipv6] the last 64 bits of IPv6 change nothing, any other bit does", () => {
    fc.assert(
      fc.property(anyV6, anyV6, (one, other) => {
        const groups = (text: string): ReadonlyArray<string> => text.split(":")
        const mixed = [...groups(one).slice(0, 4), ...groups(other).slice(4)].join(":")
        const subject = (peer: string) => clientAddressOf(peer, undefined, noAddressRules).subject
        fc.pre(groups(one)[0] !== "0")
        expect(subject(mixed)).toBe(subject(one))
        const same = groups(one).slice(0, 4).join() === groups(other).slice(0, 4).join()
        expect(subject(other) === subject(one)).toBe(same)
      })
    )
  })

  test("[D-26] each IPv4 address counts by itself, however it is written", () => {
    fc.assert(
      fc.property(anyV4, anyV4, (one, other) => {
        const subject = (peer: string) => clientAddressOf(peer, undefined, noAddressRules).subject
        expect(subject(`::ffff:${one}`)).toBe(subject(one))
        expect(subject(other) === subject(one)).toBe(other === one)
      })
    )
  })
})

describe("the operator's networks", () => {
  test.each([
    ["127.0.0.0/8,::1", "127.0.0.1", true],
    ["127.0.0.0/8,::1", "127.255.255.255", true],
    ["127.0.0.0/8,::1", "::ffff:127.0.0.1", true],
    ["127.0.0.0/8,::1", "::1", true],
    ["127.0.0.0/8,::1", "128.0.0.0", false],
    ["127.0.0.0/8,::1", "::2", false],
    ["::ffff:10.0.0.0/104", "10.255.0.1", true],
    ["::ffff:10.0.0.1", "10.0.0.1", true],
    ["0.0.0.0/0", "203.0.113.9", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["", "127.0.0.1", false],
    [" , ", "127.0.0.1", false]
  ])("[C-130] of %j %s is exempt: %s", (exempt, peer, is) => {
    expect(clientAddressOf(peer, undefined, rules("", exempt)).exempt).toBe(is)
  })

  test("[C-130] exempt is the client, not the proxy before it", () => {
    const both = rules("10.0.0.1", "10.0.0.0/8")
    expect(clientAddressOf("10.0.0.1", "203.0.113.9", both).exempt).toBe(false)
    expect(clientAddressOf("10.0.0.1", "10.0.0.9", both).exempt).toBe(true)
  })

  test.each([
    ["localhost", "localhost"],
    ["10.0.0.0/8,proxy", "proxy"],
    ["10.0.0.1/8", "10.0.0.1/8"],
    ["10.0.0.0/33", "10.0.0.0/33"],
    ["10.0.0.0/", "10.0.0.0/"],
    ["10.0.0", "10.0.0"],
    ["::1/129", "::1/129"],
    ["*", "*"],
    ["10.0.0.1;10.0.0.2", "10.0.0.1;10.0.0.2"]
  ])("[C-130] %j is refused for %s", (text, bad) => {
    expect(readNetworks(text)).toEqual({ bad })
  })
})
