import { createHmac } from "node:crypto"

import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { apiKey, loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const jwtSecret = `js_${"j".repeat(43)}`

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const env = (): Record<string, string> => ({
  ATRIUM_TOKEN: loginToken,
  ATRIUM_URL: service.url,
  SERVICE_API_KEY: apiKey
})
const secretIn = { SERVICE_JWT_SECRET: jwtSecret }
const run = (argv: ReadonlyArray<string>, more: Record<string, string> = {}) =>
  runCommand(["keys", ...argv], { cwd: game.path, env: { ...env(), ...more } })
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path, body }) => `${method} ${path} ${body}`.trim())

describe("atrium keys jwt-secret", () => {
  const made = { secret: jwtSecret, kid: "1", createdAt: "2026-01-01T00:00:00.000Z" }
  const route = `POST /v1/projects/${id}/jwt-secret`

  it("[cli.keys.jwt-secret] the secret alone is on standard output", async () => {
    service.answer = () => ({ status: 201, body: made })
    expect(await run(["jwt-secret", "--yes"])).toEqual({
      code: 0,
      out: jwtSecret,
      err:
        `JWT secret 1 of ${id}, shown this once: your backend signs with it who may join\n` +
        "from now on the service's anonymous identities cannot join; --delete undoes this"
    })
    expect(asked()).toEqual([`${route} {}`])
    expect(service.requests[0]?.authorization).toBe(`Bearer ${loginToken}`)
  })

  it("[D-25] --rotate makes a new secret and says how long the old one stays valid", async () => {
    service.answer = () => ({ status: 201, body: { ...made, kid: "2" } })
    const { code, out, err } = await run(["jwt-secret", "--rotate", "-y"])
    expect({ code, out }).toEqual({ code: 0, out: jwtSecret })
    expect(err).toMatch(/\nthe one before it goes on to be valid for 24 hours$/)
    expect(asked()).toEqual([`${route} {"rotate":true}`])
  })

  it("[C-222] asks first, says the consequence, and takes nothing but yes", async () => {
    service.answer = () => ({ status: 201, body: made })
    const answered = (typed: string) =>
      runCommand(["keys", "jwt-secret"], { cwd: game.path, env: env(), typed })
    const asks =
      `with a JWT secret, anonymous players join no room of ${id} any more: your backend signs who may\n` +
      "Go on? [y/N]"
    for (const typed of ["n\n", "\n", "", "yeah\n", "no\ny\n"]) {
      expect(await answered(typed)).toEqual({
        code: 2,
        out: "",
        err: `${asks}\nnothing was changed`
      })
    }
    expect(asked()).toEqual([])
    for (const typed of ["y\n", "YES\n", " yes \nmore"]) {
      const { code, out, err } = await answered(typed)
      expect({ code, out }).toEqual({ code: 0, out: jwtSecret })
      expect(err).toContain(asks)
    }
    expect(asked()).toHaveLength(3)
  })

  it.each([[[]], [["--rotate"]], [["--delete"]]])(
    "[C-222] without a terminal %j is refused, and told to pass --yes",
    async (flags) => {
      const place = { cwd: game.path, env: env() }
      const ended = await runCommand(["keys", "jwt-secret", ...flags], { ...place, stdin: "y\n" })
      expect(ended).toMatchObject({ code: 2, out: "" })
      expect(ended.err).toMatch(
        /\nstandard input is no terminal, so nobody can be asked: say --yes$/
      )
      expect(asked()).toEqual([])
    }
  )

  it("[C-222] --delete deletes all secrets, so that anonymous players join again", async () => {
    const back = `DELETE /v1/projects/${id}/jwt-secret`
    service.answer = () => ({ status: 200, body: { deleted: ["2", "1"] } })
    expect(await run(["jwt-secret", "--delete", "--yes"])).toEqual({
      code: 0,
      out: `deleted JWT secret 2, 1 of ${id}: anonymous players join its rooms again`,
      err: ""
    })
    service.answer = () => ({ status: 200, body: { deleted: [] } })
    expect((await run(["jwt-secret", "--delete", "--yes"])).out).toBe(
      `${id} has no JWT secret: anonymous players join its rooms`
    )
    expect(asked()).toEqual([back, back])
    expect(await run(["jwt-secret", "--delete", "--rotate", "--yes"])).toMatchObject({ code: 2 })
    expect(asked()).toHaveLength(2)
  })

  it("[auth.jwt-secret.once] a second call does not print it", async () => {
    service.answer = () => refusal(409, "E_SECRET_EXISTS", "the project has a JWT secret")
    expect(await run(["jwt-secret", "--yes"])).toEqual({
      code: 1,
      out: "",
      err: "E_SECRET_EXISTS: the project has a JWT secret\nit was shown when it was made; --rotate makes another one"
    })
  })
})

const partsOf = (token: string): { header: unknown; claims: Record<string, unknown> } => {
  const [header = "", payload = "", signature = "", ...rest] = token.split(".")
  const expected = createHmac("sha256", jwtSecret).update(`${header}.${payload}`).digest()
  expect(Buffer.from(signature, "base64url")).toEqual(expected)
  expect(rest).toEqual([])
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString())
  const claims = read(payload)
  if (typeof claims !== "object" || claims === null) throw new Error("no claims")
  return { header: read(header), claims: { ...claims } }
}

