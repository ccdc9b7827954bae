import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { repository } from "./Places.ts"

/** What the templates of `atrium init` are made from, below `examples`. */
export const templateSources = ["build.mjs", "{arena,blank,tic-tac-toe,whiteboard}/*.{ts,html,md}"]

const inputs = [
  "packages/*/src/**/*.ts",
  "packages/*/package.json",
  "packages/{sdk,cli,spec-tests}/README.md",
  "packages/spec-tests/{fixtures/**/*.ts,*.json}",
  "scripts/packages/*.ts",
  "scripts/packages.ts",
  "package-lock.json",
  "tsconfig.json",
  "LICENSE"
]

/** A hash of all that the packages are made from: with another one they are made anew. */
export const hashOfInputs = (): string => {
  const hash = createHash("sha256").update(process.version)
  const found = inputs.flatMap((pattern) => globSync(pattern, { cwd: repository }))
  const templates = templateSources
    .flatMap((pattern) => globSync(pattern, { cwd: join(repository, "examples") }))
    .map((path) => join("examples", path))
  const sources = found.filter((path) => !path.endsWith(".test.ts"))
  const paths = [...new Set([...sources, ...templates])].toSorted()
  for (const path of paths) {
    const bytes = readFileSync(join(repository, path))
    hash.update(`${path} ${bytes.byteLength}\n`).update(bytes)
  }
  return hash.digest("hex")
}
