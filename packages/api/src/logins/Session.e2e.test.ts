import { describe, expect, it } from "vitest"

import { inDays, loginSteps, refusal, text } from "../testing/LoginSteps.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const { ask, ownPage, startSession, invited, secrets } = loginSteps(service)

describe("the session of a browser", () => {
  it("[D-23] is a cookie that no script reads, for 30 days, and also a bearer", async () => {
    const { answer, given, secret } = await startSession()
    expect(secret).toMatch(/^cs_[A-Za-z0-9_-]{43}$/)
    expect(given.split("; ").slice(1).toSorted()).toEqual([
      "HttpOnly",
      "Max-Age=2592000",
      "Path=/",
      "SameSite=Strict"
    ])
    expect(answer.text).not.toContain(secret.slice(3))
    expect([inDays(answer, "expiresAt"), text(answer, "name")]).toEqual([30, "owner"])
    const headers = ownPage(secret)
    expect((await ask("/v1/me", { headers })).status).toBe(200)
    expect((await ask("/v1/me", { bearer: secret })).status).toBe(200)
    expect((await ask("/v1/me/tokens", { headers })).status).toBe(200)
  })

  it.each([
    ["its own origin says so", { origin: "https://a.example", "sec-fetch-site": "same-origin" }],
    ["a proxy says so", { "x-forwarded-proto": "https" }]
  ])("[C-67] its cookie is for https only when %s", async (_who, headers) => {
    const { given } = await startSession(service.token, headers)
    expect(given.split("; ")).toContain("Secure")
  })

  it("[auth.login.required] [D-23] writes from the service's own pages only", async () => {
    const { secret } = await startSession()
    const cookie = `atrium_session=${secret}`
    const write = (headers: Record<string, string>) =>
      ask("/v1/projects", { body: { name: "by cookie" }, headers })
    const before = (await ask("/v1/projects", { bearer: service.token })).text
    const refused = await Promise.all([
      write({ cookie }),
      write({ cookie, origin: "https://evil.example" }),
      write({ cookie, origin: "null" }),
      write({ cookie, origin: service.url, "sec-fetch-site": "cross-site" }),
      write({ cookie, origin: service.url, "sec-fetch-site": "same-site" }),
      write({ cookie, origin: service.url.replace("127.0.0.1", "127.0.0.2") })
    ])
    for (const answer of refused) expect(refusal(answer)).toEqual([403, "E_ORIGIN"])
    expect((await ask("/v1/projects", { bearer: service.token })).text).toBe(before)
    expect((await write(ownPage(secret))).status).toBe(201)
    expect((await write({ cookie, origin: service.url })).status).toBe(201)
    // A program that has the secret itself needs no page.
    const bearer = await ask("/v1/projects", {
      body: { name: "by bearer" },
      bearer: secret,
      headers: { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
    })
    expect(bearer.status).toBe(201)
    const unknown = { cookie: `atrium_session=cs_${"a".repeat(43)}` }
    expect(refusal(await write(unknown))).toEqual([401, "E_UNAUTHENTICATED"])
  })

  it("[D-23] gives way to the header, however bad that is", async () => {
    const { secret } = await startSession()
    const { token } = await invited("Hal")
    const cookie = `atrium_session=${secret}`
    const me = await ask("/v1/me", { bearer: token, headers: { cookie } })
    expect(text(me, "name")).toBe("Hal")
    for (const authorization of ["Basic x", `Bearer rk_${"a".repeat(43)}`, "Bearer"]) {
      const answer = await ask("/v1/me", { headers: { cookie, authorization } })
      expect(refusal(answer)).toEqual([401, "E_UNAUTHENTICATED"])
    }
  })

  it("[D-23] is no way for a login token in a cookie, nor for a session to make another", async () => {
    const { secret } = await startSession()
    const asCookie = await ask("/v1/me", { headers: { cookie: `atrium_session=${service.token}` } })
    expect(refusal(asCookie)).toEqual([401, "E_UNAUTHENTICATED"])
    for (const token of [secret, "", `ct_${"a".repeat(43)}`, `rk_${"a".repeat(43)}`]) {
      const answer = await ask("/v1/login/session", { body: { token } })
      expect([refusal(answer), answer.text]).toEqual([[401, "E_UNAUTHENTICATED"], asCookie.text])
      expect(answer.headers.get("set-cookie")).toBe(null)
    }
  })

  it("[C-67] starts from no other page, so that none logs its visitors in as somebody else", async () => {
    for (const headers of [
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      { origin: "https://evil.example" }
    ]) {
      const answer = await ask("/v1/login/session", { body: { token: service.token }, headers })
      expect(refusal(answer)).toEqual([403, "E_ORIGIN"])
      expect(answer.headers.get("set-cookie")).toBe(null)
    }
  })

  it("[D-23] ends at the logout, which no foreign page can ask for", async () => {
    const { secret } = await startSession()
    const logout = (headers: Record<string, string>) =>
      ask("/v1/login/logout", { method: "POST", headers })
    const foreign = await logout({ cookie: `atrium_session=${secret}` })
    expect(refusal(foreign)).toEqual([403, "E_ORIGIN"])
    expect((await ask("/v1/me", { bearer: secret })).status).toBe(200)
    const ended = await logout(ownPage(secret))
    expect([ended.status, ended.text]).toEqual([204, ""])
    expect(ended.headers.get("set-cookie")).toMatch(/^atrium_session=; Max-Age=0;/)
    const after = await ask("/v1/me", { bearer: secret })
    expect(refusal(after)).toEqual([401, "E_UNAUTHENTICATED"])
  })
})

describe("the page", () => {
  it("[D-23] at /login loads nothing from elsewhere and runs only what is in it", async () => {
    const page = await ask("/login?code=ABCD-EFGH")
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8"
    ])
    const policy = page.headers.get("content-security-policy") ?? ""
    expect(policy.replaceAll(/'sha256-[^']+'/g, "HASH").split("; ")).toEqual([
      "default-src 'none'",
      "script-src HASH",
      "style-src HASH",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'"
    ])
    expect(page.headers.get("cache-control")).toBe("no-store")
    expect(page.headers.get("referrer-policy")).toBe("no-referrer")
    const links = page.text.match(/href="[^"]*"/g)
    expect(links).toEqual(['href="/console"'])
    expect(page.text.replace(/href="[^"]*"/, "")).not.toMatch(
      /https?:|src=|href=|url\(|@import|\son\w+=|style=/
    )
    // What the address says is not in the page: a script cannot come in with it.
    expect(page.text).not.toContain("ABCD-EFGH")
    expect(page.text).toBe((await ask("/login")).text)
  })

  it("[D-02] answers POST with 405 and names GET as allowed", async () => {
    const answer = await ask("/login", { method: "POST" })
    expect(refusal(answer)).toEqual([405, "E_METHOD_NOT_ALLOWED"])
    expect(answer.headers.get("allow")).toBe("GET")
  })
})

describe("the service's output", () => {
  it("[keys.secret.once] no secret of any login is in the service's output", () => {
    expect(secrets.length).toBeGreaterThan(5)
    for (const secret of [...secrets, service.token]) {
      expect(service.output()).not.toContain(secret.slice(3))
    }
  })
})
