import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterAll, beforeAll, expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const page = readFileSync(join(root, "docs/guide/machines.md"), "utf8")
const folder = mkdtempSync(join(tmpdir(), "atrium-machines-"))

/** What a reader does and sees, in the order of the page. */
const blocks = [...page.matchAll(/^```(sh|yaml|text)\n([^]*?)^```/gm)].map(
  ([, language = "", text = ""]) => ({ language, text })
)

beforeAll(() => {
  copyFileSync(join(root, "examples/arena/schema.ts"), join(folder, "schema.ts"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (command: string) => {
  const [program, name, ...args] = command.split(" ")
  expect([program, name]).toEqual(["npx", "atrium"])
  const main = join(root, "packages/cli/src/main.ts")
  return spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: "utf8" })
}

test("[C-516] each command of docs/guide/machines.md does what the page says", () => {
  let printed = ""
  let commands = 0
  for (const { language, text } of blocks) {
    if (language === "yaml") {
      const [, name = ""] = /^# (\S+)\n/.exec(text) ?? []
      writeFileSync(join(folder, name), text)
    } else if (language === "text") {
      expect(printed).toContain(text.trimEnd())
    } else {
      const { status, stdout, stderr } = run(text.trim())
      expect({ status, command: text, stderr: status === 0 ? "" : stderr }).toEqual({
        status: 0,
        command: text,
        stderr: ""
      })
      printed = stdout
      commands += 1
    }
  }
  expect(commands).toBe(7)
})

test("[C-516] the picture of the page is that of the example", () => {
  const example = join(root, "examples/sim/arena.yaml")
  run(`npx atrium sim plan ${example} --out arena`)
  const shown = readFileSync(join(root, "docs/guide/pictures/sim-caps.svg"), "utf8")
  expect(readFileSync(join(folder, "arena/caps.svg"), "utf8")).toBe(shown)
})
