import { execFileSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { afterAll, describe, expect, it } from "vitest"

import { checkoutWithNoun, noun } from "./newNoun/NewNoun.ts"

const root = join(import.meta.dirname, "..")
const copy = checkoutWithNoun()

afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe("a new open endpoint with a rate and a table", () => {
  it("[C-272] compiles with the files that AGENTS.md lists", () => {
    const config = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { plugins: [], typeRoots: [join(root, "node_modules/@types")] },
      include: [],
      files: ["packages/api/src/main.ts", "scripts/testDatabase.ts", noun.lists[1], ...noun.proof]
    }
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(config))
    const tsc = join(root, "node_modules/.bin/tsc")
    // It throws with what the compiler says.
    expect(execFileSync(tsc, ["--noEmit", "--project", copy], { encoding: "utf8" })).toBe("")
  })
})
