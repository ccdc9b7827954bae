import { readFileSync } from "node:fs"
import { join } from "node:path"

import { Ajv2020 } from "ajv/dist/2020.js"
import { expect, test } from "vitest"
import { parse } from "yaml"

import { type ScenarioKey, scenarioJsonSchema, scenarioKeys } from "./ScenarioKeys.ts"

const repository = join(import.meta.dirname, "../../../..")

const presetText = ({ required, preset }: ScenarioKey): string => {
  if (required) return "**required**"
  return preset === undefined
    ? ""
    : `\`${typeof preset === "string" ? preset : JSON.stringify(preset)}\``
}

test("[docs.simulate] docs/simulate.md has exactly the keys of the schema, with what they mean", () => {
  const rows = readFileSync(join(repository, "docs/simulate.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim())
    )
  expect(rows).toEqual(
    scenarioKeys.map((key) => [`\`${key.path}\``, presetText(key), key.description])
  )
  expect(rows.length).toBeGreaterThan(70)
})

test("[docs.simulate] every key says what it means", () => {
  const named: Array<string> = []
  JSON.stringify(scenarioJsonSchema(), (key, value) => {
    if (key === "properties") named.push(...Object.keys(value))
    return value
  })
  const untold = named.filter((name) => !scenarioKeys.some(({ path }) => path.endsWith(name)))
  // The kind of an event stands in the paths; what a lognormal is stands where minutes are told.
  expect([...new Set(untold)]).toEqual(["lognormal", "kind"])
  for (const { description } of scenarioKeys) expect(description).toMatch(/^[\w{].*\.$/)
})

test("[sim.json-schema] editors take the example, and refuse what the check refuses", () => {
  const fits = new Ajv2020({ strict: false }).compile(scenarioJsonSchema())
  const text = readFileSync(join(repository, "examples/sim/arena.yaml"), "utf8")
  expect(fits(parse(text))).toBe(true)
  for (const [from, to] of [
    ["daily:", "dayly:"],
    ["tickHz: 20", "tickHz: 61"],
    ["hibernateAfter: 5s", "hibernateAfter: 5"],
    ["40TB", "8PB"],
    ["kind: deploy", "kind: deploi"]
  ] as const) {
    expect(text).toContain(from)
    expect(fits(parse(text.replace(from, to))), to).toBe(false)
  }
})
