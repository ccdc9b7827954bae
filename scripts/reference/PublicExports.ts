import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { parseSync } from "oxc-parser"

import { childrenOf, isNode, type Node } from "../conformance/Syntax.ts"

const root = join(import.meta.dirname, "../..")

/** A file of the repository, read and parsed. */
interface SourceFile {
  readonly path: string
  readonly text: string
  readonly program: Node
  /** Doc comments: the place after each, and its text without stars. */
  readonly docs: ReadonlyMap<number, string>
}

/** What a module exports under a name. */
export interface PublicExport {
  readonly name: string
  readonly file: SourceFile
  /** The declaration, without the word `export` before it. */
  readonly node: Node
  readonly doc: string | null
}

const files = new Map<string, SourceFile>()

const read = (path: string): SourceFile => {
  const known = files.get(path)
  if (known !== undefined) return known
  const text = readFileSync(join(root, path), "utf8")
  const { program, comments } = parseSync(path, text, { astType: "ts", preserveParens: false })
  const docs = new Map(
    comments
      .filter(({ type, value }) => type === "Block" && value.startsWith("*"))
      .map(({ value, end }) => [end, plainText(value)])
  )
  // Its own types name every kind of node; the fields that are common to all are enough here.
  const file = { path, text, program: program as unknown as Node, docs }
  files.set(path, file)
  return file
}

const plainText = (comment: string): string =>
  comment
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim()

/** The doc comment that ends where something begins, spaces apart. */
export const docBefore = ({ text, docs }: SourceFile, start: number): string | null =>
  docs.get(text.slice(0, start).trimEnd().length) ?? null

/** Where a module of the repository is that another one names. */
const pathOf = (specifier: string, from: string): string => {
  if (specifier.startsWith(".")) return join(dirname(from), specifier)
  const [, name = "", ...rest] = specifier.split("/")
  const manifest: unknown = JSON.parse(
    readFileSync(join(root, "packages", name, "package.json"), "utf8")
  )
  const target: unknown = Object(Object(manifest).exports)[`./${rest.join("/")}`]
  if (typeof target !== "string") throw new Error(`${from}: ${specifier} is not exported`)
  return join("packages", name, target)
}

const textOf = (node: unknown): string =>
  isNode(node) ? String(node["name"] ?? node["value"] ?? "") : ""

/** What a module exports, in the order of its text, with the declaration that stands behind each name. */
export const publicExports = (path: string): ReadonlyArray<PublicExport> => {
  const file = read(path)
  return childrenOf(file.program).flatMap((statement) => {
    const source = textOf(statement["source"])
    if (statement.type === "ExportAllDeclaration") return publicExports(pathOf(source, path))
    if (statement.type !== "ExportNamedDeclaration") return []
    const { declaration } = statement
    if (isNode(declaration)) return declaredBy(file, statement, declaration)
    const names = childrenOf(statement)
      .filter(({ type }) => type === "ExportSpecifier")
      .map((specifier) => textOf(specifier["local"]))
    const there = publicExports(pathOf(source, path))
    return names.map((name) => {
      const found = there.find((each) => each.name === name)
      if (found === undefined) throw new Error(`${path}: ${name} is not found in ${source}`)
      return found
    })
  })
}

const declaredBy = (
  file: SourceFile,
  statement: Node,
  declaration: Node
): ReadonlyArray<PublicExport> => {
  const doc = docBefore(file, statement.start)
  const nodes =
    declaration.type === "VariableDeclaration"
      ? childrenOf(declaration).filter(({ type }) => type === "VariableDeclarator")
      : [declaration]
  return nodes.map((node) => ({ name: textOf(node["id"]), file, node, doc }))
}
