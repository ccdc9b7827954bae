import { expect, test } from "vitest"

import { type Edit, patched, sourceFrom } from "./PatchSymbol.ts"

const source = `
import { Effect } from "effect"

/** Never more than this. */
export const Limits = {
  saves: count("Saves of a room", { max: 10, per: "room" }),
  rows: count("Rows of a list", { max: 20, per: "room" })
}

const open = (saves: ReadonlyArray<Save>) => saves.length < 2 ? saves : null

export class Store {
  readonly kept = 4
  #write(key: string) {
    // Why it is so.
    if (key === "") return null
    this.count += 1
    return sql\`insert into saves (key)
      values (\${key})\`
  }
  list(keys: ReadonlyArray<string>) {
    return keys
      .map((key) => this.#write(key))
      .filter((key) => key !== null)
      .map(Object.keys)
  }
}

export const SavesApi = group("saves")
  .add(endpoint("list", "/saves", { public: true }).annotate(scope("read")))
  .add(endpoint("drop", "/saves", { public: false }).annotate(scope("write")))
`

const edited = (change: Omit<Edit, "id" | "package">, ...others: ReadonlyArray<string>): string => {
  const sources = [source, ...others].map((text, at) => sourceFrom(`${at}.ts`, text))
  return patched(sources, { id: "M-1", package: "domain", ...change }).source
}

/** The lines that a change adds. */
const added = (change: Omit<Edit, "id" | "package">): ReadonlyArray<string> => {
  const lines = new Set(source.split("\n"))
  return edited(change)
    .split("\n")
    .filter((line) => !lines.has(line))
    .map((line) => line.trim())
}

test.each<[what: string, change: Omit<Edit, "id" | "package">, line: string]>([
  [
    "the value of a property",
    { symbol: "Limits.saves.max", replace: "11" },
    'saves: count("Saves of a room", { max: 11, per: "room" }),'
  ],
  ["the value of a field", { symbol: "Store.kept", replace: "5" }, "readonly kept = 5"],
  [
    "an operator, however the code is laid out",
    { symbol: "open", code: "saves\n.length   < 2", replace: "saves.length <= 2" },
    "const open = (saves: ReadonlyArray<Save>) => saves.length <= 2 ? saves : null"
  ],
  [
    "a literal of a private method",
    { symbol: "Store.#write", code: "''", replace: '"a"' },
    'if (key === "a") return null'
  ],
  [
    "statements that follow each other, whatever is said between them",
    {
      symbol: "Store",
      code: 'if (key === "") return null\nthis.count += 1',
      replace: "this.count += 2"
    },
    "this.count += 2"
  ],
  [
    "a call of a chain",
    { symbol: "Store.list", code: ".filter((key) => key !== null)", replace: ".filter(Boolean)" },
    ".map((key) => this.#write(key)).filter(Boolean)"
  ],
  [
    "a property by its name, where it is not a statement",
    { symbol: "SavesApi.list", code: "public: true", replace: "public: false" },
    '.add(endpoint("list", "/saves", { public: false }).annotate(scope("read")))'
  ],
  [
    "what is called by the first argument of its chain",
    { symbol: "SavesApi.drop", code: '"write"', replace: '"read"' },
    '.add(endpoint("drop", "/saves", { public: false }).annotate(scope("read")))'
  ],
  [
    "a piece of a text, however it is spaced",
    { symbol: "Store.#write", text: "(key) values (${key})", replace: "(key) values (null)" },
    "return sql`insert into saves (key) values (null)`"
  ]
])("[C-97] a mutant changes %s", (_what, change, line) => {
  expect(added(change)).toEqual([line])
})

test("[C-97] a call is taken out of its chain, and what follows stays", () => {
  const text = edited({ symbol: "Store.list", code: ".filter((key) => key !== null)", replace: "" })
  expect(text).not.toContain("filter")
  expect(text).toContain(".map(Object.keys)")
})

test("[C-97] the file of a symbol is of no matter, and its code tells symbols of one name apart", () => {
  const other = "const open = (door: Door) => door.isOpen"
  const change = { symbol: "open", code: "door.isOpen", replace: "true" }
  expect(edited(change, other)).toBe("const open = (door: Door) => true")
  // What another file says beside it is never touched.
  expect(edited({ ...change, code: "2", replace: "3" }, other)).toContain("saves.length < 3")
})

test.each<[what: string, change: Omit<Edit, "id" | "package">, says: string]>([
  [
    "a symbol that is gone",
    { symbol: "Shop.list", replace: "1" },
    "M-1: Shop.list of packages/domain is gone: name what took its place"
  ],
  [
    "a member that is gone",
    { symbol: "Store.find", code: "1", replace: "2" },
    "M-1: Store.find of packages/domain is gone"
  ],
  [
    "code that is not there",
    { symbol: "open", code: "saves.length > 2", replace: "true" },
    "M-1: open of packages/domain has this 0 times and not once: saves.length > 2"
  ],
  [
    "code that is there twice",
    { symbol: "Limits", code: '"room"', replace: '"game"' },
    "M-1: Limits of packages/domain has this 2 times"
  ],
  [
    "a symbol that is there twice",
    { symbol: "SavesApi.public", replace: "null" },
    "M-1: SavesApi.public of packages/domain has this 2 times and not once: one value"
  ],
  ["a text that is no code", { symbol: "open", code: "if (", replace: "" }, "if ( is no code"],
  ["what would not parse", { symbol: "open", code: "saves.length", replace: "(" }, "0.ts: "],
  [
    "what changes nothing",
    { symbol: "open", code: "saves.length < 2", replace: "saves.length<2" },
    "M-1: open of packages/domain: the mutant changes nothing"
  ]
])("[C-97] no mutant is %s", (_what, change, says) => {
  expect(() => edited(change)).toThrow(says)
})
