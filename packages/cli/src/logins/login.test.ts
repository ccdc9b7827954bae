import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { beforeEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { type RecordedRequest, refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"
import { SkippingClock } from "../testing/SkippingClock.ts"

const taken = `ct_${"n".repeat(43)}`
const login = {
  token: taken,
  tokenId: "tok_2",
  accountId: "acc_1",
  name: "Ada",
  expiresAt: "2099-01-01T00:00:00.000Z"
}
const account = { accountId: "acc_1", name: "Ada", createdAt: "2026-01-01T00:00:00.000Z" }
const pending = refusal(409, "E_LOGIN_PENDING", "waits")

const service = serviceOfEachTest()
const game = gameOfEachTest()
let file = ""
let clock: SkippingClock

beforeEach(async () => {
  clock = new SkippingClock()
  file = join(game.path, ".config/atrium/credentials.json")
})

const run = (argv: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  runCommand(argv, { cwd: game.path, clock, env: { ATRIUM_URL: service.url, ...env } })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)
const stored = async (): Promise<unknown> => JSON.parse(await readFile(file, "utf8"))
const logIn = (name: string): Promise<void> =>
  game.write({
    ".config/atrium/credentials.json": JSON.stringify({
      logins: { [service.url]: { ...login, token: loginToken, tokenId: "tok_1", name } }
    })
  })

interface Device {
  readonly expiresIn?: number
  readonly polls: ReadonlyArray<ReturnType<typeof refusal>>
}

/** Starts every login, answers its polls one after the other, and ends tokens. */
const device = ({ expiresIn = 600, polls }: Device) => {
  const left = [...polls]
  const started = {
    deviceCode: "dev_1",
    userCode: "ABCD-EFGH",
    verificationUri: `${service.url}/login`,
    expiresIn,
    interval: 1
  }
  service.answer = ({ method, path }: RecordedRequest) => {
    if (path === "/v1/login/device") return { status: 201, body: started }
    if (path === "/v1/login/token") return left.shift() ?? { status: 201, body: login }
    return method === "DELETE" ? { status: 200, body: tokenRow } : null
  }
}
const tokenRow = {
  tokenId: "tok_1",
  label: "atrium",
  kind: "cli",
  createdAt: "2026-01-01T00:00:00.000Z",
  lastUsed: null,
  expiresAt: null,
  current: true
}

describe("atrium login", () => {
  it("[D-23] shows where to go, waits until it is allowed, and keeps the token", async () => {
    device({ polls: [pending] })
    expect(await run(["login"])).toEqual({
      code: 0,
      out: "",
      err: [
        `open  ${service.url}/login`,
        "code  ABCD-EFGH",
        "waiting until it is allowed there …",
        `logged in at ${service.url} as Ada; kept in ${file}`
      ].join("\n")
    })
    expect(asked()).toEqual([
      "POST /v1/login/device",
      "POST /v1/login/token",
      "POST /v1/login/token"
    ])
    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual({
      label: expect.stringMatching(/^atrium on ./)
    })
    expect(service.requests[1]?.body).toBe('{"deviceCode":"dev_1"}')
    expect(await stored()).toEqual({ logins: { [service.url]: login } })
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it("[D-23] no credential goes there, and the new token is on no stream", async () => {
    device({ polls: [] })
    const env = { ATRIUM_TOKEN: loginToken, SERVICE_API_KEY: `rk_${"k".repeat(43)}` }
    const { code, out, err } = await run(["login"], env)
    expect(code).toBe(0)
    expect(service.requests.map(({ authorization }) => authorization)).toEqual([
      undefined,
      undefined
    ])
    expect(out + err).not.toContain(taken)
    expect(err).toMatch(/\nATRIUM_TOKEN is set, and goes before it$/)
  })

  it("[D-23] waits as long as the service wants", async () => {
    const limited = { ...refusal(429, "E_RATE_LIMITED", "slower"), headers: { "retry-after": "2" } }
    device({ polls: [limited] })
    expect(await run(["login"])).toMatchObject({ code: 0 })
    expect(clock.waitedMs).toEqual([1000, 2000])
    expect(asked()).toHaveLength(3)
  })

  it("[D-23] the login before it is ended, by its own token", async () => {
    await logIn("Ada")
    device({ polls: [] })
    expect(await run(["login"])).toMatchObject({ code: 0 })
    const last = service.requests.at(-1)
    expect(last).toMatchObject({ method: "DELETE", path: "/v1/me/tokens/tok_1" })
    expect(last?.authorization).toBe(`Bearer ${loginToken}`)
    expect(await stored()).toEqual({ logins: { [service.url]: login } })
  })

  it("[D-41] exits as refused when the login is denied or over", async () => {
    await logIn("Ada")
    device({ polls: [pending, refusal(404, "E_LOGIN_CODE", "no login")] })
    const { code, out, err } = await run(["login"])
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err).toMatch(
      /\nE_LOGIN_CODE: no login\nit was denied, or is over: run `atrium login` again$/
    )
    expect(await stored()).toMatchObject({ logins: { [service.url]: { token: loginToken } } })
    expect(asked().filter((call) => call.startsWith("DELETE"))).toEqual([])
  })

  it("[D-41] the command waits no longer than the code is valid", async () => {
    device({ expiresIn: 2, polls: Array.from({ length: 9 }, () => pending) })
    const { code, err } = await run(["login"])
    expect(code).toBe(1)
    expect(err).toMatch(/\nnobody allowed the login in time; run `atrium login` again$/)
    expect(clock.waitedMs).toEqual([1000, 1000])
    expect(asked()).toHaveLength(3)
    await expect(stored()).rejects.toThrow("ENOENT")
  })

  it("[D-41] keeps nothing that is not a token", async () => {
    device({ polls: [{ status: 201, body: { ...login, token: "ct_x" } }] })
    expect(await run(["login"])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/\nthe service gave no login token$/)
    })
    await expect(stored()).rejects.toThrow("ENOENT")
  })

  it("[file.reads.none] reads no project file, and takes no -c", async () => {
    await game.write({ "service.json": "{" })
    device({ polls: [] })
    expect(await run(["login"])).toMatchObject({ code: 0 })
    expect(await run(["login", "-c", "x"])).toMatchObject({ code: 2 })
  })
})

describe("atrium logout", () => {
  it("[D-23] ends the login at the service, and forgets it", async () => {
    await logIn("Ada")
    service.answer = () => ({ status: 200, body: tokenRow })
    expect(await run(["logout"])).toEqual({
      code: 0,
      out: "",
      err: `logged out at ${service.url}`
    })
    expect(asked()).toEqual(["DELETE /v1/me/tokens/tok_1"])
    expect(service.requests[0]?.authorization).toBe(`Bearer ${loginToken}`)
    expect(await stored()).toEqual({ logins: {} })
    expect(await run(["logout"])).toEqual({
      code: 0,
      out: "",
      err: `nobody is logged in at ${service.url}`
    })
  })

  const over: ReadonlyArray<readonly [number, string]> = [
    [401, "E_UNAUTHENTICATED"],
    [404, "E_TOKEN_NOT_FOUND"]
  ]
  it.each(over)("[D-23] %i %s: it was over already", async (status, code) => {
    await logIn("Ada")
    service.answer = () => refusal(status, code, "no")
    expect(await run(["logout"])).toMatchObject({ code: 0 })
    expect(await stored()).toEqual({ logins: {} })
  })

  it("[D-41] logout says that the login stays valid at a service that is away", async () => {
    await logIn("Ada")
    await service.close()
    expect(await run(["logout"])).toEqual({
      code: 1,
      out: "",
      err:
        `nothing answers at ${service.url}; start it with \`npm start\`\n` +
        `the login is forgotten here, but stays valid at ${service.url} until it is revoked there`
    })
    expect(await stored()).toEqual({ logins: {} })
  })

  it("[D-41] a login of the environment is not touched", async () => {
    expect(await run(["logout"], { ATRIUM_TOKEN: loginToken })).toMatchObject({ code: 0, out: "" })
    expect(asked()).toEqual([])
  })
})

describe("atrium whoami", () => {
  beforeEach(() => {
    service.answer = () => ({ status: 200, body: account })
  })
  const shown = (by: string): string =>
    ["name     Ada", "account  acc_1", `service  ${service.url}`, `by       ${by}`].join("\n")

  it("[D-23] shows the account of the stored login, or of ATRIUM_TOKEN, which goes first", async () => {
    await logIn("Ada")
    expect(await run(["whoami"])).toEqual({ code: 0, out: shown("atrium login"), err: "" })
    const env = { ATRIUM_TOKEN: taken }
    expect(await run(["whoami"], env)).toEqual({ code: 0, out: shown("ATRIUM_TOKEN"), err: "" })
    expect(service.requests.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${loginToken}`,
      `Bearer ${taken}`
    ])
    expect(asked()).toEqual(["GET /v1/me", "GET /v1/me"])
  })

  it("[D-41] fails without a login, and with one that has ended", async () => {
    expect(await run(["whoami"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(/^ATRIUM_TOKEN is not set, and nobody is logged in at http/)
    })
    await logIn("Ada")
    service.answer = () => refusal(401, "E_UNAUTHENTICATED", "not valid")
    expect(await run(["whoami"])).toEqual({
      code: 1,
      out: "",
      err: "E_UNAUTHENTICATED: not valid\nthe login that is stored has ended: run `atrium login` again"
    })
  })

  it("[file.reads.none] works beside a broken project file, as it reads none", async () => {
    await logIn("Ada")
    await writeFile(join(game.path, "service.json"), "{")
    expect(await run(["whoami"])).toMatchObject({ code: 0 })
  })
})