describe("atrium keys jwt-mint", () => {
  it("[cli.keys.jwt-mint] [C-76] signs who may join, without the service", async () => {
    const { code, out, err } = await run(["jwt-mint", "--player", "ada"], secretIn)
    expect({ code, err }).toEqual({
      code: 0,
      err: `lets player ada into every room of ${id} for 1h`
    })
    const { header, claims } = partsOf(out)
    expect(header).toEqual({ alg: "HS256", typ: "JWT" })
    // The command reads the machine's clock.
    const nowS = Date.now() / 1000
    expect(claims).toEqual({
      iss: id,
      aud: "rooms",
      sub: "ada",
      room: "*",
      role: "player",
      iat: expect.any(Number),
      exp: Number(claims["iat"]) + 3600,
      jti: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/)
    })
    expect(Math.abs(Number(claims["iat"]) - nowS)).toBeLessThan(10)
    expect(asked()).toEqual([])
    expect(
      partsOf((await run(["jwt-mint", "--player", "ada"], secretIn)).out).claims["jti"]
    ).not.toBe(claims["jti"])
  })

  it("[D-25] for one room, one name and a while", async () => {
    const argv = [
      "jwt-mint",
      "--player",
      "pl_ü",
      "--room",
      "arena-1",
      "--ttl",
      "24h",
      "--name",
      "Ä b"
    ]
    const { code, out, err } = await run(argv, secretIn)
    expect({ code, err }).toEqual({
      code: 0,
      err: `lets player pl_ü into arena-1 of ${id} for 24h`
    })
    const { claims } = partsOf(out)
    expect(claims).toMatchObject({ sub: "pl_ü", room: "arena-1", name: "Ä b" })
    expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(86_400)
  })

  it("[C-76] the secret may come from standard input", async () => {
    const place = { cwd: game.path, env: env() }
    const argv = ["keys", "jwt-mint", "--player", "ada"]
    const piped = await runCommand(argv, { ...place, stdin: `${jwtSecret}\n` })
    expect(piped.code).toBe(0)
    expect(partsOf(piped.out).claims).toMatchObject({ sub: "ada" })
    const both = { ...place, env: { ...place.env, ...secretIn }, stdin: "js_other" }
    expect(await runCommand(argv, both)).toMatchObject({ code: 0 })
  })

  const noSecrets: ReadonlyArray<readonly [string | undefined, Record<string, string>, RegExp]> = [
    [undefined, {}, /^SERVICE_JWT_SECRET is not set: export the secret/],
    ["", {}, /^SERVICE_JWT_SECRET is not set, and standard input is no JWT secret/],
    ["js_sesame", {}, /^SERVICE_JWT_SECRET is not set, and standard input is no JWT secret/],
    ["js_".padEnd(100_000, "sesame"), {}, /standard input is no JWT secret/],
    [jwtSecret, { SERVICE_JWT_SECRET: "js_sesame" }, /^SERVICE_JWT_SECRET is no JWT secret/],
    [undefined, { SERVICE_JWT_SECRET: "" }, /^SERVICE_JWT_SECRET is not set: export the secret/],
    [undefined, { SERVICE_JWT_SECRET: loginToken }, /^SERVICE_JWT_SECRET is no JWT secret/]
  ]
  it.each(noSecrets)("[D-41] %j, %j: no secret", async (stdin, more, message) => {
    const given = stdin === undefined ? {} : { stdin }
    const place = { cwd: game.path, env: { ...env(), ...more }, ...given }
    const { code, out, err } = await runCommand(["keys", "jwt-mint", "--player", "ada"], place)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(message)
    expect(err).not.toContain("sesame")
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [[], /--player/],
    [["--player", ""], /--player/],
    [["--player", "é".repeat(129)], /--player.*1 to 256 bytes/s],
    [["--player", "ada", "--room", "a b"], /--room/],
    [["--player", "ada", "--room", ""], /--room/],
    [["--player", "ada", "--ttl", "25h"], /--ttl.*from 1m to 24h/s],
    [["--player", "ada", "--ttl", "1441m"], /--ttl/],
    [["--player", "ada", "--ttl", "1s"], /--ttl/],
    [["--player", "ada", "--secret", jwtSecret], /^Unrecognized flag: --secret/],
    [
      ["--player", "ada", "--project", "arena"],
      /^project: arena, which is from --project, is no id/
    ]
  ]
  it.each(wrong)("[D-41] %j is wrong use", async (argv, message) => {
    const { code, out, err } = await run(["jwt-mint", ...argv], secretIn)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(message)
  })

  it("[D-25] a player's id has up to 256 bytes, a life up to a day", async () => {
    const argv = ["jwt-mint", "--player", "é".repeat(128), "--ttl", "1440m", "--project", "dev"]
    expect(await run(argv, secretIn)).toMatchObject({ code: 0 })
  })
})
