import { globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { checkoutRoot, copyCheckout } from "../CheckoutCopy.ts"

const fixture = join(import.meta.dirname, "fixture")
const packages = [
  "wire",
  "domain",
  "runtime",
  "sdk",
  "actors",
  "postgres",
  "api",
  "voice",
  "console",
  "spec-tests"
]

/** The files that AGENTS.md lists below a heading, with the names of the new noun. */
export const listedIn = (heading: string): ReadonlyArray<string> => {
  const text = readFileSync(join(checkoutRoot, "AGENTS.md"), "utf8")
  const [section = ""] = (text.split(`### ${heading}\n`)[1] ?? "").split(/^##/m)
  return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, path = ""]) =>
    path.replaceAll("<noun>", "cheers").replaceAll("<Noun>", "Cheer")
  )
}

const isProof = (path: string): boolean => /\.(?:contract|test)\.ts$/.test(path)
const written = globSync("**/*.txt", { cwd: fixture }).map((path) => path.replace(/\.txt$/, ""))
/** The row of the requirement, with its check. */
const row = readFileSync(join(import.meta.dirname, "row.txt"), "utf8")
const sectionFile = "packages/spec-tests/src/sections/endpoints/OpenRoutes.ts"
const exported = { domain: ["CheerLimits", "CheersApi"], actors: ["CheerStore", "CheerTables"] }

/** What the author of the noun `cheers` writes and edits, by kind. */
export const noun = {
  product: [
    ...written.filter((path) => !isProof(path)),
    ...Object.keys(exported).map((name) => `packages/${name}/package.json`)
  ],
  lists: ["packages/api/src/features.ts", "packages/domain/src/testing/AllLimits.ts"],
  proof: [...written.filter(isProof), "packages/api/src/features.test.ts", sectionFile]
}

/** A checkout of its own that has the noun. @returns its folder, which the caller removes */
export const checkoutWithNoun = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "atrium-new-noun-"))
  copyCheckout(copy, packages)
  addNoun(copy)
  return copy
}

const addNoun = (copy: string): void => {
  const edit = (path: string, change: (text: string) => string): void => {
    const before = readFileSync(join(copy, path), "utf8")
    const after = change(before)
    if (after === before) throw new Error(`${path}: there is no place for the noun`)
    writeFileSync(join(copy, path), after)
  }
  const steps = globSync("packages/actors/src/*/*Tables.ts", { cwd: copy }).flatMap((path) =>
    [...readFileSync(join(copy, path), "utf8").matchAll(/"(\d{4})_[a-z_]+": \{/g)].map(
      ([, number]) => Number(number)
    )
  )
  const step = String(Math.max(...steps) + 1).padStart(4, "0")
  for (const path of written) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    const text = readFileSync(join(fixture, `${path}.txt`), "utf8")
    writeFileSync(join(copy, path), text.replace("NEXT", step))
  }
  edit("packages/api/src/features.ts", (text) =>
    text
      .replace(/^/, 'import { feature as cheers } from "./cheers/feature.ts"\n')
      .replace("\n] as const", ",\n  cheers\n] as const")
  )
  edit("packages/api/src/features.test.ts", (text) =>
    text
      .replace(/(\n {2}\["\d{4}_\w+", \d+\])\n\]/, `$1,\n  ["${step}_cheers", 5]\n]`)
      .replace(`"POST /v1/audience",`, `$& "POST /v1/cheers",`)
  )
  edit(sectionFile, (text) => text.replace("section(openRoutesHeading, {\n", `$&${row}`))
  edit("packages/domain/src/testing/AllLimits.ts", (text) =>
    text
      .replace(/^/, 'import { CheerLimits } from "../cheers/CheerLimits.ts"\n')
      .replace("\n}\n", ",\n  ...CheerLimits\n}\n")
  )
  for (const [name, modules] of Object.entries(exported)) {
    const lines = modules.map((module) => `"./cheers/${module}": "./src/cheers/${module}.ts",`)
    edit(`packages/${name}/package.json`, (text) =>
      text.replace('"exports": {', `"exports": {\n${lines.join("\n")}`)
    )
  }
}
