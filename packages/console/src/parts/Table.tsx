import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"

import { More } from "./More.tsx"
import { Scrolls } from "./Scrolls.tsx"

export interface TableColumn<Row> {
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  readonly number?: boolean
  /** `wide` = on wide screens only, `roomy` = not on phones. */
  readonly when?: "wide" | "roomy"
}

interface Props<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<TableColumn<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** Rows that are drawn at first, and at each click. */
  readonly step?: number
}

/** A table of rows that a reader looks through: the first ones, and more on request. */
export const Table = <Row,>({ label, columns, rows, keyOf, step = 50 }: Props<Row>) => {
  const max = useSignal(step)
  return (
    <Scrolls label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, number, when }) => (
              <th key={title} scope="col" class={classOf(number, when)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, max.value).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, number, when }) => (
                <td key={title} class={classOf(number, when)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > max.value && (
        <p class="sub-line">
          <More left={rows.length - max.value} onClick={() => (max.value += step)} />
        </p>
      )}
    </Scrolls>
  )
}

const classOf = (number: boolean | undefined, when: string | undefined): string =>
  [number === true ? "number" : "", when ?? ""].join(" ").trim()
