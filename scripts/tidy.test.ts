import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

import { AllLimits } from "@atrium/domain/testing/AllLimits"
import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { expect, test } from "vitest"

// What linters cannot say. Each test lists what breaks its rule; an empty list is a pass.

const root = join(import.meta.dirname, "..")
const linesMax = 400

const skipped = new Set(["node_modules", ".git", ".atrium", "coverage", "dist"])
const filesUnder = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesUnder(path)
    return /\.(?:ts|tsx|mjs)$/.test(entry.name) ? [path] : []
  })

interface SourceFile {
  readonly path: string
  readonly text: string
  readonly lines: ReadonlyArray<string>
}

const files: ReadonlyArray<SourceFile> = ["packages", "examples", "scripts"]
  .flatMap(filesUnder)
  .filter((path) => path !== "scripts/tidy.test.ts")
  .map((path) => {
    const text = readFileSync(join(root, path), "utf8")
    return { path, text, lines: text.split("\n") }
  })

/** Tests, and what only tests use. */
const isTest = ({ path }: SourceFile): boolean =>
  /\.(?:test|contract)\.ts$|\/testing\/|\/(?:Test|Fake)[A-Z]\w*\.ts$/.test(path)
const textOf = (path: string): string => files.find((file) => file.path === path)?.text ?? ""
const code = files.filter((file) => !isTest(file))
const tests = files.filter(({ path }) => /\.(?:test|contract)\.ts$/.test(path))

/** `path:line what`, for every line that a rule finds fault with. */
const faults = (
  among: ReadonlyArray<SourceFile>,
  fault: (line: string, before: string) => string | null
): ReadonlyArray<string> =>
  among.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => {
      const found = fault(line, lines[index - 1] ?? "")
      return found === null ? [] : [`${path}:${index + 1} ${found}`]
    })
  )

/** Lines of a file without its imports, which a formatter writes. */
const lengthOf = ({ text }: SourceFile): number =>
  text.replace(/^import (?:[^"]*? from )?"[^"]*"\n/gm, "").split("\n").length - 1

test("[tidy.lines] no file is longer than 400 lines, imports apart", () => {
  const long = files.filter((file) => lengthOf(file) > linesMax).map(({ path }) => path)
  expect(long).toEqual([])
})

test("[tidy.names] files are named by their main export, never by what is left over", () => {
  const leftovers = /^(?:utils?|helpers?|misc|common|shared|types|constants|index)\b/i
  expect(files.map(({ path }) => path).filter((path) => leftovers.test(basename(path)))).toEqual([])
})

const banned: ReadonlyArray<readonly [word: RegExp, instead: string]> = [
  [/\b(?:TODO|FIXME|XXX|HACK)\b/, "do it now, or open an issue"],
  [/\bcatchAll\b/, "Effect.catch, or better catchTag"],
  [/\bTaggedErrorClass\b/, "Schema.TaggedError"],
  [/\btoArbitrary\b/, "effect/Arbitrary or fast-check"],
  [/@ts-(?:ignore|nocheck)/, "a type that is true"],
  [/\beslint-disable/, "oxlint-disable, with -- and the reason"],
  [/oxlint-disable(?!.* -- )/, "the same with -- and the reason"],
  [/\bwhite-?list/i, "allow list"],
  [/\bblack-?list/i, "deny list"],
  [/\b(?:msec|millisecs|timestampMs)\b/, "a name that ends in AtMs or ForMs"]
]

test("[tidy.words] banned words have a replacement", () => {
  const found = faults(files, (line) => {
    const hit = banned.find(([word]) => word.test(line))
    return hit === undefined ? null : `${hit[0].exec(line)?.[0]}: ${hit[1]}`
  })
  expect(found).toEqual([])
})

/** An assertion of a type, not the renaming of an import. */
const assertion = /[\w)\]}"'`] as (?!const\b)[A-Z{("'[a-z]/

/** The same files without the text of statements: there `as` names a column. */
const withoutStatements = code.map((file) => {
  const text = file.text.replace(/\bsql(?:<[^>]*>)?`[^`]*`?/g, (statement) =>
    statement.replace(/[^\n]/g, "")
  )
  return { ...file, lines: text.split("\n") }
})

test("[tidy.as] a type assertion says on its line, or above it, why the compiler cannot know", () => {
  const found = faults(withoutStatements, (line, before) => {
    const [statement = ""] = line.split("//")
    if (!assertion.test(statement) || /^\s*(?:\*|\/\*|import|export|type \w+ as )/.test(line)) {
      return null
    }
    if (/["'`][^"'`]* as [^"'`]*["'`]/.test(statement)) return null
    return line.includes("//") || /^\s*(?:\/\/|\*\/|\*)/.test(before) ? null : line.trim()
  })
  expect(found).toEqual([])
})

test("[tidy.codes] every E_ code is declared once, where its kind belongs", () => {
  // The first file exports the others, too.
  const refusals = [
    "packages/domain/src/shared/Refusal.ts",
    "packages/domain/src/shared/PlayerRefusal.ts",
    "packages/domain/src/match/MatchRefusal.ts",
    "packages/domain/src/replay/ReplayRefusal.ts",
    "packages/domain/src/migrations/MigrationRefusal.ts"
  ]
  const declaring = [
    ...refusals,
    "packages/wire/src/rooms/RoomRefusal.ts",
    "packages/wire/src/frames/CloseCode.ts"
  ]
  // Codes that only room code sees; a client need not load them.
  declaring.push("packages/wire/src/physics/PhysicsCodes.ts")
  // What only a client says to its own program; no wire carries it.
  declaring.push("packages/sdk/src/client/ClientErrors.ts", "packages/sdk/src/voice/VoiceError.ts")
  const declared = files
    .filter((file) => declaring.includes(file.path))
    .flatMap(({ text }) => [...text.matchAll(/\bE_[A-Z_]+\b/g)].map((match) => match[0]))
  const classes = [
    ...refusals
      .map(textOf)
      .join("\n")
      .matchAll(/"(E_[A-Z_]+)"/g)
  ]
  const names = classes.map((match) => match[1])
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  const used = code
    .filter(({ path }) => path.startsWith("packages/") && !path.includes("spec-tests"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bE_[A-Z][A-Z_]+\b/g)].map((match) => ({ name: match[0], path }))
    )
  const unknown = used.filter(({ name }) => !declared.includes(name))
  expect([...new Set(unknown.map(({ name, path }) => `${name} in ${path}`))]).toEqual([])
})

test("[tidy.keys] the key of a service is its package and folder, so that an error leads to the file", () => {
  const named = /(\w*)\(\s*"(@atrium\/[^"]+)"\s*[,)]/g
  const keys = code
    .filter(({ path }) => /^packages\/(?!spec-tests\/)/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(named)]
        // These name a module.
        .filter(([, of = ""]) => of !== "import" && of !== "resolve")
        .map(([, , key = ""]) => ({ path, key }))
    )
  const folderOf = (path: string): string =>
    path
      .replace("packages/", "@atrium/")
      .replace("/src/", "/")
      .replace(/[^/]+$/, "")
  const strange = keys.filter(({ path, key }) => !/^\w+$/.test(key.replace(folderOf(path), "")))
  expect(strange).toEqual([])
  expect(keys.length).toBeGreaterThan(50)
})

test("[tidy.titles] the title of a test starts with the rule that it proves", () => {
  const title =
    /^\s*(?:test|it)(?:\.(?:each|for|effect|live|prop|concurrent|runIf|skipIf)(?:\([^)]*\))?)*\(\s*(["'`])(.)/
  const found = faults(tests, (line) => {
    const match = title.exec(line)
    return match === null || match[2] === "[" ? null : line.trim()
  })
  expect(found).toEqual([])
})

