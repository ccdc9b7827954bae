import { expect, it, test } from "vitest"

import { isSameOrigin, mayRead } from "./SameOrigin.ts"

test.each<[boolean, Record<string, string>]>([
  [true, { host: "a.example", "sec-fetch-site": "same-origin" }],
  // A proxy that names another host does not change what the browser knows.
  [true, { host: "inside:8787", origin: "https://a.example", "sec-fetch-site": "same-origin" }],
  [false, { host: "a.example", "sec-fetch-site": "same-site" }],
  [false, { host: "a.example", "sec-fetch-site": "cross-site" }],
  [false, { host: "a.example", "sec-fetch-site": "none" }],
  [false, { host: "a.example", "sec-fetch-site": "" }],
  [false, { host: "a.example", origin: "http://a.example", "sec-fetch-site": "cross-site" }],
  [true, { host: "a.example", origin: "http://a.example" }],
  [true, { host: "A.example", origin: "http://a.example" }],
  [true, { host: "a.example", origin: "https://a.example" }],
  [true, { host: "a.example:443", origin: "https://a.example" }],
  [true, { host: "127.0.0.1:8787", origin: "http://127.0.0.1:8787" }],
  [true, { host: "[::1]:8787", origin: "http://[::1]:8787" }],
  [false, { host: "a.example:8787", origin: "http://a.example" }],
  [false, { host: "a.example", origin: "http://a.example:8787" }],
  [false, { host: "a.example", origin: "https://evil.example" }],
  [false, { host: "a.example", origin: "https://a.example.evil.example" }],
  [false, { host: "a.example", origin: "https://evil.example/a.example" }],
  [false, { host: "a.example", origin: "null" }],
  [false, { host: "a.example", origin: "" }],
  [false, { host: "a.example", origin: "a.example" }],
  [false, { host: "", origin: "file://" }],
  [false, { host: "a.example" }],
  [false, { origin: "http://a.example" }],
  [false, {}]
])("[D-23] %s for %j", (same, headers) => {
  expect(isSameOrigin(headers)).toBe(same)
})

it.each([
  [{ "sec-fetch-site": "same-origin" }, true],
  [{ "sec-fetch-site": "none" }, true],
  [{ "sec-fetch-site": "same-site" }, false],
  [{ "sec-fetch-site": "cross-site" }, false],
  [{ "sec-fetch-site": "same-site", "x-atrium-page": "login" }, false],
  [{ "sec-fetch-site": "same-site", host: "a.example", origin: "http://a.example" }, false],
  [{}, false],
  [{ host: "a.example", origin: "http://a.example" }, true],
  [{ host: "a.example", origin: "http://b.a.example" }, false],
  [{ "x-atrium-page": "login" }, true]
])("[C-360] a session reads for the service's own pages alone: %j", (headers, reads) => {
  expect(mayRead(headers)).toBe(reads)
})
