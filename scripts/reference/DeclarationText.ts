import { childrenOf, isNode, type Node, nodesOf } from "../conformance/Syntax.ts"
import { docBefore, type PublicExport } from "./PublicExports.ts"

/** An exported declaration as TypeScript without bodies: what a user may call, read or give. */
export const declarationText = (each: PublicExport): string => {
  const { node, name, file } = each
  const text = (from: number, to: number): string => file.text.slice(from, to).trimEnd()
  switch (node.type) {
    case "ClassDeclaration": {
      const body = nodeAt(node, "body")
      return `${text(node.start, body.start)} {${membersOf(each, body)}}`
    }
    case "TSInterfaceDeclaration": {
      const body = nodeAt(node, "body")
      return `${text(node.start, body.start)} {${membersOf(each, body)}}`
    }
    case "VariableDeclarator": {
      const made = unwrapped(nodeAt(node, "init"))
      if (made.type === "ArrowFunctionExpression") {
        return `function ${name}${headOf(file.text, made)}`
      }
      if (made.type !== "ObjectExpression") throw new Error(`${name}: a ${made.type}`)
      return `const ${name}: {${membersOf(each, made)}}`
    }
    default:
      return text(node.start, node.end)
  }
}

const nodeAt = (node: Node, field: string): Node => {
  const found = node[field]
  if (!isNode(found)) throw new Error(`${node.type} has no ${field}`)
  return found
}

/** Without `as const`. */
const unwrapped = (node: Node): Node =>
  node.type === "TSAsExpression" ? nodeAt(node, "expression") : node

/** A function without its body: all before the arrow. */
const headOf = (text: string, made: Node): string =>
  text
    .slice(made.start, nodeAt(made, "body").start)
    .replace(/^async\s+/, "")
    .replace(/\s*=>\s*\(?\s*$/, "")

const membersOf = (each: PublicExport, body: Node): string => {
  const seen = new Set<string>()
  const lines = childrenOf(body).flatMap((member) => {
    const key = member["key"]
    const name = isNode(key) ? String(key["name"] ?? key["value"]) : ""
    const hidden = isNode(key) && (key.type === "PrivateIdentifier" || member["computed"] === true)
    const doc = docBefore(each.file, member.start)
    if (hidden || doc?.includes("@internal") === true) return []
    const overloaded = isNode(member["value"]) && nodeAt(member, "value").type === Overload
    // What stands behind overloads is not for callers.
    if (seen.has(name) && !overloaded && member.type === "MethodDefinition") return []
    if (overloaded) seen.add(name)
    const shown = docLines(doc)
    return [...shown, ...memberText(each, member).split("\n")]
  })
  return lines.length === 0 ? "" : `\n${lines.map(indented).join("\n")}\n`
}

const Overload = "TSEmptyBodyFunctionExpression"

const indented = (line: string): string => (line === "" ? "" : `  ${line.replace(/^ {2}/, "")}`)

const docLines = (doc: string | null): ReadonlyArray<string> => {
  if (doc === null) return []
  const lines = readable(doc).split("\n")
  if (lines.length === 1) return [`/** ${lines[0]} */`]
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"]
}

/** A comment for a reader who does not have the source: without where its rule comes from. */
export const readable = (doc: string): string =>
  doc
    .replace(/\s*\bSource: [^]*$/, "")
    .replace(/\{@link (\S+?)\}/g, "`$1`")
    .trim()

const memberText = ({ file, name }: PublicExport, member: Node): string => {
  const slice = (to: number): string =>
    file.text
      .slice(member.start, to)
      .trimEnd()
      .replace(/^async /, "")
  switch (member.type) {
    case "MethodDefinition": {
      const body = nodeAt(member, "value")["body"]
      return isNode(body) ? slice(body.start) : slice(member.end)
    }
    case "PropertyDefinition": {
      const type = member["typeAnnotation"]
      return slice(isNode(type) ? type.end : member.end)
    }
    case "Property":
      return slice(nodeAt(member, "key").end) + valueText(file, nodeAt(member, "value"))
    case "TSMethodSignature":
    case "TSPropertySignature":
    case "TSCallSignatureDeclaration":
      return slice(member.end)
    default:
      throw new Error(`${name}: a member ${member.type}`)
  }
}

/** A property of an object: a function as a method, the rest by its type or its value. */
const valueText = (file: PublicExport["file"], value: Node): string => {
  if (value.type === "ArrowFunctionExpression") return headOf(file.text, value)
  if (value.type !== "CallExpression") return `: ${file.text.slice(value.start, value.end)}`
  const maker = nodesOf(file.program).find(
    ({ type, id }) =>
      type === "VariableDeclarator" && isNode(id) && id["name"] === nodeAt(value, "callee")["name"]
  )
  const returned = maker === undefined ? undefined : nodeAt(maker, "init")["returnType"]
  if (!isNode(returned)) throw new Error("a property is made by a function without a type")
  return file.text.slice(returned.start, returned.end)
}
