import { expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { IpNetwork } from "effect/net"
import { test } from "vitest"

import { ClientAddresses } from "./ClientAddresses.ts"
import { clientAddress, isHttps, publicUrlOf } from "./PublicAddress.ts"

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

it.effect.each([
  ["10.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["10.0.0.1", undefined, "10.0.0.1"],
  ["198.51.100.7", "203.0.113.9", "198.51.100.7"]
] as const)("[D-26] of %s, which forwards for %s, the client is %s", ([peer, forwarded, text]) =>
  Effect.gen(function* () {
    const request = HttpServerRequest.fromWeb(
      new Request("http://a.example/", {
        headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
      })
    ).modify({ remoteAddress: Option.some(peer) })
    const told = yield* Effect.provideService(
      clientAddress,
      HttpServerRequest.HttpServerRequest,
      request
    )
    expect(told.text).toBe(text)
  }).pipe(
    Effect.provide(
      ClientAddresses.layer({
        trustedProxies: [IpNetwork.fromInputUnsafe("10.0.0.0/8")],
        exempt: []
      })
    )
  )
)
