import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"

import { afterAll, beforeAll, expect, it } from "vitest"

import { importChain } from "./ImportWalk.ts"

let folder = ""
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atrium walk ")))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const chain = async (files: Readonly<Record<string, string>>): Promise<string | null> => {
  const root = await mkdtemp(join(folder, "game-"))
  for (const [name, text] of Object.entries({ "room.ts": "export const x = 1", ...files })) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  const found = await importChain(join(root, "client.ts"), [join(root, "room.ts")])
  return found === null ? null : found.map((file) => relative(root, file)).join(" > ")
}

it.each<readonly [id: string, files: Readonly<Record<string, string>>, found: string | null]>([
  ["file.client.warns-not-refuses", { "client.ts": 'import "./room.ts"' }, "client.ts > room.ts"],
  [
    "file.client.warns-not-refuses",
    {
      "client.ts": 'import "./far.ts"; import("./src/near")',
      "far.ts": 'export * from "./src/near.ts"',
      "src/near.ts": 'const r = require("../room"); export { r }'
    },
    "client.ts > src/near.ts > room.ts"
  ],
  [
    "file.client.warns-not-refuses",
    {
      "client.ts": 'import "./a.css"; import "./a.png?url"; import "./room"',
      "a.css": "}",
      "a.png": "\0"
    },
    "client.ts > room.ts"
  ],
  ["file.client.warns-not-refuses", { "client.ts": 'import type { x } from "./room.ts"' }, null],
  [
    "file.client.warns-not-refuses",
    { "client.ts": 'import "./a"', "a.ts": 'import "./client"' },
    null
  ],
  [
    "file.client.bare-external",
    {
      "client.ts": 'import "pkg"; import "nowhere"',
      "node_modules/pkg/index.js": 'import "../../room.ts"',
      "node_modules/pkg/package.json": '{"main":"index.js"}'
    },
    null
  ],
  ["file.client.syntax-error-silent", { "client.ts": 'import "./room.ts"; const' }, null],
  ["file.client.missing-silent", { "client.ts": 'import "./room.ts"; import "./gone"' }, null],
  ["file.client.missing-silent", {}, null]
])("[%s] %j", async (_, files, found) => {
  expect(await chain(files)).toBe(found)
})
