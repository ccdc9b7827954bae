import { describe, expect, it } from "vitest"

import { askedHost, originsOf, siteUrl } from "./SiteAddress.ts"

const named = { host: "localhost", ports: null }
const below = { host: "sites.example.com", ports: null }
const atPorts = { host: "localhost", ports: { from: 9000, to: 9001 } }

describe("askedHost", () => {
  it.each([
    ["arena.localhost:8787", named, { label: "arena" }],
    ["ARENA.LocalHost", named, { label: "arena" }],
    ["arena.localhost.:8787", named, { label: "arena" }],
    ["arena.sites.example.com", below, { label: "arena" }],
    // Nothing below the host of sites is the service.
    ["a.b.localhost", named, { label: null }],
    ["www.localhost", named, { label: null }],
    ["xn--gme-5cd.localhost", named, { label: null }],
    [".localhost", named, { label: null }],
    ["a_b.localhost:8787", named, { label: null }],
    ["localhost:8787", named, null],
    ["localhost", named, null],
    ["127.0.0.1:8787", named, null],
    ["[::1]:8787", named, null],
    ["arenalocalhost", named, null],
    ["arena.localhost.example", named, null],
    ["sites.example.com", below, null],
    ["arena.localhost", below, null],
    ["", named, null],
    ["arena.localhost:8787", atPorts, null]
  ])("[C-358] tells a site from the service by the host: %j", (header, addresses, asked) => {
    expect(askedHost(addresses, header)).toEqual(asked)
  })
})

describe("siteUrl", () => {
  it.each([
    [named, null, "http://127.0.0.1:8787", "http://arena.localhost:8787"],
    [below, null, "https://atrium.example.com", "https://arena.sites.example.com"],
    [atPorts, 9001, "http://127.0.0.1:8787", "http://127.0.0.1:9001"],
    [atPorts, 9001, "http://[::1]:8787", "http://[::1]:9001"],
    // It was deployed before the operator gave ports, or after.
    [atPorts, null, "http://127.0.0.1:8787", "http://arena.localhost:8787"],
    [named, 9001, "http://127.0.0.1:8787", "http://arena.localhost:8787"]
  ])("[C-358] is the address for browsers: %j at %j from %s", (...row) => {
    const [addresses, port, service, url] = row
    expect(siteUrl(addresses, { label: "arena", port }, service)).toBe(url)
  })
})

describe("originsOf", () => {
  it.each([
    [[], null, "s", ["s"]],
    [["a"], null, "s", ["a", "s"]],
    [["*"], null, "s", ["*"]],
    [["s", "a"], null, "s", ["s", "a"]],
    [["old", "a"], "old", "s", ["a", "s"]],
    [["s"], "s", "s", ["s"]],
    [["old", "a"], "old", null, ["a"]],
    [["*", "old"], "old", null, ["*"]]
  ])("[C-358] moves the site's own origin: %j from %j to %j", (...row) => {
    const [origins, before, now, moved] = row
    expect(originsOf(origins, { before, now })).toEqual(moved)
  })
})
