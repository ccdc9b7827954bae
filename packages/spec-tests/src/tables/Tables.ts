import type { Row } from "./Row.ts"

/** Every row of the suite, in the order of the specification. */
export const rows: ReadonlyArray<Row> = []

const byId = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)))

/** The row of a requirement, of the kind that a check expects. Throws when there is none: a check is wrong. */
export const rowOf = <Kind extends Row["kind"]>(
  kind: Kind,
  id: string
): Extract<Row, { readonly kind: Kind }> => {
  const row = byId.get(id)
  if (row === undefined) throw new Error(`no row for ${id}`)
  if (!isOf(row, kind)) throw new Error(`the row of ${id} is a ${row.kind}, not a ${kind}`)
  return row
}

const isOf = <Kind extends Row["kind"]>(
  row: Row,
  kind: Kind
): row is Extract<Row, { readonly kind: Kind }> => row.kind === kind
