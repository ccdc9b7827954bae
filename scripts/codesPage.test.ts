import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { codeTexts, explain, statuses } from "@atrium/domain/codes/Codes"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import { expect, test } from "vitest"

import { codesPage, storedPage } from "./codesPage.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))

/** Codes in the program text of the packages that a user meets, without comments and tests. */
const codesInPrograms = (): ReadonlySet<string> => {
  const files = globSync("packages/{wire,domain,runtime,sdk,actors,api,cli}/src/**/*.ts", {
    cwd: repository
  }).filter((path) => !/\.(?:test|contract)\.ts$|\/testing\/|\/codes\//.test(path))
  expect(files.length).toBeGreaterThan(400)
  const found = files.flatMap((path) => {
    const text = readFileSync(`${repository}/${path}`, "utf8")
    const program = text.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")
    return program.match(/(?<=["\x60' ])E_[A-Z_]+(?=["\x60':, ])/g) ?? []
  })
  return new Set(found)
}

test("[C-353] every refusal, room refusal, close and code of a program has its explanation", () => {
  const closes = Object.values(CloseCodes)
  const said = new Set([
    ...statuses.keys(),
    ...Object.values(RoomRefusals).map(({ code }) => code),
    ...closes.map(({ name }) => name),
    ...codesInPrograms()
  ])
  expect(statuses.size).toBeGreaterThan(30)
  expect([...said].filter((code) => !codeTexts.has(code))).toEqual([])
  // And nothing is explained that nobody says.
  expect([...codeTexts.keys()].filter((code) => !said.has(code))).toEqual([])
})

test("[C-353] an explanation is three sentences or more, none of them cut short", () => {
  for (const [code, { means, why, next }] of codeTexts) {
    for (const text of [means, why, next]) expect(text, code).toMatch(/^[A-Z\x60/].*\.$/)
  }
})

const closeNumbers = [...new Set(Object.values(CloseCodes).map(({ code }) => code))]

test.each(closeNumbers)(
  "[C-401] close code %i is explained by every code that has it",
  (number) => {
    const names = Object.values(CloseCodes).flatMap(({ code, name }) =>
      code === number ? name : []
    )
    const found = explain(String(number))
    expect(Array.isArray(found) && found.map(({ code }) => code).toSorted()).toEqual(
      names.toSorted()
    )
  }
)

test("[C-401] an explanation writes no number of its own: each comes from the row of its limit", () => {
  const paths = globSync("packages/domain/src/codes/{Client,Http,Room}Codes.ts", {
    cwd: repository
  })
  expect(paths).toHaveLength(3)
  for (const path of paths) {
    const lines = readFileSync(`${repository}/${path}`, "utf8").split("\n")
    const texts = lines.map((line) => line.replace(/\$\{[^}]*\}/g, "").replace(/\/v1\/|UTF-8/g, ""))
    expect(texts.filter((line) => numbers.test(line))).toEqual([])
  }
})

const numbers = /\d|\b(?:four|five|six|seven|eight|nine|ten|twenty|thirty|hundred|thousand) /i

test("[C-353] docs/guide/codes.md is the page of the table", () => {
  expect(storedPage()).toBe(codesPage())
})
