import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { expect, test } from "vitest"

const repository = fileURLToPath(new URL("..", import.meta.url))
const document = readFileSync(`${repository}/docs/choices.md`, "utf8")

/** What an entry has behind its id: the choice, maybe its reason, and the files that carry it out. */
const form = /^(\S.*?\.)(?: Why: (\S.*?\.))? Where: ((?:`[^`\s]+`(?:, )?)+)$/

const entries = document
  .split(/\n(?=- \*\*)|\n(?=## )/)
  .filter((entry) => entry.startsWith("- **"))
  .map((entry) => {
    const [, id = "", rest = ""] = /^- \*\*([^*]+)\*\* (.*)$/s.exec(entry.trim()) ?? []
    const [, choice = "", , where = ""] = form.exec(rest.replace(/\s*\n\s*/g, " ")) ?? []
    return { id, choice, where }
  })

test("[docs.choices] every choice has an id of its own, a text and a place", () => {
  const ids = entries.map(({ id }) => id)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  for (const { id } of entries) expect(id).toMatch(/^(?:D-\d\d|C-\d{2,3}|T-(?:KB|\d{2,3}))$/)
  // An entry of another form has no choice here.
  expect(entries.filter(({ choice }) => choice === "").map(({ id }) => id)).toEqual([])
  // All of them were found: no id stands elsewhere in bold.
  expect(entries).toHaveLength((document.match(/\*\*/g) ?? []).length / 2)
  expect(entries.length).toBeGreaterThan(240)
})

test("[docs.choices] every heading is a noun of its own with at least one choice", () => {
  const sections = document.split(/^## /m).slice(1)
  const headings = sections.map((section) => section.split("\n", 1)[0])
  expect(headings.filter((heading, at) => headings.indexOf(heading) !== at)).toEqual([])
  expect(sections.filter((section) => !section.includes("\n- **"))).toEqual([])
})

test.each(entries)("[docs.choices] the files of $id are there", ({ where }) => {
  const paths = [...where.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? "")
  expect(paths.length).toBeGreaterThan(0)
  expect(paths.filter((path) => !existsSync(`${repository}/${path}`))).toEqual([])
})
