import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { expect, test } from "vitest"

const repository = fileURLToPath(new URL("..", import.meta.url))
const read = (path: string): string => readFileSync(`${repository}/${path}`, "utf8")

const sources = ["api", "actors"].flatMap((name) =>
  globSync(`packages/${name}/src/**/*.ts`, { cwd: repository }).filter(
    (path) => !/\.(?:test|contract)\.ts$|\/testing\//.test(path)
  )
)

test("[docs.metrics] the table of operations.md has every metric of the sources, and no other", () => {
  const names = sources.flatMap((path) =>
    [...read(path).matchAll(/"(atrium_[a-z0-9_]+)"/g)].map(([, name = ""]) => name)
  )
  const [, section = ""] = read("docs/operations.md").split("\n## Metrics\n")
  const table = section.split("\n## ", 1)[0] ?? ""
  const told = [...table.matchAll(/^\| `(atrium_\w+)/gm)].map(([, name = ""]) => name)
  expect(told.length).toBeGreaterThan(25)
  expect(told.toSorted()).toEqual([...new Set(names)].toSorted())
})
