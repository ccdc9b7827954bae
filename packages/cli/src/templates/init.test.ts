import { existsSync, globSync, readFileSync } from "node:fs"
import { readdir, readFile, symlink } from "node:fs/promises"
import { join } from "node:path"

import { describe, expect, it } from "vitest"

import { gameOfEachTest, serviceOfEachTest } from "../testing/EachTest.ts"
import { loginToken, runCommand } from "../testing/RunCommand.ts"
import { templateVersions } from "./TemplateFiles.ts"
import { examplesFolder, templates } from "./Templates.ts"

const game = gameOfEachTest()
const service = serviceOfEachTest()

const run = (argv: ReadonlyArray<string>, more: Parameters<typeof runCommand>[1] | object = {}) =>
  runCommand(["init", ...argv], { cwd: game.path, env: {}, stdin: "", ...more })
const textOf = (path: string): Promise<string> => readFile(join(game.path, path), "utf8")
const jsonOf = async (path: string) => JSON.parse(await textOf(path))

/** The project's own files; a login of a test would be in a folder with a dot. */
const made = [
  ".gitignore",
  "README.md",
  "build.mjs",
  "client.ts",
  "index.html",
  "package.json",
  "room.test.ts",
  "room.ts",
  "schema.ts",
  "service.json",
  "tsconfig.json"
]

