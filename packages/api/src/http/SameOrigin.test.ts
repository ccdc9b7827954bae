import { expect, test } from "vitest"

import { isSameOrigin } from "./SameOrigin.ts"

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
