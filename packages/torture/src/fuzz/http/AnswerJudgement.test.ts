import type { RawAnswer } from "@atrium/api/testing/RawHttp"
import { usualBody } from "@atrium/domain/http/BodyBound"
import { describe, expect, test } from "vitest"

import { answerFault, type Asked, shapeFault } from "./AnswerJudgement.ts"
import { badRequest, refusedWith, unauthenticated } from "./HttpCase.ts"
import type { HttpRoute } from "./HttpRoute.ts"

const json: RawAnswer["headers"] = [["content-type", "application/json; charset=utf-8"]]
const secret = "ct_0123456789012345678901234567890123456789012"

const answer = (status: number, body: unknown, headers: RawAnswer["headers"] = []): RawAnswer => ({
  status,
  headers: [...json, ...headers],
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
})
const error = (code: string, message: string, more: object = {}) => ({
  error: { code, message, ...more }
})

const unknown = error("E_UNAUTHENTICATED", "the credential is missing or not valid")
const bearer: RawAnswer["headers"] = [["www-authenticate", "Bearer"]]

describe("the shape of errors", () => {
  test.each([
    answer(400, error("E_BAD_REQUEST", "body: not UTF-8")),
    answer(404, error("E_NOT_FOUND", "not found")),
    answer(400, error("E_BAD_REQUEST", `${"é".repeat(47)}xx`)),
    answer(401, unknown, bearer),
    answer(405, error("E_METHOD_NOT_ALLOWED", "PUT: only GET"), [["allow", "GET"]]),
    answer(429, error("E_RATE_LIMITED", "later", { retryAfterMs: 1001 }), [["retry-after", "2"]])
  ])("[D-02] $status is in it", (right) => {
    expect(shapeFault(right)).toBeNull()
  })

  test.each<[what: string, wrong: RawAnswer]>([
    ["nothing", answer(400, "")],
    ["text", answer(400, "Bad Request")],
    ["a list", answer(400, [])],
    ["null", answer(400, "null")],
    ["another field", answer(400, { ...error("E_BAD_REQUEST", "x"), more: 1 })],
    ["another field of the error", answer(400, error("E_BAD_REQUEST", "x", { stack: "at x" }))],
    ["no message", answer(400, { error: { code: "E_BAD_REQUEST" } })],
    ["an empty message", answer(400, error("E_BAD_REQUEST", ""))],
    ["97 bytes", answer(400, error("E_BAD_REQUEST", `${"é".repeat(48)}x`))],
    ["a code of another form", answer(400, error("bad_request", "x"))],
    ["a code that is a number", answer(400, { error: { code: 400, message: "x" } })],
    ["not UTF-8", { ...answer(400, ""), body: Buffer.from([0xff]) }],
    [
      "another type",
      {
        ...answer(400, error("E_BAD_REQUEST", "x")),
        headers: [["content-type", "application/json"]]
      }
    ],
    ["401 in other words", answer(401, error("E_UNAUTHENTICATED", "revoked"), bearer)],
    ["401 without its header", answer(401, unknown)],
    ["403 with the header of 401", answer(403, error("E_SCOPE", "x"), bearer)],
    ["405 without its header", answer(405, error("E_METHOD_NOT_ALLOWED", "x"))],
    ["429 without a span", answer(429, error("E_RATE_LIMITED", "x"), [["retry-after", "1"]])],
    ["429 without its header", answer(429, error("E_RATE_LIMITED", "x", { retryAfterMs: 1 }))],
    [
      "half a second",
      answer(429, error("E_RATE_LIMITED", "x", { retryAfterMs: 0.5 }), [["retry-after", "1"]])
    ],
    [
      "400 that says when to come again",
      answer(400, error("E_BAD_REQUEST", "x"), [["retry-after", "1"]])
    ]
  ])("[D-02] %s is not", (_what, wrong) => {
    expect(shapeFault(wrong)).not.toBeNull()
  })
})

const route: HttpRoute = {
  name: "GET /v1/things/:id",
  method: "GET",
  path: "/v1/things/:id",
  params: ["id"],
  query: [],
  guard: "login",
  scope: null,
  body: null,
  bound: usualBody,
  codes: new Map([
    [404, new Set(["E_THING_NOT_FOUND"])],
    [401, new Set(["E_UNAUTHENTICATED"])]
  ])
}
const asked = (more: Partial<Asked>): Asked => ({
  expects: badRequest,
  headOnly: false,
  route,
  secrets: [secret],
  ...more
})

describe("the expectation of a request", () => {
  test.each<[RawAnswer, Partial<Asked>]>([
    [
      answer(400, error("E_BAD_REQUEST", "field a.b: wrong")),
      { expects: { ...badRequest, names: "a.b" } }
    ],
    [answer(401, unknown, bearer), { expects: unauthenticated }],
    [answer(404, error("E_THING_NOT_FOUND", "no")), { expects: refusedWith(404) }],
    [answer(413, error("E_BODY_TOO_LARGE", "body: over 1 MiB")), { expects: refusedWith(413) }],
    [answer(200, "anything"), { expects: { ...badRequest, statuses: [200] } }],
    [answer(400, ""), { headOnly: true }]
  ])("[D-02] %o may be the answer", (right, more) => {
    expect(answerFault(right, asked(more))).toBeNull()
  })

  test.each<[what: string, RawAnswer, Partial<Asked>]>([
    ["another status", answer(404, error("E_NOT_FOUND", "x")), {}],
    ["a fault of the service", answer(500, error("E_INTERNAL", "x")), {}],
    ["that it was taken", answer(201, {}), {}],
    ["no shape", answer(400, "no"), {}],
    [
      "another code",
      answer(404, error("E_NOT_FOUND", "x")),
      { expects: refusedWith(404, "E_THING_NOT_FOUND") }
    ],
    [
      "a code that nobody declared",
      answer(404, error("E_OTHER", "x")),
      { expects: refusedWith(404) }
    ],
    [
      "a code of another status",
      answer(400, error("E_THING_NOT_FOUND", "x")),
      { expects: refusedWith(400) }
    ],
    [
      "a code of a route where there is none",
      answer(404, error("E_THING_NOT_FOUND", "x")),
      { expects: refusedWith(404), route: null }
    ],
    [
      "another field",
      answer(400, error("E_BAD_REQUEST", "field c")),
      { expects: { ...badRequest, names: "a.b" } }
    ],
    ["a secret in the message", answer(400, error("E_BAD_REQUEST", secret)), {}],
    [
      "a secret in a header",
      answer(400, error("E_BAD_REQUEST", "x"), [["location", `/${secret}`]]),
      {}
    ]
  ])("[D-02] %s may not", (_what, wrong, more) => {
    expect(answerFault(wrong, asked(more))).not.toBeNull()
  })
})
