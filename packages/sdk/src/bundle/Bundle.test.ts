import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { SourceMap } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { compileFunction } from "node:vm"

import { BundleLimits } from "@atrium/wire/deployments/BundleLimits"
import { afterEach, beforeEach, describe, expect, test } from "vitest"

import { bundleRooms, type Bundle } from "./Bundle.ts"
import { BundleError } from "./BundleError.ts"

const Room = `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"
export const arena = defineRoom(defineSchema({ type: "arena", singletons: { score: { red: s.u8() } } }), {})
`

let root: string
let count = 0

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atrium bundle ")))
})
afterEach(() => rm(root, { recursive: true }))

type Files = Readonly<Record<string, string>>

const project = async (files: Files, name = `project${(count += 1)}`): Promise<string> => {
  const folder = join(root, name)
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

const bundle = async (files: Files, entries = ["room.ts"]): Promise<Bundle> =>
  bundleRooms({ entries, resolveDir: await project(files) })

const failure = async (files: Files, entries = ["room.ts"]): Promise<BundleError> => {
  const error: unknown = await bundle(files, entries).catch((reason: unknown) => reason)
  if (error instanceof BundleError) return error
  throw new Error(`not a BundleError: ${String(error)}`)
}

interface Loaded {
  connect(port: object, rooms: object): void
  readonly rooms: Readonly<Record<string, unknown>>
}

/** Runs a bundle as boot does: as a function, with no require. */
const load = (made: Bundle): Loaded => {
  const module = { exports: {} }
  const require_ = (path: string): never => {
    throw new Error(`E_ROOM_IMPORT: ${path}`)
  }
  const code = new TextDecoder().decode(made.bytes)
  const run = compileFunction(code, ["module", "exports", "require"])
  run(module, module.exports, require_)
  // The test fails on the first use if the bundle has no such exports.
  return module.exports as Loaded
}

const describedTypes = (made: Bundle): unknown => {
  const { connect, rooms } = load(made)
  let sent = ""
  connect(
    {
      mode: "describe",
      send: (frame: Uint8Array) => {
        sent += new TextDecoder().decode(frame)
      },
      end: () => {}
    },
    rooms
  )
  const types: ReadonlyArray<{ type: string }> = JSON.parse(sent.slice(sent.indexOf("[")))
  return types.map(({ type }) => type)
}

const mapOf = (
  made: Bundle
): {
  sources: ReadonlyArray<string>
  sourcesContent: ReadonlyArray<string>
  entry: SourceMap
  code: string
} => {
  const code = new TextDecoder().decode(made.bytes)
  const base64 = code.slice(code.lastIndexOf("base64,") + "base64,".length).trim()
  const map = JSON.parse(Buffer.from(base64, "base64").toString())
  return { ...map, entry: new SourceMap(map), code }
}

describe("a bundle", () => {
  test("[bundle.runtime] holds the rooms and the whole runtime, without an import left", async () => {
    const made = await bundle({ "room.ts": Room })
    expect(made.warnings).toEqual([])
    expect(Object.keys(load(made).rooms)).toEqual(["room.ts#arena"])
    expect(describedTypes(made)).toEqual(["arena"])
    expect(mapOf(made).code).not.toMatch(/\brequire\(/)
  })

  test("[bundle.runtime] exports of the same name in two files are both there", async () => {
    const other = Room.replaceAll('"arena"', '"lobby"')
    const made = await bundle({ "a.ts": Room, "rooms/b.ts": other }, ["a.ts", "rooms/b.ts"])
    expect(Object.keys(load(made).rooms)).toEqual(["a.ts#arena", "rooms/b.ts#arena"])
    expect(describedTypes(made)).toEqual(["arena", "lobby"])
  })

  test("[bundle.runtime] takes npm packages of both kinds and JSON", async () => {
    const made = await bundle({
      "room.ts": `${Room}
        import cjs from "old"; import { esm } from "new"; import level from "./level.json"
        export const found = [cjs.name, esm, level.size]`,
      "level.json": '{"size":3}',
      "node_modules/old/package.json": '{"name":"old","version":"1.0.0","main":"lib.js"}',
      "node_modules/old/lib.js": "exports.name = 'cjs'",
      "node_modules/new/package.json": '{"name":"new","version":"1.0.0","module":"m.mjs"}',
      "node_modules/new/m.mjs": "export const esm = process.env.NODE_ENV"
    })
    expect(load(made).rooms["room.ts#found"]).toEqual(["cjs", "production", 3])
  })

  test("[bundle.deterministic] has the same bytes from any folder, linked SDK or not", async () => {
    const files = {
      "room.ts": `${Room}\nimport cjs from "old"; export const name = cjs.name`,
      "node_modules/old/package.json": '{"name":"old","version":"1.0.0","main":"lib.js"}',
      "node_modules/old/lib.js": "exports.name = 'cjs'"
    }
    const near = await project(files, "near")
    const far = await project(files, "far away/and deep er/ünd")
    const linked = await project(files, "linked")
    await mkdir(join(linked, "node_modules/@atrium"))
    const sdk = fileURLToPath(new URL("../..", import.meta.url))
    await symlink(sdk, join(linked, "node_modules/@atrium/sdk"))
    const made = await Promise.all(
      [near, far, linked].map((resolveDir) => bundleRooms({ entries: ["room.ts"], resolveDir }))
    )
    const texts = new Set(made.map(({ bytes }) => new TextDecoder().decode(bytes)))
    expect(texts.size).toBe(1)
    expect([...texts][0]).not.toContain(root)
  })

  test("[bundle.deterministic] a package outside of the project is named by its version", async () => {
    const files = {
      "node_modules/old/package.json": '{"name":"old","version":"1.2.3","main":"lib.js"}',
      "node_modules/old/lib.js": "exports.name = new Error('x').stack",
      "a/room.ts": `${Room}\nimport cjs from "old"; export const name = cjs.name`
    }
    const folder = await project(files)
    const made = await bundleRooms({ entries: ["room.ts"], resolveDir: join(folder, "a") })
    const { sources, code } = mapOf(made)
    expect(sources).toContain("old@1.2.3/lib.js")
    expect(sources.filter((source) => source.startsWith(".."))).toEqual([])
    expect(code).toContain('"old@1.2.3/lib.js"(')
    expect(code).not.toContain("../node_modules")
  })

  test("[bundle.source-map] leads from the bundle back to the developer's line", async () => {
    const made = await bundle({
      "room.ts": `${Room}\nexport const boom = () => {\n  throw new Error("here")\n}`
    })
    const { sources, sourcesContent, entry, code } = mapOf(made)
    const lines = code.split("\n")
    const line = lines.findIndex((text) => text.includes('new Error("here")'))
    const column = lines[line]?.indexOf("new Error") ?? 0
    const found = entry.findEntry(line, column)
    expect(found).toMatchObject({ originalSource: "room.ts", originalLine: 6, originalColumn: 8 })
    expect(sourcesContent[sources.indexOf("room.ts")]).toContain('throw new Error("here")')
    expect(sources).toContain("@atrium/runtime@0.1.0/src/room/Runtime.ts")
  })

  test.each(["arena", "tic-tac-toe"])("[bundle.runtime] the example %s", async (name) => {
    const resolveDir = fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url))
    const made = await bundleRooms({ entries: ["room.ts"], resolveDir })
    expect(made.warnings).toEqual([])
    expect(describedTypes(made)).toEqual([name])
  })

  test("[bundle.warnings] name file, line and column", async () => {
    const made = await bundle({ "room.ts": `${Room}export const odd = (x: number) => x === NaN\n` })
    expect(made.warnings).toEqual([expect.stringMatching(/^room\.ts:5:\d+ .*NaN/)])
  })
})

