import { ByteWriter } from "../codec/ByteWriter.ts"
import { writeWhole } from "../codec/FieldChange.ts"
import { writeNormal } from "../codec/FieldCodec.ts"
import { fieldsOf, hasField, isEmpty, type Mask, maskKey, wholeMask } from "../codec/Mask.ts"
import { SingletonId, Slot, type Row } from "../codec/Row.ts"
import { writeRuns } from "../codec/Runs.ts"
import type { AnyField } from "../schema/Field.ts"
import type { Bucket, Buckets } from "./Buckets.ts"
import type { FilteredTable } from "./FilteredTable.ts"
import { sees, type Sight } from "./Sight.ts"

/** Rows of one bucket as one viewer gets them. */
interface Part {
  readonly bucket: Bucket
  /** Fields that are written as their defaults, as the viewer sees them no more. */
  readonly blanked: Mask
}

/** Rows of which a viewer gets the same fields. */
interface Group {
  readonly mask: Mask
  readonly parts: Array<Part>
}

/** Writes what viewers get of a table that not everybody sees whole. Layout: docs/protocol.md. */
export class ViewSection {
  readonly #of: Pick<FilteredTable<never>, "table" | "fields" | "sightOf">
  readonly #section: number
  readonly #all: Mask
  /** The bytes of each field's default in a full state. */
  readonly #defaults: ReadonlyArray<Uint8Array>
  /** The same in a delta. */
  readonly #defaultChanges: ReadonlyArray<Uint8Array>

  constructor(of: Pick<FilteredTable<never>, "table" | "fields" | "sightOf">, section: number) {
    const { shape } = of.table
    this.#of = of
    this.#section = section
    this.#all = wholeMask(shape.fields.length)
    this.#defaults = shape.fields.map(({ field }) => defaultBytes(field, writeNormal))
    this.#defaultChanges = shape.fields.map(({ field }) => defaultBytes(field, writeWhole))
  }

