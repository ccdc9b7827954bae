import { describe, expect, it } from "vitest"

import { ago } from "../testing/Ago.ts"
import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { apiKey, loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const routes = `/v1/projects/${id}/keys`
const key = {
  keyId: "key_0123456789abcdef",
  label: "ci",
  scopes: ["rooms:read"],
  createdAt: ago(7500),
  lastUsed: null,
  revokedAt: null
}

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const apiKeys = (...argv: ReadonlyArray<string>) =>
  runCommand(["api-keys", ...argv], {
    cwd: game.path,
    env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url, SERVICE_API_KEY: apiKey }
  })
const answers = (status: number, body: unknown): void => {
  service.answer = () => ({ status, body })
}
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path, body }) => `${method} ${path} ${body}`.trim())

describe("atrium api-keys mint", () => {
  it("[cli.api-keys.mint] [keys.secret.once] the secret alone is on standard output", async () => {
    answers(201, { ...key, secret: apiKey })
    const { code, out, err } = await apiKeys("mint", "--scopes", "rooms:read", "--label", "ci")
    expect({ code, out }).toEqual({ code: 0, out: apiKey })
    expect(err).toBe(
      `key_0123456789abcdef (ci): rooms:read of ${id}\n` +
        "its secret is shown this once; `atrium rooms` takes it from SERVICE_API_KEY"
    )
    expect(asked()).toEqual([`POST ${routes} {"scopes":["rooms:read"],"label":"ci"}`])
  })

  it("[auth.login.required] the login token goes there, never the API key", async () => {
    answers(201, { ...key, secret: apiKey })
    await apiKeys("mint", "--scopes", "rooms:read", "--label", "ci")
    answers(200, [])
    await apiKeys("list")
    answers(200, key)
    await apiKeys("revoke", key.keyId)
    expect(service.requests.map(({ authorization }) => authorization)).toEqual(
      Array.from({ length: 3 }, () => `Bearer ${loginToken}`)
    )
  })

  const scopes: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [["--scopes", "rooms:write"], ["rooms:write"]],
    [
      ["--scopes", "rooms:write,rooms:read"],
      ["rooms:read", "rooms:write"]
    ],
    [
      ["--scopes", "rooms:read", "--scopes=rooms:write"],
      ["rooms:read", "rooms:write"]
    ],
    [["--scopes", "rooms:read, rooms:read", "--scopes=rooms:read"], ["rooms:read"]]
  ]
  it.each(scopes)("[D-17] %j", async (argv, sent) => {
    answers(201, { ...key, secret: apiKey })
    expect(await apiKeys("mint", ...argv, "--label", "ci")).toMatchObject({ code: 0 })
    expect(JSON.parse(service.requests[0]?.body ?? "")).toEqual({ scopes: sent, label: "ci" })
  })

  it("[D-17] a label has up to 100 characters of any language", async () => {
    answers(201, { ...key, secret: apiKey })
    const mint = (label: string) => apiKeys("mint", "--scopes", "rooms:read", "--label", label)
    expect(await mint("日".repeat(100))).toMatchObject({ code: 0 })
    expect(await mint("👾".repeat(100))).toMatchObject({ code: 0 })
    for (const label of ["", "日".repeat(101)]) {
      const { code, out, err } = await mint(label)
      expect({ code, out }).toEqual({ code: 2, out: "" })
      expect(err).toContain("--label")
      expect(err).toContain("1 to 100 characters")
    }
    expect(asked()).toHaveLength(2)
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["--label", "ci"], /^Missing required flag: --scopes/],
    [["--scopes", "rooms:read"], /^Missing required flag: --label/],
    [["--scopes", "rooms:red", "--label", "ci"], /--scopes.*rooms:read \| rooms:write/],
    [["--scopes", "rooms:read,", "--label", "ci"], /--scopes/],
    [["--scopes", "", "--label", "ci"], /--scopes/],
    [["--scopes", "rooms:read,projects:write", "--label", "ci"], /--scopes/]
  ]
  it.each(wrong)("[D-41] %j is wrong use", async (argv, message) => {
    const { code, out, err } = await apiKeys("mint", ...argv)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(message)
    expect(asked()).toEqual([])
  })

  it("[D-41] a refusal prints no secret", async () => {
    service.answer = () => refusal(404, "E_NOT_FOUND", "not found")
    expect(await apiKeys("mint", "--scopes", "rooms:read", "--label", "ci")).toEqual({
      code: 1,
      out: "",
      err: `E_NOT_FOUND: not found\nyour account has no project ${id}, which is from service.json`
    })
  })
})

