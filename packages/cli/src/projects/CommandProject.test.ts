import { rm } from "node:fs/promises"
import { join } from "node:path"

import { beforeEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { apiKey, loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"
const other = "p_fedcba9876543210"

const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

beforeEach(async () => {
  service.answer = () => ({ status: 200, body: [] })
})

const env = (): Record<string, string> => ({ SERVICE_API_KEY: apiKey, ATRIUM_URL: service.url })
const place = () => ({ cwd: game.path, env: env() })
const rooms = (...argv: ReadonlyArray<string>) => runCommand(["rooms", ...argv], place())
const asked = (): ReadonlyArray<string> =>
  service.requests.map(({ method, path }) => `${method} ${path}`)

describe("the key", () => {
  const signIn = "export a key (`atrium api-keys mint` makes one), or run `atrium login --url URL`"

  it("[cli.rooms.env-key] without one and without a login, the variable is named", async () => {
    for (const given of [{}, { SERVICE_API_KEY: "" }]) {
      const where = { cwd: game.path, env: { ATRIUM_URL: service.url, ...given } }
      const { code, out, err } = await runCommand(["rooms"], where)
      expect({ code, out }).toEqual({ code: 2, out: "" })
      expect(err.replaceAll(service.url, "URL")).toBe(
        `SERVICE_API_KEY is not set, and nobody is logged in at URL: ${signIn}`
      )
    }
    expect(asked()).toEqual([])
  })

  it("[C-73] it goes before a login token, which does as well", async () => {
    await runCommand(["rooms"], { ...place(), env: { ...env(), ATRIUM_TOKEN: loginToken } })
    await runCommand(["rooms"], {
      cwd: game.path,
      env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
    })
    expect(service.requests.map(({ authorization }) => authorization)).toEqual([
      `Bearer ${apiKey}`,
      `Bearer ${loginToken}`
    ])
  })

  it.each([loginToken, `rk_${"k".repeat(42)}`, "rk_x\ny"])(
    "[cli.rooms.env-key] another secret is not sent as one, nor repeated",
    async (secret) => {
      const where = { ...place(), env: { ...env(), SERVICE_API_KEY: secret } }
      const { code, err } = await runCommand(["rooms"], where)
      expect(code).toBe(2)
      expect(err).toMatch(/^SERVICE_API_KEY is no API key: that is rk_ and 43 characters/)
      expect(err).not.toContain(secret.slice(3, 9))
      expect(asked()).toEqual([])
    }
  )
})

describe("the project", () => {
  it("[file.resolve.others] --project wins over the file", async () => {
    await rooms("--project", other)
    expect(asked()).toEqual([`GET /v1/projects/${other}/rooms`])
  })

  it("[file.resolve.others] the schema of the room code is not consulted", async () => {
    const code = `export const room = { schema: { project: "${other}" } }`
    await game.write({ "service.json": "{}", "room.ts": code })
    expect(await rooms()).toEqual({
      code: 2,
      out: "",
      err: "project: say its id with --project; service.json names none"
    })
    expect(asked()).toEqual([])
  })

  it("[file.resolve.none-refused] none at all is refused by name", async () => {
    await rm(join(game.path, "service.json"))
    for (const argv of [[], ["get", "a"], ["saves", "a"], ["delete", "a"]]) {
      expect(await rooms(...argv)).toEqual({
        code: 2,
        out: "",
        err: "project: say its id with --project; there is no service.json"
      })
    }
    expect(asked()).toEqual([])
  })

  it.each([
    ["rooms", "-c", "etc/x.json", "get", "a"],
    ["rooms", "get", "a", "--config", "etc/x.json"]
  ])("[file.config-flag] %s %s %s %s %s", async (...argv) => {
    await game.write({ "etc/x.json": `{"project":"${other}"}` })
    await runCommand(argv, place())
    expect(asked()).toEqual([`GET /v1/projects/${other}/rooms/a`])
  })

  it("[file.config-flag.missing-hard-error] a file that is not there is named", async () => {
    expect(await rooms("-c", "etc/x.json", "--project", id)).toEqual({
      code: 2,
      out: "",
      err: "etc/x.json: there is no such file"
    })
  })

  it.each(['""', "5", "null", "[]"])(
    "[file.validate.project-type.absent] project %s is as good as none",
    async (value) => {
      await game.write({ "service.json": `{"project":${value}}` })
      expect(await rooms()).toMatchObject({ code: 2, err: expect.stringMatching(/^project: say/) })
      expect(await rooms("--project", id)).toMatchObject({ code: 0 })
    }
  )

  const bad: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["file.validate.name-type", `{"project":"${id}","name":5}`, /^service\.json: name: must be a/],
    ["file.validate.not-json", "{", /^service\.json: not valid JSON: /]
  ]
  it.each(bad)("[%s] %s", async (_, text, message) => {
    await game.write({ "service.json": text })
    const { code, err } = await rooms("--project", id)
    expect(code).toBe(2)
    expect(err).toMatch(message)
    expect(asked()).toEqual([])
  })

  it("[file.reads.others] other keys are not looked at", async () => {
    await game.write({ "service.json": `{"project":"${id}","client":5,"boards":3}` })
    expect(await rooms()).toMatchObject({ code: 0 })
  })
})
