import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")

/** The blocks of a page that start with the name of their file. */
const filesOf = (page: string): ReadonlyMap<string, string> => {
  const text = readFileSync(join(root, page), "utf8")
  const blocks = [...text.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = ""]) => code)
  return new Map(blocks.map((code) => [/^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? "", code] as const))
}

const compilerOptions = {
  ...Object(JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"))).compilerOptions,
  types: ["node"],
  plugins: []
}

/** What a program of Node says in a folder with these files, beside a `node_modules` of the repository. */
const run = (files: ReadonlyMap<string, string>, program: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-snippets-"))
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    mkdirSync(join(folder, "src"))
    writeFileSync(join(folder, "package.json"), '{"type":"module"}')
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: ["src"] })
    )
    for (const [name, code] of files) writeFileSync(join(folder, "src", name), code)
    const { stdout, stderr } = spawnSync(process.execPath, [program], {
      cwd: folder,
      encoding: "utf8"
    })
    return `${stdout}${stderr}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the compiler says of the files. */
const compiled = (files: ReadonlyMap<string, string>): string =>
  run(files, join(root, "node_modules/typescript/bin/tsc"))

test.each([
  ["ratings", ["schema.ts", "room.ts"]],
  ["matchmaking", ["schema.ts", "play.ts", "room.ts"]]
])("[C-391] the code of docs/guide/%s.md has no type error", (page, names) => {
  const files = filesOf(`docs/guide/${page}.md`)
  expect([...files.keys()].filter((name) => name !== "")).toEqual(names)
  expect(compiled(new Map([...files].filter(([name]) => name !== "")))).toBe("")
})

test("[C-391] the Atrium code of docs/guide/from-colyseus.md has no type error", () => {
  const files = filesOf("docs/guide/from-colyseus.md")
  expect([...files.keys()]).toEqual(["schema.ts", "room.ts", "game.ts"])
  expect(compiled(files)).toBe("")
  // And the compiler did look: a step of text is no step.
  const game = (files.get("game.ts") ?? "").replace("dx: 1", 'dx: "far"')
  expect(compiled(new Map([...files, ["game.ts", game]]))).toContain("src/game.ts(13,11): error TS")
})

test("[C-563] the code of docs/guide/lobby.md has no type error", () => {
  const files = filesOf("docs/guide/lobby.md")
  expect([...files.keys()]).toEqual(["schema.ts", "room.ts", "game.ts"])
  expect(compiled(files)).toBe("")
})

test("[D-32] the code of docs/guide/presence.md has no type error", () => {
  const files = filesOf("docs/guide/presence.md")
  expect([...files.keys()]).toEqual(["friends.ts"])
  expect(compiled(files)).toBe("")
})

test("[C-570] the example of docs/guide/kv.md has no type error, and plays as the page says", () => {
  const files = filesOf("docs/guide/kv.md")
  expect([...files.keys()]).toEqual(["schema.ts", "room.ts", "try.ts"])
  expect(compiled(files)).toBe("")
  expect(run(files, "src/try.ts")).toBe("")
  const poorer = (files.get("room.ts") ?? "").replace("?? 100", "?? 99")
  expect(run(new Map([...files, ["room.ts", poorer]]), "src/try.ts")).toContain("AssertionError")
})

test("[D-28] the code of docs/guide/accounts.md has no type error", () => {
  const files = filesOf("docs/guide/accounts.md")
  expect([...files.keys()]).toEqual(["account.ts", "login.ts"])
  expect(compiled(files)).toBe("")
})

test("[D-34] the code of docs/guide/leaderboards.md has no type error", () => {
  const files = filesOf("docs/guide/leaderboards.md")
  expect([...files.keys()]).toEqual(["room.ts", "scores.ts", "room.test.ts"])
  expect(compiled(files)).toBe("")
})
