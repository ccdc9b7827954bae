import { HttpLimits } from "@atrium/domain/http/HttpLimits"
import { Subprotocol } from "@atrium/wire/frames/Frame"
import { expect, it } from "vitest"

import { headerOf, RawHttp } from "../testing/RawHttp.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()

const lines = (...all: ReadonlyArray<string>): string => [...all, "", ""].join("\r\n")
const own = ["host: 127.0.0.1", "x-request-id: 0123456789abcdef"]
const upgrade = (path: string, ...more: ReadonlyArray<string>): string =>
  lines(
    `GET ${path} HTTP/1.1`,
    ...own,
    "connection: upgrade",
    "upgrade: websocket",
    "sec-websocket-version: 13",
    "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==",
    ...more
  )
const rooms = "/v1/rooms/dev/any"
const subprotocol = `sec-websocket-protocol: ${Subprotocol}`

const asked: ReadonlyArray<readonly [what: string, bytes: string, status: number]> = [
  ["an answer", lines("GET /health HTTP/1.1", ...own), 200],
  ["a page", lines("GET /docs HTTP/1.1", ...own), 200],
  ["an unknown path", lines("GET /none HTTP/1.1", ...own), 404],
  ["another method", lines("PUT /health HTTP/1.1", ...own), 405],
  ["a missing credential", lines("GET /v1/projects HTTP/1.1", ...own), 401],
  [
    "a body that is too large",
    lines("POST /v1/identity HTTP/1.1", ...own, `content-length: ${HttpLimits.bodyBytes.max + 1}`),
    413
  ],
  [
    "a browser's question beforehand",
    lines(
      "OPTIONS /v1/identity HTTP/1.1",
      ...own,
      "origin: https://game.example",
      "access-control-request-method: POST"
    ),
    204
  ],
  ["what is not HTTP", "GARBAGE\r\n\r\n", 400],
  ["HTTP/0.9", "GET /health\r\n\r\n", 400],
  ["a head that is too large", lines("GET / HTTP/1.1", ...own, `x: ${"a".repeat(20_000)}`), 431],
  ["an unmet expectation", lines("GET /health HTTP/1.1", ...own, "expect: magic"), 400],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n", 400],
  ["a WebSocket", upgrade(rooms, subprotocol), 101],
  ["a WebSocket elsewhere", upgrade("/v1/none", subprotocol), 404],
  ["a WebSocket of another protocol", upgrade(rooms), 400],
  ["a WebSocket without a key", upgrade(rooms, subprotocol).replace(/AAAA+==/, "A"), 400]
]

it("[C-232] every answer has an id of its own, 16 hex digits, which no caller chooses", async () => {
  const ids: Array<string> = []
  for (const [what, bytes, status] of asked) {
    const wire = new RawHttp(service.url)
    wire.write(bytes)
    const answer = await wire.answer()
    wire.destroy()
    expect([what, answer?.status]).toEqual([what, status])
    const id = answer === null ? "" : headerOf(answer, "x-request-id")
    expect([what, id]).toEqual([what, expect.stringMatching(/^[0-9a-f]{16}$/)])
    ids.push(String(id))
  }
  expect(new Set([...ids, "0123456789abcdef"]).size).toBe(asked.length + 1)
})