  /** Writes all that a viewer sees of the table. */
  writeFull(writer: ByteWriter, place: number): void {
    const { table } = this.#of
    const one = table.rows.get(SingletonId)
    if (one !== undefined) return this.#writeWhole(writer, one, place)
    let count = 0
    for (const row of table.rows.values()) if (sees(this.#of.sightOf(row), place)) count += 1
    writer.varuint(count)
    let before = 0
    for (const row of table.rows.values()) {
      if (!sees(this.#of.sightOf(row), place)) continue
      writer.varuint(row.id - before - 1)
      before = row.id
      this.#writeWhole(writer, row, place)
    }
  }

  #writeWhole(writer: ByteWriter, row: Row, place: number): void {
    const blanked = this.#without(this.#seen(this.#of.sightOf(row), place))
    for (const [index, column] of this.#of.table.columns.entries()) {
      if (hasField(blanked, index)) writer.raw(this.#defaults[index] ?? noFields)
      else column.write(writer, row[Slot])
    }
  }

  /** Writes what a viewer gets of the changes of the singleton; nothing when it gets none of it. */
  writeSingleton(writer: ByteWriter, buckets: Buckets, place: number): void {
    for (const bucket of buckets) {
      const [row] = bucket.rows
      const { mask, blanked } = this.#change(bucket, place)
      if (row === undefined || isEmpty(mask)) continue
      writer.varuint(this.#section)
      writer.raw(mask)
      this.#writeRow(writer, row, { fields: fieldsOf(mask), blanked })
    }
  }

  /** Writes what a viewer gets of the changes of the collection; nothing when it gets none of it. */
  writeCollection(writer: ByteWriter, buckets: Buckets, place: number): void {
    const removed: Array<number> = []
    const groups = new Map<string, Group>()
    for (const bucket of buckets) {
      const before = sees(bucket.known, place)
      if (!sees(bucket.now, place)) {
        if (before) for (const id of bucket.ids) removed.push(id)
        continue
      }
      const { mask, blanked } = before
        ? this.#change(bucket, place)
        : { mask: this.#added(bucket, place), blanked: noFields }
      // The viewer knows the row, and no field that it sees has changed.
      if (before && isEmpty(mask)) continue
      const key = maskKey(mask)
      const group = groups.get(key) ?? { mask, parts: [] }
      groups.set(key, group)
      group.parts.push({ bucket, blanked })
    }
    if (removed.length === 0 && groups.size === 0) return
    writer.varuint(this.#section)
    writeRuns(
      writer,
      removed.sort((a, b) => a - b),
      Number.POSITIVE_INFINITY
    )
    writer.varuint(groups.size)
    const all = [...groups.values()].map(({ mask, parts }) => ({ mask, ...rowsOf(parts) }))
    all.sort((a, b) => firstId(a.rows) - firstId(b.rows))
    for (const group of all) this.#writeGroup(writer, group)
  }

  #writeGroup(writer: ByteWriter, { mask, rows, blanked }: GroupRows): void {
    const fields = fieldsOf(mask)
    writer.raw(mask)
    // Without values, long runs would let a few bytes stand for any number of entities.
    const runLengthMax = fields.length === 0 ? 1 : Number.POSITIVE_INFINITY
    writeRuns(
      writer,
      rows.map(({ id }) => id),
      runLengthMax
    )
    const columns = this.#of.table.columns.filter((_, index) => hasField(mask, index))
    for (const row of rows) {
      const without = blanked?.get(row)
      if (without !== undefined) this.#writeRow(writer, row, { fields, blanked: without })
      else for (const column of columns) column.writeWhole(writer, row[Slot])
    }
  }

  /** Writes what changed of a row. Values are whole: viewers may hold different ones, such as the default. */
  #writeRow(
    writer: ByteWriter,
    row: Row,
    { fields, blanked }: { readonly fields: ReadonlyArray<number>; readonly blanked: Mask }
  ): void {
    const { columns } = this.#of.table
    const slot = row[Slot]
    for (const index of fields) {
      if (hasField(blanked, index)) writer.raw(this.#defaultChanges[index] ?? noFields)
      else columns[index]?.writeWhole(writer, slot)
    }
  }

  /** The fields that a viewer sees of a row of this sight. */
  #seen(sight: Sight | null, place: number): Mask {
    const seen = new Uint8Array(this.#all.length)
    if (sight === null || !sees(sight, place)) return seen
    seen.set(this.#all)
    for (const [at, { index }] of this.#of.fields.entries()) {
      if (sight.fields[at]?.has(place) !== true) removeField(seen, index)
    }
    return seen
  }

  #without(seen: Mask): Mask {
    return this.#all.map((byte, at) => byte & ~(seen[at] ?? 0))
  }

  /** What is sent of rows that are new to a viewer: what is left out has its default. */
  #added({ known, now, changed }: Bucket, place: number): Mask {
    const seen = this.#seen(now, place)
    return known === null ? seen.map((byte, at) => byte & (changed[at] ?? 0)) : seen
  }

  /** What is sent of rows that a viewer knows. */
  #change({ known, now, changed }: Bucket, place: number): { mask: Mask; blanked: Mask } {
    const after = this.#seen(now, place)
    if (known === now)
      return { mask: after.map((byte, at) => byte & (changed[at] ?? 0)), blanked: noFields }
    const before = this.#seen(known, place)
    const blanked = before.map((byte, at) => byte & ~(after[at] ?? 0))
    const mask = blanked.map((byte, at) => {
      const [seen, was] = [after[at] ?? 0, before[at] ?? 0]
      return byte | (seen & ~was) | (seen & (changed[at] ?? 0))
    })
    return { mask, blanked }
  }
}

const noFields: Mask = new Uint8Array(0)

const defaultBytes = (
  field: AnyField,
  write: (writer: ByteWriter, field: AnyField, value: unknown) => void
): Uint8Array => {
  const writer = new ByteWriter()
  write(writer, field, field.default)
  return writer.finish()
}

const removeField = (mask: Mask, index: number): void => {
  mask[index >> 3] = (mask[index >> 3] ?? 0) & ~(1 << (index & 7))
}

interface GroupRows {
  readonly mask: Mask
  /** Ascending by id. */
  readonly rows: ReadonlyArray<Row>
  /** Of the rows some of whose fields are blanked; `null` = of none. */
  readonly blanked: ReadonlyMap<Row, Mask> | null
}

const rowsOf = (parts: ReadonlyArray<Part>): Omit<GroupRows, "mask"> => {
  const [first] = parts
  const rows =
    parts.length === 1 ? (first?.bucket.rows ?? []) : parts.flatMap(({ bucket }) => bucket.rows)
  const withBlanks = parts.filter(({ blanked }) => !isEmpty(blanked))
  const blanked = withBlanks.flatMap((part) =>
    part.bucket.rows.map((row): [Row, Mask] => [row, part.blanked])
  )
  return { rows: ascending(rows), blanked: blanked.length === 0 ? null : new Map(blanked) }
}

const ascending = (rows: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  let before = 0
  for (const { id } of rows) {
    if (id < before) return rows.toSorted((a, b) => a.id - b.id)
    before = id
  }
  return rows
}

const firstId = (rows: ReadonlyArray<Row>): number => rows[0]?.id ?? 0
