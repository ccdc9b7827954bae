import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { expect, test } from "vitest"

const repository = fileURLToPath(new URL("..", import.meta.url))
const rows = readFileSync(`${repository}/docs/choices.md`, "utf8")
  .split("\n")
  .filter((line) => /^\| [A-Z]/.test(line))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim())
  )

test("[docs.choices] every choice has an id of its own, a text and a place", () => {
  const ids = rows.map(([id]) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  for (const row of rows) {
    expect(row).toHaveLength(4)
    expect(row[0]).toMatch(/^(?:D-\d\d|C-\d{2,3}|T-(?:KB|\d{2,3}))$/)
    expect(row[1]).toMatch(/\.$/)
  }
  // All of them were found.
  expect(rows.length).toBeGreaterThan(60)
})

test.each(rows.map(([id = "", , , where = ""]) => [id, where] as const))(
  "[docs.choices] the files of %s are there",
  (_id, where) => {
    const paths = [...where.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? "")
    expect(paths.length).toBeGreaterThan(0)
    expect(paths.filter((path) => !existsSync(`${repository}/${path}`))).toEqual([])
  }
)
