import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, normalize } from "node:path"

import { parseSync } from "oxc-parser"
import { describe, expect, test } from "vitest"

import { publicModules } from "./packages/SdkPackage.ts"

const root = join(import.meta.dirname, "..")

/** Which of our packages a package may import: the arrows of the architecture. */
const arrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  wire: [],
  domain: ["wire"],
  runtime: ["wire"],
  sdk: ["runtime", "wire"],
  postgres: ["domain", "wire"],
  voice: ["domain", "wire"],
  actors: ["domain", "runtime", "voice", "wire"],
  api: ["actors", "console", "domain", "postgres", "sdk/bundle", "voice", "wire"],
  cli: ["domain", "sdk", "wire"],
  console: ["domain", "sdk", "wire"],
  sim: ["actors", "domain", "sdk", "wire"],
  bench: ["actors", "api", "cli", "domain", "postgres", "runtime", "sdk", "wire"],
  torture: ["actors", "api", "cli", "domain", "postgres", "runtime", "sdk", "voice", "wire"],
  "spec-tests": [],
  // Code of tenants: what a game developer installs.
  fixtures: ["sdk"],
  examples: ["sdk"]
}

/** What tests, and the rooms that they deploy, may import as well. */
const arrowsOfTests: Readonly<Record<string, ReadonlyArray<string>>> = {
  actors: ["sdk"],
  api: ["runtime", "sdk"],
  runtime: ["sdk"]
}

interface Import {
  readonly from: string
  readonly specifier: string
}

/** The package, or the like, whose arrows hold for a file; `null` = it may import everything. */
const ownerOf = (path: string): string | null => {
  const [first = "", second = "", third] = path.split("/")
  if (first !== "packages") return first === "examples" ? first : null
  return third === "fixtures" ? third : second
}

const isTest = (path: string): boolean =>
  /\.(?:test|contract)\.ts$|\/testing\/|\/Test[A-Z]\w*\.ts$/.test(path)

/** All imports of a module: static, of types, re-exports, and dynamic ones of a fixed name. */
const importsOf = (path: string, text: string): ReadonlyArray<Import> => {
  const { staticImports, staticExports, dynamicImports } = parseSync(path, text).module
  const exported = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest }) => (moduleRequest === null ? [] : [moduleRequest.value]))
  )
  const dynamic = dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const name = /^["'](.*)["']$/.exec(text.slice(start, end))?.[1]
    return name === undefined ? [] : [name]
  })
  const named = staticImports.map(({ moduleRequest }) => moduleRequest.value)
  return [...named, ...exported, ...dynamic].map((specifier) => ({ from: path, specifier }))
}

const sources = globSync("{packages/*/{src,fixtures},examples,scripts}/**/*.{ts,tsx,mjs}", {
  cwd: root,
  exclude: (path) => path.includes("node_modules")
})
const imports = sources.flatMap((path) => importsOf(path, readFileSync(join(root, path), "utf8")))

/** Modules that are found by name and not imported: programs that are started. */
const resolved = sources.flatMap((path) =>
  [...readFileSync(join(root, path), "utf8").matchAll(/import\.meta\.resolve\("(@[^"]+)"\)/g)].map(
    ([, name = ""]) => name
  )
)

/** What is wrong with an import; `null` = nothing. */
const faultOf = ({ from, specifier }: Import): string | null => {
  const owner = ownerOf(from)
  if (specifier.startsWith(".")) {
    const packageOf = (path: string): string => path.split("/").slice(0, 2).join("/")
    const target = normalize(join(dirname(from), specifier))
    return packageOf(target) === packageOf(from) || !target.startsWith("packages/")
      ? null
      : `${from} imports ${specifier}: import another package by its name`
  }
  const [, name, rest = ""] = /^@atrium\/([^/]+)(\/.*)?$/.exec(specifier) ?? []
  if (name === undefined || owner === null) return null
  const allowed = [
    ...(arrows[owner] ?? []),
    ...(isTest(from) ? (arrowsOfTests[owner] ?? []) : []),
    // A test may import its package as its users do.
    ...(isTest(from) ? [owner] : [])
  ]
  return allowed.includes(name) || allowed.includes(name + rest)
    ? null
    : `${from} imports ${specifier}: ${owner} may import ${allowed.join(", ") || "none of ours"}`
}

