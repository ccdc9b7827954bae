import { childrenOf, isNode, type Node } from "./Syntax.ts"

/**
 * The nodes that a path of names leads to: `RoomRows.#write` is what is called `#write` below what
 * is called `RoomRows` on the top of a module. A name is that of a declaration, a member, a
 * property, or of a call by its first argument, as `HttpApiEndpoint.get("list", …)` has it.
 */
export const symbolsOf = (program: Node, path: ReadonlyArray<string>): ReadonlyArray<Node> => {
  const [top = "", ...rest] = path
  const tops = childrenOf(program).flatMap((statement) => {
    const declaration = statement["declaration"]
    return declarationsOf(isNode(declaration) ? declaration : statement)
  })
  return rest.reduce<ReadonlyArray<Node>>(
    (found, name) =>
      found.flatMap((node) => childrenOf(node).flatMap((child) => below(child, name))),
    tops.filter((node) => nameOf(node) === top)
  )
}

const declarationsOf = (statement: Node): ReadonlyArray<Node> =>
  statement.type === "VariableDeclaration" ? childrenOf(statement) : [statement]

/** The outermost nodes of a name. */
const below = (node: Node, name: string): ReadonlyArray<Node> =>
  nameOf(node) === name ? [node] : childrenOf(node).flatMap((child) => below(child, name))

/** The name of a node; null = it has none. */
const nameOf = (node: Node): string | null => {
  switch (node.type) {
    case "VariableDeclarator":
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return textOf(node["id"])
    case "MethodDefinition":
    case "PropertyDefinition":
    case "Property":
      return textOf(node["key"])
    case "CallExpression":
      return calledFor(node)
    default:
      return null
  }
}

const textOf = (key: unknown): string | null => {
  if (!isNode(key)) return null
  if (key.type === "Identifier") return String(key["name"])
  if (key.type === "PrivateIdentifier") return `#${String(key["name"])}`
  return key.type === "Literal" ? String(key["value"]) : null
}

/** The first argument of the first call of a chain: `"list"` of `get("list", path).annotate(…)`. */
const calledFor = (node: Node): string | null => {
  const { callee, arguments: given } = node
  if (isNode(callee) && callee.type === "MemberExpression" && isNode(callee["object"])) {
    const inner = callee["object"]
    if (inner.type === "CallExpression") return calledFor(inner)
  }
  const [first]: ReadonlyArray<unknown> = Array.isArray(given) ? given : []
  return isNode(first) && first.type === "Literal" && typeof first["value"] === "string"
    ? first["value"]
    : null
}

/** What a symbol stands for: the value of a constant, a property or a field, else all of it. */
export const valueOf = (symbol: Node): Node => {
  const value = symbol.type === "VariableDeclarator" ? symbol["init"] : symbol["value"]
  const hasValue = ["VariableDeclarator", "Property", "PropertyDefinition"].includes(symbol.type)
  return hasValue && isNode(value) ? value : symbol
}
