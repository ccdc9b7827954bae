import type { Finding } from "./Finding.ts"
import type { SpecificationLine } from "./SpecificationLine.ts"

interface Recorded {
  readonly line: number
  readonly sha: string
}

export interface Places {
  /** Where a line that was recorded stands now. */
  readonly at: (line: number) => number
  readonly findings: ReadonlyArray<Finding>
}

/**
 * Where recorded lines stand in a specification, by the longest sequence of lines that both have.
 * A recorded line without a place was changed or removed. A line at another place was moved; lines that
 * moved together are one finding.
 */
export const placesOf = (
  lines: ReadonlyArray<SpecificationLine>,
  recorded: ReadonlyArray<Recorded>
): Places => {
  const byLine = new Map(recorded.map(({ line, sha }) => [line, sha]))
  const known = [...byLine]
    .map(([line, sha]) => ({ line, sha }))
    .toSorted((one, other) => one.line - other.line)
  const placed = commonLines(known, lines)
  const at = new Map<number, number>()
  const findings: Array<Finding> = []
  let shift = 0
  for (const { line } of known) {
    const place = placed.get(line)
    at.set(line, place ?? line + shift)
    if (place === undefined) {
      const text = lines[line + shift - 1]?.text.trim().slice(0, 100) ?? ""
      const says = `has other words than line ${line} had: ${text}`
      findings.push({ line: line + shift, kind: "changed", says })
    } else if (place !== line + shift) {
      shift = place - line
      const says = `stands ${Math.abs(shift)} ${shift < 0 ? "above" : "below"} line ${line}, and so do those that follow`
      findings.push({ line: place, kind: "moved", says })
    }
  }
  for (const { line, sha } of recorded) {
    if (byLine.get(line) === sha) continue
    findings.push({ line, kind: "changed", says: "is recorded with two hashes" })
  }
  return { at: (line) => at.get(line) ?? line, findings }
}

/** The longest sequence of equal lines: the line of `known` and its place in `lines`. */
const commonLines = (
  known: ReadonlyArray<Recorded>,
  lines: ReadonlyArray<SpecificationLine>
): ReadonlyMap<number, number> => {
  const width = lines.length + 1
  /** How many are common from here on. */
  const common = new Uint32Array((known.length + 1) * width)
  const from = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = known.length - 1; row >= 0; row--) {
    for (let column = lines.length - 1; column >= 0; column--) {
      common[row * width + column] =
        known[row]?.sha === lines[column]?.sha
          ? from(row + 1, column + 1) + 1
          : Math.max(from(row + 1, column), from(row, column + 1))
    }
  }
  const placed = new Map<number, number>()
  let [row, column] = [0, 0]
  while (row < known.length && column < lines.length) {
    const [one, other] = [known[row], lines[column]]
    if (one !== undefined && other !== undefined && one.sha === other.sha) {
      placed.set(one.line, other.line)
      row++
      column++
    } else if (from(row + 1, column) >= from(row, column + 1)) row++
    else column++
  }
  return placed
}