describe("packages", () => {
  test("[style.layers] each package has its arrows, and imports nothing that they do not allow", () => {
    const packages = readdirSync(join(root, "packages"))
    expect(packages.filter((name) => !(name in arrows))).toEqual([])
    expect(imports.length).toBeGreaterThan(1000)
    expect(imports.flatMap((each) => faultOf(each) ?? [])).toEqual([])
  })

  test.each([
    ["packages/wire/src/A.ts", "@atrium/domain/shared/Ids"],
    ["packages/api/src/A.ts", "@atrium/sdk/client"],
    ["packages/api/src/A.ts", "../../actors/src/A.ts"],
    ["packages/bench/src/A.ts", "@atrium/torture/A"],
    ["packages/cli/src/A.ts", "@atrium/sim/main"],
    ["packages/sim/src/A.ts", "@atrium/cli/A"],
    ["packages/spec-tests/src/A.ts", "@atrium/domain/shared/Ids"],
    ["packages/spec-tests/fixtures/A.ts", "@atrium/wire/schema"],
    ["examples/a/room.ts", "@atrium/runtime/room/Room"]
  ])("[style.layers] %s must not import %s", (from, specifier) => {
    expect(faultOf({ from, specifier })).toContain(specifier)
  })

  test("[style.layers] a package exports exactly what others import, and what is public", () => {
    const publicOf: Readonly<Record<string, ReadonlyArray<string>>> = {
      sdk: publicModules
    }
    for (const name of readdirSync(join(root, "packages"))) {
      const text = readFileSync(join(root, `packages/${name}/package.json`), "utf8")
      const { exports = {} }: { readonly exports?: Readonly<Record<string, string>> } =
        JSON.parse(text)
      const named = imports
        .map(({ specifier }) => specifier)
        .concat(resolved)
        .filter((specifier) => specifier.startsWith(`@atrium/${name}/`))
        .map((specifier) => specifier.slice(`@atrium/${name}/`.length))
      const wanted = [...new Set([...named, ...(publicOf[name] ?? [])])].toSorted()
      expect(Object.entries(exports)).toEqual(
        wanted.map((path) => [`./${path}`, `./src/${path}.ts`])
      )
    }
  })
})

/** Sets of modules that import each other, directly or not, types included. */
const circlesOf = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[] = []
  const visit = (module: string): number => {
    order.set(module, order.size)
    lowest.set(module, order.size - 1)
    open.push(module)
    for (const next of graph.get(module) ?? []) {
      const seen = order.get(next)
      if (seen !== undefined && !open.includes(next)) continue
      const reached = seen ?? visit(next)
      lowest.set(module, Math.min(lowest.get(module) ?? reached, reached))
    }
    const low = lowest.get(module) ?? 0
    if (low === order.get(module)) {
      const circle = open.splice(open.indexOf(module))
      if (circle.length > 1) circles.push(circle.join(" -> "))
    }
    return low
  }
  for (const module of graph.keys()) if (!order.has(module)) visit(module)
  return circles
}

describe("modules", () => {
  const targetOf = ({ from, specifier }: Import): string => {
    if (specifier.startsWith(".")) return normalize(join(dirname(from), specifier))
    const [, name = "", path = ""] = /^@atrium\/([^/]+)\/(.*)$/.exec(specifier) ?? []
    return `packages/${name}/src/${path}.ts`
  }

  test("[style.layers] no module imports itself through others, types included", () => {
    const graph = new Map(sources.map((path): [string, string[]] => [path, []]))
    for (const each of imports) {
      const target = targetOf(each)
      if (graph.has(target)) graph.get(each.from)?.push(target)
    }
    expect(circlesOf(graph)).toEqual([])
  })

  test("[style.layers] a circle is found", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", ["a"]],
      ["d", []]
    ])
    expect(circlesOf(graph)).toEqual(["a -> b -> c"])
  })
})

/** A file, what it imports or uses, and whether the linter must refuse that. */
type Attempt = readonly [path: string, uses: string, answer: "refused" | "fine"]

