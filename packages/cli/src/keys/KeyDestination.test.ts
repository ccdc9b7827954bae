import { describe, expect, it } from "vitest"

import { type AddressSource, defaultAddress, keyDestination, originOf } from "./KeyDestination.ts"

const fromEnvironment = ["SERVICE_CONTROL_URL", "ATRIUM_URL"] as const

describe("keyDestination", () => {
  it("[cli.key-hosts.allowed] a key may go to the default address", () => {
    expect(defaultAddress).toBe("http://127.0.0.1:8787")
    expect(keyDestination(defaultAddress, "default")).toBe("yes")
  })

  const thisMachine = [
    "http://localhost",
    "http://localhost:8787/",
    "https://localhost:1",
    "http://127.0.0.1:65535",
    "http://[::1]:8787/base",
    "ws://127.0.0.1:8787",
    // Other ways to write the same three, as every request reads them.
    "HTTP://LocalHost:8787",
    "http://[0:0:0:0:0:0:0:1]:8787",
    "http://127.1:8787",
    "http://2130706433"
  ]
  it.each(thisMachine)("[cli.key-hosts.allowed] this machine: %s", (address) => {
    for (const source of fromEnvironment) expect(keyDestination(address, source)).toBe("yes")
  })

  const elsewhere = [
    "https://rooms.example",
    "https://rooms.example:8443/base",
    "wss://rooms.example",
    "https://localhost.evil.example",
    "https://evil.example/localhost",
    "https://evil.example/http://localhost",
    "https://localhost.",
    "https://game.localhost",
    "https://127.0.0.1.nip.io",
    "https://127.0.0.2",
    "https://0.0.0.0",
    "https://[::]",
    "https://[::2]",
    "https://[::ffff:127.0.0.1]",
    "https://xn--lcalhost-31a",
    "https://lоcalhost",
    "http://rooms.example",
    "http://localhost.evil.example:8787",
    "http://192.168.0.7:8787",
    "http://127.0.0.2:8787",
    "ws://rooms.example"
  ]
  it.each(elsewhere)(
    "[cli.key-hosts.env-refused] named by the environment alone: %s",
    (address) => {
      for (const source of fromEnvironment) {
        expect(keyDestination(address, source)).toBe("afterLogin")
      }
    }
  )

  it.each(elsewhere)("[cli.key-hosts.allowed] named with --url: %s", (address) => {
    expect(keyDestination(address, "--url")).toBe("yes")
  })

  const noAddress = [
    "http://localhost@evil.example",
    "http://localhost:8787@evil.example",
    "http://user:password@localhost",
    "http://localhost?x=http://evil.example",
    "http://localhost#evil.example",
    "ftp://localhost",
    "file:///etc/passwd",
    "localhost:8787",
    "http://local host",
    "http://[::1",
    ""
  ]
  const sources: ReadonlyArray<AddressSource> = ["--url", ...fromEnvironment]
  it.each(noAddress)("[cli.key-hosts.allowed] is no address at all: %j", (address) => {
    for (const source of sources) expect(() => keyDestination(address, source)).toThrow(address)
    expect(() => originOf(address)).toThrow(address)
  })
})

describe("originOf", () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    ["https://rooms.example/", "https://rooms.example"],
    ["https://rooms.example:443/base/", "https://rooms.example"],
    ["HTTPS://Rooms.EXAMPLE", "https://rooms.example"],
    ["wss://rooms.example", "https://rooms.example"],
    ["http://[0:0::1]:80", "http://[::1]"]
  ]
  it.each(same)("[cli.key-hosts.allowed] %s is %s", (address, origin) => {
    expect(originOf(address)).toBe(origin)
  })

  const others = [
    "http://rooms.example",
    "https://rooms.example:8443",
    "https://rooms.example.",
    "https://www.rooms.example",
    "https://rooms.example.evil.example",
    "https://evil.example/rooms.example",
    "https://rooms.exampl"
  ]
  it.each(others)(
    "[cli.key-hosts.env-refused] %s is another than the one logged in to",
    (address) => {
      expect(originOf(address)).not.toBe("https://rooms.example")
    }
  )
})
