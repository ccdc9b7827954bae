import { describe, expect, it } from "vitest"

import type { HttpAnswer, HttpRequest } from "./HttpProbe.ts"
import { Secrets } from "./Secrets.ts"
import { Trace } from "./Trace.ts"

const answer = (request: HttpRequest, text: string): HttpAnswer => ({
  request,
  status: 200,
  headers: {},
  bytes: new Uint8Array(),
  text,
  json: null,
  tookMs: 4
})
const get: HttpRequest = { method: "GET", path: "/rooms" }
const secret = `key_${"s".repeat(43)}`

const traced = (work: (trace: Trace) => void): Trace => {
  const trace = new Trace(new Secrets())
  work(trace)
  return trace
}

describe("a trace", () => {
  it("[conformance.trace] has requests and answers in their order", () => {
    const post: HttpRequest = { method: "POST", path: "/keys", bearer: secret, body: { a: 1 } }
    const trace = traced((one) => {
      one.exchange(answer(get, "[]"))
      one.note("a word")
      one.exchange(answer(post, "{}"))
    })
    expect(trace.lines()).toEqual([
      "GET /rooms",
      "  200 in 4 ms: []",
      "a word",
      'POST /keys [key_…] {"a":1}',
      "  200 in 4 ms: {}"
    ])
  })

  it("[conformance.trace] has only the last of a request that is repeated", () => {
    const trace = traced((one) => {
      for (const text of ["1", "2", "3"]) one.exchange(answer({ ...get }, text))
      one.exchange(answer({ ...get, path: "/keys" }, "4"))
      one.exchange(answer({ ...get }, "5"))
    })
    expect(trace.lines()).toEqual([
      "GET /rooms",
      "  200 in 4 ms: 3",
      "GET /keys",
      "  200 in 4 ms: 4",
      "GET /rooms",
      "  200 in 4 ms: 5"
    ])
  })

  it("[conformance.redaction] cuts no secret into something that looks like none", () => {
    const text = JSON.stringify({ keys: Array.from({ length: 30 }, () => secret) })
    for (let shift = 0; shift < 60; shift++) {
      const trace = traced((one) => one.exchange(answer(get, " ".repeat(shift) + text)))
      expect(trace.lines().join("\n")).not.toContain("ssssssss")
    }
  })

  it("[conformance.trace] does not grow with the check", () => {
    const trace = traced((one) => {
      for (let n = 0; n < 500; n++)
        one.exchange(answer({ ...get, path: `/${n}` }, "x".repeat(5000)))
    })
    expect(trace.lines()).toHaveLength(60)
    expect(trace.lines().at(-1)).toMatch(
      /^ {2}200 in 4 ms: x{300}… \(5000 chars\)$|\(5000 chars\)$/
    )
  })

  it("[conformance.trace] its last exchange is a command without a secret", () => {
    const body = { name: "it's" }
    const headers = { "x-api-token": "abc", "x-other": "1" }
    const trace = traced((one) =>
      one.asked({ method: "PATCH", path: `/a?k=${secret}`, bearer: secret, headers, body })
    )
    expect(trace.curl("http://me:pass@localhost:1/")).toBe(
      `curl -i -X PATCH -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' ` +
        `-H 'x-api-token: $TOKEN' -H 'x-other: 1' --data-raw '{"name":"it'\\''s"}' ` +
        `'http://localhost:1/a?k=key_…'`
    )
  })
})
