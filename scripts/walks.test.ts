import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { parseSync } from "oxc-parser"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const document = readFileSync(join(root, "docs/walks.md"), "utf8")

interface Hop {
  readonly path: string
  readonly name: string
}

interface Walk {
  readonly title: string
  readonly hops: ReadonlyArray<Hop>
  /** Numbered lines that are no hop: a path, a name, a colon and a sentence. */
  readonly unread: ReadonlyArray<string>
}

const hopForm = /^\d+\. `([\w./-]+\.ts)` `([\w.#]+)`: [A-Z`].*\.$/

const walkOf = (section: string): Walk => {
  const [title = "", ...lines] = section.split("\n")
  const numbered = lines.filter((line) => /^\s*\d/.test(line))
  const hops = numbered.flatMap((line) => {
    const [, path, name] = hopForm.exec(line) ?? []
    return path === undefined || name === undefined ? [] : [{ path, name }]
  })
  return { title, hops, unread: numbered.filter((line) => !hopForm.test(line)) }
}

const walks: ReadonlyArray<Walk> = document.split(/^## /m).slice(1).map(walkOf)

interface Node {
  readonly type: string
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const childrenOf = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

/** The name that a node declares or defines: a variable, function, class, method or property. */
const nameOf = (node: Node): string | null => {
  const named =
    node.type === "VariableDeclarator" ||
    node.type === "FunctionDeclaration" ||
    node.type === "ClassDeclaration"
      ? node["id"]
      : /^(?:Property|MethodDefinition|PropertyDefinition)$/.test(node.type)
        ? node["key"]
        : null
  if (!isNode(named) || typeof named["name"] !== "string") return null
  return named.type === "PrivateIdentifier" ? `#${named["name"]}` : named["name"]
}

/** The first definition of a name below a node, outermost first. */
const findIn = (node: Node, name: string): Node | null => {
  let level = childrenOf(node)
  while (level.length > 0) {
    const found = level.find((child) => nameOf(child) === name)
    if (found !== undefined) return found
    level = level.flatMap(childrenOf)
  }
  return null
}

/** Whether a file defines `a.b`: `a` at its top level, and `b` inside of `a`. */
const defines = (source: string, name: string): boolean => {
  const { program, errors } = parseSync("walk.ts", source)
  expect(errors).toEqual([])
  const [first = "", ...inner] = name.split(".")
  const statements = program.body.flatMap((statement): ReadonlyArray<Node> => {
    const node: unknown =
      statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    if (!isNode(node)) return []
    return node.type === "VariableDeclaration" ? childrenOf(node) : [node]
  })
  let at: Node | null = statements.find((node) => nameOf(node) === first) ?? null
  for (const part of inner) at = at === null ? null : findIn(at, part)
  return at !== null
}

test("[docs.walks] six things are walked through, each in at least six hops", () => {
  expect(walks.map(({ title }) => title)).toEqual([
    "`DELETE /v1/projects/:id/rooms/:roomId`",
    "One client frame",
    "A deploy",
    "A join",
    "A frame over a link",
    "One row of the suite"
  ])
  for (const { hops, unread } of walks) {
    expect(unread).toEqual([])
    expect(hops.length).toBeGreaterThanOrEqual(6)
  }
})

test.each(walks.flatMap(({ title, hops }) => hops.map((hop) => ({ title, ...hop }))))(
  "[docs.walks] $title: $path has $name",
  ({ path, name }) => {
    const file = join(root, path)
    expect(existsSync(file)).toBe(true)
    expect(defines(readFileSync(file, "utf8"), name)).toBe(true)
  }
)

test("[docs.walks] a name that a file only uses, or that stands elsewhere in it, is not found", () => {
  const source = `
    import { used } from "./Used.ts"
    export class Gate { #open = false; enter(): void { used(this.#open) } }
    const shell = make(() => { const inner = () => used(); return { start: inner } })
    export const handlers = { delete: remove() }
  `
  const found = ["Gate.enter", "Gate.#open", "shell.inner", "shell.start", "handlers.delete"]
  expect(found.filter((name) => !defines(source, name))).toEqual([])
  const absent = ["used", "enter", "inner", "Gate.inner", "handlers.remove", "shell.enter", "make"]
  expect(absent.filter((name) => defines(source, name))).toEqual([])
})
