import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, test } from "vitest"

import { guideFolder, guidePage } from "./guidePages/GuidePage.ts"

const root = join(import.meta.dirname, "..")

const compilerOptions = {
  ...Object(JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"))).compilerOptions,
  types: ["node"],
  jsx: "react-jsx",
  // The console's own pages are of another library.
  jsxImportSource: "react",
  plugins: []
}

/** What a program of Node says in a folder with these files. */
const run = async (files: ReadonlyMap<string, string>, program: string): Promise<string> => {
  const folder = await guideFolder(files)
  try {
    return await folder.run([program])
  } finally {
    await folder.remove()
  }
}

const pages: ReadonlyArray<readonly [rule: string, page: string, names: ReadonlyArray<string>]> = [
  ["C-391", "from-colyseus", ["schema.ts", "room.ts", "game.ts"]],
  ["C-391", "ratings", ["schema.ts", "room.ts", "try.ts"]],
  ["C-821", "replays", ["schema.ts", "room.ts", "try.ts", "watch.ts"]],
  ["C-391", "matchmaking", ["schema.ts", "play.ts", "try.ts", "race.ts", "room.ts"]],
  ["C-680", "schemas", ["schema.ts", "hud.ts"]],
  ["C-662", "state", ["schema.ts", "room.ts", "try.ts", "draw.ts"]],
  ["C-709", "migrations", ["before.ts", "schema.ts", "0003-health.ts", "test.ts"]],
  ["C-965", "react", ["schema.ts", "app.tsx"]],
  ["C-563", "lobby", ["schema.ts", "room.ts", "game.ts"]],
  ["C-570", "kv", ["schema.ts", "room.ts", "try.ts"]],
  ["C-860", "physics", ["schema.ts", "room.ts", "try.ts", "field.ts", "fieldRoom.ts", "play.ts"]],
  ["C-890", "voice", ["schema.ts", "talk.ts", "room.ts"]],
  ["C-720", "hidden-state", ["schema.ts", "room.ts", "try.ts"]],
  ["D-27", "identity", ["login.ts", "backend.ts", "schema.ts", "try.ts"]],
  ["D-28", "accounts", ["account.ts", "try.ts"]],
  ["D-32", "presence", ["friends.ts", "schema.ts", "try.ts"]],
  ["D-34", "leaderboards", ["schema.ts", "room.ts", "try.ts", "test.ts"]]
]

/** The folder of a page in which a step is a text. */
const wrong = "wrong"

/** What the compiler says of all pages, each in a folder of its own: it loads what they import once. */
const compiled = async (): Promise<ReadonlyArray<string>> => {
  const files = new Map([["tsconfig.json", JSON.stringify({ compilerOptions })]])
  for (const [, page] of pages) {
    for (const [name, text] of (await guidePage(page)).files) files.set(`${page}/${name}`, text)
  }
  for (const name of ["schema.ts", "room.ts", "game.ts"]) {
    const text = files.get(`from-colyseus/${name}`) ?? ""
    files.set(`${wrong}/${name}`, text.replace("dx: 1", 'dx: "far"'))
  }
  const said = await run(files, join(root, "node_modules/typescript/bin/tsc"))
  return said.split("\n").filter((line) => line !== "")
}
let onceCompiled: Promise<ReadonlyArray<string>> | null = null
const compilerSays = (): Promise<ReadonlyArray<string>> => (onceCompiled ??= compiled())

test.each(pages)("[%s] the code of docs/guide/%s.md has no type error", async (_, page, names) => {
  const { files } = await guidePage(page)
  expect([...files.keys()]).toEqual(names)
  expect((await compilerSays()).filter((line) => line.startsWith(`${page}/`))).toEqual([])
})

test("[C-391] the compiler looks at the code of a page: a step of text is no step", async () => {
  const [first = "", ...more] = await compilerSays()
  expect(first).toContain(`${wrong}/game.ts(13,11): error TS`)
  // What it explains of that error is indented. It says nothing else, also of what is no page.
  expect(more.filter((line) => !line.startsWith(" "))).toEqual([])
})

// Those of the other pages ask a service: guidePages.e2e.test.ts.
test.each([
  ["C-570", "kv", "try.ts"],
  ["C-720", "hidden-state", "try.ts"],
  ["C-391", "ratings", "try.ts"],
  ["C-821", "replays", "try.ts"],
  ["C-863", "physics", "try.ts"],
  ["C-662", "state", "try.ts"],
  ["C-728", "migrations", "test.ts"],
  ["D-34", "leaderboards", "test.ts"]
])("[%s] the program of docs/guide/%s.md runs as the page says", async (_, page, program) => {
  const { files, output } = await guidePage(page)
  expect(await run(files, program)).toBe(program === "try.ts" ? output : "")
})

test("[C-570] the program of docs/guide/kv.md notices another room", async () => {
  const { files } = await guidePage("kv")
  const poorer = (files.get("room.ts") ?? "").replace("?? 100", "?? 99")
  expect(await run(new Map([...files, ["room.ts", poorer]]), "try.ts")).toContain("AssertionError")
})
