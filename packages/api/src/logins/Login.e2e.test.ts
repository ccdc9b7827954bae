import { describe, expect, it } from "vitest"

import { fields, inDays, loginSteps, refusal, rows, text } from "../testing/LoginSteps.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const { ask, startDevice, poll, decide, cliToken, startSession, invited, secrets } =
  loginSteps(service)

describe("the login of a device", () => {
  it("[D-23] [D-50] [auth.login.obtaining] gives one token to the device, once somebody has allowed it", async () => {
    const { answer, deviceCode, userCode } = await startDevice("Ann's laptop")
    expect(fields(answer)).toEqual({
      deviceCode,
      userCode,
      expiresIn: 600,
      interval: 5,
      verificationUri: `${service.url}/login?code=${userCode}`
    })
    expect(refusal(await poll(deviceCode))).toEqual([409, "E_LOGIN_PENDING"])
    const shown = await ask(`/v1/login/device/${userCode}`, { bearer: service.token })
    expect([shown.status, text(shown, "label")]).toEqual([200, "Ann's laptop"])
    const allowed = await decide(userCode.toLowerCase().replace("-", ""), true)
    expect([allowed.status, fields(allowed)]).toEqual([
      200,
      { userCode, label: "Ann's laptop", allow: true }
    ])
    const taken = await poll(deviceCode)
    expect(taken.status).toBe(201)
    const me = await ask("/v1/me", { bearer: text(taken, "token") })
    expect(fields(taken)).toEqual({
      token: expect.stringMatching(/^ct_[A-Za-z0-9_-]{43}$/),
      tokenId: expect.stringMatching(/^tok_[0-9a-f]{16}$/),
      accountId: text(me, "accountId"),
      name: "owner",
      expiresAt: expect.any(String)
    })
    expect(inDays(taken, "expiresAt")).toBe(90)
    expect((await ask("/v1/projects", { bearer: text(taken, "token") })).status).toBe(200)
    expect(refusal(await poll(deviceCode))).toEqual([404, "E_LOGIN_CODE"])
    secrets.push(text(taken, "token"))
  })

  it("[D-23] has one and the same 404 for codes that are unknown, denied, or used", async () => {
    const denied = await startDevice()
    expect((await decide(denied.userCode, false)).status).toBe(200)
    const used = await startDevice()
    await decide(used.userCode, true)
    expect((await poll(used.deviceCode)).status).toBe(201)
    const answers = await Promise.all([
      poll(denied.deviceCode),
      poll(used.deviceCode),
      poll(`cd_${"a".repeat(43)}`),
      poll(""),
      decide(denied.userCode, true),
      decide(used.userCode, true),
      decide("0000-0000", true),
      decide("no code", true),
      ask(`/v1/login/device/${denied.userCode}`, { bearer: service.token })
    ])
    for (const answer of answers) expect(refusal(answer)).toEqual([404, "E_LOGIN_CODE"])
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  })

  it("[D-23] [D-26] refuses a device that polls faster than the interval, and says how long", async () => {
    const { deviceCode } = await startDevice()
    expect((await poll(deviceCode)).status).toBe(409)
    const early = await poll(deviceCode)
    expect(refusal(early)).toEqual([429, "E_RATE_LIMITED"])
    const { error }: { error: { retryAfterMs: number } } = JSON.parse(early.text)
    expect(error.retryAfterMs).toBeGreaterThan(0)
    expect(error.retryAfterMs).toBeLessThanOrEqual(5000)
    expect(Number(early.headers.get("retry-after"))).toBe(Math.ceil(error.retryAfterMs / 1000))
  })

  it("[D-23] bounds the guesses of an account, and of no other", async () => {
    const { token } = await invited("guesser")
    const { userCode } = await startDevice()
    const guess = (code: string) => decide(code, true, token)
    const guesses = await Promise.all(Array.from({ length: 20 }, () => guess("0000-0000")))
    expect(new Set(guesses.map(({ status }) => status))).toEqual(new Set([404]))
    const past = await guess(userCode)
    expect(refusal(past)).toEqual([429, "E_RATE_LIMITED"])
    expect(Number(past.headers.get("retry-after"))).toBeGreaterThan(0)
    expect((await decide(userCode, false)).status).toBe(200)
  })

  it.each([
    ["a label of 101 characters", { label: "x".repeat(101) }, "field label"],
    ["a label that moves the cursor", { label: "\u001b[2J" }, "field label"],
    ["an unknown field", { scope: "all" }, "unknown field: scope"]
  ])("[D-02] refuses %s", async (_what, body, says) => {
    const answer = await ask("/v1/login/device", { body })
    expect(refusal(answer)).toEqual([400, "E_BAD_REQUEST"])
    expect(answer.text).toContain(says)
    expect((await startDevice("x".repeat(100))).answer.status).toBe(201)
  })
})