describe("atrium init", () => {
  it("[C-380] without a terminal takes the defaults, asks nothing, and sends nothing", async () => {
    const env = { ATRIUM_TOKEN: loginToken, ATRIUM_URL: service.url }
    const { code, out, err } = await run(["My game", "--json"], { env })
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(JSON.parse(out)).toEqual({
      folder: join(game.path, "My game"),
      template: "arena",
      name: "My game",
      project: null,
      static: true,
      service: service.url,
      written: [...made, "BestRounds.ts", "Field.ts", "Voice.ts"].toSorted(),
      kept: [],
      login: null,
      next: ["cd 'My game' && npm install", "npm run dev", "npm run deploy"]
    })
    expect(await jsonOf("My game/service.json")).toEqual({ name: "My game", static: "dist" })
    const { name, scripts, dependencies, devDependencies } = await jsonOf("My game/package.json")
    const at = `--url ${service.url}`
    expect({ name, dependencies, cli: devDependencies["@atrium/cli"] }).toEqual({
      name: "my-game",
      dependencies: { "@atrium/sdk": `${service.url}/sdk.tgz` },
      cli: `${service.url}/cli.tgz`
    })
    expect(scripts).toEqual({
      dev: `node build.mjs ${at} -- atrium dev ${at}`,
      build: `node build.mjs ${at}`,
      test: "vitest run --testTimeout=30000",
      check: "tsc",
      deploy: `atrium deploy --no-static ${at} && node build.mjs ${at} && atrium deploy --static ${at}`
    })
    expect(service.requests).toEqual([])
  })

  it("[C-380] at a terminal asks for each answer that no flag gave", async () => {
    const typed = "tuns\nTURNS\n Four in a row \nno\n"
    const { code, out, err } = await run([], { stdin: undefined, typed })
    expect(code).toBe(0)
    expect(err.split("\n").filter((line) => !line.startsWith("  "))).toEqual([
      "Template [arena]",
      "tuns is no template: say arena, turns, relay or blank",
      "Template [arena]",
      expect.stringMatching(/^Name of the project \[atrium game .+\]$/),
      "Publish the page with the room at a deploy? [yes]"
    ])
    expect(out).toContain("turns in ")
    expect(out).toContain("run `npx atrium login`")
    expect(await jsonOf("service.json")).toEqual({ name: "Four in a row" })
    expect((await jsonOf("package.json")).scripts).toMatchObject({
      dev: "node build.mjs -- atrium dev",
      deploy: "atrium deploy"
    })
  })

  it("[C-380] at a terminal asks nothing with --yes, or when flags say everything", async () => {
    const terminal = { stdin: undefined, typed: "" }
    const yes = await run(["a", "--yes"], terminal)
    expect([yes.code, yes.err]).toEqual([0, ""])
    const flags = ["b", "--template", "blank", "--name", "B!", "--no-static"]
    const all = await run(flags, terminal)
    expect([all.code, all.err]).toEqual([0, ""])
    expect(await jsonOf("b/service.json")).toEqual({ name: "B!" })
    // The end of the input is the default of every question.
    expect((await run(["c"], terminal)).code).toBe(0)
    expect(await jsonOf("c/service.json")).toEqual({ name: "c", static: "dist" })
  })

  it("[file.init.no-overwrite] keeps what is there, even a link to nothing, and reuses project and name", async () => {
    const file = '{ "project": "p_0123456789abcdef","name":"Kept" }'
    await game.write({ "service.json": file, "package.json": "{}", "room.ts": "mine" })
    await symlink("nowhere", join(game.path, "schema.ts"))
    const { code, out, err } = await run(["--json", "--static"])
    expect(code).toBe(0)
    expect(err).toBe('service.json: stays as it is; add "static": "dist" to publish the page')
    expect(JSON.parse(out)).toMatchObject({
      name: "Kept",
      project: "p_0123456789abcdef",
      static: false,
      kept: ["package.json", "room.ts", "schema.ts", "service.json"],
      next: [
        "npm install http://127.0.0.1:8787/sdk.tgz http://127.0.0.1:8787/cli.tgz",
        "npx atrium dev",
        "npx atrium deploy"
      ]
    })
    expect([await textOf("service.json"), await textOf("room.ts")]).toEqual([file, "mine"])
    expect(existsSync(join(game.path, "nowhere"))).toBe(false)
    expect(await textOf("README.md")).toMatch(/^# Kept\n/)
    const again = await run(["--json"])
    expect(JSON.parse(again.out)).toMatchObject({ written: [] })
  })

  it.each(['{"name":', "[]", '{"name":5}', ""])(
    "[file.init.skips-malformed] says so of a project file that is %j, and leaves it",
    async (text) => {
      await game.write({ "service.json": text })
      const { code, err } = await run([])
      expect(code).toBe(0)
      expect(err).toMatch(/^service\.json: .+; it stays as it is: mend it before you deploy$/)
      expect(await textOf("service.json")).toBe(text)
      expect(await readdir(game.path)).toEqual(expect.arrayContaining(made))
    }
  )

  it("[C-380] refuses a path that is a file, an unknown template, and -c", async () => {
    await game.write({ file: "" })
    const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [["file"], /^file: is a file; name a folder/],
      [["file/in/it"], /^file: is a file; name a folder/],
      [["--template", "chess"], /template/],
      [["--name", ""], /^--name: must be a non-empty string$/],
      [["-c", "file"], /-c/],
      [["--config", "file"], /--config/]
    ]
    for (const [argv, message] of wrong) {
      const { code, out, err } = await run(argv)
      expect({ argv, code, out }).toEqual({ argv, code: 2, out: "" })
      expect(err).toMatch(message)
    }
    expect(await readdir(game.path)).toEqual(["file"])
  })
})

describe("templates", () => {
  it.each(templates)("[C-382] $name is the example $example", async ({ name, example }) => {
    await run([name, "--template", name])
    const folder = join(examplesFolder, example)
    for (const path of globSync("*.{ts,html}", { cwd: folder })) {
      const text = readFileSync(join(folder, path), "utf8")
      expect(await textOf(`${name}/${path}`)).toBe(text.replaceAll(`[example.${example}] `, ""))
    }
    expect(await textOf(`${name}/build.mjs`)).toBe(
      readFileSync(join(examplesFolder, "build.mjs"), "utf8")
    )
    expect(await textOf(`${name}/README.md`)).toContain("- `schema.ts`:")
  })

  it("[C-382] install the versions that the repository has; vitest is one that runs on Node 20", () => {
    const { devDependencies } = JSON.parse(
      readFileSync(join(examplesFolder, "../package.json"), "utf8")
    )
    const { vitest, ...others } = templateVersions
    expect(vitest).toMatch(/^4\./)
    for (const [name, version] of Object.entries(others)) {
      expect({ [name]: version }).toEqual({ [name]: devDependencies[name] })
    }
  })
})
