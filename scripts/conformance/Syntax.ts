import { parseSync } from "oxc-parser"

/** A node of a syntax tree, as far as it is looked at here. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** The syntax tree of a module. Throws for a text that is none. */
export const parsed = (path: string, source: string): Node => {
  const { program, errors } = parseSync(path, source, { preserveParens: false, astType: "ts" })
  const [error] = errors
  if (error !== undefined) throw new SyntaxError(`${path}: ${error.message}`)
  // Its own types name every kind of node; the fields that are common to all are enough here.
  return program as unknown as Node
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof Object(value).type === "string"

/** The lists of nodes in a node: statements of a block, members of a class, arguments of a call. */
export const listsOf = (node: Node): ReadonlyArray<ReadonlyArray<Node>> =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? [value.filter(isNode)] : []))

/** The nodes right below a node, in the order of the text. */
export const childrenOf = (node: Node): ReadonlyArray<Node> =>
  Object.values(node)
    .flatMap((value): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
    .toSorted((one, other) => one.start - other.start)

/** A node and all below it. */
export const nodesOf = (node: Node): ReadonlyArray<Node> => [
  node,
  ...childrenOf(node).flatMap(nodesOf)
]

/** Where something stands, or what stands there is none of the tree's matter: spaces, quotes. */
const layout = new Set(["start", "end", "range", "raw", "parent", "directive"])

/** The same for two texts of one meaning: however they are broken into lines, quoted or commented. */
export const meaningOf = (value: unknown): string =>
  JSON.stringify(value, (key, field: unknown) => {
    if (layout.has(key)) return undefined
    if (typeof field === "bigint") return String(field)
    if (isNode(field) && field.type === "ChainExpression") return field["expression"]
    if (isNode(field) && field.type === "TemplateElement") {
      return { type: field.type, text: spaced(String(Object(field["value"]).cooked)) }
    }
    return field
  })

/** A text with one space where there are some: SQL in a template is broken into lines, too. */
export const spaced = (text: string): string => text.replace(/\s+/g, " ")