test("[tidy.focus] no test is alone, and a skipped one says why", () => {
  const found = faults(tests, (line, before) => {
    if (/\b(?:test|it|describe)\.only\b/.test(line)) return "only"
    if (!/\b(?:test|it|describe)\.(?:skip|todo|fails)\(/.test(line)) return null
    return /^\s*(?:\/\/|\*\/)/.test(before) ? null : "skipped without a reason above it"
  })
  expect(found).toEqual([])
})

/** What waits shorter than the run allows fails now and then where other work is done, and proves no more. */
const waits: ReadonlyArray<readonly [wait: RegExp, instead: string]> = [
  [/\bvi\.wait(?:For|Until)\(/, "`until`, or expect.poll: this gives up after a second"],
  [/\.poll\(.*\btimeout:/, "expect.poll without a time: vitest.config.ts has one"],
  [/^\s*\}, \d{1,3}_000\)$/, "no time of its own: vitest.config.ts has a longer one"],
  [/\buntil\(.*, \d{1,2}_000\)/, "`until` without a time: its own is longer"],
  [/\bretry:/, "a test that passes the first time"]
]

test("[tidy.waits] [C-387] a test waits as long as a busy machine needs", () => {
  const found = faults(tests, (line) => waits.find(([wait]) => wait.test(line))?.[1] ?? null)
  expect(found).toEqual([])
})

/** Round numbers, powers of two and units of time say nothing: many things are equal to them. */
const isCommon = (value: number): boolean =>
  /^\d0+$/.test(String(value)) ||
  [65_535, 3_600_000, 86_400_000].includes(value) ||
  Number.isInteger(Math.log2(value))

const numbersOf = (limit: object): ReadonlyArray<number> =>
  Object.values(limit).filter(
    (value) => typeof value === "number" && value >= 1000 && !isCommon(value)
  )

test("[tidy.limits] no other file holds a number that is the row of a limit", () => {
  const rows = new Map<number, string>()
  for (const [name, limit] of Object.entries(AllLimits)) {
    for (const value of numbersOf(limit)) rows.set(value, name)
  }
  const found = faults(
    // The suite has its numbers from the specification: scripts/agreement.test.ts.
    code.filter(
      ({ path }) => /^packages\/(?!spec-tests\/)/.test(path) && !path.endsWith("Limits.ts")
    ),
    (line) => {
      const [statement = ""] = line.split(/\/\/|^\s*\*/)
      const hit = [...statement.matchAll(/(?<![\w."'`-])\d[\d_]{3,}\b/g)]
        .map((match) => Number(match[0].replaceAll("_", "")))
        .find((value) => rows.has(value))
      return hit === undefined ? null : `${hit} is the limit ${rows.get(hit)}`
    }
  )
  expect(found).toEqual([])
})

test("[tidy.close-codes] docs/protocol.md has the close codes of the service, all and in order", () => {
  const document = readFileSync(join(root, "docs/protocol.md"), "utf8")
  const written = document
    .split("\n")
    .filter((line) => /^\|\s*`?\d{4}`?\s*\|/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", ""))
    )
  const rows = Object.values(CloseCodes)
    .toSorted((one, other) => one.code - other.code)
    .map((row) => [String(row.code), row.name, row.client, row.says])
  expect(written).toEqual(rows)
})
