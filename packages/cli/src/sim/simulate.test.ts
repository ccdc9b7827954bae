import { copyFile, readFile } from "node:fs/promises"
import { join } from "node:path"

import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand, startCommand } from "../testing/RunCommand.ts"

const repository = join(import.meta.dirname, "../../../..")
const service = serviceOfEachTest()
const game = gameOfEachTest()

const env = (): Record<string, string> => ({ ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url })
const place = () => ({ cwd: game.path, env: env() })
const atrium = (...argv: ReadonlyArray<string>) => startCommand(argv, place()).ended

describe("atrium sim", () => {
  it("[sim.init] writes a scenario of examples/arena that sim check takes", async () => {
    await copyFile(join(repository, "examples/arena/schema.ts"), join(game.path, "schema.ts"))
    const written = await atrium("sim", "init", "schema.ts", "--out", "scenario.yaml")
    expect(written).toEqual({
      code: 0,
      out: "",
      err: "scenario.yaml: written; check it with `atrium sim check scenario.yaml`\n"
    })
    const checked = await atrium("sim", "check", "scenario.yaml", "--json")
    expect(checked).toMatchObject({ code: 0, err: "" })
    expect(JSON.parse(checked.out)).toMatchObject({
      game: { schema: "schema.ts", maxClients: 64, tickHz: 20, hibernateAfter: "5s" },
      players: { daily: 1000 }
    })
    const text = await readFile(join(game.path, "scenario.yaml"), "utf8")
    const again = await atrium("sim", "init", "--out", "scenario.yaml")
    expect(again).toEqual({
      code: 2,
      out: "",
      err: "scenario.yaml: is there already; --force replaces it\n"
    })
    expect(await readFile(join(game.path, "scenario.yaml"), "utf8")).toBe(text)
    expect(service.requests).toEqual([])
  })

  it("[sim.init] --project: the service's refusal is the command's", async () => {
    service.answer = () => refusal(404, "E_NOT_FOUND", "no such project")
    const refused = await atrium("sim", "init", "--project", "p_0123456789abcdef")
    expect(refused).toMatchObject({ code: 1, out: "" })
    expect(refused.err).toMatch(/^E_NOT_FOUND: no such project\n/)
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v1/projects/p_0123456789abcdef/metrics"
    ])
  })

  it("[sim.help] --help names every command", async () => {
    const help = await atrium("sim", "--help")
    expect(help).toMatchObject({ code: 0, err: "" })
    for (const name of ["init", "check", "plan", "load", "calibrate", "validate"]) {
      expect(help.out).toMatch(new RegExp(`^ +${name} `, "m"))
    }
  })

  it("[sim.json-schema] is one document, under both names of the command", async () => {
    const long = await atrium("simulate", "--json-schema")
    expect(long).toEqual(await atrium("sim", "--json-schema"))
    expect(JSON.parse(long.out)).toMatchObject({ type: "object", additionalProperties: false })
    expect((await runCommand(["--help"], place())).out).toContain("simulate, sim")
  })
})
