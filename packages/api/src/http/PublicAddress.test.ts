import { expect, test } from "vitest"

import { isHttps, publicUrlOf } from "./PublicAddress.ts"

test.each<[boolean, Record<string, string>]>([
  [false, {}],
  [false, { origin: "http://a.example" }],
  [false, { origin: "null" }],
  [true, { origin: "https://a.example" }],
  [true, { "x-forwarded-proto": "https" }],
  [true, { "x-forwarded-proto": "https, http" }],
  [false, { "x-forwarded-proto": "http" }],
  [false, { "x-forwarded-proto": "http, https" }]
])("[C-67] https is %s for %j", (https, headers) => {
  expect(isHttps(headers)).toBe(https)
})

test.each<[string | null, Record<string, string>]>([
  ["http://127.0.0.1:8787", { host: "127.0.0.1:8787" }],
  ["http://[::1]:8787", { host: "[::1]:8787" }],
  ["http://a.example", { host: "a.example" }],
  ["https://a.example", { host: "a.example", "x-forwarded-proto": "https" }],
  [null, {}],
  [null, { host: "" }],
  [null, { host: "a.example/evil" }],
  [null, { host: "user@a.example" }],
  [null, { host: "a.example:port" }],
  [null, { host: "a.example\u001b[2J" }]
])("[C-67] the service is at %j for %j", (url, headers) => {
  expect(publicUrlOf(headers)).toBe(url)
})
