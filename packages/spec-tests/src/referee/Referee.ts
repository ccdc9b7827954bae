import type { Requirement } from "../sections/Requirement.ts"
import type { Row } from "../sections/Row.ts"
import type { Finding } from "./Finding.ts"
import { placesOf } from "./Places.ts"
import { literalsOf } from "./RowLiterals.ts"
import { type SpecificationLine, isSaying, linesOf } from "./SpecificationLine.ts"
import { codesOf, numbersOf } from "./WrittenNumber.ts"

/** A line that asks nothing of an implementation. */
export interface Prose {
  readonly line: number
  readonly sha: string
  readonly reason: string
}

/** The facts about a specification. */
export interface Known {
  readonly requirements: ReadonlyArray<
    Pick<Requirement, "id" | "line" | "sha"> & { readonly alsoLines?: ReadonlyArray<number> }
  >
  readonly rows: ReadonlyArray<Row>
  readonly prose: ReadonlyArray<Prose>
}

export interface Judged {
  readonly findings: ReadonlyArray<Finding>
  readonly counts: Readonly<
    Record<"lines" | "saying" | "covered" | "prose" | "tableRows" | "numbers" | "codes", number>
  >
}

/** Compares a specification with what the suite knows of it. Nothing found = all of it is covered. */
export const judge = (markdown: string, { requirements, rows, prose }: Known): Judged => {
  const lines = linesOf(markdown)
  const places = placesOf(lines, [...requirements, ...prose])
  const idsAt = new Map<number, Array<string>>()
  for (const { id, line, alsoLines = [] } of requirements) {
    for (const known of [line, ...alsoLines]) {
      const at = places.at(known)
      idsAt.set(at, [...(idsAt.get(at) ?? []), id])
    }
  }
  const rowOfId = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)))
  const proseAt = new Set(prose.map(({ line }) => places.at(line)))
  const saying = lines.filter(isSaying)
  const rowsAt = (line: number): ReadonlyArray<Row> => [
    ...new Set((idsAt.get(line) ?? []).flatMap((id) => rowOfId.get(id) ?? []))
  ]
  const uncovered = saying.filter(({ line }) => !idsAt.has(line) && !proseAt.has(line))
  const covered = saying.filter(({ line }) => idsAt.has(line))
  const findings = [
    ...places.findings,
    ...uncovered.map(uncoveredFinding),
    ...covered.flatMap((line) => literalFindings(line, rowsAt(line.line)))
  ]
  return {
    findings: findings.toSorted((one, other) => one.line - other.line),
    counts: {
      lines: lines.length,
      saying: saying.length,
      covered: covered.length,
      prose: saying.filter(({ line }) => !idsAt.has(line) && proseAt.has(line)).length,
      tableRows: saying.filter(({ kind }) => kind === "row").length,
      numbers: covered.reduce((sum, { text }) => sum + numbersOf(text).length, 0),
      codes: covered.reduce((sum, { text }) => sum + codesOf(text).length, 0)
    }
  }
}

const uncoveredFinding = ({ line, kind, text }: SpecificationLine): Finding => ({
  line,
  kind: "uncovered",
  says: `no requirement points at this ${kind === "row" ? "row of a table" : kind}: ${text.trim().slice(0, 100)}`
})

/** Numbers and codes of a line that no row of it holds. */
const literalFindings = (
  { line, text }: SpecificationLine,
  rows: ReadonlyArray<Row>
): ReadonlyArray<Finding> => {
  const held = literalsOf(rows)
  const of = rows.map(({ ids: [id] }) => id).join(", ")
  const numbers = numbersOf(text).filter(
    ({ value, means }) => !held.written.has(value) && !means.some((mean) => held.values.has(mean))
  )
  const codes = codesOf(text).filter((code) => !held.codes.has(code))
  return [
    ...numbers.map((number): Finding => ({
      line,
      kind: "number",
      says: `no row holds ${number.text} (${of})`
    })),
    ...codes.map((code): Finding => ({ line, kind: "code", says: `no row holds ${code} (${of})` }))
  ]
}
