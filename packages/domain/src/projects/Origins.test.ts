import fc from "fast-check"
import { describe, expect, it } from "vitest"

import { faultOf } from "../testing/FaultOf.ts"
import { allowsOrigin, Origins } from "./Origins.ts"
import { ProjectLimits } from "./ProjectLimits.ts"

const distinct = "must be an array of distinct, non-empty strings"

describe("a list of origins", () => {
  it.each([
    [[]],
    [["*"]],
    [["https://example.com", "http://example.com:8080", "https://a_b.example-1.org"]],
    [["http://127.0.0.1:8080", "http://[::1]:8080"]],
    [
      [
        "capacitor://localhost",
        "chrome-extension://abcdefghijklmnop",
        "https://xn--bcher-kva.example"
      ]
    ]
  ])("[origins.bare-origin] [origins.star] %j is taken", (origins) => {
    expect(faultOf(Origins, origins)).toBeNull()
  })

  it.each([
    "https://example.com/",
    "https://example.com/path",
    "https://example.com?x",
    "https://example.com#x",
    "https://user@example.com",
    "https://example.com:443",
    "http://example.com:80",
    "https://example.com:",
    "https://example.com:65536",
    "https://Example.com",
    "HTTPS://example.com",
    "https://bücher.example",
    "https://*.example.com",
    "https://",
    "example.com",
    "//example.com",
    " https://example.com",
    "https://example.com\n",
    "https://127.1",
    "null",
    "**"
  ])("[origins.bare-origin] [C-320] %j is refused by its text", (entry) => {
    expect(faultOf(Origins, ["https://fine.example", entry])).toBe(
      `no bare origin such as https://game.example: ${entry}`
    )
  })

  it.each([["https://example.com"], [5], [true], [null], [{}]])(
    "[file.validate.origins-type] %j is no list",
    (value) => {
      expect(faultOf(Origins, value)).toBe(distinct)
    }
  )

  it("[origins.distinct-non-empty] entries are distinct, non-empty strings", () => {
    expect(faultOf(Origins, [""])).toBe(distinct)
    expect(faultOf(Origins, ["*", "*"])).toBe(distinct)
    expect(faultOf(Origins, ["https://a.example", "https://a.example"])).toBe(distinct)
    expect(faultOf(Origins, [5])).toBe(`0: ${distinct}`)
  })

  it("[C-320] has at most 64 entries of at most 267 characters", () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => `https://a${at}.example`)
    expect(faultOf(Origins, many(ProjectLimits.origins.max))).toBeNull()
    expect(faultOf(Origins, many(ProjectLimits.origins.max + 1))).toBe("at most 64 entries")
    const long = (chars: number): string => `app://${"a".repeat(chars - 6)}`
    expect(faultOf(Origins, [long(267)])).toBeNull()
    expect(faultOf(Origins, [long(268)])).toBe("an entry has at most 267 characters")
  })
})

describe("an origin that asks", () => {
  it.each([
    "http://localhost",
    "https://localhost",
    "http://localhost:8787",
    "capacitor://localhost",
    "http://label.localhost:8787",
    "https://a.b-c.localhost:1"
  ])("[origins.localhost-always] [D-56] %s may ask every project", (origin) => {
    expect(allowsOrigin([], origin)).toBe(true)
    expect(allowsOrigin(["https://example.com"], origin)).toBe(true)
  })

  it.each([
    "http://localhost.example.com",
    "http://notlocalhost",
    "http://localhost/",
    "http://localhost:",
    "http://.localhost",
    "http://user@localhost",
    "http://127.0.0.1",
    "localhost",
    "null",
    ""
  ])("[origins.exact-compare] %j is no localhost", (origin) => {
    expect(allowsOrigin([], origin)).toBe(false)
    expect(allowsOrigin(["*"], origin)).toBe(true)
  })

  it("[origins.exact-compare] passes when it is in the list to the letter", () => {
    const list = ["https://example.com", "http://example.com:8080"]
    for (const origin of list) expect(allowsOrigin(list, origin)).toBe(true)
    for (const origin of [
      "https://example.com:8080",
      "http://example.com",
      "https://www.example.com",
      "https://example.com/",
      "https://EXAMPLE.com"
    ]) {
      expect(allowsOrigin(list, origin)).toBe(false)
    }
  })

  it("[origins.exact-compare] what is taken into a list passes it, and none else does", () => {
    fc.assert(
      fc.property(fc.webUrl(), fc.webUrl(), (one, other) => {
        const [listed, asking] = [new URL(one).origin, new URL(other).origin]
        fc.pre(faultOf(Origins, [listed]) === null)
        expect(allowsOrigin([listed], listed)).toBe(true)
        expect(allowsOrigin([listed], asking)).toBe(asking === listed)
      })
    )
  })
})
