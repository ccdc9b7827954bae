import { copyFile, readFile } from "node:fs/promises"
import { join } from "node:path"

import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { refusal } from "../testing/RecordingService.ts"
import { loginToken, runCommand, startCommand, startSimulate } from "../testing/RunCommand.ts"

const repository = join(import.meta.dirname, "../../../..")
const service = serviceOfEachTest()
const game = gameOfEachTest()

const env = (): Record<string, string> => ({ ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url })
const place = () => ({ cwd: game.path, env: env() })
const atrium = (...argv: ReadonlyArray<string>) => startCommand(argv, place()).ended
/** Without `atrium`, which takes as long again to start. */
const sim = (...argv: ReadonlyArray<string>) => startSimulate(argv, place()).ended

describe("atrium sim", () => {
  it("[sim.init] writes a scenario of examples/arena that sim check takes", async () => {
    await copyFile(join(repository, "examples/arena/schema.ts"), join(game.path, "schema.ts"))
    const written = await atrium("sim", "init", "schema.ts", "--out", "scenario.yaml")
    expect(written).toEqual({
      code: 0,
      out: "",
      err: "scenario.yaml: written; check it with `atrium sim check scenario.yaml`\n"
    })
    const checked = await sim("check", "scenario.yaml", "--json")
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
    expect(await sim("init", "--out", "scenario.yaml", "--force")).toMatchObject({ code: 0 })
    expect(await readFile(join(game.path, "scenario.yaml"), "utf8")).not.toBe(text)
    expect(service.requests).toEqual([])
  })

  it("[sim.check] names the line of each problem, and a schema file that is missing", async () => {
    await game.write({ "wrong.yaml": "game: {}\nplayers:\n  dayly: 3\n" })
    const wrong = await sim("check", "wrong.yaml")
    expect(wrong).toMatchObject({ code: 2, out: "" })
    expect(wrong.err).toContain("wrong.yaml:3:3 players.dayly: no such key; did you mean daily?\n")
    const arena = await readFile(join(repository, "examples/sim/arena.yaml"), "utf8")
    await game.write({ "arena.yaml": arena })
    expect(await sim("check", "arena.yaml")).toMatchObject({
      code: 2,
      err: "arena.yaml: game.schema: there is no file ../arena/schema.ts\n"
    })
    const example = join(repository, "examples/sim/arena.yaml")
    expect(await sim("check", example)).toMatchObject({ code: 0, err: "" })
  })

  it("[sim.init] says which schema to name, and that a file does not load", async () => {
    const schema = (type: string) => `defineSchema({ type: "${type}" })`
    await game.write({
      "two.ts": `import { defineSchema } from "@atrium/sdk/schema"
        export const a = ${schema("a")}
        export const b = ${schema("b")}`,
      "none.ts": "export const a = 1",
      "bad.ts": "throw new Error('on its way')"
    })
    expect(await sim("init", "two.ts")).toEqual({
      code: 2,
      out: "",
      err: "two.ts: declares several room types; say one with --type: a, b\n"
    })
    expect(await sim("init", "two.ts", "--type", "b")).toMatchObject({ code: 0, err: "" })
    expect(await sim("init", "none.ts")).toMatchObject({ code: 2, out: "" })
    expect(await sim("init", "bad.ts")).toEqual({
      code: 1,
      out: "",
      err: "bad.ts: the bundle does not load: Error: on its way\n"
    })
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

  it("[sim.unbuilt] a command that is not built yet says so", async () => {
    for (const name of ["plan", "load", "calibrate", "validate"]) {
      expect(await sim(name, "scenario.yaml", "--seed", "1")).toEqual({
        code: 2,
        out: "",
        err: `atrium sim ${name} is not built yet; init, check and --json-schema are\n`
      })
    }
    const help = await atrium("sim", "--help")
    expect(help).toMatchObject({ code: 0, err: "" })
    expect(help.out).not.toMatch(/plan|calibrate|validate/)
    expect(await sim("int")).toMatchObject({ code: 2, out: "" })
  })

  it("[sim.json-schema] is one document, under both names of the command", async () => {
    const long = await atrium("simulate", "--json-schema")
    expect(long).toEqual(await atrium("sim", "--json-schema"))
    expect(JSON.parse(long.out)).toMatchObject({ type: "object", additionalProperties: false })
    expect((await runCommand(["--help"], place())).out).toContain("simulate, sim")
  })
})
