import { beforeEach, expect, test } from "vitest"

import { JoinError } from "./ClientErrors.ts"
import { identityTokens } from "./Identity.ts"
import { FakeTime } from "./testing/FakeTime.ts"

let time: FakeTime
let answer: () => Response | Promise<Response>
let asked: number
let identity: ReturnType<typeof identityTokens>

beforeEach(() => {
  time = new FakeTime()
  asked = 0
  answer = () => minted()
  const port = time.port({
    fetch: async () => {
      asked += 1
      return answer()
    }
  })
  identity = identityTokens(port, "http://rooms.example")
})

const minted = (expiresAt = new Date(1000).toISOString()): Response =>
  Response.json({ playerId: "pl_1", token: `token-${asked}`, expiresAt }, { status: 201 })

const failure = async (): Promise<JoinError> => {
  const error: unknown = await identity.token({ project: "dev" }).catch((reason: unknown) => reason)
  if (error instanceof JoinError) return error
  throw new Error(`not a JoinError: ${String(error)}`)
}

test("[D-27] is kept until it expires, not longer", async () => {
  expect(await identity.token({ project: "dev" })).toBe("token-1")
  time.advance(999)
  expect(await identity.token({ project: "dev" })).toBe("token-1")
  time.advance(1)
  expect(
    await Promise.all([identity.token({ project: "dev" }), identity.token({ project: "dev" })])
  ).toEqual(["token-2", "token-2"])
})

test("[D-27] is one per project, and one for joins that start together", async () => {
  const tokens = await Promise.all([
    identity.token({ project: "a" }),
    identity.token({ project: "a" }),
    identity.token({ project: "b" })
  ])
  expect(new Set(tokens.slice(0, 2)).size).toBe(1)
  expect(asked).toBe(2)
})

test("[D-27] is used although the clock of the device is wrong", async () => {
  time.advance(10_000_000)
  expect(await identity.token({ project: "dev" })).toBe("token-1")
})

test("[D-27] a refusal carries the service's code, and the next call asks again", async () => {
  answer = () =>
    Response.json({ error: { code: "E_RATE_LIMITED", message: "too many" } }, { status: 429 })
  const refusal = await failure()
  expect([refusal.code, refusal.reason, refusal.closeCode]).toEqual([
    "E_RATE_LIMITED",
    "too many",
    null
  ])
  answer = () => minted()
  expect(await identity.token({ project: "dev" })).toBe("token-2")
})

test.each<[string, () => Response | Promise<Response>, string]>([
  ["no connection", () => Promise.reject(new TypeError("fetch failed")), "E_UNREACHABLE"],
  ["a proxy's error page", () => new Response("<html>", { status: 502 }), "E_UNREACHABLE"],
  ["an answer of something else", () => Response.json({ ok: true }), "E_PROTOCOL"],
  ["an expiry that is no time", () => minted("soon"), "E_PROTOCOL"]
])("[D-27] %s", async (_, given, code) => {
  answer = given
  expect((await failure()).code).toBe(code)
})
