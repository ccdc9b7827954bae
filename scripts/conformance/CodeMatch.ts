import { isNode, listsOf, meaningOf, type Node, nodesOf, parsed, spaced } from "./Syntax.ts"

/** From where to where in a text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A pattern that is looked for in a syntax tree. */
interface Pattern {
  /** The nodes that stand there, one behind the other. */
  readonly nodes: ReadonlyArray<Node>
  /** `.filter(…)`: the last call of a chain, whatever it is called on. */
  readonly isLink: boolean
}

/** Where a piece of code stands below a node, however it is laid out. Throws for text that is no code. */
export const codeIn = (node: Node, code: string): ReadonlyArray<Span> => {
  const { nodes, isLink } = patternOf(code)
  const [only] = nodes
  if (nodes.length === 1 && only !== undefined) {
    const meaning = meaningOf(isLink ? linkOf(only) : only)
    const spans = nodesOf(node).flatMap((one): ReadonlyArray<Span> => {
      if (!isLink) return meaningOf(one) === meaning ? [{ start: one.start, end: one.end }] : []
      const object = objectOf(one)
      return object !== null && meaningOf(linkOf(one)) === meaning
        ? [{ start: object.end, end: one.end }]
        : []
    })
    return distinct(spans)
  }
  const meaning = meaningOf(nodes)
  return distinct(
    nodesOf(node)
      .flatMap(listsOf)
      .flatMap((list) =>
        list.flatMap((first, at): ReadonlyArray<Span> => {
          const run = list.slice(at, at + nodes.length)
          const end = run.at(-1)?.end ?? 0
          return meaningOf(run) === meaning ? [{ start: first.start, end }] : []
        })
      )
  )
}

/** Each span once: a match in a part is found in the whole, too. */
const distinct = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => [
  ...new Map(spans.map((span) => [`${span.start} ${span.end}`, span])).values()
]

/** Properties before statements: `clients: 0` would be a label. */
const patternOf = (code: string): Pattern => {
  const isLink = code.startsWith(".")
  const inside = [
    (text: string) => `(${isLink ? "chain" : ""}${text}\n)`,
    (text: string) => `({${text}\n})`,
    (text: string) => text
  ]
  for (const [at, wrapped] of inside.entries()) {
    const body = bodyOf(wrapped(code))
    if (body === null) continue
    if (at === 2) return { nodes: body, isLink }
    const expression = body[0]?.["expression"]
    if (!isNode(expression)) continue
    if (at === 0) return { nodes: [expression], isLink }
    return { nodes: listsOf(expression)[0] ?? [], isLink }
  }
  throw new Error(`${code} is no code`)
}

/** The statements of a text inside a method that may wait and yield; null = it is no code there. */
const bodyOf = (text: string): ReadonlyArray<Node> | null => {
  try {
    const program = parsed("pattern.ts", `class A extends B { async *m() {\n${text}\n} }`)
    const method = nodesOf(program).find(({ type }) => type === "MethodDefinition")
    const block = Object(Object(method)["value"])["body"]
    return isNode(block) ? (listsOf(block)[0] ?? []) : null
  } catch (cause) {
    if (cause instanceof SyntaxError) return null
    throw cause
  }
}

const objectOf = (node: Node): Node | null => {
  const callee = node["callee"]
  if (node.type !== "CallExpression" || !isNode(callee)) return null
  const object = callee["object"]
  return callee.type === "MemberExpression" && isNode(object) ? object : null
}

/** A call without what it is called on. */
const linkOf = (node: Node): unknown => ({
  property: Object(node["callee"])["property"],
  arguments: node["arguments"]
})

/** Where a piece of text stands in the literals and templates below a node, however it is spaced. */
export const textIn = (node: Node, source: string, text: string): ReadonlyArray<Span> => {
  const pattern = new RegExp(
    spaced(text)
      .split(" ")
      .map((word) => RegExp.escape(word))
      .join("\\s+"),
    "g"
  )
  const spans = nodesOf(node)
    .filter(({ type }) => type === "TemplateLiteral" || type === "Literal")
    .flatMap(({ start, end }) =>
      [...source.slice(start, end).matchAll(pattern)].map(({ index, 0: found }) => ({
        start: start + index,
        end: start + index + found.length
      }))
    )
  return distinct(spans)
}