describe("a refusal", () => {
  const imports: ReadonlyArray<readonly [string, string]> = [
    ["node:fs", 'import "node:fs"'],
    ["fs", 'import { readFileSync } from "fs"; readFileSync("/")'],
    ["fs/promises", 'export * from "fs/promises"'],
    ["node:anything", 'export const late = () => import("node:anything")'],
    ["child_process", 'export const old = () => require("child_process")'],
    ["path", 'try { require("path") } catch {}']
  ]
  test.each(imports)("[bundle.imports] %s names the importing file", async (path, code) => {
    const error = await failure(
      { "room.ts": Room, "lib/deep.ts": code, "b.ts": 'import "./lib/deep"' },
      ["room.ts", "b.ts"]
    )
    expect(error.code).toBe("E_ROOM_IMPORT")
    expect(error.messages).toEqual([
      `lib/deep.ts:1:${code.indexOf(`"${path}"`) + 1} E_ROOM_IMPORT: ${path}: a room has no Node modules`
    ])
  })

  test("[bundle.imports] a package that needs Node is named, though a shim is installed", async () => {
    const error = await failure({
      "room.ts": 'import "greedy"',
      "node_modules/greedy/package.json": '{"name":"greedy","version":"1.0.0"}',
      "node_modules/greedy/index.js": 'require("events")',
      "node_modules/events/package.json": '{"name":"events","version":"1.0.0"}',
      "node_modules/events/index.js": ""
    })
    expect(error.code).toBe("E_ROOM_IMPORT")
    expect(error.messages[0]).toMatch(
      /^node_modules\/greedy\/index\.js:1:9 E_ROOM_IMPORT: events: /
    )
  })

  test("[bundle.imports] types of Node are fine: nothing of them is left", async () => {
    const made = await bundle({
      "room.ts": `${Room}import type { Stats } from "node:fs"\nexport const x: Stats | null = null`
    })
    expect(load(made).rooms["room.ts#x"]).toBeNull()
  })

  const broken: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["a syntax error", "export const x =\nconst y = 1", /^room\.ts:2:1 Unexpected "const"/],
    [
      "an unknown package",
      'import "no-such-package"',
      /^room\.ts:1:8 Could not resolve "no-such-package"/
    ],
    [
      "an unknown part of the SDK",
      'import "@atrium/sdk/nothing"',
      /^room\.ts:1:8 Could not resolve/
    ],
    ["a missing export", 'import { x } from "./other"; x()', /^room\.ts:1:10 No matching export/]
  ]
  test.each(broken)("[bundle.invalid] %s", async (_, code, message) => {
    const error = await failure({ "room.ts": code, "other.ts": "export {}" })
    expect(error.code).toBe("E_BUNDLE_INVALID")
    expect(error.messages).toEqual([expect.stringMatching(message)])
  })

  test("[bundle.invalid] a file, folder or entry that is not there", async () => {
    const folder = await project({ "room.ts": Room })
    const gone = join(root, "gone")
    const cases = [
      [{ entries: ["rom.ts"], resolveDir: folder }, "rom.ts: there is no such file"],
      [{ entries: ["room.ts"], resolveDir: gone }, `${gone}: there is no such folder`],
      [{ entries: [], resolveDir: folder }, "no room file is given"]
    ] as const
    for (const [options, message] of cases) {
      await expect(bundleRooms(options)).rejects.toThrow(
        new BundleError("E_BUNDLE_INVALID", [message])
      )
    }
  })

  test("[limits.bundle] at the limit it is made, one byte over it is refused", async () => {
    const { max } = BundleLimits.bundleBytes
    const { byteLength } = (await bundle({ "room.ts": Room })).bytes
    const limitTo = (bytes: number): unknown => Reflect.set(BundleLimits.bundleBytes, "max", bytes)
    try {
      limitTo(byteLength)
      expect((await bundle({ "room.ts": Room })).bytes.byteLength).toBe(byteLength)
      limitTo(byteLength - 1)
      const error = await failure({ "room.ts": Room })
      expect([error.code, error.message]).toEqual([
        "E_BUNDLE_TOO_LARGE",
        `the bundle has ${byteLength} bytes, at most ${byteLength - 1}`
      ])
    } finally {
      limitTo(max)
    }
    expect(max).toBe(32 * 1024 * 1024)
  })
})
