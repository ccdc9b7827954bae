import { Schema } from "effect"
import { describe, expect, it } from "vitest"

import { BadRequest, RateLimited, Unauthenticated } from "../shared/Refusal.ts"
import { onWire, rateLimitedOnWire } from "./onWire.ts"

describe("onWire", () => {
  it("[D-02] a refusal travels as {error:{code,message}} and comes back as its class", () => {
    const schema = onWire(BadRequest)
    const wire = Schema.encodeSync(schema)(new BadRequest({ message: "unknown field: x" }))
    expect(wire).toEqual({ error: { code: "E_BAD_REQUEST", message: "unknown field: x" } })
    const back = Schema.decodeUnknownSync(schema)(wire)
    expect(back).toBeInstanceOf(BadRequest)
    expect(back.message).toBe("unknown field: x")
  })

  it("[error.http.unauthenticated] the 401 has the same wording for every reason", () => {
    const wire = Schema.encodeSync(onWire(Unauthenticated))(new Unauthenticated())
    expect(wire).toEqual({
      error: { code: "E_UNAUTHENTICATED", message: "the credential is missing or not valid" }
    })
  })

  it("[D-26] the refusal of a rate says when to come again, and comes back with it", () => {
    const refusal = new RateLimited({ retryAfterMs: 1234 })
    const wire = Schema.encodeSync(rateLimitedOnWire)(refusal)
    expect(wire).toEqual({
      error: {
        code: "E_RATE_LIMITED",
        message: "too many requests; ask again later",
        retryAfterMs: 1234
      }
    })
    const back = Schema.decodeUnknownSync(rateLimitedOnWire)(wire)
    expect(back).toBeInstanceOf(RateLimited)
    expect(back.retryAfterMs).toBe(1234)
  })
})
