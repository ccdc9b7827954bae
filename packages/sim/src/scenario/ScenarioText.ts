import { nearestName } from "@atrium/wire/schema/UnknownKey"
import { Result, Schema, SchemaIssue } from "effect"
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument
} from "yaml"

import { Scenario } from "./Scenario.ts"
import { descriptionOf } from "./ScenarioKeys.ts"
import { ScenarioLimits } from "./ScenarioLimits.ts"

type Path = ReadonlyArray<PropertyKey>

/** Why a text is no scenario, and where. Lines and columns count from 1. */
export interface ScenarioProblem {
  readonly line: number
  readonly column: number
  readonly text: string
}

const decode = Schema.decodeUnknownResult(Scenario, { errors: "all", onExcessProperty: "error" })

/** Reads a scenario out of YAML 1.2, or JSON, which is YAML. Fails with every problem, in order. */
export const readScenario = (
  text: string
): Result.Result<Scenario, ReadonlyArray<ScenarioProblem>> => {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false, stringKeys: true })
  const problemAt = (offset: number, problem: string): ScenarioProblem => {
    const { line, col } = lineCounter.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1), text: problem }
  }
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0) {
    return Result.fail(faults.map(({ pos, message }) => problemAt(pos[0], message)))
  }
  // A document whose aliases name nothing, or more than memory holds, has no value.
  const value = Result.try({
    try: (): unknown => document.toJS({ maxAliasCount: ScenarioLimits.aliases.max }),
    catch: (error) => [problemAt(0, error instanceof Error ? error.message : String(error))]
  })
  if (Result.isFailure(value)) return Result.fail(value.failure)
  return Result.mapError(decode(value.success), ({ issue }) =>
    complaintsOf(issue, [])
      .map((complaint) => {
        const problem = complaintText(complaint, value.success)
        return { offset: offsetOf(document, complaint), problem }
      })
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ offset, problem }) => problemAt(offset, problem))
  )
}

/** One thing that is wrong with the value at a path. */
interface Complaint {
  readonly path: Path
  readonly kind: "unknownKey" | "missingKey" | "value"
  /** The values that are allowed; of an unknown key the names that are known. */
  readonly allowed: ReadonlyArray<string>
}

const tooLong = "must be left out: the list has too many items"
const format = SchemaIssue.makeFormatterStandardSchemaV1()

const complaintsOf = (issue: SchemaIssue.Issue, path: Path): ReadonlyArray<Complaint> => {
  switch (issue._tag) {
    case "Pointer":
      return complaintsOf(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return complaintsOf(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((each) => complaintsOf(each, path))
    case "AnyOf":
      if (issue.issues.length > 0) return issue.issues.flatMap((each) => complaintsOf(each, path))
      break
    case "UnexpectedKey": {
      if (issue.ast._tag !== "Objects") return [{ path, kind: "value", allowed: [tooLong] }]
      const names = issue.ast.propertySignatures.map(({ name }) => String(name))
      return [{ path, kind: "unknownKey", allowed: names }]
    }
    case "MissingKey":
      return [{ path, kind: "missingKey", allowed: [] }]
    default:
      break
  }
  return format(issue).issues.map(({ path: more = [], message }): Complaint => {
    const keys = more.map((part) => (typeof part === "object" ? part.key : part))
    return { path: [...path, ...keys], kind: "value", allowed: [message] }
  })
}

/** `players.daily`, `events[2].at`. */
const pathText = (path: Path): string =>
  path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "")

const shownCharsMax = 60

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}

const complaintText = ({ path, kind, allowed }: Complaint, root: unknown): string => {
  const place = path.length === 0 ? "the scenario" : pathText(path)
  switch (kind) {
    case "unknownKey": {
      const nearest = nearestName(String(path.at(-1)), allowed)
      const hint =
        nearest === null ? `known keys are ${allowed.join(", ")}` : `did you mean ${nearest}?`
      return `${place}: no such key; ${hint}`
    }
    case "missingKey":
      return `${place}: is missing. ${descriptionOf(path)}`
    case "value": {
      return `${place}: ${allowed.join("; ")}, not ${shown(valueAt(root, path))}`
    }
  }
}

const valueAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined,
    root
  )

/** Where the key of a path begins, or of the nearest part of it that is there. */
const offsetOf = (document: Document.Parsed, { path }: Complaint): number => {
  let node: unknown = document.contents
  let offset = 0
  for (const part of path) {
    const child: unknown = isMap(node)
      ? node.items.find(({ key }) => isScalar(key) && key.value === part)
      : isSeq(node) && typeof part === "number"
        ? node.items[part]
        : undefined
    const start = isPair(child) ? child.key : child
    if (!isNode(start)) return offset
    offset = start.range?.[0] ?? offset
    node = isPair(child) ? child.value : child
  }
  return offset
}
