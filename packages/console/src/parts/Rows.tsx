import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

import { windowOf } from "./Window.ts"

export interface Column<Row> {
  readonly name: string
  readonly title: string
  readonly cell: (row: Row) => ComponentChildren
  /** Share of the width, or a fixed one such as `90px`. */
  readonly width: string
  readonly number?: boolean
  /** `wide` = on wide screens only, `roomy` = not on phones. */
  readonly when?: "wide" | "roomy"
  /** How rows compare by this column; absent = nobody sorts by it. */
  readonly compare?: (one: Row, other: Row) => number
  /** The first click shows the greatest rows first. */
  readonly downFirst?: boolean
}

export interface Sorting {
  readonly by: string
  readonly down: boolean
}

interface Props<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
}

const rowPx = 36
/** More rows than a list has: whether the window has moved does not depend on them. */
const anyRows = 1e6

/** A table of any length: only the rows that a reader sees are drawn. */
export const Rows = <Row,>({ label, columns, rows, keyOf, sorting, onSort }: Props<Row>) => {
  const body = useRef<HTMLTableSectionElement>(null)
  const seen = useSignal({ scrolledPx: 0, seenPx: 1100 })
  useEffect(() => {
    const look = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0
      const next = windowOf({ scrolledPx: -top, seenPx: innerHeight, rowPx, rows: anyRows })
      const now = windowOf({ ...seen.peek(), rowPx, rows: anyRows })
      if (next.from !== now.from || next.to !== now.to) {
        seen.value = { scrolledPx: -top, seenPx: innerHeight }
      }
    }
    look()
    addEventListener("scroll", look, { passive: true })
    addEventListener("resize", look, { passive: true })
    return () => {
      removeEventListener("scroll", look)
      removeEventListener("resize", look)
    }
  }, [])
  const count = rows.length
  const { from, to, abovePx, belowPx } = windowOf({ ...seen.value, rowPx, rows: count })
  return (
    <table class="rows" aria-label={label} aria-rowcount={count + 1}>
      <colgroup>
        {columns.map(({ name, width, when }) => (
          <col key={name} class={when ?? ""} style={{ width }} />
        ))}
      </colgroup>
      <Heads columns={columns} sorting={sorting} onSort={onSort} />
      <tbody ref={body}>
        <Space px={abovePx} />
        {rows.slice(from, to).map((row, at) => (
          <tr key={keyOf(row)} aria-rowindex={from + at + 2}>
            {columns.map(({ name, cell, number, when }) => (
              <td key={name} class={classOf(number, when)}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
        <Space px={belowPx} />
      </tbody>
    </table>
  )
}

const Heads = <Row,>({
  columns,
  sorting,
  onSort
}: Pick<Props<Row>, "columns" | "sorting" | "onSort">) => (
  <thead>
    <tr aria-rowindex={1}>
      {columns.map(({ name, title, number, when, compare, downFirst }) => {
        const sorted = sorting.by === name
        return (
          <th
            key={name}
            scope="col"
            class={classOf(number, when)}
            {...(sorted ? { "aria-sort": sorting.down ? "descending" : "ascending" } : {})}
          >
            {compare === undefined ? (
              title
            ) : (
              <button
                type="button"
                onClick={() =>
                  onSort({ by: name, down: sorted ? !sorting.down : downFirst === true })
                }
              >
                {title}
              </button>
            )}
          </th>
        )
      })}
    </tr>
  </thead>
)

/** One cell: one that spans the columns would bring those back that a narrow page hides, and they would take room. */
const Space = ({ px }: { px: number }) =>
  px > 0 && (
    <tr class="space" aria-hidden="true">
      <td style={{ height: `${px}px` }} />
    </tr>
  )

const classOf = (number: boolean | undefined, when: string | undefined): string =>
  [number === true ? "number" : "", when ?? ""].join(" ").trim()
