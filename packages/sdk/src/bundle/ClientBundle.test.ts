import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { afterAll, beforeAll, expect, it } from "vitest"

import { type ClientBundler, makeClientBundler } from "./ClientBundle.ts"

let root = ""
let bundler: ClientBundler
const write = async (name: string, text: string): Promise<void> => {
  await mkdir(dirname(join(root, name)), { recursive: true })
  await writeFile(join(root, name), text)
}
const built = async (): Promise<Readonly<Record<string, string>>> => {
  const { files } = await bundler.build()
  const texts = [...(files ?? [])].map(([name, content]) => [name, Buffer.from(content).toString()])
  return Object.fromEntries(texts)
}

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atrium client ")))
  bundler = await makeClientBundler(join(root, "web/client.ts"), root)
})
afterAll(async () => {
  await bundler.end()
  await rm(root, { recursive: true, force: true })
})

it("[C-372] bundles a client with its styles and pictures, and anew when one of its files changes", async () => {
  await write(
    "web/client.ts",
    'import "./a.css"; import url from "./a.png"; import { x } from "../x.ts"; show(url, x)'
  )
  await write("web/a.css", "b { color: red }")
  await write("web/a.png", "png")
  await write("x.ts", "export const x: string = 'first'")
  const first = await built()
  expect(
    Object.keys(first)
      .map((name) => name.replace(/-\w+\.png/, ".png"))
      .toSorted()
  ).toEqual(["a.png", "client.css", "client.js"])
  expect(first["client.js"]).toContain('"first"')
  expect(first["client.js"]).toMatch(/"\/a-\w+\.png"/)
  await write("x.ts", "export const x = 'second'")
  expect((await built())["client.js"]).toContain('"second"')
})

it("[C-372] says where a client does not build, and builds again when it is mended", async () => {
  await write("web/client.ts", 'import "./gone.ts"')
  expect(await bundler.build()).toEqual({
    files: null,
    messages: ['web/client.ts:1:8 Could not resolve "./gone.ts"']
  })
  await write("web/gone.ts", "back()")
  expect((await built())["client.js"]).toContain("back()")
})

it("[C-372] gives a project without the SDK the one that bundles it", async () => {
  await write(
    "web/client.ts",
    'import { Client } from "@atrium/sdk/client"; new Client("http://localhost")'
  )
  const { files, messages } = await bundler.build()
  expect(messages).toEqual([])
  expect(files?.get("client.js")?.length).toBeGreaterThan(10_000)
})
