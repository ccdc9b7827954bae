import { readFile } from "node:fs/promises"
import { join } from "node:path"

import { describe, expect, it } from "vitest"

import { wholeCommand } from "./Commands.ts"
import { gameOfEachTest, serviceOfEachTest } from "./testing/EachTest.ts"
import { tinyRoom } from "./testing/GameFolder.ts"
import { refusal } from "./testing/RecordingService.ts"
import { loginToken, runCommand, startCommand } from "./testing/RunCommand.ts"
import { SkippingClock } from "./testing/SkippingClock.ts"

const id = "p_0123456789abcdef"
const jwtSecret = `js_${"j".repeat(43)}`
const service = serviceOfEachTest()
const game = gameOfEachTest({ "service.json": `{"project":"${id}"}` })

const place = () => ({ cwd: game.path, env: { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url } })
const run = (...argv: ReadonlyArray<string>) =>
  runCommand(argv, {
    ...place(),
    env: { ...place().env, SERVICE_API_KEY: `rk_${"k".repeat(43)}`, SERVICE_JWT_SECRET: jwtSecret },
    clock: new SkippingClock()
  })
/** The result of a command, which is one line of standard output; standard error has no secret. */
const resultOf = async (...argv: ReadonlyArray<string>): Promise<unknown> => {
  const { code, out, err } = await run(...argv, "--json")
  expect({ code, lines: out.split("\n").length, err }).toMatchObject({ code: 0, lines: 1 })
  expect(err).not.toMatch(/[jrc][skt]_[\w-]{43}/)
  return JSON.parse(out)
}

type Any = Awaited<ReturnType<typeof wholeCommand>>["subcommands"][number]["commands"][number]
const pathsBelow = (command: Pick<Any, "subcommands">): ReadonlyArray<ReadonlyArray<string>> =>
  command.subcommands.flatMap(({ commands }) =>
    commands.flatMap((each) => [
      [each.name],
      ...pathsBelow(each).map((path) => [each.name, ...path])
    ])
  )

/** Commands without a result of their own, and why. */
const without = new Map([
  ["keys", "it holds the commands below it"],
  ["api-keys", "it holds the commands below it"],
  ["identity", "it holds the commands below it"],
  ["boards", "it holds the commands below it"],
  ["kv", "it holds the commands below it"],
  ["players", "it holds the commands below it"],
  ["migrate", "it holds the commands below it"],
  ["project", "it holds the commands below it"],
  ["start", "its output is that of the service"],
  ["simulate", "a program of its own, with flags of its own"]
])