describe("atrium api-keys list", () => {
  it("[cli.api-keys.list] shows keys, also the revoked ones", async () => {
    // Half an hour from each bound of "1h ago": a test may run slowly.
    const at = ago(5400)
    const both = ["rooms:read", "rooms:write"]
    answers(200, [key, { ...key, label: "日本 bot", scopes: both, lastUsed: at, revokedAt: at }])
    const { code, out, err } = await apiKeys("list")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toBe(
      [
        "KEY                   SCOPES                  MADE    USED    REVOKED  LABEL",
        "key_0123456789abcdef  rooms:read              2h ago  never   no       ci",
        "key_0123456789abcdef  rooms:read,rooms:write  2h ago  1h ago  1h ago   日本 bot"
      ].join("\n")
    )
    expect(asked()).toEqual([`GET ${routes}`])
  })

  it("[D-41] --json is one line, and no keys are no lines", async () => {
    answers(200, [key])
    expect(await apiKeys("list", "--json")).toEqual({
      code: 0,
      out: JSON.stringify([key]),
      err: ""
    })
    answers(200, [])
    expect(await apiKeys("list")).toEqual({ code: 0, out: "", err: "no API keys" })
    expect(await apiKeys("list", "--json")).toEqual({ code: 0, out: "[]", err: "" })
  })
})

describe("atrium api-keys revoke", () => {
  it("[cli.api-keys.revoke] names the revoked key, its label and the time", async () => {
    const revoked = { ...key, revokedAt: "2026-01-01T00:00:00.000Z" }
    answers(200, revoked)
    expect(await apiKeys("revoke", key.keyId)).toEqual({
      code: 0,
      out: "revoked key_0123456789abcdef (ci), 2026-01-01T00:00:00.000Z",
      err: ""
    })
    expect(await apiKeys("revoke", key.keyId, "--json")).toMatchObject({
      out: JSON.stringify(revoked)
    })
    expect(asked()[0]).toBe(`DELETE ${routes}/${key.keyId}`)
  })

  it("[D-19] an unknown one is refused", async () => {
    service.answer = () => refusal(404, "E_KEY_NOT_FOUND", "key_x: no such key")
    expect(await apiKeys("revoke", "key_x")).toEqual({
      code: 1,
      out: "",
      err: "E_KEY_NOT_FOUND: key_x: no such key"
    })
    expect(await apiKeys("revoke", "..")).toMatchObject({ code: 2, out: "" })
    expect(asked()).toHaveLength(1)
  })
})

describe("its project", () => {
  it("[T-10] is resolved as that of `keys`, and -c is taken", async () => {
    answers(200, [])
    await game.write({ "etc/x.json": '{"project":"p_other"}', "service.json": '{"project":5}' })
    expect(await apiKeys("-c", "etc/x.json", "list")).toMatchObject({ code: 0 })
    expect(await apiKeys("list", "--config", "etc/x.json")).toMatchObject({ code: 0 })
    expect(await apiKeys("list", "--project", id)).toMatchObject({ code: 0 })
    expect(asked()).toEqual([
      "GET /v1/projects/p_other/keys",
      "GET /v1/projects/p_other/keys",
      `GET ${routes}`
    ])
    expect(await apiKeys("list")).toEqual({
      code: 2,
      out: "",
      err: "project: say its id with --project; service.json names none"
    })
  })

  it("[D-41] without a subcommand it is wrong use", async () => {
    expect(await apiKeys()).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(/^usage: atrium api-keys/)
    })
  })
})
