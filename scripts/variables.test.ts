import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { expect, test } from "vitest"

const repository = fileURLToPath(new URL("..", import.meta.url))
const read = (path: string): string => readFileSync(`${repository}/${path}`, "utf8")

/** Where programs that an operator or a developer runs read their environment. */
const sources = ["api", "actors", "cli", "sdk"].flatMap((name) =>
  globSync(`packages/${name}/src/**/*.ts`, { cwd: repository }).filter(
    (path) => !/\.(?:test|contract)\.ts$|\/(?:testing|bundle)\//.test(path)
  )
)

/** Names that are read as such, our own names anywhere, and secrets, which have a second name for their file. */
const readers = [
  { pattern: /\bConfig\.[A-Z]\w+\(\s*"([A-Z][A-Z0-9_]+)"/g, suffix: "" },
  { pattern: /\bprocess\.env\["([A-Z][A-Z0-9_]+)"\]/g, suffix: "" },
  { pattern: /\b((?:ATRIUM|SERVICE)_[A-Z0-9_]*[A-Z0-9])\b/g, suffix: "" },
  { pattern: /\bsecretSetting\("([A-Z][A-Z0-9_]+)"/g, suffix: "" },
  { pattern: /\bsecretSetting\("([A-Z][A-Z0-9_]+)"/g, suffix: "_FILE" }
]

const variables = (text: string): ReadonlyArray<string> =>
  readers.flatMap(({ pattern, suffix }) =>
    [...text.matchAll(pattern)].map(([, name = ""]) => name + suffix)
  )

/** The operating system's own. */
const ofTheSystem = new Set(["HOME", "XDG_CONFIG_HOME", "PATH"])

/** What the launcher tells the service that it starts. */
const ofTheLauncher = new Set(["ATRIUM_LAUNCHED"])

test("[docs.variables] the table of operations.md has every variable that is read, and no other", () => {
  const names = new Set(sources.flatMap((path) => variables(read(path))))
  const [, section = ""] = read("docs/operations.md").split("\n## Variables\n")
  const table = section.split("\n## ", 1)[0] ?? ""
  const told = [...table.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map(([, name]) => name ?? "")
  expect(told.length).toBeGreaterThan(10)
  expect(told.toSorted()).toEqual(
    [...names].filter((name) => !ofTheSystem.has(name) && !ofTheLauncher.has(name)).toSorted()
  )
})
