import { rm } from "node:fs/promises"
import { join } from "node:path"

import { beforeEach, describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { apiKey, loginToken, runCommand } from "../testing/RunCommand.ts"

const id = "p_0123456789abcdef"

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
  it("[file.resolve.none-refused] a command without any project is refused and names the missing file", async () => {
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
})
