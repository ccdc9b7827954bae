import { expect, test } from "vitest"

import { hostPortOf, readHostPort } from "./HostPort.ts"

test.each([
  ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464 }],
  ["[::1]:0", { host: "::1", port: 0 }],
  ["[fe80::1%eth0]:80", { host: "fe80::1%eth0", port: 80 }],
  ["runner-1.example:65535", { host: "runner-1.example", port: 65_535 }]
])("[C-460] %s is host and port", (text, address) => {
  expect(readHostPort(text)).toEqual(address)
})

test.each([
  "",
  ":80",
  "80",
  "127.0.0.1",
  "127.0.0.1:",
  "127.0.0.1:65536",
  "127.0.0.1:123456",
  "127.0.0.1:8e1",
  "::1:80",
  "[::1]",
  "[]:80",
  "[name]:80",
  "a b:80",
  "a[b:80"
])("[C-460] %j is no host and port", (text) => {
  expect(readHostPort(text)).toBeNull()
})

test("[C-410] an address that a runner has told is host and port", () => {
  expect(hostPortOf("10.0.0.7:34431")).toEqual({ host: "10.0.0.7", port: 34_431 })
})