describe("further accounts", () => {
  it("[C-66] [T-99] come by an invitation, which makes one account", async () => {
    const { invitation, code, answer, token } = await invited("Ben")
    expect(fields(invitation)).toEqual({
      invitationId: expect.stringMatching(/^inv_[0-9a-f]{16}$/),
      name: "Ben",
      code,
      createdAt: expect.any(String),
      expiresAt: expect.any(String)
    })
    expect(inDays(invitation, "expiresAt")).toBe(7)
    const accountId = text(answer, "accountId")
    expect(fields(answer)).toEqual({
      accountId,
      name: "Ben",
      token,
      expiresAt: null,
      tokenId: expect.stringMatching(/^tok_[0-9a-f]{16}$/)
    })
    const me = await ask("/v1/me", { bearer: token })
    expect(fields(me)).toEqual({ accountId, name: "Ben", createdAt: expect.any(String) })
    const listed = await ask("/v1/me/invitations", { bearer: service.token })
    const row = rows(listed).find(
      ({ invitationId }) => invitationId === text(invitation, "invitationId")
    )
    const { code: _code, ...known } = fields(invitation)
    expect(row).toEqual({ ...known, acceptedBy: accountId })
    // The new account has nothing of the old one.
    expect((await ask("/v1/projects", { bearer: token })).text).toBe("[]")
    expect((await ask("/v1/me/invitations", { bearer: token })).text).toBe("[]")
    const foreign = await ask(`/v1/projects/${service.project}`, { bearer: token })
    expect(refusal(foreign)).toEqual([404, "E_NOT_FOUND"])
  })

  it("[C-66] have one and the same 404 for invitations that are unknown, used, or withdrawn", async () => {
    const used = await invited("Cyd")
    const open = await ask("/v1/me/invitations", { body: { name: "Dee" }, bearer: service.token })
    const path = `/v1/me/invitations/${text(open, "invitationId")}`
    const foreign = await ask(path, { method: "DELETE", bearer: used.token })
    const withdrawn = await ask(path, { method: "DELETE", bearer: service.token })
    expect([withdrawn.status, text(withdrawn, "name")]).toEqual([200, "Dee"])
    const accept = (code: string) => ask("/v1/login/invitation", { body: { code, name: "Eve" } })
    const answers = [
      foreign,
      await ask(path, { method: "DELETE", bearer: service.token }),
      await accept(used.code),
      await accept(text(open, "code")),
      await accept(`ci_${"a".repeat(43)}`),
      await accept("")
    ]
    for (const answer of answers) expect(refusal(answer)).toEqual([404, "E_INVITATION"])
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  })
})

describe("ids that are none", () => {
  const remove = (path: string) => ask(path, { method: "DELETE", bearer: service.token })

  it.each(["nothing", "%00", "%zz", "tok_0123456789abcde%00", "inv_0123456789abcde%00"])(
    "[D-05] %s is an id of nothing: the same 404 as for one that is not there",
    async (id) => {
      for (const [path, unknown, code] of [
        ["/v1/me/tokens", "tok_0123456789abcdef", "E_TOKEN_NOT_FOUND"],
        ["/v1/me/invitations", "inv_0123456789abcdef", "E_INVITATION"]
      ] as const) {
        const ended = await remove(`${path}/${id}`)
        expect(refusal(ended)).toEqual([404, code])
        expect(ended.text).toBe((await remove(`${path}/${unknown}`)).text)
      }
    }
  )
})

