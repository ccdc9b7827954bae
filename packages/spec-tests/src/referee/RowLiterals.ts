import type { Row } from "../sections/Row.ts"

/** The literals of a line that its row holds. */
export interface RowLiterals {
  /** Values of its fields, and digits of its patterns. */
  readonly values: ReadonlySet<number>
  /** Numbers in the unit of the line. */
  readonly written: ReadonlySet<number>
  readonly codes: ReadonlySet<string>
}

export const literalsOf = (rows: ReadonlyArray<Row>): RowLiterals => {
  const values = new Set<number>()
  const gather = (value: unknown): void => {
    if (typeof value === "number") values.add(value)
    else if (Array.isArray(value)) value.forEach(gather)
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(gather)
  }
  for (const row of rows) {
    gather(fieldsOf(row))
    for (const pattern of patternsOf(row)) {
      for (const [digits] of pattern.matchAll(/\d+/g)) values.add(Number(digits))
    }
  }
  return {
    values,
    written: new Set(rows.flatMap(({ numbers = [] }) => numbers)),
    codes: new Set(rows.flatMap(codesOfRow))
  }
}

/** Beside its ids, and beside what only follows from the bound: 513 does not stand for 512. */
const fieldsOf = (row: Row): unknown => {
  const { ids: _, numbers: __, ...fields } = row
  if (fields.kind !== "boundary") return fields
  const { refuse: ___, grey: ____, ...bound } = fields
  return bound
}

const patternsOf = (row: Row): ReadonlyArray<string> => {
  if (row.kind === "text") return [row.pattern]
  return row.kind === "shape" ? Object.values(row.fields).map(({ pattern = "" }) => pattern) : []
}

const codesOfRow = (row: Row): ReadonlyArray<string> => {
  const code = "outcome" in row ? row.outcome?.code : undefined
  return [...(row.codes ?? []), ...(code === undefined ? [] : [code])]
}
