import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "./testing/EachTest.ts"
import { tinyRoom } from "./testing/GameFolder.ts"
import { refusal } from "./testing/RecordingService.ts"
import { loginToken, runCommand, startCommand } from "./testing/RunCommand.ts"

const id = "p_0123456789abcdef"

const service = serviceOfEachTest()
const game = gameOfEachTest()

const env = (): Record<string, string> => ({ ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url })

describe("wrong use", () => {
  const run = (argv: ReadonlyArray<string>, given: Record<string, string>) =>
    runCommand(argv, { cwd: game.path, env: given })

  it("[C-28] a missing or foreign token is told apart and never repeated", async () => {
    await game.write({ "room.ts": tinyRoom() })
    for (const given of [{}, { ATRIUM_TOKEN: "" }]) {
      const { code, err } = await run(["deploy"], given)
      expect(code).toBe(2)
      expect(err).toBe(
        "ATRIUM_TOKEN is not set, and nobody is logged in at http://127.0.0.1:8787: run `atrium login`, " +
          "or export the token (ct_…) that the service showed at its first start"
      )
    }
    for (const token of [`rk_${"k".repeat(43)}`, `ct_${"t".repeat(42)}`, "ct_x\ny"]) {
      const { code, err } = await run(["deploy"], { ...env(), ATRIUM_TOKEN: token })
      expect(code).toBe(2)
      expect(err).toMatch(/^ATRIUM_TOKEN is no login token/)
      expect(err).not.toContain(token.slice(3, 9))
    }
    expect(service.requests).toEqual([])
  })

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [[], /^usage: atrium/],
    [["deply"], /^Unknown subcommand "deply"/],
    [["deploy", "--tokn"], /^Unrecognized flag: --tokn/],
    [["deploy", "--token", loginToken], /^Unrecognized flag: --token in/],
    [["deploy", "--project", ""], /^--project: must be a non-empty string$/],
    [["deploy", "--name="], /^--name: must be a non-empty string$/],
    [["deploy", "--url", "ftp://x"], /^--url: ftp:\/\/x: not an http/],
    [["deploy", "-c"], /config/],
    [["dev", "--site-port", "65536"], /65535/]
  ]
  it.each(wrong)("[D-41] %j", async (argv, message) => {
    await game.write({ "room.ts": tinyRoom() })
    const { code, out, err } = await run(argv, env())
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err).toMatch(message)
    expect(err).not.toContain(loginToken)
    expect(service.requests).toEqual([])
  })

  it("[D-41] help and version are results", async () => {
    const help = await run(["deploy", "--help"], {})
    expect(help).toMatchObject({ code: 0, err: "" })
    expect(help.out).toContain("--config, -c")
    expect(await run(["--version"], {})).toEqual({ code: 0, out: "0.1.0", err: "" })
  })
})

describe("the real command", () => {
  const start = (argv: ReadonlyArray<string>, given = env()) =>
    startCommand(argv, { cwd: game.path, env: given }).ended

  it("[D-41] ends with 0, 1 or 2, and its streams are apart", async () => {
    await game.write({ "room.ts": tinyRoom(), "service.json": `{"project":"${id}"}` })
    const done = await start(["deploy"])
    expect(done).toMatchObject({ code: 0, err: "" })
    expect(done.out).toMatch(/^project {2}p_/)
    service.answer = () => refusal(409, "E_SCHEMA_BREAKING", "no")
    expect(await start(["deploy"])).toEqual({ code: 1, out: "", err: "E_SCHEMA_BREAKING: no\n" })
    await game.write({ "service.json": "{" })
    expect(await start(["deploy"])).toMatchObject({ code: 2, out: "" })
  })

  it.each(["--version", "-v", "rooms --version"])(
    "[C-366] tells its version at %s",
    async (line) => {
      expect(await start(line.split(" "))).toEqual({ code: 0, out: "0.1.0\n", err: "" })
    }
  )

  it("[D-41] NO_COLOR keeps colours away, even from a terminal that is said to have them", async () => {
    const plain = await start(["--help"], { FORCE_COLOR: "1", NO_COLOR: "1" })
    expect(plain.out).not.toContain("\u001b[")
    const coloured = await start(["--help"], { FORCE_COLOR: "1" })
    expect(coloured.out).toContain("\u001b[")
  })
})