describe("the logins of an account", () => {
  it("[D-23] [D-40] are listed without their secrets, and end when they are revoked", async () => {
    const { token: account } = await invited("Flo")
    const first = await cliToken("first", account)
    const second = await cliToken("second", account)
    const session = await startSession(account)
    const listed = await ask("/v1/me/tokens", { bearer: first.token })
    expect(rows(listed).map(({ label, kind, current }) => [label, kind, current])).toEqual([
      ["browser", "session", false],
      ["second", "cli", false],
      ["first", "cli", true],
      ["invitation", "account", false]
    ])
    expect(rows(listed)[2]).toEqual({
      tokenId: first.tokenId,
      label: "first",
      kind: "cli",
      current: true,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsed: expect.any(String)
    })
    expect(rows(listed)[3]?.["expiresAt"]).toBe(null)
    for (const secret of [account, first.token, second.token, session.secret]) {
      expect(listed.text).not.toContain(secret.slice(3))
    }
    const path = `/v1/me/tokens/${second.tokenId}`
    const foreign = await ask(path, { method: "DELETE", bearer: service.token })
    expect(refusal(foreign)).toEqual([404, "E_TOKEN_NOT_FOUND"])
    expect((await ask("/v1/me", { bearer: second.token })).status).toBe(200)
    const revoked = await ask(path, { method: "DELETE", bearer: first.token })
    expect([revoked.status, text(revoked, "tokenId")]).toEqual([200, second.tokenId])
    const again = await ask(path, { method: "DELETE", bearer: first.token })
    expect([refusal(again), again.text]).toEqual([[404, "E_TOKEN_NOT_FOUND"], foreign.text])
    const unknown = await ask("/v1/me", { bearer: `ct_${"a".repeat(43)}` })
    const ended = await ask("/v1/me", { bearer: second.token })
    expect([refusal(ended), ended.text]).toEqual([[401, "E_UNAUTHENTICATED"], unknown.text])
    expect((await ask("/v1/me", { bearer: first.token })).status).toBe(200)
  })

  it("[C-65] a logout ends a CLI token and a session, and leaves the account's own token", async () => {
    const { token: account } = await invited("Gus")
    const { token } = await cliToken("laptop", account)
    for (const bearer of [token, account]) {
      expect((await ask("/v1/login/logout", { method: "POST", bearer })).status).toBe(204)
    }
    expect((await ask("/v1/me", { bearer: token })).status).toBe(401)
    expect((await ask("/v1/me", { bearer: account })).status).toBe(200)
  })
})

describe("an address", () => {
  it("[C-68] starts as many logins of devices as its limit says, and is told when it may again", async () => {
    const beganMs = performance.now()
    let started = 0
    let last = await ask("/v1/login/device", { body: {} })
    for (; last.status === 201 && started < 200; started += 1) {
      last = await ask("/v1/login/device", { body: {} })
    }
    expect(refusal(last)).toEqual([429, "E_RATE_LIMITED"])
    expect(last.headers.get("retry-after")).toBe("1")
    // Logins of the other tests count as well; each second allows one more.
    expect(started).toBeGreaterThan(20)
    expect(started).toBeLessThanOrEqual(60 + (performance.now() - beganMs) / 1000)
  })
})

describe("the service's output", () => {
  it("[keys.secret.once] no secret of any login is in the service's output", () => {
    expect(secrets.length).toBeGreaterThan(10)
    for (const secret of [...secrets, service.token]) {
      expect(service.output()).not.toContain(secret.slice(3))
    }
  })
})
