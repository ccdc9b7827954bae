import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"

import { call } from "@atrium/api/testing/RunningService"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { askHost } from "@atrium/api/testing/SiteSteps"
import { until } from "@atrium/domain/testing/Until"
import { Client } from "@atrium/sdk/client"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { arena } from "../examples/arena/schema.ts"
import { packageNames, repository, tarballFolder } from "./packages/Places.ts"
import { publicModules } from "./packages/SdkPackage.ts"
import { forgetPackages } from "./packages/testing/ForgetPackages.ts"
import { game, gameFiles } from "./packages/testing/Game.ts"
import { nodeFolder } from "./packages/testing/NodeFolder.ts"

const service = serviceUnderTest()
const run = promisify(execFile)
const bin = (name: string): string => join(repository, "node_modules/.bin", name)
const tarball = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(`${service.url}/${name}.tgz`)).arrayBuffer())
const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

let root = ""
beforeAll(async () => {
  await forgetPackages(service.url)
  root = await mkdtemp(join(tmpdir(), "atrium-packages-"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

describe("the tarballs of a service", () => {
  // And at each build: packages.long.test.ts.
  it("[C-341] have the same bytes at each request, and an etag", async () => {
    const served = await Promise.all(packageNames.map(tarball))
    const again = await Promise.all(packageNames.map(tarball))
    expect(again.map(hashOf)).toEqual(served.map(hashOf))
    const { headers } = await fetch(`${service.url}/sdk.tgz`)
    const etag = headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[\w-]{43}"$/)
    expect(headers.get("content-type")).toBe("application/gzip")
    const known = await fetch(`${service.url}/sdk.tgz`, { headers: { "if-none-match": etag } })
    expect([known.status, await known.text()]).toEqual([304, ""])
    expect(await call(service.url, "/other.tgz")).toMatchObject({ status: 404 })
  })

  it("[C-340] are clean under publint and under @arethetypeswrong/cli", async () => {
    await Promise.all(packageNames.map(tarball))
    for (const name of packageNames) {
      const path = join(tarballFolder, `${name}.tgz`)
      const linted = await run(process.execPath, [bin("publint"), "run", path, "--strict"])
      expect(linted.stdout).toMatch(/All good!/)
    }
    const sdk = join(tarballFolder, "sdk.tgz")
    const { stdout } = await run(process.execPath, [bin("attw"), sdk, "--profile", "esm-only"])
    // It fails with a problem; it looks at each module and at package.json.
    const looked = publicModules.length + 1
    expect(stdout.match(/^node16 \(from ESM\): 🟢/gm)).toHaveLength(looked)
    expect(stdout.match(/^bundler: 🟢/gm)).toHaveLength(looked)
  })
})

/** The folder with this `node`, made once. */
const nodeOf = (major: number): Promise<string> => {
  const known = nodeFolders.get(major) ?? nodeFolder(major, root)
  nodeFolders.set(major, known)
  return known
}

const nodeFolders = new Map<number, Promise<string>>()

/** Of a person who uses this `node` and is logged in to the service. */
const environment = (nodes: string): NodeJS.ProcessEnv => {
  const { HOME, PATH = "" } = process.env
  return {
    HOME,
    PATH: `${nodes}:${PATH}`,
    npm_config_prefer_offline: "true",
    ATRIUM_URL: service.url,
    ATRIUM_TOKEN: service.token
  }
}

/** The compiler runs on the Node of the repository: each way to find modules is told once. */
const folders = [
  { major: 20, resolution: "nodenext", shape: "nodenext", tags: [] },
  { major: 26, resolution: "bundler", shape: "esnext", tags: ["thorough"] }
]

for (const { major, resolution, shape, tags } of folders) {
  describe(`in an empty folder on Node ${major}`, { tags }, () => {
    let folder = ""
    let env: NodeJS.ProcessEnv = {}
    let warnings = ""

    const npmInstall = async (...names: ReadonlyArray<string>): Promise<string> => {
      const urls = names.map((name) => `${service.url}/${name}.tgz`)
      const { stderr } = await run("npm", ["install", "--no-audit", "--no-fund", ...urls], {
        cwd: folder,
        env
      })
      // Of npm itself: settings of the machine, and the scripts of public packages.
      return stderr
        .split("\n")
        .filter(
          (line) => line.trim() !== "" && !/Unknown \w+ config|npm warn install-scripts/.test(line)
        )
        .join("\n")
    }
    const node = (...args: ReadonlyArray<string>) => run("node", args, { cwd: folder, env })
    let suite: Promise<string> | null = null
    /** Installs spec-tests, once for all tests. */
    const withSuite = (): Promise<string> => (suite ??= npmInstall("spec-tests"))

    beforeAll(async () => {
      const nodes = await nodeOf(major)
      folder = join(root, `game-${major}`)
      mkdirSync(folder)
      const { url, token } = service
      const made = await call(url, "/v1/projects", { token, body: { name: `game ${major}` } })
      const project = String(made.body["id"])
      for (const [path, text] of Object.entries(gameFiles(project))) {
        writeFileSync(join(folder, path), text)
      }
      env = environment(nodes)
      warnings = await npmInstall("sdk", "cli")
    })

    it("[C-340] sdk and cli install without a warning, and bring no other package of ours", async () => {
      expect((await node("--version")).stdout).toMatch(new RegExp(`^v${major}\\.`))
      expect(warnings).toBe("")
      const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"))
      const ours = Object.keys(lock.packages).filter((path) => path.includes("@atrium/"))
      expect(ours).toEqual(["node_modules/@atrium/cli", "node_modules/@atrium/sdk"])
    })

    it("[C-340] every module of the SDK loads", async () => {
      const { exports } = JSON.parse(
        readFileSync(join(folder, "node_modules/@atrium/sdk/package.json"), "utf8")
      )
      const names = Object.keys(exports).filter((name) => name !== "./package.json")
      expect(names).toHaveLength(publicModules.length)
      // An install brings no React: the module of its name is there, and misses it.
      const others = names.filter((name) => name !== "./react")
      const react = node("--input-type=module", "--eval", 'await import("@atrium/sdk/react")')
      await expect(react).rejects.toThrow(/Cannot find package 'react'/)
      const program = others.map((name) => `await import("@atrium/sdk${name.slice(1)}")`).join(";")
      expect(await node("--input-type=module", "--eval", program)).toMatchObject({ stderr: "" })
    })

    it(`[C-340] a game compiles with tsc --strict, ${resolution}`, async () => {
      const flags = ["--strict", "--noEmit", "--target", "es2022", "--moduleResolution", resolution]
      const files = ["schema.ts", "room.ts", "game.ts", "harness.ts"]
      const more = ["--module", shape, "--allowImportingTsExtensions", "--types", ""]
      const tsc = run(bin("tsc"), [...flags, ...more, ...files], { cwd: folder })
      expect(
        await tsc.catch(({ stdout }: { readonly stdout: string }) => ({ stdout }))
      ).toMatchObject({ stdout: "" })
    })

    it("[C-342] a client with its schema has at most 24 KB, compressed", async () => {
      const { outputFiles } = await build({
        absWorkingDir: folder,
        stdin: {
          contents: 'export { Client } from "@atrium/sdk/client"; export * from "./schema.ts"',
          resolveDir: folder
        },
        bundle: true,
        minify: true,
        format: "esm",
        platform: "browser",
        target: "es2022",
        write: false
      })
      const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).byteLength
      expect(bytes).toBeGreaterThan(12_000)
      expect(bytes).toBeLessThanOrEqual(24_000)
    })

    it("[C-340] atrium deploys the room, two players play it, and the room's test passes", async () => {
      const deployed = await node("node_modules/.bin/atrium", "deploy", "--json")
      expect(JSON.parse(deployed.stdout)).toMatchObject({ version: 1 })
      await build({
        absWorkingDir: folder,
        entryPoints: ["game.ts", "harness.ts"],
        outdir: folder,
        outExtension: { ".js": ".mjs" },
        bundle: true,
        platform: "node",
        format: "esm",
        packages: "external"
      })
      const played = node("game.mjs", service.url)
      if (major < 22) {
        await expect(played).rejects.toThrow(/npm install ws/)
        expect(existsSync(join(folder, "node_modules/ws"))).toBe(false)
        expect(await withSuite()).toBe("")
        expect((await node("game.mjs", service.url)).stdout).toBe(game.played)
      } else {
        expect((await played).stdout).toBe(game.played)
      }
      expect((await node("harness.mjs")).stdout).toBe(game.tested)
      const sim = await node(
        "node_modules/.bin/atrium",
        "sim",
        "init",
        "schema.ts",
        "--out",
        "s.yaml"
      )
      expect(sim.stderr).toContain("s.yaml: written")
    })

    it("[C-340] atrium deploys a game that has no SDK with its own", async () => {
      await rm(join(folder, "node_modules/@atrium/sdk"), { recursive: true })
      const { stdout } = await node("node_modules/.bin/atrium", "deploy", "--json")
      expect(JSON.parse(stdout)).toMatchObject({ version: 2 })
      expect(existsSync(join(folder, "node_modules/@atrium/sdk"))).toBe(false)
    })

    it("[C-340] a module of codecs is typed by declarations of spec-tests", async () => {
      expect(await withSuite()).toBe("")
      const own = `import type { Codecs } from "@atrium/spec-tests/codecs"
      import type { RoomCodec } from "@atrium/spec-tests/room-codec"
      const path: RoomCodec["path"] = (project, room) => project + "/" + room
      export const codecs: Partial<Codecs> = {
        error: ({ status }) => (status < 400 ? null : { code: path("E", "ANY"), message: "" })
      }`
      const wrong = own.replace("null", "undefined")
      const files = { "codecs.ts": own, "wrong.ts": wrong }
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      const flags = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext"]
      const tsc = run(bin("tsc"), [...flags, "--types", "", ...Object.keys(files)], { cwd: folder })
      const { stdout } = await tsc.catch((ended: { readonly stdout: string }) => ended)
      // An error of the right one would stand before those of the wrong one.
      expect(stdout).toMatch(/^wrong\.ts\(\d+,\d+\): error/)
      expect(stdout).not.toContain("codecs.ts(")
    })

    it("[C-340] spec-tests asks the service", async () => {
      expect(await withSuite()).toBe("")
      writeFileSync(
        join(folder, "conformance.config.json"),
        JSON.stringify({
          name: "installed",
          baseUrl: service.url,
          accounts: [service.token, service.token],
          features: []
        })
      )
      const { stdout } = await node(
        "node_modules/.bin/spec-tests",
        "run",
        "--only",
        "keys.secret.form"
      )
      expect(stdout).toContain("1 pass")
      const { stdout: explained } = await node(
        "node_modules/.bin/spec-tests",
        "explain",
        "keys.secret.form"
      )
      expect(explained).toContain("Resources and their fields")
    })
  })
}

describe("a new game of atrium init, on Node 20", { tags: ["thorough"] }, () => {
  const others = ["arena", "turns", "blank"] as const
  let env: NodeJS.ProcessEnv = {}
  let folder = ""
  const shell = (line: string, cwd: string) => run("sh", ["-c", line], { cwd, env })

  // The template relay needs the most packages. The others, in folders of it, find them there.
  beforeAll(async () => {
    env = {
      ...environment(await nodeOf(20)),
      NO_COLOR: "1",
      npm_config_audit: "false",
      npm_config_fund: "false"
    }
    const command = `npx --yes ${service.url}/cli.tgz init games --template relay --json`
    const { next } = JSON.parse((await shell(command, root)).stdout)
    folder = join(root, "games")
    await shell(next[0], root)
    for (const name of others) {
      const flags = `${name} --template ${name} ${name === "arena" ? "--static" : "--no-static"}`
      await shell(`node_modules/.bin/atrium init ${flags}`, folder)
    }
  })

  it("[C-382] every template compiles with tsc, builds its page, and passes its tests; those of one pass on Node 26, too", async () => {
    for (const cwd of [folder, ...others.map((name) => join(folder, name))]) {
      const { scripts } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"))
      await shell(
        `PATH=${folder}/node_modules/.bin:$PATH; ${scripts.check} && ${scripts.build}`,
        cwd
      )
      const page = readFileSync(join(cwd, "dist/index.html"), "utf8")
      expect(page).toContain(`<meta name="atrium-service" content="${service.url}" />`)
      expect(page).toContain('<meta name="atrium-project" content="dev" />')
      expect(readFileSync(join(cwd, "dist/client.js"), "utf8")).toMatch(/^\S/)
    }
    const tested = await shell("npm test", folder)
    expect(tested.stdout).toMatch(/Test Files {2}.*4 passed/)
    const vitest = join(folder, "node_modules/vitest/vitest.mjs")
    const newer = await run(process.execPath, [vitest, "run", "turns"], { cwd: folder, env })
    expect(newer.stdout).toMatch(/Test Files {2}.*1 passed/)
  })

  it("[C-382] its deploy makes a project that two players play, and serves a page that names it", async () => {
    const cwd = join(folder, "arena")
    await shell("npm run deploy", cwd)
    const { project } = JSON.parse(readFileSync(join(cwd, "service.json"), "utf8"))
    const { token } = service
    const site = await call(service.url, `/v1/projects/${project}/site`, { token })
    const { host } = new URL(String(site.body["url"]))
    const page = await askHost(service.url, { host, path: "/" })
    expect(page.body.toString()).toContain(`<meta name="atrium-project" content="${project}" />`)
    const script = await askHost(service.url, { host, path: "/client.js" })
    expect(script.body.equals(readFileSync(join(cwd, "dist/client.js")))).toBe(true)
    const client = new Client(service.url, { project, identity: "tab" })
    const [ann, bob] = [await client.joinOrCreate(arena), await client.joinOrCreate(arena)]
    await until("both see both", async () => ann.state.players.size === 2)
    await Promise.all([ann.leave(), bob.leave()])
  })
})