describe("--json", () => {
  it("[C-403] every command takes it that has a result", async () => {
    const paths = pathsBelow(await wholeCommand())
    expect(paths.length).toBeGreaterThan(25)
    const lacking: Array<string> = []
    for (const path of paths) {
      // All that follows its name goes to its program.
      const { out } = path[0] === "simulate" ? { out: "" } : await run(...path, "--help")
      if (!/^ *--json\b/m.test(out)) lacking.push(path.join(" "))
    }
    expect(lacking.toSorted()).toEqual([...without.keys()].toSorted())
  })

  it("[C-403] login and logout tell the service and the account, and no token", async () => {
    const login = {
      token: `ct_${"n".repeat(43)}`,
      tokenId: "tok_2",
      accountId: "acc_1",
      name: "Ada",
      expiresAt: "2099-01-01T00:00:00.000Z"
    }
    const device = {
      deviceCode: "dev_1",
      userCode: "ABCD-EFGH",
      verificationUri: `${service.url}/login`,
      expiresIn: 600,
      interval: 1
    }
    service.answer = ({ path }) => {
      if (path === "/v1/login/device") return { status: 201, body: device }
      if (path === "/v1/login/token") return { status: 201, body: login }
      return refusal(404, "E_TOKEN_NOT_FOUND", "no such login")
    }
    const { accountId, name, expiresAt } = login
    expect(await resultOf("login")).toEqual({ service: service.url, accountId, name, expiresAt })
    expect(await resultOf("logout")).toEqual({ service: service.url, loggedOut: true })
    expect(await resultOf("logout")).toEqual({ service: service.url, loggedOut: false })
  })

  it("[C-403] a secret that is made is a field of the result, and nowhere else", async () => {
    const made = { secret: jwtSecret, kid: "1", createdAt: "2026-01-01T00:00:00.000Z" }
    service.answer = ({ method }) =>
      method === "DELETE" ? { status: 200, body: { deleted: ["1"] } } : { status: 201, body: made }
    const secret = await resultOf("keys", "jwt-secret", "--yes")
    expect(secret).toEqual({ project: id, kid: "1", secret: jwtSecret })
    const deleted = await resultOf("keys", "jwt-secret", "--delete", "--yes")
    expect(deleted).toEqual({ project: id, deleted: ["1"] })
    expect(await resultOf("keys", "jwt-mint", "--player", "ada", "--room", "arena")).toEqual({
      project: id,
      player: "ada",
      room: "arena",
      expiresAt: expect.stringMatching(/Z$/),
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    })
    const key = {
      keyId: "key_0123456789abcdef",
      secret: `rk_${"s".repeat(43)}`,
      label: "ci",
      scopes: ["rooms:read"],
      createdAt: "2026-01-01T00:00:00.000Z",
      lastUsed: null,
      revokedAt: null
    }
    service.answer = () => ({ status: 201, body: key })
    expect(await resultOf("api-keys", "mint", "--scopes", "rooms:read", "--label", "ci")).toEqual(
      key
    )
  })

  it("[C-403] a save goes to a file, and the result says what was written", async () => {
    const save = "sv_0123456789abcdef"
    service.answer = () => ({
      status: 200,
      headers: { "content-type": "application/octet-stream" },
      body: "bytes"
    })
    const get = ["rooms", "saves", "get", "arena", save]
    expect(await run(...get, "--json")).toMatchObject({ code: 2, out: "" })
    expect(service.requests).toEqual([])
    expect(await resultOf(...get, "-o", "arena.save")).toEqual({
      roomId: "arena",
      saveId: save,
      path: "arena.save",
      bytes: 5
    })
    expect(await readFile(join(game.path, "arena.save"), "utf8")).toBe("bytes")
  })

  it("[C-403] dev is an object a line: versions, refusals and what rooms log, harmless", async () => {
    await game.write({ "room.ts": tinyRoom() })
    const line = {
      at: "2026-11-23T05:00:00.123Z",
      roomId: "a",
      level: "info",
      line: "\u001b[2J\u202e"
    }
    service.answer = ({ path }) =>
      path.includes("/logs/tail")
        ? {
            status: 200,
            headers: { "content-type": "text/event-stream" },
            body: `id: 7\nevent: line\ndata: ${JSON.stringify(line)}\n\n`
          }
        : null
    const { process, out, ended } = startCommand(["dev", "--json"], place())
    const events = () =>
      out()
        .split("\n")
        .filter((text) => text !== "")
        .map((text) => JSON.parse(text))
    const seen = (event: string) =>
      expect.poll(() => events().find((each) => each.event === event)).toBeTruthy()
    await seen("line")
    await seen("watching")
    await game.write({ "room.ts": "const x =" })
    await seen("refused")
    process.kill("SIGINT")
    expect((await ended).code).toBe(0)
    const one = (event: string) => events().find((each) => each.event === event)
    expect(one("version")).toMatchObject({
      project: id,
      version: 1,
      made: true,
      rooms: `${service.url.replace("http", "ws")}/v1/rooms/${id}/{room}`,
      roomTypes: [{ type: "tiny" }]
    })
    expect(one("watching")).toEqual({ event: "watching", folders: [game.path] })
    expect(one("line")).toEqual({ event: "line", ...line })
    expect(one("refused")).toMatchObject({
      code: "E_BUNDLE_INVALID",
      message: expect.stringMatching(/room\.ts:1:10/)
    })
    expect(out()).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  })
})