// The linter's lists replace each other silently when a file falls under two of them. So each list is
// tried here with a file that breaks it, and with one that does not.
const attempts: ReadonlyArray<Attempt> = [
  ["packages/wire/src/A.ts", "node:fs", "refused"],
  ["packages/wire/src/A.ts", "effect#Schema", "refused"],
  ["packages/wire/src/A.test.ts", "node:fs", "fine"],
  ["packages/domain/src/A.ts", "node:fs", "refused"],
  ["packages/domain/src/A.ts", "effect/http-api", "fine"],
  ["packages/domain/src/A.ts", "effect/http", "refused"],
  ["packages/domain/src/A.ts", "@effect/sql-pg", "refused"],
  ["packages/domain/src/A.ts", "effect#Effect", "refused"],
  ["packages/domain/src/A.ts", "effect#Layer", "refused"],
  ["packages/domain/src/A.ts", "effect#Schema", "fine"],
  ["packages/domain/src/A.ts", "effect/net", "refused"],
  ["packages/domain/src/A.ts", "effect/net/Dns", "refused"],
  ["packages/domain/src/A.ts", "effect/net/IpNetwork", "fine"],
  ["packages/domain/src/A.ts", "=Date", "refused"],
  ["packages/domain/src/A.ts", "=Math.random()", "refused"],
  ["packages/domain/src/A.ts", "=setTimeout", "refused"],
  ["packages/domain/src/A.test.ts", "node:fs", "fine"],
  ["packages/runtime/src/room/A.ts", "node:fs", "refused"],
  ["packages/runtime/src/boot/A.ts", "node:fs", "fine"],
  ["packages/sdk/src/bundle/A.ts", "node:fs", "fine"],
  ["packages/sdk/src/bundle/A.ts", "effect#Schema", "refused"],
  ["packages/sdk/src/client/A.ts", "node:fs", "refused"],
  ["packages/sdk/src/client/A.ts", "effect/sql", "refused"],
  ["packages/sdk/src/client/AMachine.ts", "=Date", "refused"],
  ["packages/sdk/src/client/AMachine.ts", "node:net", "refused"],
  ["packages/actors/src/rooms/A.ts", "effect/unstable/sql", "refused"],
  ["packages/actors/src/rooms/A.ts", "=Date.now()", "refused"],
  ["packages/actors/src/rooms/AMachine.ts", "effect#Data", "fine"],
  ["packages/actors/src/rooms/AMachine.ts", "effect#Effect", "refused"],
  ["packages/actors/src/rooms/AMachine.ts", "@atrium/domain/shared/Ids", "fine"],
  ["packages/actors/src/rooms/AMachine.ts", "@atrium/runtime/room/Room", "refused"],
  ["packages/actors/src/rooms/AMachine.ts", "./RoomStore.ts", "refused"],
  ["packages/actors/src/rooms/AMachine.ts", "=setTimeout", "refused"],
  ["packages/api/src/A.ts", "=Date.now()", "refused"],
  ["packages/api/src/rooms/a.ts", "effect/sql", "refused"],
  ["packages/api/src/rooms/A.ts", "effect/sql", "fine"],
  ["packages/torture/src/world/A.ts", "@atrium/actors/rooms/RoomMachine", "fine"],
  ["packages/torture/src/world/A.ts", "@atrium/actors/rooms/RoomState", "fine"],
  ["packages/torture/src/world/A.ts", "@atrium/actors/rooms/RoomEntity", "fine"],
  ["packages/torture/src/world/A.ts", "@atrium/runtime/room/Room", "refused"],
  ["packages/torture/src/world/A.ts", "effect#Effect", "fine"],
  ["packages/torture/src/world/A.ts", "node:fs", "refused"],
  ["packages/torture/src/world/A.ts", "=Date.now()", "refused"],
  ["packages/sim/src/A.ts", "@atrium/actors/rooms/RoomMachine", "fine"],
  ["packages/sim/src/A.ts", "@atrium/actors/rooms/RoomEntity", "refused"],
  ["packages/sim/src/A.ts", "@atrium/actors/rooms/RoomState", "fine"],
  ["packages/sim/src/A.ts", "@atrium/actors/servers/ServerPlacing", "fine"],
  ["packages/sim/src/A.ts", "@atrium/actors/rooms/RoomStore", "refused"],
  ["packages/sim/src/A.ts", "=Date.now()", "refused"],
  ["examples/a/room.ts", "effect#Schema", "refused"],
  ["examples/a/room.ts", "@atrium/sdk/room", "fine"]
]

const sourceOf = (uses: string): string => {
  if (uses.startsWith("=")) return `export const value = ${uses.slice(1)}\n`
  const [from, name = "value"] = uses.split("#")
  return `import { ${name} } from "${from}"\nexport const used = ${name}\n`
}

/** Each attempt gets a file name of its own, with the ending that its rule looks at. */
const placeOf = ([path]: Attempt, index: number): string =>
  path.replace(/(A|a|room)((?:Machine)?(?:\.test)?\.tsx?)$/, (_, name: string, end: string) =>
    name === "A" ? `X${index}${end}` : `x${index}${end}`
  )

test("[style.layers] the linter refuses what makes a pure file impure", () => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-layers-"))
  try {
    copyFileSync(join(root, "oxlint.config.ts"), join(folder, "oxlint.config.ts"))
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    for (const [index, attempt] of attempts.entries()) {
      const path = join(folder, placeOf(attempt, index))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, sourceOf(attempt[1]))
    }
    const oxlint = join(root, "node_modules/oxlint/bin/oxlint")
    const run = spawnSync(process.execPath, [oxlint, "--format=unix", "packages", "examples"], {
      cwd: folder,
      encoding: "utf8"
    })
    const answers = attempts.map((attempt, index): Attempt => {
      const refused = run.stdout
        .split("\n")
        .some((line) => line.startsWith(placeOf(attempt, index)) && line.includes("no-restricted"))
      return [attempt[0], attempt[1], refused ? "refused" : "fine"]
    })
    expect(answers).toEqual(attempts)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
